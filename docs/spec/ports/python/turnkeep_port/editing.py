"""How is a repaired history told from the given one? (REPAIR-24)"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any


def list_edits(
    arranged: Sequence[int],
    dropped: Mapping[int, Any],
    stripped: Mapping[int, Any],
    closings: Mapping[int, str],
) -> list[dict[str, Any]]:
    """In the order of the positions they concern; a closing is -1 less the position of its call."""
    edits: list[tuple[int, int, dict[str, Any]]] = []
    for rank, (name, reasons) in enumerate((("drop", dropped), ("stripId", stripped))):
        for position, reason in reasons.items():
            if name == "stripId" and position in dropped:
                continue
            edit = {name: position, "why": reason.why}
            if reason.because is not None:
                edit["because"] = reason.because
            edits.append((position, rank, edit))
    stays = _stay([entry for entry in arranged if entry >= 0])
    before: int | None = None
    for entry in arranged:
        if entry < 0:
            call = -1 - entry
            edits.append((call, 3, {"close": call, "as": closings[call], "after": before}))
            continue
        if entry not in stays:
            edits.append((entry, 2, {"move": entry, "after": before}))
        before = entry
    return [edit for _, _, edit in sorted(edits, key=lambda each: each[:2])]


def _stay(order: Sequence[int]) -> set[int]:
    """The most positions that stand in their old order; of several choices the lowest, from the last one on."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for position in order:
        length = bisect_left(ends, position)
        before[position] = ends[length - 1] if length > 0 else None
        ends[length : length + 1] = [position]
    stays: set[int] = set()
    position = ends[-1] if ends else None
    while position is not None:
        stays.add(position)
        position = before[position]
    return stays
