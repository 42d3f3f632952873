"""What is reported beside a plan? (chapter 7; decisions are made where the verdict is)"""

from __future__ import annotations

from typing import Any

from .pairing import Turn
from .selection import Judgement

_SENTENCES = {
    "unclassified": "nobody knows what this item is",
    "missing-call-id": "a call without a call id can never be answered",
    "unpaired-output": "no call waits for this output",
    "response-order": "the response number is missing or smaller than one before it",
    "no-deliverable": "the rejected part holds nothing that the check could have judged",
    "open-call": "a call of an earlier turn is still without an output",
    "late-output": "the output came when its call had a closing already",
    "unrecorded-effect": "the call of this output is not in the session",
}


def list_notices(
    turn: Turn,
    *,
    ended: bool,
    rejection: Judgement | None,
    late_outputs: list[int],
    unrecorded: list[int],
) -> list[dict[str, Any]]:
    """EXPLAIN-4: what is odd in the turn, in the order of positions, then the others."""
    notices: list[dict[str, Any]] = []

    def report(kind: str, position: int | None = None) -> None:
        notice: dict[str, Any] = {"kind": kind, "message": _SENTENCES[kind]}
        notices.append(notice if position is None else notice | {"position": position})

    unpaired, misnumbered = set(turn.unpaired), set(turn.misnumbered)
    for position, item in enumerate(turn.items):
        if item.complaint is not None:
            report(item.complaint, position)
        if position in misnumbered:
            report("response-order", position)
        if position in unpaired:
            report("unpaired-output", position)
    if rejection is not None and rejection.deliverable is not None and not _holds_deliverable(turn, rejection):
        report("no-deliverable")
    if ended:
        for _ in range(len(turn.open_calls) - len(turn.answers_open)):
            report("open-call")
    for position in late_outputs:
        report("late-output", position)
    for position in unrecorded:
        report("unrecorded-effect", position)
    return notices


def _holds_deliverable(turn: Turn, rejection: Judgement) -> bool:
    """SELECT-24."""
    assert rejection.start is not None
    for position in range(rejection.start, len(turn)):
        item = turn.items[position]
        if rejection.deliverable == "message":
            if item.kind == "message" and item.is_model_item:
                return True
        elif turn.is_answering(position):
            return True
    return False
