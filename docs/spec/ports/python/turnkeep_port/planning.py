"""What does one save write? (chapter 5)

Puts the verdicts of all endings that are still possible together, decides what has to wait,
and lays out the entries of one write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .explaining import list_notices
from .pairing import Turn
from .progress import Progress, Refusal, advance, check_progress, digest
from .reasoning import Association, associate
from .selection import (
    DEFER,
    KEEP,
    REDACT,
    WITHHOLD,
    Decision,
    Judgement,
    Selection,
    Standing,
    select,
    stand,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    check: str = "none"
    deliverable: str | None = None
    start: int | None = None

    @property
    def is_open(self) -> bool:
        return self.kind == "open"


Entry = dict[str, Any]


def plan(
    turn: Turn,
    name: str,
    outcome: Outcome,
    policy: Mapping[str, str],
    before: Progress,
    append_only: bool,
) -> dict[str, Any]:
    """One plan (PLAN-1), or a Refusal."""
    check_progress(turn, name, before, policy)
    return _Planning(turn, outcome, policy, before, append_only).run()


def _endings(turn: Turn, outcome: Outcome, policy: Mapping[str, str]) -> list[Judgement]:
    """The ending, or the endings that the pending check still allows (PLAN-2)."""
    discard = policy["speculative"] == "discard"
    match outcome.kind:
        case "open" if outcome.check in ("message", "output"):
            return [Judgement(), Judgement(turn.last_start, outcome.check)]
        case "open" if outcome.check == "input":
            return [Judgement(), Judgement(0, None, discard)]
        case "rejected":
            start = turn.last_start if outcome.start is None else outcome.start
            return [Judgement(start, outcome.deliverable)]
        case "failed" | "aborted" if outcome.check == "due" and policy["unjudged"] == "withhold":
            return [Judgement(turn.last_start, "message")]
        case "input-rejected":
            return [Judgement(0, None, discard)]
        case _:
            return [Judgement()]


class _Planning:
    def __init__(
        self, turn: Turn, outcome: Outcome, policy: Mapping[str, str], before: Progress, append_only: bool
    ) -> None:
        self.turn = turn
        self.outcome = outcome
        self.policy = policy
        self.before = before
        self.append_only = append_only
        self.standing: Standing = stand(before, len(turn), append_only)
        self.association: Association = associate(turn, policy["association"])

    def run(self) -> dict[str, Any]:
        if self.outcome.is_open and len(self.turn) == self.before.final != 0:
            return self._stay()
        endings = _endings(self.turn, self.outcome, self.policy)
        selections = [
            select(self.turn, self.association, self.policy, ending, self.standing) for ending in endings
        ]
        if self.outcome.is_open:
            waiting = self._find_waiting(selections)
            rejection = None
        else:
            waiting = {}
            rejection = endings[0]
        decisions = [
            waiting.get(position) or decision for position, decision in enumerate(selections[0].decisions)
        ]
        closes = self._find_closings(selections, decisions, waiting)
        if self.append_only:
            return self._append(decisions, closes, waiting, rejection)
        return self._replace(decisions, closes, waiting, rejection)

    def _stay(self) -> dict[str, Any]:
        """PLAN-21: what the store holds is the verdict."""
        decisions = [
            Decision(
                self.standing.verdict_of(position),
                "PLAN-18" if position < self.standing.sealed else "PLAN-21",
            )
            for position in range(len(self.turn))
        ]
        answer = self._answer(
            decisions, None, session=self.standing.session, replaces=[], writes=[], after=self.before
        )
        reported = ("late-output", "unrecorded-effect")
        notices = [notice for notice in answer["notices"] if notice["kind"] not in reported]
        return answer | {"unprotected": [], "notices": notices}

    # what waits

    def _find_waiting(self, selections: list[Selection]) -> dict[int, Decision]:
        """PLAN-2 to PLAN-8: position -> the decision to wait, in its shown form (EXPLAIN-3)."""
        waiting: dict[int, Decision] = {}

        def wait(position: int, rule: str, because: int | None = None) -> None:
            shown = DEFER
            if position in self.standing.session:
                shown, rule, because = self.standing.verdict_of(position), "PLAN-13", None
            waiting[position] = Decision(shown, rule, because)

        turn = self.turn
        unsealed = range(self.standing.sealed, len(turn))
        first = selections[0].decisions

        def is_open(position: int) -> bool:
            """Nothing has been said of it yet but that the endings disagree (EXPLAIN-2)."""
            return position not in waiting or waiting[position].rule == "PLAN-2"

        def is_disputed(position: int) -> bool:
            return any(
                selection.decisions[position].verdict != first[position].verdict for selection in selections
            )

        for position in range(self.standing.sealed):
            if is_disputed(position):  # an output that takes the place of a closing (PLAN-22)
                wait(position, "PLAN-2")
        asked: set[int] = set()
        """Parents of complete calls that wait; they stand in front, so the last position comes first."""
        for position in reversed(unsealed):
            item = turn.items[position]
            if item.is_marker:
                if item.kind == "output":
                    wait(position, "PLAN-6")
            elif item.partial:
                wait(position, "PLAN-4")
            elif item.kind == "call" and any(
                selection.decisions[position] == Decision(WITHHOLD, "SELECT-10") for selection in selections
            ):
                if position not in turn.superseded or position in asked:
                    wait(position, "PLAN-5")
                elif is_disputed(position):
                    wait(position, "PLAN-2")
            elif is_disputed(position):
                wait(position, "PLAN-2")
            if position in waiting and item.is_complete_call and position in turn.parent_of:
                asked.add(turn.parent_of[position])
        for position in unsealed:
            call = turn.call_of.get(position)
            if call in waiting and is_open(position):
                wait(position, "PLAN-8", call)
        for run in self.association.runs:
            rule, because = self._find_wait_of_run(run, first, waiting)
            if rule is not None:
                for position in run.members:
                    if position >= self.standing.sealed and is_open(position):
                        wait(position, rule, because)
        return waiting

    def _find_wait_of_run(
        self, run: Any, first: list[Decision], waiting: Mapping[int, Decision]
    ) -> tuple[str | None, int | None]:
        """PLAN-3, PLAN-7, PLAN-9. A run waits as one: its members share their owners."""
        may_grow = run.can_grow and run.response == self.turn.last_response >= 0
        if not run.owners:
            return ("PLAN-3" if may_grow else None), None
        kept = any(
            owner not in waiting and first[owner].verdict != WITHHOLD for owner in run.owners
        )
        if kept:
            return None, None
        is_segment = self.policy["association"] == "segment"
        if any(owner in waiting for owner in run.owners) or (may_grow and is_segment):
            return ("PLAN-9" if is_segment else "PLAN-7"), run.owners[0]
        return None, None

    # closings

    def _find_closings(
        self, selections: list[Selection], decisions: list[Decision], waiting: Mapping[int, Decision]
    ) -> set[int]:
        """Calls for which there is to be a closing, where their call is in the session."""
        closed = self.standing.closed
        if not self.outcome.is_open:
            wanted = set(selections[0].closes)
        else:
            wanted = {
                position
                for position in set().union(*(selection.closes for selection in selections))
                if position in self.turn.superseded
            }  # PLAN-24
        for call in closed:
            sealed = call < self.standing.sealed
            output = self.turn.output_of.get(call)
            if output is None:
                if sealed or self.outcome.is_open:
                    wanted.add(call)
            elif output in waiting or decisions[output].verdict == WITHHOLD:
                wanted.add(call)  # until the real output is decided (PLAN-22)
        return wanted

    def _place_closings(self, closes: Iterable[int], session: set[int]) -> dict[int, list[int]]:
        """SELECT-21: place -> calls whose closing stands in front of that position."""
        turn = self.turn
        length = len(turn)
        closes = set(closes)
        next_user_input = [length] * (length + 1)
        for position in range(length - 1, -1, -1):
            is_input = turn.items[position].is_user_input
            next_user_input[position] = position if is_input else next_user_input[position + 1]
        behind: dict[tuple[str | None, str | None], int] = {}
        places: dict[int, list[int]] = {}
        for call, item in enumerate(turn.items):
            if item.kind != "call":
                continue
            if call in closes:
                response = turn.response_of[call] + 1
                later = turn.starts[response] if response < len(turn.starts) else length
                place = max(min(later, next_user_input[call + 1]), behind.get(item.key, 0))
                places.setdefault(place, []).append(call)
            output = turn.output_of.get(call)
            if output is not None and output in session:
                behind[item.key] = max(behind.get(item.key, 0), output + 1)
        return places

    def _closing(self, call: int) -> Entry:
        """SELECT-11."""
        said = self.turn.items[call].execution
        known = {"skipped": "skipped", "pending": "skipped", "denied": "denied"}
        return {"close": call, "as": known.get(said or "", "interrupted")}

    # layout

    def _entries(
        self, positions: set[int], closes: Iterable[int], session: set[int], redacted: set[int]
    ) -> list[Entry]:
        """Entries in the order of SELECT-21 and SELECT-22, with the forms they have in `session`."""
        places = self._place_closings(closes, session)
        whole: dict[int, bool] = {}
        if self.policy["brokenContext"] == "strip-id":
            for run in self.association.runs:
                whole[run.members[0]] = all(member in session for member in run.members)
        entries: list[Entry] = []
        for position in range(len(self.turn) + 1):
            entries.extend(self._closing(call) for call in places.get(position, ()))
            if position not in positions:
                continue
            entry: Entry = {"position": position}
            run = self.association.run_before.get(position)
            if run is not None and not whole.get(run.members[0], True):
                entry["stripId"] = True  # SELECT-20
            if position in redacted:
                entry["redact"] = True
            entries.append(entry)
        return entries

    def _replace(
        self,
        decisions: list[Decision],
        closes: set[int],
        waiting: Mapping[int, Decision],
        rejection: Judgement | None,
    ) -> dict[str, Any]:
        """PLAN-14: the session is the target; the shortest suffix is replaced."""
        target = {
            position for position, decision in enumerate(decisions) if decision.verdict in (KEEP, REDACT)
        }
        redacted = {position for position in target if decisions[position].verdict == REDACT}
        closes = closes & target
        standing = self.standing
        stored = self._entries(standing.session, standing.closed, standing.session, standing.redacted)
        wanted = self._entries(target, closes, target, redacted)
        same = 0
        while same < min(len(stored), len(wanted)) and stored[same] == wanted[same]:
            same += 1
        after = self._advance(decisions, waiting, target, closes, redacted)
        return self._answer(
            decisions, rejection, session=target, replaces=stored[same:], writes=wanted[same:], after=after
        )

    def _append(
        self,
        decisions: list[Decision],
        closes: set[int],
        waiting: Mapping[int, Decision],
        rejection: Judgement | None,
    ) -> dict[str, Any]:
        stored = self.standing.session
        blocked_at = self._find_block(decisions, waiting)
        new = {
            position
            for position, decision in enumerate(decisions)
            if decision.verdict in (KEEP, REDACT) and position not in stored and position < blocked_at
        }
        last_stored = max(stored, default=-1)
        for position in sorted(new):
            if position < last_stored:
                raise Refusal(  # PLAN-17
                    "out-of-order",
                    f"item {position} would have to be written in front of {last_stored}",
                    f"items[{position}]",
                )
            break
        session = stored | new
        places = self._place_closings((closes & session) - self.standing.closed, session)
        late = {call for place, calls in places.items() if place <= last_stored for call in calls}
        in_place = {call for place, calls in places.items() if last_stored < place <= blocked_at for call in calls}
        redacted = {position for position in new if decisions[position].verdict == REDACT}
        writes = [
            *self._entries(set(), late, session, redacted),
            *self._entries(new, in_place, session, redacted),
        ]  # PLAN-16
        irrevocable = [
            position for position in sorted(stored) if decisions[position].verdict != self.standing.verdict_of(position)
        ]  # PLAN-15
        after = self._advance(
            decisions, waiting, session, self.standing.closed | late | in_place, self.standing.redacted | redacted
        )
        return self._answer(
            decisions,
            rejection,
            session=session,
            replaces=[],
            writes=writes,
            after=after,
            irrevocable=irrevocable,
            late=sorted(late),
        )

    def _find_block(self, decisions: list[Decision], waiting: Mapping[int, Decision]) -> int:
        """The position that nothing new may pass (PLAN-10, PLAN-31); the length of the turn if none."""
        stored = self.standing.session
        block = min((position for position in waiting if position not in stored), default=len(self.turn))
        # From the end, since holding back one run may leave an earlier one without its owner.
        for run in reversed(self.association.runs):
            kept = [owner for owner in run.owners if decisions[owner].verdict in (KEEP, REDACT)]
            if not kept or kept[0] < block or any(owner in stored for owner in run.owners):
                continue
            for position in run.members:
                if position < block and position not in stored and decisions[position].verdict == KEEP:
                    block = position
                    break
        return block

    # answers

    def _advance(
        self,
        decisions: list[Decision],
        waiting: Mapping[int, Decision],
        session: set[int],
        closed: set[int],
        redacted: set[int],
    ) -> Progress:
        before, length = self.before, len(self.turn)
        settled = before.settled
        while settled < length and settled not in waiting:
            if decisions[settled].verdict != WITHHOLD and settled not in session:
                break  # decided, but held back
            settled += 1
        final, sealed = before.final, before.sealed
        if not self.outcome.is_open:
            sealed = final if length > final else sealed
            final = length  # PLAN-20
        return advance(
            self.turn,
            before,
            self.policy,
            settled=settled,
            final=final,
            sealed=sealed,
            session=session,
            closed=closed,
            redacted=redacted,
        )

    def _answer(
        self,
        decisions: list[Decision],
        rejection: Judgement | None,
        *,
        session: set[int],
        replaces: list[Entry],
        writes: list[Entry],
        after: Progress,
        irrevocable: list[int] | None = None,
        late: list[int] | None = None,
    ) -> dict[str, Any]:
        unrecorded = self._list_unrecorded()
        change = "replace-suffix" if replaces else "append" if writes else "none"
        content = [self.before.turn, self.before.revision, change, replaces, writes, after.to_json()]
        return {
            "change": change,
            "replaces": replaces,
            "from": rejection.start if rejection is not None else None,
            "writes": writes,
            "after": after.to_json(),
            "operation": digest(content),
            "unprotected": self._list_unprotected(decisions, session, unrecorded),
            "irrevocable": irrevocable or [],
            "late": late or [],
            "notices": list_notices(
                self.turn,
                ended=not self.outcome.is_open,
                rejection=rejection,
                late_outputs=[position for position, decision in enumerate(decisions) if self._is_late(position)],
                unrecorded=unrecorded,
            ),
            "decisions": [
                {"position": position, "verdict": decision.verdict, "rule": decision.rule}
                | ({} if decision.because is None else {"because": decision.because})
                for position, decision in enumerate(decisions)
            ],
        }

    def _is_late(self, output: int) -> bool:
        """PLAN-23."""
        return (
            self.append_only
            and output >= self.standing.sealed
            and self.turn.call_of.get(output) in self.standing.closed
        )

    def _list_unrecorded(self) -> list[int]:
        """PLAN-12, second kind: outputs whose call is sealed as withheld."""
        sealed = self.standing.sealed
        return [
            output
            for output, call in sorted(self.turn.call_of.items())
            if output >= sealed and call < sealed and call not in self.standing.session
        ]

    def _list_unprotected(
        self, decisions: list[Decision], session: set[int], unrecorded: list[int]
    ) -> list[int]:
        """PLAN-12."""
        effects = {
            position
            for position, item in enumerate(self.turn.items)
            if (item.is_complete_call or self.turn.is_answering(position))
            and decisions[position].verdict != WITHHOLD
            and position not in session
        }
        return sorted(effects.union(unrecorded))
