"""What mends a history? (chapter 9)

What goes and what is closed is decided first, where it stands next, and what has become of the
reasoning last; then the places once more, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .arranging import arrange
from .auditing import (
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
    found = audit(items, open_calls, profile, at_rest)
    if all(violation.severity == "warning" for violation in found):
        return {"items": list(raw), "order": list(range(len(items))), "edits": [], "remaining": []}
    repairing = _Repairing(items, open_calls, profile, at_rest)
    return repairing.run(raw, found)


def closing_of(call: Item) -> str:
    """SELECT-11."""
    match call.execution:
        case "skipped" | "pending":
            return "skipped"
        case "denied":
            return "denied"
        case _:
            return "interrupted"


class _Repairing:
    def __init__(
        self, items: Sequence[Item], open_calls: Sequence[Key], profile: Profile, at_rest: bool
    ) -> None:
        self.items = items
        self.open_calls = open_calls
        self.profile = profile
        self.at_rest = at_rest
        self.order = list(range(len(items)))
        """What stays, in the order so far, without closings."""
        self.dropped: dict[int, Reason] = {}
        self.stripped: dict[int, Reason] = {}
        self.closings: dict[int, str] = {}
        self.arranged: list[int] = []
        """The repaired order, a closing as -1 less the position of its call."""

    def run(self, raw: Sequence[Any], found: Sequence[Violation]) -> dict[str, Any]:
        self._drop_copies(found)
        if any(violation.rule == "interleaved-runs" for violation in found):
            self._part_runs()
        self._restore_emissions()
        self._move_early_outputs()
        history = self._read()
        self._drop_outputs(history)
        self._treat_calls(history)
        while True:
            history = self._read()
            self.arranged = arrange(history, self.order, self.closings, self.at_rest)
            if not self._treat_reasoning():
                break
        return self._answer(raw)

    # looking

    def _item(self, entry: int) -> Item:
        """What stands for an entry of the repaired history: an item, without its id perhaps, or a closing."""
        if entry < 0:
            call = self.items[-1 - entry]
            return Item(
                "output",
                "runner",
                call_id=call.call_id,
                namespace=call.namespace,
                execution=self.closings[-1 - entry],
                run=call.run,
            )
        item = self.items[entry]
        return item.without_id() if entry in self.stripped else item

    def _read(self) -> History:
        """The history as it stands, without closings; its positions are those of the given one."""
        items = [self._item(position) for position in range(len(self.items))]
        return read_history(items, self.open_calls, self.profile, self.order)

    def _audit(self, order: Sequence[int]) -> list[Violation]:
        """In the order found, at given positions; a closing at its call."""
        found = audit([self._item(entry) for entry in order], self.open_calls, self.profile, self.at_rest)

        def given(place: int | None) -> int | None:
            if place is None:
                return None
            return order[place] if order[place] >= 0 else -1 - order[place]

        return [
            Violation(each.rule, given(each.position) or 0, given(each.because), each.severity) for each in found
        ]

    def _drop(self, position: int, why: str, because: int | None = None) -> None:
        self.dropped.setdefault(position, Reason(why, because))

    def _forget_dropped(self) -> None:
        self.order = [position for position in self.order if position not in self.dropped]

    # copies and runs

    def _drop_copies(self, found: Sequence[Violation]) -> None:
        """REPAIR-4."""
        copies = read_history(self.items, self.open_calls, self.profile).copies
        for violation in found:
            if violation.rule == "duplicate-item":
                if violation.position in copies:
                    self._drop(violation.position, violation.rule, violation.because)
                else:
                    self.stripped[violation.position] = Reason(violation.rule, violation.because)
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
        reported = {each.position for each in self._audit(self.order) if each.rule in _OF_REASONING}
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

    def _move_early_outputs(self) -> None:
        """REPAIR-6."""
        if self.profile["pairing"] != "by-id":
            return
        history = self._read()
        waiting: dict[Key, list[int]] = {}
        behind: dict[int, int] = {}
        """Orphan -> the call behind which it goes."""
        for position in reversed(self.order):
            item = self.items[position]
            if item.is_user_input:
                waiting.clear()
            elif item.kind == "call" and history.is_unanswered(position):
                waiting.setdefault(item.key, []).append(position)
        early: dict[Key, list[int]] = {}
        for position in self.order:
            item = self.items[position]
            if item.is_user_input:
                early.clear()
            elif position in history.orphans:
                early.setdefault(item.key, []).append(position)
            elif item.kind == "call" and history.is_unanswered(position) and early.get(item.key):
                if item.executor == "runner":
                    behind[early[item.key].pop(0)] = position
                else:
                    early[item.key].clear()
        if behind:
            outputs = {call: output for output, call in behind.items()}
            order: list[int] = []
            for position in self.order:
                if position not in behind:
                    order.append(position)
                if position in outputs:
                    order.append(outputs[position])
            self.order = order

    def _drop_outputs(self, history: History) -> None:
        """REPAIR-5."""
        for output in history.orphans:
            self._drop(output, "orphan-output")
        for output, cause in history.surplus.items():
            self._drop(output, "duplicate-output", cause)

    def _treat_calls(self, history: History) -> None:
        """REPAIR-7 to REPAIR-12."""
        approved = find_approved(history)
        orphans = [
            position
            for position in self.order
            if self.items[position].is_runner_call
            and history.is_unanswered(position)
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
        for run in find_thoughts(history, self.order):
            self._follow_owners(run.members, run.owners)
        self._strip_abandoned(history, self.order)
        self._forget_dropped()

    def _drop_calls(self, history: History, orphans: Sequence[int]) -> list[int]:
        """REPAIR-8 to REPAIR-10: what is dropped is followed up; the orphans that stay are returned."""
        parents = history.parent_of
        needed: set[int] = set()
        for position in reversed(self.order):
            if position in parents and (position in history.output_of or position in needed):
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
        worklist: list[int] = []

        def drop(position: int, why: str, because: int | None = None) -> None:
            if position not in self.dropped:
                self._drop(position, why, because)
                worklist.append(position)

        for position in orphans:
            if position not in needed:
                drop(position, "orphan-call")
        for violation in self._audit(self.order):
            if violation.rule == "missing-parent":
                drop(violation.position, "missing-parent")
        while worklist:
            position = worklist.pop()
            for sibling in siblings.pop(history.response_of[position], ()):
                drop(sibling, "orphan-call", position)
            for child in children.get(position, ()):
                drop(child, "missing-parent", position)
        return [position for position in to_close if position not in self.dropped]

    def _close_calls(self, history: History, to_close: Sequence[int]) -> None:
        """REPAIR-12."""
        provider_keys = {
            self.items[position].key
            for position in self.order
            if self.items[position].kind == "call"
            and self.items[position].executor == "provider"
            and history.is_unanswered(position)
        }
        for position in to_close:
            before = history.joined.get(position)
            waits = (
                before is not None
                and history.is_unanswered(before)
                and before not in self.dropped
                and before not in self.closings
            )
            if self.items[position].key not in provider_keys and not waits:
                self.closings[position] = closing_of(self.items[position])

    def _drop_with_calls(self, history: History) -> None:
        """REPAIR-11."""
        pending_of: dict[Key, int] = {}
        for position in self.order:
            item = self.items[position]
            call: int | None = None
            if item.kind == "call":
                pending_of[item.key] = position
            elif item.kind == "output":
                call = history.call_of.get(position)
                if item.is_marker:
                    call = pending_of.get(item.key)
                    if call in self.closings:
                        self._drop(position, "orphan-call", call)
            elif item.kind == "approval":
                call = history.approved_call.get(position)
            if call in self.dropped:
                self._drop(position, self.dropped[call].why, call)

    # reasoning

    def _follow_owners(self, members: Sequence[int], owners: Sequence[int]) -> None:
        """REPAIR-21."""
        gone = [owner for owner in owners if owner in self.dropped]
        if gone and len(gone) == len(owners):
            for member in members:
                self._drop(member, "dangling-reasoning", gone[0])

    def _treat_reasoning(self) -> bool:
        """REPAIR-19 to REPAIR-23 on what is arranged; says whether anything had to change."""
        before = (len(self.dropped), len(self.stripped))
        found = self._audit(self.arranged)
        for violation in found:
            item = self._item(violation.position)
            if violation.rule == "missing-reasoning" and item.requires_reasoning is not None and item.id is not None:
                self.stripped[violation.position] = Reason(violation.rule, violation.because)
        self._drop_reasoning(found)
        if self.profile["signatureScope"] == "prefix":
            self._drop_void_signatures()
        kept = [entry for entry in self.arranged if entry >= 0]
        self._strip_abandoned(read_history(self.items, self.open_calls, self.profile, kept), kept)
        self._forget_dropped()
        return (len(self.dropped), len(self.stripped)) != before

    def _drop_reasoning(self, found: Sequence[Violation]) -> None:
        """REPAIR-20."""
        wrong = {"dangling-reasoning"}
        if self.profile["signatureScope"] != "step":
            wrong.update(_SIGNATURES)
        reasons: dict[int, Reason] = {}
        for violation in found:
            if violation.rule in wrong and violation.severity == "error":
                reasons.setdefault(violation.position, Reason(violation.rule, violation.because))
        for run in find_thoughts(self._read(), [entry for entry in self.arranged if entry >= 0]):
            first = next((member for member in run.members if member in reasons), None)
            if first is not None:
                for member in run.members:
                    reason = reasons.get(member, reasons[first])
                    self._drop(member, reason.why, reason.because)

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

    def _strip_abandoned(self, history: History, order: Sequence[int]) -> None:
        """REPAIR-22."""
        if self.profile["partners"] == "by-place":
            return
        for run in find_thoughts(history, order, "segment"):
            gone = [member for member in run.members if member in self.dropped]
            if not gone:
                continue
            response = history.response_of[gone[-1]]
            for owner in run.owners:
                if history.response_of[owner] != response:
                    break
                if self.items[owner].id is not None and owner not in self.dropped:
                    self.stripped[owner] = Reason("missing-reasoning", gone[-1])

    # the answer

    def _answer(self, raw: Sequence[Any]) -> dict[str, Any]:
        remaining = sorted(
            (each for each in self._audit(self.arranged) if each.severity == "error"),
            key=lambda each: each.position,
        )
        return {
            "items": [self._show(raw, entry) for entry in self.arranged],
            "order": self.arranged,
            "edits": list_edits(self.arranged, self.dropped, self.stripped, self.closings),
            "remaining": [violation.to_json(self.items) for violation in remaining],
        }

    def _show(self, raw: Sequence[Any], entry: int) -> Any:
        if entry < 0:
            closing = self._item(entry)
            shown = {
                "kind": "output",
                "callId": closing.call_id,
                "namespace": closing.namespace,
                "execution": closing.execution,
            }
            return {name: value for name, value in shown.items() if value is not None}
        if entry in self.stripped:
            return {name: value for name, value in raw[entry].items() if name != "id"}
        return raw[entry]
