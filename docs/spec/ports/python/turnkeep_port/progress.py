"""What is remembered between saves? (chapter 6)"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .items import is_integer
from .pairing import Turn


class Refusal(Exception):
    """An answer that cannot be given: the error document of 00-answers."""

    def __init__(self, kind: str, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.path = path


@dataclass(frozen=True, slots=True)
class Progress:
    turn: str
    revision: int = 0
    settled: int = 0
    final: int = 0
    sealed: int = 0
    withheld: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    redacted: tuple[int, ...] = ()
    written: int = 0
    edge: str = ""

    def session(self) -> set[int]:
        """The positions that are in the session."""
        return set(range(self.settled)).difference(self.withheld).union(self.ahead)

    def to_json(self) -> dict[str, Any]:
        return {
            "turn": self.turn,
            "revision": self.revision,
            "settled": self.settled,
            "final": self.final,
            "sealed": self.sealed,
            "withheld": list(self.withheld),
            "ahead": list(self.ahead),
            "closed": list(self.closed),
            "redacted": list(self.redacted),
            "written": self.written,
            "edge": self.edge,
        }


def read_progress(raw: Any, turn: str) -> Progress:
    """A progress from JSON, null being a fresh one; names the first field that is wrong (PROGRESS-9)."""
    if raw is None:
        return Progress(turn)
    if not isinstance(raw, Mapping):
        raise Refusal("invalid-input", "progress is an object or null", "progress")

    def expect(holds: bool, name: str, expected: str) -> None:
        if not holds:
            raise Refusal("invalid-input", f"progress.{name}: {expected}", f"progress.{name}")

    def count(name: str, most: float = float("inf")) -> int:
        value = raw.get(name)
        expect(is_integer(value) and 0 <= value <= most, name, f"a whole number from 0 to {most}")
        return int(value)

    def positions(name: str) -> tuple[int, ...]:
        value = raw.get(name)
        expect(
            isinstance(value, list)
            and all(is_integer(entry) and entry >= 0 for entry in value)
            and all(first < second for first, second in zip(value, value[1:])),
            name,
            "positions that ascend",
        )
        return tuple(int(entry) for entry in value)

    expect(isinstance(raw.get("turn"), str), "turn", "a string")
    revision = count("revision")
    settled = count("settled")
    final = count("final", settled)
    sealed = count("sealed", final)
    withheld = positions("withheld")
    expect(not withheld or withheld[-1] < settled, "withheld", "positions below settled")
    ahead = positions("ahead")
    expect(not ahead or ahead[0] >= settled, "ahead", "positions from settled up")

    away, beyond = set(withheld), set(ahead)

    def stored(name: str) -> tuple[int, ...]:
        value = positions(name)
        expect(
            all((entry < settled and entry not in away) or entry in beyond for entry in value),
            name,
            "positions that are in the session",
        )
        return value

    closed = stored("closed")
    redacted = stored("redacted")
    expect(isinstance(raw.get("edge"), str), "edge", "a string")
    written = settled - len(withheld) + len(ahead) + len(closed)
    value = raw.get("written")
    expect(is_integer(value) and value == written, "written", "the sum of PROGRESS-3")
    return Progress(
        raw["turn"], revision, settled, final, sealed, withheld, ahead, closed, redacted, written, raw["edge"]
    )


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def edge_of(turn: Turn, progress: Progress, policy: Mapping[str, str]) -> str:
    """PROGRESS-6. This port takes every position, which is more than the rule asks for."""
    positions = [*range(progress.settled), *progress.ahead]
    if not positions:
        return ""
    items = [turn.items[position] for position in positions]
    return digest([policy, [[item.kind, item.origin, item.id, item.call_id, item.namespace] for item in items]])


def check_progress(turn: Turn, name: str, progress: Progress, policy: Mapping[str, str]) -> None:
    """Does what is stored belong to this turn? In the order of 00-answers."""
    if progress.turn != name:
        raise Refusal("foreign-turn", "the progress is of another turn")
    needed = max(progress.settled, progress.final, progress.ahead[-1] + 1 if progress.ahead else 0)
    if len(turn) < needed:
        raise Refusal("beyond-turn", f"the turn has {len(turn)} items, {needed} are accounted for")
    if edge_of(turn, progress, policy) != progress.edge:
        raise Refusal("edge-mismatch", "what is stored is not what the turn says, or the policy is another one")


def advance(
    turn: Turn,
    before: Progress,
    policy: Mapping[str, str],
    *,
    settled: int,
    final: int,
    sealed: int,
    session: set[int],
    closed: set[int],
    redacted: set[int],
) -> Progress:
    """The progress after a plan (PROGRESS-2, PROGRESS-3, PROGRESS-12)."""
    withheld = tuple(position for position in range(settled) if position not in session)
    ahead = tuple(position for position in range(settled, len(turn)) if position in session)
    after = Progress(
        turn=before.turn,
        revision=before.revision,
        settled=settled,
        final=final,
        sealed=sealed,
        withheld=withheld,
        ahead=ahead,
        closed=tuple(sorted(closed)),
        redacted=tuple(sorted(redacted)),
        written=settled - len(withheld) + len(ahead) + len(closed),
    )
    after = replace(after, edge=edge_of(turn, after, policy))
    return after if after == before else replace(after, revision=before.revision + 1)
