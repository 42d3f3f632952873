"""What stands in a stored history? (AUDIT-4 to AUDIT-9, and the groups of chapter 9)

Copies, pairs, and which outputs are too many; then the groups and where outputs have to stand.
Both the audit and the repair look at a history through this.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .items import Item, Key
from .pairing import Turn, read_turn
from .profiles import Profile

CLOSED = ("interrupted", "skipped")
"""What an output says of which nobody knows a result (AUDIT-8, AUDIT-9)."""


@dataclass(slots=True)
class History:
    items: Sequence[Item]
    open_keys: frozenset[Key]
    profile: Profile
    earlier: dict[int, int] = field(default_factory=dict)
    """Item -> the item that had its id before (AUDIT-4)."""
    copies: set[int] = field(default_factory=set)
    live: list[int] = field(default_factory=list)
    """Every position but the copies."""
    starts: set[int] = field(default_factory=set)
    """Where a response starts."""
    response_of: dict[int, int] = field(default_factory=dict)
    output_of: dict[int, int] = field(default_factory=dict)
    call_of: dict[int, int] = field(default_factory=dict)
    surplus: dict[int, int] = field(default_factory=dict)
    """Output too many -> the output, or self-contained call, that makes it so."""
    orphans: set[int] = field(default_factory=set)
    further: dict[int, int] = field(default_factory=dict)
    """Output -> its call, where a call may have many outputs and this is not the first."""
    superseded: set[int] = field(default_factory=set)
    joined: dict[int, int] = field(default_factory=dict)
    supersedes: dict[int, list[int]] = field(default_factory=dict)
    approved_call: dict[int, int] = field(default_factory=dict)
    parent_of: dict[int, int] = field(default_factory=dict)

    def is_unanswered(self, position: int) -> bool:
        item = self.items[position]
        return item.kind == "call" and not item.self_contained and position not in self.output_of


def read_history(
    items: Sequence[Item], open_calls: Sequence[Key], profile: Profile, order: Sequence[int] | None = None
) -> History:
    """The items in the given order of their positions, or all of them as they stand."""
    order = range(len(items)) if order is None else order
    history = History(items, frozenset(open_calls), profile)
    _find_copies(history, order)
    history.live = [position for position in order if position not in history.copies]
    _pair(history, open_calls)
    return history


# copies


def is_request(item: Item) -> bool:
    return item.kind == "approval" and item.origin == "model"


@dataclass(slots=True)
class _Seen:
    """The first item of one id, kind and phase, and the first one of another message than that."""

    first: int
    elsewhere: int | None = None


def _find_copies(history: History, order: Iterable[int]) -> None:
    items = history.items
    seen: dict[str, dict[tuple[str, bool], _Seen]] = {}
    for position in order:
        item = items[position]
        if item.id is None or item.is_marker:
            continue
        before = seen.setdefault(item.id, {})
        clashes = [clash for sort, known in before.items() if (clash := _clash(items, item, sort, known)) is not None]
        if clashes:
            earlier = history.earlier[position] = min(clashes)
            if items[earlier].kind == item.kind and items[earlier].key == item.key:
                history.copies.add(position)
        known = before.setdefault((item.kind, is_request(item)), _Seen(position))
        if known.elsewhere is None and known.first != position and not _are_parts(items[known.first], item):
            known.elsewhere = position


def _are_parts(one: Item, other: Item) -> bool:
    return one.message is not None and one.message == other.message


def _clash(items: Sequence[Item], item: Item, sort: tuple[str, bool], known: _Seen) -> int | None:
    """The first of the known items that may not share its id with this one."""
    kind, request = sort
    if kind != item.kind:
        return None if "approval" in (kind, item.kind) else known.first
    if request != is_request(item):
        return None
    return known.elsewhere if _are_parts(items[known.first], item) else known.first


# pairs


def _pair(history: History, open_calls: Sequence[Key]) -> None:
    items, live = history.items, history.live
    # AUDIT-6: what was cut off is there.
    turn = read_turn([_as_complete(items[position]) for position in live], open_calls)
    _take_over(history, turn)
    last_call: dict[Key, int] = {}
    unpaired = {live[place] for place in turn.unpaired}
    for position in live:
        item = items[position]
        if item.kind == "call" and (item.call_id is not None or item.namespace == "tool-search"):
            last_call[item.key] = position
        elif position in unpaired:
            _judge_unpaired(history, position, last_call.get(item.key))


def _as_complete(item: Item) -> Item:
    return replace(item, partial=False) if item.partial and item.kind in ("call", "output") else item


def _take_over(history: History, turn: Turn) -> None:
    """The places of the reading are places among what is no copy."""
    live = history.live
    history.starts = {live[place] for place in turn.starts}
    history.response_of = dict(zip(live, turn.response_of, strict=True))
    history.output_of = {live[call]: live[output] for call, output in turn.output_of.items()}
    history.call_of = {live[output]: live[call] for output, call in turn.call_of.items()}
    history.superseded = {live[call] for call in turn.superseded}
    history.joined = {live[call]: live[before] for call, before in turn.joined.items()}
    history.supersedes = {
        live[call]: [live[before] for before in passed] for call, passed in turn.supersedes.items()
    }
    history.parent_of = {live[child]: live[parent] for child, parent in turn.parent_of.items()}
    history.approved_call = {live[approval]: live[call] for approval, call in turn.approved_call.items()}


def _judge_unpaired(history: History, output: int, call: int | None) -> None:
    """AUDIT-7 to AUDIT-9."""
    items = history.items
    if call is None:
        history.orphans.add(output)
        return
    answer = history.output_of.get(call)
    is_closing = items[output].execution in CLOSED
    if answer is not None and items[answer].execution in CLOSED and not is_closing:
        history.surplus[answer] = output
        del history.call_of[answer]
        history.output_of[call] = output
        history.call_of[output] = call
    elif is_closing or history.profile["maximumOutputs"] == 1:
        history.surplus[output] = call if answer is None else answer
    else:
        history.further[output] = call


# places


@dataclass(slots=True)
class Group:
    members: list[int] = field(default_factory=list)
    end: int = -1
    """What the outputs of the group stand behind: its last member, or under `turn` the last item of the turn."""
    home: int | None = None
    """The last of what is transparent directly behind that."""


def find_groups(history: History, order: Iterable[int], cuts: Container[int] = ()) -> list[Group]:
    """Stretches of model items and calls, as the profile says where they end, and in front of each cut."""
    items, adjacency = history.items, history.profile["adjacency"]
    apart = history.profile["neighbours"] == "apart" and adjacency == "message"
    groups: list[Group] = []
    group_of: dict[int, Group] = {}
    group: Group | None = None
    run: str | None = None
    before: Item | None = None
    for position in order:
        item = items[position]
        if _goes_elsewhere(history, position, group, group_of):
            continue
        if item.is_transparent:
            if group is not None and adjacency == "turn":
                group.end = position
            if adjacency == "response" and position in history.starts:
                group = None
            continue
        is_member = belongs_to_group(item)
        match adjacency:
            case "free":
                ends = False
            case "turn":
                ends = item.is_user_input
            case "message":
                ends = not is_member or (apart and are_told_apart(before, item)) or is_other_run(run, item)
            case _:
                ends = not (is_member or item.kind == "output") or position in history.starts
                ends = ends or (is_member and is_other_run(run, item))
        if ends or (position in cuts and adjacency in ("message", "response")):
            group = None
        if is_member:
            if group is None:
                group = Group()
                groups.append(group)
            group.members.append(position)
            group_of[position] = group
            run = item.run if item.run is not None else run
        if group is not None and (is_member or adjacency == "turn"):
            group.end = position
        before = item
    return groups


def _goes_elsewhere(
    history: History, position: int, group: Group | None, group_of: Mapping[int, Group]
) -> bool:
    """An output that has to stand behind an earlier group parts nothing."""
    call = history.call_of.get(position)
    return (
        call is not None
        and history.items[position].is_runner_output
        and call in group_of
        and group_of[call] is not group
    )


def belongs_to_group(item: Item) -> bool:
    return item.is_model_item or (item.kind == "call" and not item.self_contained)


def is_other_run(run: str | None, item: Item) -> bool:
    return run is not None and item.run is not None and item.run != run


def are_told_apart(before: Item | None, item: Item) -> bool:
    """Is it known that two neighbours are parts of different messages?"""
    return (
        before is not None
        and before.message is not None
        and item.message is not None
        and before.message != item.message
    )


def find_homes(history: History, order: Sequence[int], groups: Sequence[Group]) -> dict[int, list[int]]:
    """REPAIR-13: what the outputs of a group stand behind -> the outputs, in their order.

    What is transparent behind a group does not part it from its outputs.
    """
    adjacency = history.profile["adjacency"]
    homes: dict[int, list[int]] = {}
    if adjacency == "free":
        return homes
    group_of = {member: group for group in groups for member in group.members}
    place = {position: index for index, position in enumerate(order)}
    for position in order:
        if not history.items[position].is_runner_output:
            continue
        group = group_of.get(history.call_of.get(position, -1))
        if group is None or (adjacency == "turn" and place[position] <= place[group.end]):
            continue
        if group.home is None:
            group.home = _find_home(history, order, place[group.end], group, group_of)
        homes.setdefault(group.home, []).append(position)
    return homes


def _find_home(
    history: History, order: Sequence[int], end: int, group: Group, group_of: Mapping[int, Group]
) -> int:
    """The last of what is transparent behind the end of a group, outputs on their way home stepped over."""
    home = end
    for index in range(end + 1, len(order)):
        position = order[index]
        if history.items[position].is_transparent:
            home = index
        elif not _goes_elsewhere(history, position, group, group_of):
            break
    return order[home]


def send_outputs_home(order: Sequence[int], homes: Mapping[int, Sequence[int]]) -> list[int]:
    moved = {output for outputs in homes.values() for output in outputs}
    arranged: list[int] = []
    for position in order:
        if position not in moved:
            arranged.append(position)
            arranged.extend(homes.get(position, ()))
    return arranged
