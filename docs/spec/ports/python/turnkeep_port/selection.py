"""What does an ended turn leave? (chapter 4)

Judges every position under one ending. What an earlier save fixed comes in as `Standing`;
in which order and when things are written is not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .items import Item
from .pairing import Turn
from .progress import Progress
from .reasoning import Association

KEEP, REDACT, WITHHOLD, DEFER = "keep", "redact", "withhold", "defer"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One ending: the rejected part starts at `start`, or there is none."""

    start: int | None = None
    deliverable: str | None = None
    discard: bool = False

    def rejects(self, position: int) -> bool:
        return self.start is not None and position >= self.start


@dataclass(slots=True)
class Standing:
    """What the store holds before the plan."""

    session: set[int]
    closed: set[int]
    redacted: set[int]
    sealed: int
    """Positions below it are not judged again (PLAN-18)."""
    append_only: bool

    def verdict_of(self, position: int) -> str:
        if position not in self.session:
            return WITHHOLD
        return REDACT if position in self.redacted else KEEP


def stand(progress: Progress, length: int, append_only: bool) -> Standing:
    return Standing(
        progress.session(),
        set(progress.closed),
        set(progress.redacted),
        progress.final if length > progress.final else progress.sealed,
        append_only,
    )


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: str
    rule: str
    because: int | None = None


@dataclass(slots=True)
class Selection:
    decisions: list[Decision]
    closes: set[int] = field(default_factory=set)
    """Unsealed calls that this ending closes."""


def select(
    turn: Turn, association: Association, policy: Mapping[str, str], judgement: Judgement, standing: Standing
) -> Selection:
    """A verdict for every position; every item is read a bounded number of times."""
    return _Selecting(turn, association, policy, judgement, standing).run()


class _Selecting:
    def __init__(
        self,
        turn: Turn,
        association: Association,
        policy: Mapping[str, str],
        judgement: Judgement,
        standing: Standing,
    ) -> None:
        self.turn = turn
        self.association = association
        self.policy = policy
        self.judgement = judgement
        self.standing = standing
        self.decisions: list[Decision | None] = [None] * len(turn)
        self.closes: set[int] = set()
        self.open_keys = frozenset(turn.open_calls)
        self.first_child = {parent: child for child, parent in reversed(turn.parent_of.items())}
        self.kept_owner: dict[int, int | None] = {}
        """First member of a run -> the first kept owner of the run."""

    def run(self) -> Selection:
        items = self.turn.items
        for position in range(self.standing.sealed):
            self.decisions[position] = self._stay_sealed(position)
        unsealed = range(self.standing.sealed, len(items))
        # Children first, so that a parent knows what became of them.
        for position in reversed(unsealed):
            if items[position].kind == "call":
                self._decide_call(position, items[position])
        for position in unsealed:
            item = items[position]
            if item.kind != "call" and not item.is_thought:
                self.decisions[position] = self._decide(position, item)
        for position in unsealed:
            if items[position].is_thought:
                self.decisions[position] = self._decide_thought(position, items[position])
        decided = [decision for decision in self.decisions if decision is not None]
        assert len(decided) == len(items)
        return Selection(decided, self.closes)

    def _stay_sealed(self, position: int) -> Decision:
        """PLAN-18; but an output whose call has a closing takes its place where it can (PLAN-22)."""
        call = self.turn.call_of.get(position)
        if call in self.standing.closed and not self.standing.append_only:
            return Decision(REDACT if self._redacts(position) else KEEP, "PLAN-22", call)
        return Decision(self.standing.verdict_of(position), "PLAN-18")

    def _verdict(self, position: int) -> str:
        decision = self.decisions[position]
        assert decision is not None
        return decision.verdict

    # calls

    def _decide_call(self, position: int, item: Item) -> None:
        decision, closes = self._judge_call(position, item)
        known = self.decisions[position]
        if known is not None and decision.verdict == WITHHOLD:
            # A kept child has asked for this one (SELECT-8, SELECT-28).
            decision = known
            closes = self._waits_for_runner(position) and self.policy["unansweredCalls"] != "keep"
        if decision.verdict == WITHHOLD and self.standing.append_only and position in self.standing.session:
            # PLAN-30
            closes = item.partial or (
                self._waits_for_runner(position) and self.policy["unansweredCalls"] != "keep"
            )
        self.decisions[position] = decision
        if closes:
            self.closes.add(position)
        if decision.verdict == KEEP:
            self._ask_for_parent(position)

    def _ask_for_parent(self, child: int) -> None:
        parent = self.turn.parent_of.get(child)
        if parent is not None and parent >= self.standing.sealed and not self.judgement.discard:
            self.decisions[parent] = Decision(KEEP, "SELECT-8", self.first_child[parent])

    def _waits_for_runner(self, position: int) -> bool:
        return self.turn.is_unanswered(position) and self.turn.items[position].executor == "runner"

    def _judge_call(self, position: int, item: Item) -> tuple[Decision, bool]:
        if item.partial and position not in self.standing.session:
            return Decision(WITHHOLD, "SELECT-13"), False
        if self.judgement.discard:
            return Decision(WITHHOLD, "SELECT-26"), False
        if item.partial:
            return Decision(KEEP, "SELECT-14"), True
        if item.self_contained:
            return Decision(KEEP, "SELECT-7"), False
        rejected = self.judgement.rejects(position)
        output = self.turn.output_of.get(position)
        if output is not None:
            if not rejected:
                return Decision(KEEP, "SELECT-1"), False
            never_ran = self.turn.items[output].execution in ("denied", "skipped")
            if self.policy["committed"] == "executed" and never_ran:
                return Decision(WITHHOLD, "SELECT-5", output), False
            return Decision(KEEP, "SELECT-5", output), False
        if item.executor == "provider":
            return Decision(WITHHOLD if rejected else KEEP, "SELECT-12"), False
        unanswered = self.policy["unansweredCalls"]
        return Decision(WITHHOLD if unanswered == "drop" else KEEP, "SELECT-10"), unanswered == "close"

    # everything that is neither a call nor reasoning

    def _decide(self, position: int, item: Item) -> Decision:
        if item.is_marker:
            return Decision(WITHHOLD, "SELECT-15")
        if item.partial and not (item.kind == "message" and self.policy["partialItems"] == "keep"):
            return Decision(WITHHOLD, "SELECT-13")
        if item.origin == "user" and item.kind != "output":
            return Decision(KEEP, "SELECT-4")
        if item.kind == "output" and not self.turn.is_answering(position):
            return Decision(WITHHOLD, "SELECT-16")
        if self.judgement.discard and not self._answers_kept_call(position):
            return Decision(WITHHOLD, "SELECT-26")
        if item.kind == "output":
            return self._decide_output(position)
        if not self.judgement.rejects(position):
            return Decision(KEEP, "SELECT-1")
        if item.kind == "approval":
            return self._decide_approval(position, item)
        if item.kind == "unclassified":
            return Decision(KEEP if self.policy["unclassified"] == "keep" else WITHHOLD, "SELECT-17")
        return Decision(WITHHOLD, "SELECT-2")

    def _answers_kept_call(self, position: int) -> bool:
        """Its call is in the session for good: by SELECT-26, or because it cannot be taken back (PLAN-30)."""
        call = self.turn.call_of.get(position)
        if call is None:
            return position in self.turn.answers_open
        final = call < self.standing.sealed or self.standing.append_only
        return final and call in self.standing.session

    def _decide_output(self, position: int) -> Decision:
        call = self.turn.call_of.get(position)
        rule = "SELECT-6"
        if call is not None:
            if self.standing.append_only and call in self.standing.closed:
                return Decision(WITHHOLD, "PLAN-23", call)
            if self._verdict(call) == WITHHOLD:
                if not (self.standing.append_only and call in self.standing.session):
                    return Decision(WITHHOLD, "SELECT-6", call)
                rule = "PLAN-30"
        if self._redacts(position):
            return Decision(REDACT, "SELECT-19", call)
        return Decision(KEEP, rule, call)

    def _redacts(self, output: int) -> bool:
        """SELECT-19, of an output that is kept."""
        return (
            self.judgement.deliverable == "output"
            and self.judgement.rejects(output)
            and self.policy["rejectedOutput"] == "redact"
        )

    def _decide_approval(self, position: int, item: Item) -> Decision:
        call = self.turn.approved_call.get(position)
        if call is not None:
            return Decision(self._verdict(call), "SELECT-9", call)
        of_open_call = item.call_id is not None and item.key in self.open_keys
        return Decision(KEEP if of_open_call else WITHHOLD, "SELECT-9")

    # reasoning

    def _decide_thought(self, position: int, item: Item) -> Decision:
        if item.partial:
            if self.policy["partialItems"] == "drop":
                return Decision(WITHHOLD, "SELECT-13")
            if item.origin == "user":
                return Decision(KEEP, "SELECT-4")
        run = self.association.run_of[position]
        rule = "SELECT-27" if self.policy["association"] == "segment" else "SELECT-3"
        if self.judgement.discard:
            return Decision(WITHHOLD, rule, run.owners[0]) if run.owners else Decision(WITHHOLD, "SELECT-26")
        if not run.owners:
            return Decision(KEEP if self.policy["trailingReasoning"] == "keep" else WITHHOLD, "SELECT-18")
        if run.members[0] not in self.kept_owner:
            kept = (owner for owner in run.owners if self._verdict(owner) != WITHHOLD)
            self.kept_owner[run.members[0]] = next(kept, None)
        kept_owner = self.kept_owner[run.members[0]]
        return Decision(WITHHOLD if kept_owner is None else KEEP, rule, run.owners[0])
