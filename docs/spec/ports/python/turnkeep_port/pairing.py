"""Which output answers which call, and where does a response start? (chapter 2)

One pass over the turn. Knows nothing of outcomes, policies and saves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from .items import Item, Key

BEFORE_THE_TURN = -2
"""The response of the calls given as `open`; -1 is what comes before the first response."""


@dataclass(slots=True)
class Turn:
    """The items and what one pass found out about them. Positions are 0-based."""

    items: Sequence[Item]
    open_calls: Sequence[Key]
    response_of: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    misnumbered: list[int] = field(default_factory=list)
    output_of: dict[int, int] = field(default_factory=dict)
    call_of: dict[int, int] = field(default_factory=dict)
    answers_open: dict[int, int] = field(default_factory=dict)
    """Output position -> index into `open_calls`."""
    unpaired: list[int] = field(default_factory=list)
    superseded: set[int] = field(default_factory=set)
    joined: dict[int, int] = field(default_factory=dict)
    """Call -> the call that waits before it in its queue (PAIR-5)."""
    supersedes: dict[int, list[int]] = field(default_factory=dict)
    """Call -> the calls of the turn that it superseded (PAIR-6)."""
    approved_call: dict[int, int] = field(default_factory=dict)
    parent_of: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def last_start(self) -> int:
        """SELECT-23: the start of the last response, or the end of the turn."""
        return self.starts[-1] if self.starts else len(self.items)

    @property
    def last_response(self) -> int:
        return len(self.starts) - 1

    def is_answering(self, position: int) -> bool:
        return position in self.call_of or position in self.answers_open

    def is_unanswered(self, position: int) -> bool:
        return self.items[position].awaits_output and position not in self.output_of


@dataclass(slots=True)
class _Queue:
    """Calls of one key that wait, all of one response; open calls as negative positions."""

    response: int
    calls: deque[int] = field(default_factory=deque)


def read_turn(items: Sequence[Item], open_calls: Sequence[Key] = ()) -> Turn:
    """PAIR-1 to PAIR-11, in one pass."""
    turn = Turn(items, open_calls)
    queues: dict[Key, _Queue] = {}
    for index, key in enumerate(open_calls):
        queues.setdefault(key, _Queue(BEFORE_THE_TURN)).calls.append(-1 - index)

    numbered = False
    greatest = 0
    response = -1
    user_input_since = False
    response_may_end = False
    unanswered_here = 0

    last_with_key: dict[Key, int] = {}
    last_with_id: dict[str, int] = {}
    approvals_in_wait: dict[Key, list[int]] = {}

    for position, item in enumerate(items):
        if item.is_model_item:
            number = item.response
            if response < 0:
                numbered = number is not None
                starts = True
            elif numbered:
                starts = number is not None and number > greatest
                if number is None or number < greatest:
                    turn.misnumbered.append(position)
            else:
                starts = user_input_since or (response_may_end and unanswered_here == 0)
            if starts:
                response += 1
                unanswered_here = 0
                turn.starts.append(position)
            if numbered and number is not None and (starts or number > greatest):
                greatest = number
            user_input_since = False
        if item.is_user_input:
            user_input_since = True
        turn.response_of.append(response)

        if item.is_marker:
            continue  # transparent, also to "nearest predecessor"
        ends_response = False

        if item.is_complete_call:
            if item.call_id is not None:
                if item.parent is not None:
                    _note_parent(turn, last_with_id, position, item)
                last_with_id[item.call_id] = position
                last_with_key[item.key] = position
                for approval in approvals_in_wait.pop(item.key, ()):
                    turn.approved_call[approval] = position
            elif item.parent is not None:
                _note_parent(turn, last_with_id, position, item)
            if item.awaits_output:
                queue = queues.get(item.key)
                if queue is None or queue.response != response:
                    if queue is not None:
                        passed = [call for call in queue.calls if call >= 0]
                        turn.superseded.update(passed)
                        if passed:
                            turn.supersedes[position] = passed
                    queue = queues[item.key] = _Queue(response)
                elif queue.calls:
                    turn.joined[position] = queue.calls[-1]
                queue.calls.append(position)
                unanswered_here += item.executor == "runner"
        elif item.kind == "call" and item.parent is not None:
            _note_parent(turn, last_with_id, position, item)

        elif item.kind == "output" and not item.partial:
            queue = queues.get(item.key)
            if queue is None or not queue.calls:
                turn.unpaired.append(position)
                if item.origin != "model":
                    continue  # skipped when looking for the nearest predecessor
                response_may_end = False
                continue
            call = queue.calls.popleft()
            if call < 0:
                turn.answers_open[position] = -1 - call
            else:
                turn.output_of[call] = position
                turn.call_of[position] = call
                if queue.response == response and items[call].executor == "runner":
                    unanswered_here -= 1
            ends_response = item.origin != "model"

        elif item.kind == "approval":
            if item.call_id is not None:
                if item.key in last_with_key:
                    turn.approved_call[position] = last_with_key[item.key]
                else:
                    approvals_in_wait.setdefault(item.key, []).append(position)
            ends_response = item.origin == "runner" and not item.partial

        response_may_end = ends_response
    return turn


def _note_parent(turn: Turn, last_with_id: dict[str, int], position: int, item: Item) -> None:
    """PAIR-11: a backward look by `callId`, in any namespace."""
    if item.parent in last_with_id:
        turn.parent_of[position] = last_with_id[item.parent]


def list_pairs(turn: Turn) -> list[list[int]]:
    """PAIR-12: in the order of the calls."""
    return [[call, turn.output_of[call]] for call in sorted(turn.output_of)]
