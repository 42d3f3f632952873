"""What would a provider refuse in a stored history? (chapter 8)

One pass for each question. Positions are places in the list that was given.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .history import (
    Group,
    History,
    belongs_to_group,
    find_groups,
    find_homes,
    is_other_run,
    is_request,
    read_history,
    send_outputs_home,
)
from .items import Item, Key
from .profiles import Profile

RULES = (
    "unclassified",
    "duplicate-item",
    "duplicate-approval",
    "duplicate-call-id",
    "duplicate-output",
    "orphan-output",
    "orphan-call",
    "missing-parent",
    "leading-item",
    "interleaved-runs",
    "intervening-item",
    "missing-reasoning",
    "dangling-reasoning",
    "signature-missing",
    "signature-incomplete",
    "signature-stale",
)
_PLACE_IN_TABLE = {rule: place for place, rule in enumerate(RULES)}
_OUTPUTS_END_A_SEARCH = ("message", "response")


@dataclass(frozen=True, slots=True)
class Violation:
    rule: str
    position: int
    because: int | None = None
    severity: str = "error"

    def to_json(self, items: Sequence[Item]) -> dict[str, Any]:
        shown: dict[str, Any] = {"rule": self.rule, "severity": self.severity, "position": self.position}
        call_id = items[self.position].call_id
        if call_id is not None:
            shown["callId"] = call_id
        if self.because is not None:
            shown["because"] = self.because
        return shown


@dataclass(slots=True)
class Thoughts:
    """REASON-5 as a history has it: reasoning with no owner and nothing that ends the search between."""

    members: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)


def find_thoughts(history: History, order: Sequence[int], association: str | None = None) -> list[Thoughts]:
    items, profile = history.items, history.profile
    association = profile["association"] if association is None else association
    outputs_end = profile["adjacency"] in _OUTPUTS_END_A_SEARCH
    runs: list[Thoughts] = []
    run: Thoughts | None = None
    for position in order:
        item = items[position]
        if item.is_user_input or (outputs_end and item.is_runner_output):
            run = None
        elif item.is_thought:
            if run is None or run.owners:
                run = Thoughts()
                runs.append(run)
            run.members.append(position)
        elif item.is_owning and run is not None and (association == "segment" or not run.owners):
            run.owners.append(position)
    return runs


def find_emissions(history: History, order: Sequence[int]) -> Iterator[list[int]]:
    """Neighbouring model items of one run that all have a different `sequence` (AUDIT-31, REPAIR-18)."""
    items = history.items
    stretch: list[int] = []
    for position in order:
        item = items[position]
        if item.is_marker:
            continue
        belongs = item.is_model_item and item.sequence is not None
        if stretch and not (belongs and item.run == items[stretch[-1]].run):
            yield from _if_known(items, stretch)
            stretch = []
        if belongs:
            stretch.append(position)
    yield from _if_known(items, stretch)


def _if_known(items: Sequence[Item], stretch: list[int]) -> Iterator[list[int]]:
    """An order that is known twice is not known."""
    if len({items[member].sequence for member in stretch}) == len(stretch) > 1:
        yield stretch


def audit(
    items: Sequence[Item], open_calls: Sequence[Key], profile: Profile, at_rest: bool
) -> list[Violation]:
    """AUDIT-1."""
    auditing = _Auditing(read_history(items, open_calls, profile), at_rest)
    return auditing.run()


def is_excused(history: History, call: int, approved: set[int], at_rest: bool) -> bool:
    """AUDIT-11 to AUDIT-13."""
    if call in history.superseded:
        return False
    return (
        at_rest
        or history.items[call].key in history.open_keys
        or (history.profile["approvedCalls"] == "excused" and call in approved)
    )


def find_approved(history: History) -> set[int]:
    """The calls to which an answer to a request for approval belongs."""
    return {
        call for approval, call in history.approved_call.items() if not is_request(history.items[approval])
    }


class _Auditing:
    def __init__(self, history: History, at_rest: bool) -> None:
        self.history = history
        self.items = history.items
        self.live = history.live
        self.profile = history.profile
        self.at_rest = at_rest
        self.found: list[Violation] = []
        doomed = history.orphans | history.surplus.keys()
        self.staying = [position for position in self.live if position not in doomed]
        self.groups = find_groups(history, self.staying)

    def run(self) -> list[Violation]:
        for position in self.live:
            if self.items[position].kind == "unclassified":
                self._report("unclassified", position, severity="warning")
        for position, earlier in self.history.earlier.items():
            self._report("duplicate-item", position, earlier)
        for output in self.history.orphans:
            self._report("orphan-output", output)
        for output, cause in self.history.surplus.items():
            self._report("duplicate-output", output, cause)
        self._look_at_approvals()
        self._look_at_calls()
        self._look_at_head()
        self._look_at_runs()
        self._look_at_places()
        self._look_at_texts()
        self._look_at_open_provider_calls()
        self._look_for_required_reasoning()
        self._look_for_demanded_reasoning()
        self._look_at_reasoning()
        self._look_at_signatures()
        # Sorting keeps what has one rule at one position in the order of this chapter.
        return sorted(self.found, key=lambda each: (each.position, _PLACE_IN_TABLE[each.rule]))

    def _report(self, rule: str, position: int, because: int | None = None, severity: str = "error") -> None:
        self.found.append(Violation(rule, position, because, severity))

    # calls and their approvals

    def _look_at_approvals(self) -> None:
        """AUDIT-15."""
        seen: dict[tuple[bool, Any], int] = {}
        for position, item in enumerate(self.items):
            if item.kind != "approval":
                continue
            if item.call_id is None:
                continue
            if position in self.history.copies:
                self._report("duplicate-approval", position, self.history.earlier[position])
                continue
            belongs_to: Any = self.history.approved_call.get(position, item.key)
            first = seen.setdefault((is_request(item), belongs_to), position)
            if first != position:
                self._report("duplicate-approval", position, first)

    def _look_at_calls(self) -> None:
        """AUDIT-10 to AUDIT-14, AUDIT-16."""
        history = self.history
        approved = find_approved(history)
        programs = {call_id for _, call_id in history.open_keys}
        for position in self.live:
            item = self.items[position]
            if item.kind != "call":
                continue
            if item.is_runner_call and history.is_unanswered(position):
                if not is_excused(history, position, approved, self.at_rest):
                    self._report("orphan-call", position)
            if position in history.joined and self.profile["pairing"] == "by-id":
                self._report("duplicate-call-id", position, history.joined[position])
            if item.parent is not None and item.parent not in programs:
                self._report("missing-parent", position)
            if not item.partial:
                programs.add(item.call_id)

    # places

    def _look_at_head(self) -> None:
        """AUDIT-17."""
        if self.profile["firstRole"] == "any":
            return
        for position in self.live:
            item = self.items[position]
            if item.is_marker or (item.is_user_input and item.role == "system"):
                continue
            if not item.is_user_input and item.kind != "compaction":
                self._report("leading-item", position)
            return

    def _look_at_runs(self) -> None:
        """AUDIT-18."""
        begun: set[str] = set()
        current: str | None = None
        begins = -1
        for position in self.live:
            item = self.items[position]
            if item.run is None or item.kind == "output" or item.run == current:
                continue
            if item.run in begun:
                self._report("interleaved-runs", position, begins)
            begun.add(item.run)
            current, begins = item.run, position

    def _look_at_places(self) -> None:
        """AUDIT-19: whatever is overtaken by an output that goes home."""
        furthest = -1
        homes = find_homes(self.history, self.staying, self.groups)
        for position in send_outputs_home(self.staying, homes):
            if furthest > position and not self.items[position].is_transparent:
                self._report("intervening-item", position, furthest)
            furthest = max(furthest, position)

    def _look_at_texts(self) -> None:
        """AUDIT-20."""
        if self.profile["order"] == "calls-last":
            answered = self.history.output_of.keys()
            for message, _ in find_late_texts(self.history, self.staying, self.groups, answered):
                self._report("intervening-item", message)

    def _look_at_open_provider_calls(self) -> None:
        """AUDIT-21."""
        if self.profile["openProviderCall"] == "free":
            return
        group_of = {member: group for group in self.groups for member in group.members}
        group: Group | None = None
        owed: dict[int, None] = {}
        has_outputs = False
        for position in self.live:
            item = self.items[position]
            owed.pop(self.history.call_of.get(position, -1), None)
            if position in group_of and group_of[position] is not group:
                group = group_of[position]
                owed.clear()
            if belongs_to_group(item):
                has_outputs = False
            elif item.is_runner_output:
                has_outputs = True
            if item.kind == "call" and item.executor == "provider" and not item.self_contained:
                owed[position] = None
            if item.is_user_input and has_outputs and owed:
                self._report("intervening-item", position, next(iter(owed)))

    # reasoning

    def _look_for_required_reasoning(self) -> None:
        """AUDIT-22."""
        segment = self.profile["association"] == "segment"
        last_of_id: dict[str, int] = {}
        in_segment: set[str] = set()
        nearest: Item | None = None
        opens_segment = True
        for position in self.live:
            item = self.items[position]
            if item.is_owning and item.id is not None and item.requires_reasoning is not None:
                needed = item.requires_reasoning
                is_next = nearest is not None and nearest.is_thought and nearest.id == needed
                if not (needed in in_segment if segment else is_next):
                    self._report("missing-reasoning", position, last_of_id.get(needed))
            if item.is_user_input:
                nearest = None
                in_segment.clear()
            elif item.is_runner_output:
                in_segment.clear()
            elif item.is_thought:
                if opens_segment:
                    in_segment.clear()
                opens_segment = False
                nearest = item
                if item.id is not None:
                    in_segment.add(item.id)
                    last_of_id[item.id] = position
            elif item.is_owning:
                nearest = item
                opens_segment = True

    def _look_for_demanded_reasoning(self) -> None:
        """AUDIT-23."""
        first_calls: list[int] = []
        first: int | None = None
        last_stretch: int | None = None
        has_reasoning = has_call = False
        for position in self.live:
            item = self.items[position]
            if item.is_user_input or item.is_runner_output:
                has_reasoning = has_call = False
                first = None
                if item.is_user_input:
                    last_stretch = None
            if first is None and (item.is_thought or item.is_owning):
                first = last_stretch = position
            has_reasoning = has_reasoning or item.is_thought
            if item.is_runner_call and not has_call:
                has_call = True
                if not has_reasoning:
                    first_calls.append(position)
        match self.profile["reasoning"]:
            case "with-calls":
                for position in first_calls:
                    self._report("missing-reasoning", position)
            case "first-in-last-turn":
                if last_stretch is not None and not self.items[last_stretch].is_thought:
                    self._report("missing-reasoning", last_stretch)

    def _look_at_reasoning(self) -> None:
        """AUDIT-24 to AUDIT-26."""
        if self.profile["reasoning"] == "refused":
            for position in self.live:
                if self.items[position].is_thought:
                    self._report("dangling-reasoning", position)
        elif self.profile["association"] != "self":
            by_id = self.profile["partners"] == "by-id"
            for run in find_thoughts(self.history, self.live):
                owner = run.owners[0] if run.owners else None
                for member in run.members:
                    if owner is None:
                        self._report("dangling-reasoning", member)
                    elif by_id and self.items[member].id is not None and self.items[owner].id is None:
                        self._report("dangling-reasoning", member, owner)

    # signatures

    def _look_at_signatures(self) -> None:
        """AUDIT-27 to AUDIT-33; one violation for each item, the first that holds."""
        match self.profile["signatureScope"]:
            case "none":
                return
            case "step":
                self._look_at_steps()
            case scope:
                self._look_at_signed_reasoning(scope)

    def _look_at_signed_reasoning(self, scope: str) -> None:
        displaced = set() if scope == "next" else self._find_displaced()
        stale: int | None = None
        for position in self.live:
            item = self.items[position]
            if not item.is_thought:
                continue
            if item.signature == "missing":
                self._report("signature-missing", position)
            elif item.signature == "partial" or item.partial:
                self._report("signature-incomplete", position)
            elif item.signature == "stale" or position in displaced:
                self._report("signature-stale", position)
                stale = position if stale is None else stale
            elif scope == "prefix" and stale is not None and item.signature != "none":
                self._report("signature-stale", position, stale)

    def _find_displaced(self) -> set[int]:
        """AUDIT-31."""
        displaced: set[int] = set()
        for stretch in find_emissions(self.history, self.live):
            emitted = sorted(stretch, key=lambda member: self.items[member].sequence or 0)
            behind = dict(zip(emitted[1:], emitted, strict=False))
            for before, member in zip([None, *stretch], stretch, strict=False):
                if self.items[member].is_thought and behind.get(member) != before:
                    displaced.add(member)
        return displaced

    def _look_at_steps(self) -> None:
        """AUDIT-29, AUDIT-30, AUDIT-32, AUDIT-33."""
        first: set[int] = set()
        has_call = False
        for position in self.live:
            item = self.items[position]
            if item.is_user_input:
                first.clear()
            elif item.is_runner_output:
                has_call = False
            elif item.is_runner_call:
                if not has_call:
                    first.add(position)
                has_call = True
        for position in self.live:
            item = self.items[position]
            if item.signature == "partial":
                self._report("signature-incomplete", position)
            elif item.signature == "stale":
                self._report("signature-stale", position)
            elif item.signature in ("missing", "none") and position in first:
                self._report("signature-missing", position)
            elif item.signature == "missing" and not item.is_runner_call and not item.is_runner_output:
                self._report("signature-missing", position, severity="warning")


def find_late_texts(
    history: History,
    order: Sequence[int],
    groups: Sequence[Group],
    answered: Container[int],
    put: Container[int] = (),
) -> Iterator[tuple[int, int]]:
    """AUDIT-20: messages behind a call of their segment, once a call of the group is answered; and its first call.

    `put` is what a repair has put into the order: closings, as negative numbers, and outputs that came too early.
    """
    group_of = {member: group for group in groups for member in group.members}
    closing_ends_group = history.profile["adjacency"] in _OUTPUTS_END_A_SEARCH
    group: Group | None = None
    run: str | None = None
    has_answer = False
    first_call: int | None = None
    for position in order:
        if position >= 0 and history.items[position].is_transparent:
            continue
        if position not in group_of:
            first_call = None
            has_answer = has_answer and not (position in put and closing_ends_group)
            continue
        item = history.items[position]
        if group_of[position] is not group:
            group, has_answer, first_call = group_of[position], False, None
        if item.kind == "reasoning" or is_other_run(run, item):
            first_call = None
        run = item.run if item.run is not None else run
        if item.is_runner_call:
            has_answer = has_answer or position in answered
            first_call = position if first_call is None else first_call
        elif item.kind == "message" and first_call is not None and has_answer:
            yield position, first_call
