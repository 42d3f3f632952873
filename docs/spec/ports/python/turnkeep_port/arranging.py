"""Where do outputs, closings and texts stand? (REPAIR-13 to REPAIR-16)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .auditing import find_approved, find_late_texts, is_excused
from .history import Group, History, are_told_apart, find_groups, find_homes, send_outputs_home


def arrange(history: History, order: Sequence[int], closings: Collection[int], at_rest: bool) -> list[int]:
    """The repaired order; a closing is -1 less the position of its call."""
    cuts = _find_cuts(history, closings)
    groups = find_groups(history, order, cuts)
    homes = find_homes(history, order, groups)
    arranged = send_outputs_home(order, homes)
    if history.profile["adjacency"] in ("free", "turn"):
        arranged = _stand_behind(history, arranged, cuts)
    arranged = _insert_closings(history, arranged, groups, homes, cuts, closings, at_rest)
    if history.profile["order"] == "calls-last":
        arranged = _move_texts(history, arranged, groups, closings)
    return arranged


def _find_cuts(history: History, closings: Collection[int]) -> dict[int, int]:
    """REPAIR-15: call -> the call before it, whose output or closing it has to stand behind."""
    cuts: dict[int, int] = {}
    if history.profile["pairing"] == "by-id":
        for call, before in history.joined.items():
            if before in history.output_of or before in closings:
                cuts[call] = before
    for call, passed in history.supersedes.items():
        closed = [before for before in passed if before in closings]
        if closed:
            cuts[call] = closed[-1]
    return cuts


def _stand_behind(history: History, order: Sequence[int], cuts: Mapping[int, int]) -> list[int]:
    """REPAIR-15 where outputs stand anywhere: an output that comes too late stands in front of the next call."""
    place = {position: index for index, position in enumerate(order)}
    in_front: dict[int, int] = {}
    for call, before in cuts.items():
        output = history.output_of.get(before)
        if output is not None and place[output] > place[call]:
            in_front[call] = output
    moved = set(in_front.values())
    arranged: list[int] = []
    for position in order:
        if position in in_front:
            arranged.append(in_front[position])
        if position not in moved:
            arranged.append(position)
    return arranged


def _insert_closings(
    history: History,
    order: Sequence[int],
    groups: Sequence[Group],
    homes: Mapping[int, Sequence[int]],
    cuts: Collection[int],
    closings: Collection[int],
    at_rest: bool,
) -> list[int]:
    """REPAIR-14."""
    adjacency = history.profile["adjacency"]
    group_of = {member: group for group in groups for member in group.members}
    holds = _find_holding_calls(history, groups, at_rest)
    stretch_end = _find_stretches(history, order, cuts)
    last_part = _find_last_parts(history, groups)
    place = {position: index for index, position in enumerate(order)}
    behind: dict[int, list[int]] = {}
    for call in sorted(closings, key=lambda each: place[each]):
        group = group_of[call]
        anchor = last_part.get(stretch_end[call], stretch_end[call])
        if _waits_behind_answer(history, call):
            outputs = homes.get(group.end, ())
            anchor = outputs[-1] if outputs else group.end
        elif adjacency == "response":
            anchor = group.end
        elif adjacency == "message":
            first = holds.get(group.members[0])
            if first is not None and place[first] <= place[anchor]:
                anchor = group.end
        behind.setdefault(anchor, []).append(call)
    arranged: list[int] = []
    for position in order:
        arranged.append(position)
        arranged.extend(-1 - call for call in behind.get(position, ()))
    return arranged


def _find_holding_calls(history: History, groups: Sequence[Group], at_rest: bool) -> dict[int, int]:
    """First member of a group -> its first call that is answered or legally open."""
    approved = find_approved(history)
    holds: dict[int, int] = {}
    for group in groups:
        for member in group.members:
            item = history.items[member]
            if item.kind == "call" and item.is_runner_call and (
                member in history.output_of or is_excused(history, member, approved, at_rest)
            ):
                holds[group.members[0]] = member
                break
    return holds


def _find_stretches(history: History, order: Sequence[int], cuts: Collection[int]) -> dict[int, int]:
    """Call of the runner -> the last call of its stretch."""
    ends: dict[int, int] = {}
    stretch: list[int] = []
    for position in order:
        item = history.items[position]
        if item.is_transparent:
            continue
        apart = bool(stretch) and are_told_apart(history.items[stretch[-1]], item)
        if not item.is_runner_call or apart or position in cuts:
            ends.update((call, stretch[-1]) for call in stretch)
            stretch = []
        if item.is_runner_call:
            stretch.append(position)
    ends.update((call, stretch[-1]) for call in stretch)
    return ends


def _find_last_parts(history: History, groups: Sequence[Group]) -> dict[int, int]:
    """A member in whose message the group goes on -> the last member of that message."""
    last: dict[int, int] = {}
    for group in groups:
        last_of_message: dict[int, int] = {}
        for member in reversed(group.members):
            message = history.items[member].message
            if message is not None:
                last[member] = last_of_message.setdefault(message, member)
    return last


def _waits_behind_answer(history: History, call: int) -> bool:
    if history.profile["pairing"] != "by-occurrence":
        return False
    before = history.joined.get(call)
    while before is not None:
        if before in history.output_of:
            return True
        before = history.joined.get(before)
    return False


def _move_texts(
    history: History, order: Sequence[int], groups: Sequence[Group], closings: Collection[int]
) -> list[int]:
    """REPAIR-16."""
    answered = history.output_of.keys() | set(closings)
    before: dict[int, list[int]] = {}
    moved: set[int] = set()
    for message, call in find_late_texts(history, order, groups, answered):
        before.setdefault(call, []).append(message)
        moved.add(message)
    arranged: list[int] = []
    for position in order:
        arranged.extend(before.get(position, ()))
        if position not in moved:
            arranged.append(position)
    return arranged
