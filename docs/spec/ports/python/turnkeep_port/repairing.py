"""What mends a history? (chapter 9)

What goes and what is closed is decided first, where it stands next, and what has become of the
reasoning last; then the places once more, until nothing changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .arranging import arrange
from .auditing import (
    Thoughts,
    Violation,
    audit,
    find_approved,
    find_emissions,
    find_thoughts,
    is_excused,
)
from .editing import list_edits
from .history import History, read_history
from .items import Item, Key
from .profiles import Profile

_SIGNATURES = ("signature-missing", "signature-incomplete", "signature-stale")
_OF_REASONING = ("missing-reasoning", "dangling-reasoning", *_SIGNATURES)


@dataclass(frozen=True, slots=True)
class Reason:
    why: str
    because: int | None = None


def repair(
    raw: Sequence[Any], items: Sequence[Item], open_calls: Sequence[Key], profile: Profile, at_rest: bool
) -> dict[str, Any]:
    """Passes until one changes nothing (REPAIR-27)."""
    mended = Mended(list(range(len(items))), list(items))
    found = _audit(mended.items, open_calls, profile, at_rest)
    seen: set[tuple[int, ...]] = set()
    while found:
        _Pass(mended, open_calls, profile, at_rest).run(found)
        found = _audit(mended.items, open_calls, profile, at_rest)
        state = (len(mended.stripped), *mended.entries)
        if state in seen:
            break
        seen.add(state)
    return mended.answer(raw, items, found)


def _audit(items: Sequence[Item], open_calls: Sequence[Key], profile: Profile, at_rest: bool) -> list[Violation]:
    return [each for each in audit(items, open_calls, profile, at_rest) if each.severity == "error"]


def closing_of(call: Item) -> str:
    """SELECT-11."""
    match call.execution:
        case "skipped" | "pending":
            return "skipped"
        case "denied":
            return "denied"
        case _:
            return "interrupted"


@dataclass(slots=True)
class Mended:
    """The history as mended so far."""

    entries: list[int]
    """Positions of the given history; a closing is -1 less the position of its call."""
    items: list[Item]
    """What stands for each entry."""
    dropped: dict[int, Reason] = field(default_factory=dict)
    stripped: dict[int, Reason] = field(default_factory=dict)
    closings: dict[int, str] = field(default_factory=dict)

    def given(self, place: int | None) -> int | None:
        """A place in the mended history, as a position of the given one; a closing at its call."""
        if place is None:
            return None
        entry = self.entries[place]
        return entry if entry >= 0 else -1 - entry

    def answer(self, raw: Sequence[Any], items: Sequence[Item], remaining: Sequence[Violation]) -> dict[str, Any]:
        shown = [
            Violation(each.rule, self.given(each.position) or 0, self.given(each.because)) for each in remaining
        ]
        return {
            "items": [self._show(raw, items, entry) for entry in self.entries],
            "order": self.entries,
            "edits": list_edits(self.entries, self.dropped, self.stripped, self.closings),
            "remaining": [violation.to_json(items) for violation in shown],
        }

    def _show(self, raw: Sequence[Any], items: Sequence[Item], entry: int) -> Any:
        if entry >= 0:
            if entry not in self.stripped:
                return raw[entry]
            return {name: value for name, value in raw[entry].items() if name != "id"}
        call = items[-1 - entry]
        shown = {"kind": "output", "callId": call.call_id, "namespace": call.namespace}
        shown["execution"] = self.closings[-1 - entry]
        return {name: value for name, value in shown.items() if value is not None}


class _Pass:
    """One reading of the mended history; positions are places in it, a closing is -1 less the place of its call."""

    def __init__(self, mended: Mended, open_calls: Sequence[Key], profile: Profile, at_rest: bool) -> None:
        self.mended = mended
        self.items = list(mended.items)
        self.open_calls = open_calls
        self.profile = profile
        self.at_rest = at_rest
        self.order = list(range(len(self.items)))
        """What stays, in the order so far, without what is put behind calls."""
        self.dropped: dict[int, Reason] = {}
        self.stripped: dict[int, Reason] = {}
        self.answers: dict[int, int] = {}
        """Call -> the early output that is moved behind it, or its closing."""
        self.arranged: list[int] = []

    def run(self, found: Sequence[Violation]) -> None:
        self._drop_copies(found)
        if any(violation.rule == "interleaved-runs" for violation in self._audit(self.order)):
            self._part_runs()
        self._restore_emissions()
        history = self._read()
        self._treat_outputs(history)
        self._treat_calls(history)
        self.arranged = arrange(self._read_in_responses(history), self.order, self.answers)
        self._treat_reasoning()
        self.arranged = [entry for entry in self.arranged if entry not in self.dropped]
        self._hand_over()

    # looking

    def _item(self, entry: int) -> Item:
        if entry >= 0:
            return self.items[entry]
        call = self.items[-1 - entry]
        return Item(
            "output",
            "runner",
            call_id=call.call_id,
            namespace=call.namespace,
            execution=closing_of(call),
        )

    def _read(self) -> History:
        return read_history(self.items, self.open_calls, self.profile, self.order)

    def _read_in_responses(self, history: History) -> History:
        """What stays, in the responses that were seen before anything was dropped."""
        items = [
            replace(item, response=history.response_of.get(position)) if item.is_model_item else item
            for position, item in enumerate(self.items)
        ]
        return read_history(items, self.open_calls, self.profile, self.order)

    def _audit(self, order: Sequence[int]) -> list[Violation]:
        """The errors in a given order; a closing is found at its call."""
        found = _audit([self._item(entry) for entry in order], self.open_calls, self.profile, self.at_rest)

        def place(index: int) -> int:
            return order[index] if order[index] >= 0 else -1 - order[index]

        return [
            Violation(each.rule, place(each.position), None if each.because is None else place(each.because))
            for each in found
        ]

    def _drop(self, position: int, why: str, because: int | None = None) -> None:
        self.dropped.setdefault(position, Reason(why, because))

    def _strip(self, position: int, reason: Reason) -> None:
        self.stripped[position] = reason
        self.items[position] = self.items[position].without_id()

    def _forget_dropped(self) -> None:
        self.order = [position for position in self.order if position not in self.dropped]

    def _hand_over(self) -> None:
        mended = self.mended

        def in_given(reason: Reason) -> Reason:
            return Reason(reason.why, mended.given(reason.because))

        for position, reason in self.dropped.items():
            entry = mended.entries[position]
            if entry >= 0:
                mended.dropped[entry] = in_given(reason)
            else:
                del mended.closings[-1 - entry]
        for position, reason in self.stripped.items():
            if mended.entries[position] >= 0:
                mended.stripped.setdefault(mended.entries[position], in_given(reason))
        entries: list[int] = []
        for entry in self.arranged:
            if entry >= 0:
                entries.append(mended.entries[entry])
            else:
                call = mended.entries[-1 - entry]
                entries.append(-1 - call)
                mended.closings[call] = closing_of(self.items[-1 - entry])
        mended.items = [self._item(entry) for entry in self.arranged]
        mended.entries = entries

    # copies and runs

    def _drop_copies(self, found: Sequence[Violation]) -> None:
        """REPAIR-4."""
        copies = read_history(self.items, self.open_calls, self.profile).copies
        for violation in found:
            if violation.rule == "duplicate-item":
                if violation.position in copies:
                    self._drop(violation.position, violation.rule, violation.because)
                else:
                    self._strip(violation.position, Reason(violation.rule, violation.because))
            elif violation.rule == "duplicate-approval":
                self._drop(violation.position, violation.rule, violation.because)
        self._forget_dropped()

    def _part_runs(self) -> None:
        """REPAIR-17."""
        run_behind: list[str | None] = []
        run: str | None = None
        for position in reversed(self.order):
            run = self.items[position].run or run
            run_behind.append(run)
        run_behind.reverse()
        runs: dict[str | None, list[int]] = {}
        before: str | None = run_behind[0] if run_behind else None
        last: list[int] = []
        for position, behind in zip(self.order, run_behind, strict=True):
            item = self.items[position]
            if item.run is not None:
                before = item.run
            elif item.is_user_input:
                if behind is None:
                    last.append(position)
                    continue
                before = behind
            elif last:
                last.append(position)
                continue
            runs.setdefault(before, []).append(position)
        self.order = [position for run_items in runs.values() for position in run_items] + last

    def _restore_emissions(self) -> None:
        """REPAIR-18."""
        found = audit(
            [self._item(entry) for entry in self.order], self.open_calls, self.profile, self.at_rest
        )
        reported = {self.order[each.position] for each in found if each.rule in _OF_REASONING}
        place = {position: index for index, position in enumerate(self.order)}
        history = self._read()
        for stretch in find_emissions(history, self.order):
            if reported.isdisjoint(stretch):
                continue
            places = [place[member] for member in stretch]
            emitted = sorted(stretch, key=lambda member: self.items[member].sequence or 0)
            for index, member in zip(places, emitted, strict=True):
                self.order[index] = member

    # outputs and calls

    def _treat_outputs(self, history: History) -> None:
        """REPAIR-5, REPAIR-6."""
        early: dict[Key, int] = {}
        for position in self.order:
            item = self.items[position]
            if item.is_user_input:
                early.clear()
            elif position in history.orphans:
                early[item.key] = position
            elif item.kind == "call" and history.is_unanswered(position):
                output = early.pop(item.key, None)
                if output is not None and item.executor == "runner" and self.profile["pairing"] == "by-id":
                    self.answers[position] = output
        moved = set(self.answers.values())
        for output in history.orphans - moved:
            self._drop(output, "orphan-output")
        for output, cause in history.surplus.items():
            self._drop(output, "duplicate-output", cause)
        self.order = [position for position in self.order if position not in moved and position not in self.dropped]

    def _treat_calls(self, history: History) -> None:
        """REPAIR-7 to REPAIR-12."""
        approved = find_approved(history)
        orphans = [
            position
            for position in self.order
            if self.items[position].is_runner_call
            and history.is_unanswered(position)
            and position not in self.answers
            and not is_excused(history, position, approved, self.at_rest)
        ]
        if self.profile["orphanCall"] == "drop":
            to_close = self._drop_calls(history, orphans)
        else:
            to_close = []
            for position in orphans:
                if self.items[position].partial:
                    self._drop(position, "orphan-call")
                else:
                    to_close.append(position)
        self._close_calls(history, to_close)
        self._drop_with_calls(history)
        for call in self.answers.keys() & self.dropped.keys():
            self._drop(self.answers.pop(call), "orphan-output")
        if self.profile["association"] != "self":
            for run in find_thoughts(history, history.live):
                self._follow_owners(run.members, run.owners)
        self._strip_abandoned(self.order)
        self._forget_dropped()

    def _drop_calls(self, history: History, orphans: Sequence[int]) -> list[int]:
        """REPAIR-8 to REPAIR-10: what is dropped is followed up; the orphans that stay are returned."""
        parents = history.parent_of
        needed: set[int] = set()
        lost = set(orphans)
        for position in reversed(self.order):
            if position in parents and (position not in lost or position in needed):
                needed.add(parents[position])
        children: dict[int, list[int]] = {}
        for child, parent in parents.items():
            children.setdefault(parent, []).append(child)
        siblings: dict[int, list[int]] = {}
        if self.profile["parallel"] == "all-or-none":
            for position in self.order:
                if self.items[position].is_runner_call:
                    siblings.setdefault(history.response_of[position], []).append(position)

        to_close = [position for position in orphans if position in needed]
        worklist: deque[int] = deque()

        def drop(position: int, why: str, because: int | None = None) -> None:
            if position not in self.dropped:
                self._drop(position, why, because)
                worklist.append(position)

        def follow(*, with_siblings: bool) -> None:
            while worklist:
                position = worklist.popleft()
                if with_siblings and self.items[position].is_runner_call:
                    for sibling in siblings.pop(history.response_of[position], ()):
                        drop(sibling, "orphan-call", position)
                for child in children.get(position, ()):
                    drop(child, "missing-parent", position)

        for violation in self._audit(self.order):
            if violation.rule == "missing-parent":
                drop(violation.position, "missing-parent")
        follow(with_siblings=False)
        for position in orphans:
            if position not in needed:
                drop(position, "orphan-call")
        worklist.clear()
        worklist.extend(position for position in self.order if position in self.dropped)
        follow(with_siblings=True)
        return [position for position in to_close if position not in self.dropped]

    def _close_calls(self, history: History, to_close: Sequence[int]) -> None:
        """REPAIR-12."""
        provider_keys: set[Key] = set()
        behind_open: set[int] = set()
        """The calls in whose queue one before them stays unanswered."""
        closing = set(to_close)
        for position in self.order:
            item = self.items[position]
            if item.kind == "call" and item.executor == "provider" and history.is_unanswered(position):
                provider_keys.add(item.key)
            before = history.joined.get(position)
            if before is not None and (before in behind_open or self._stays_open(history, before)):
                behind_open.add(position)
            if position in closing and item.key not in provider_keys and position not in behind_open:
                self.answers[position] = -1 - position

    def _stays_open(self, history: History, call: int) -> bool:
        return history.is_unanswered(call) and call not in self.dropped and call not in self.answers

    def _drop_with_calls(self, history: History) -> None:
        """REPAIR-11."""
        pending_of: dict[Key, int] = {}
        for position in self.order:
            item = self.items[position]
            call: int | None = None
            if item.kind == "call":
                if not item.self_contained:
                    pending_of[item.key] = position
            elif item.kind == "output":
                call = history.call_of.get(position, history.further.get(position))
                asked = pending_of.get(item.key, -1)
                if item.is_marker and self.answers.get(asked, 0) < 0:
                    self._drop(position, "orphan-call", asked)
            elif item.kind == "approval":
                call = history.approved_call.get(position)
            if call is not None and call in self.dropped:
                self._drop(position, self.dropped[call].why, call)

    # reasoning

    def _follow_owners(self, members: Sequence[int], owners: Sequence[int]) -> None:
        """REPAIR-21."""
        gone = [owner for owner in owners if owner in self.dropped]
        if gone and len(gone) == len(owners):
            for member in members:
                self._drop(member, "dangling-reasoning", gone[0])

    def _treat_reasoning(self) -> None:
        """REPAIR-19 to REPAIR-23 on what is arranged."""
        for violation in self._audit(self.arranged):
            item = self.items[violation.position]
            if violation.rule == "missing-reasoning" and item.requires_reasoning is not None and item.id is not None:
                self._strip(violation.position, Reason(violation.rule, violation.because))
        self._drop_reasoning()
        if self.profile["signatureScope"] == "prefix":
            self._drop_void_signatures()
        self._strip_abandoned(self.arranged)

    def _find_thoughts(self, entries: Sequence[int], association: str | None = None) -> list[Thoughts]:
        """Runs of reasoning with what they belong to, closings being outputs."""
        history = self._read_entries(entries)
        return [
            Thoughts([entries[place] for place in run.members], [entries[place] for place in run.owners])
            for run in find_thoughts(history, history.live, association)
        ]

    def _read_entries(self, entries: Sequence[int]) -> History:
        """Positions are places among the entries."""
        return read_history([self._item(entry) for entry in entries], self.open_calls, self.profile)

    def _drop_reasoning(self) -> None:
        """REPAIR-20; a signature is the better reason."""
        wrong = ["dangling-reasoning"]
        if self.profile["signatureScope"] != "step":
            wrong.extend(_SIGNATURES)
        reasons = {each.position: each for each in self._audit(self.arranged) if each.rule in wrong}
        for run in self._find_thoughts(self.arranged):
            reason = next((reasons[member] for member in run.members if member in reasons), None)
            if reason is not None:
                for member in run.members:
                    self._drop(member, reason.rule, reason.because)

    def _drop_void_signatures(self) -> None:
        """REPAIR-23."""
        staying = [entry for entry in self.arranged if entry not in self.dropped]
        intact = 0
        while intact < len(staying) and staying[intact] == intact:
            intact += 1
        for entry in staying[intact:]:
            if entry >= 0 and self.items[entry].is_thought:
                if self.items[entry].signature not in ("none", "missing"):
                    self._drop(entry, "signature-stale")

    def _strip_abandoned(self, entries: Sequence[int]) -> None:
        """REPAIR-22."""
        if self.profile["partners"] == "by-place":
            return
        responses = self._read_entries(entries).response_of
        response_of = {entry: responses[place] for place, entry in enumerate(entries) if place in responses}
        for run in self._find_thoughts(entries, "segment"):
            gone = [member for member in run.members if member in self.dropped]
            for owner in run.owners if gone else ():
                if response_of[owner] != response_of[run.owners[0]]:
                    break
                known = self.stripped.get(owner)
                if owner in self.dropped or (known is not None and known.why != "missing-reasoning"):
                    continue
                if self.items[owner].id is not None or known is not None:
                    self._strip(owner, Reason("missing-reasoning", gone[0]))
