"""Whose is a reasoning item? (chapter 3)"""

from __future__ import annotations

from dataclasses import dataclass, field

from .pairing import Turn


@dataclass(slots=True)
class Run:
    """REASON-5: reasoning of one response with no owner and no user input between.

    All members share their owners (REASON-2, REASON-4), so the owners are kept here once.
    """

    response: int
    members: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    can_grow: bool = True
    """No user input, later response or later reasoning has ended it yet."""


@dataclass(slots=True)
class Association:
    runs: list[Run]
    run_of: dict[int, Run]
    run_before: dict[int, Run]
    """Owning item -> the nearest run before it in its response (SELECT-20)."""


def associate(turn: Turn, mode: str) -> Association:
    """REASON-1 under `next`, REASON-4 under `segment`; one pass."""
    result = Association([], {}, {})
    run: Run | None = None
    nearest: Run | None = None
    response = -1
    for position, item in enumerate(turn.items):
        if turn.response_of[position] != response:
            response = turn.response_of[position]
            run, nearest = _end(run), None
        if item.is_user_input:
            run = _end(run)
        elif item.is_thought:
            if run is None or run.owners:
                _end(run)
                run = Run(response)
                result.runs.append(run)
            run.members.append(position)
            result.run_of[position] = nearest = run
        elif item.is_owning:
            if nearest is not None:
                result.run_before[position] = nearest
            if run is not None and (mode == "segment" or not run.owners):
                run.owners.append(position)
    return result


def _end(run: Run | None) -> None:
    if run is not None:
        run.can_grow = False


def list_owners(turn: Turn, association: Association) -> list[int | None]:
    """REASON-6: one for each reasoning item, in the order of the turn."""
    owners: list[int | None] = []
    for position, item in enumerate(turn.items):
        if item.kind == "reasoning":
            run = association.run_of.get(position)
            owners.append(run.owners[0] if run is not None and run.owners else None)
    return owners
