"""Where do outputs, closings and texts stand? (REPAIR-13 to REPAIR-16)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .auditing import find_late_texts
from .history import (
    Group,
    History,
    are_told_apart,
    belongs_to_group,
    find_groups,
    find_homes,
    is_other_run,
    send_outputs_home,
)
from .items import Item, Key


def arrange(history: History, order: Sequence[int], answers: Mapping[int, int]) -> list[int]:
    """The repaired order. `answers` says what is put behind which call: an output that came too early, or a closing."""
    # What is answered or stays open holds the closings of its message (REPAIR-14).
    holding = {call for call in order if history.items[call].is_runner_call and call not in answers}
    followers = _find_followers(history, order, answers)
    if history.profile["adjacency"] in ("free", "turn"):
        order = _stand_behind(history, order, followers)
    given = order
    cuts: set[int] = set()
    while True:
        homes = find_homes(history, given, find_groups(history, given, cuts))
        order = send_outputs_home(given, homes)
        more = _find_cuts(history, order, followers, answers, holding, cuts) - cuts
        if not more:
            break
        cuts |= more
    behind = _find_anchors(history, order, cuts, answers, holding)
    arranged = _insert_answers(order, behind)
    if history.profile["order"] == "free":
        return arranged
    # Where a text stood at the end of a group, the closings stand behind what is left of it.
    groups = find_groups(history, order, cuts)
    answered = history.output_of.keys() | answers.keys()
    texts = dict(find_late_texts(history, arranged, groups, answered, set(answers.values())))
    return _move_texts(_insert_answers(order, _leave_texts(history, order, behind, texts)), texts)


def _find_followers(history: History, order: Sequence[int], answers: Collection[int]) -> dict[int, int]:
    """REPAIR-15: call -> the call before it, whose output or closing it has to stand behind."""
    staying = set(order)
    followers: dict[int, int] = {}
    if history.profile["pairing"] == "by-id":
        followers = {call: before for call, before in history.joined.items() if before in staying}
    for call, passed in history.supersedes.items():
        closed = [before for before in passed if before in answers]
        if closed:
            followers[call] = closed[-1]
    return {call: before for call, before in followers.items() if call in staying}


def _find_cuts(
    history: History,
    order: Sequence[int],
    followers: Mapping[int, int],
    answers: Collection[int],
    holding: Collection[int],
    cut_before: Collection[int],
) -> set[int]:
    """The followers that would not stand behind the call before them and its answer without a cut."""
    adjacency = history.profile["adjacency"]
    groups = find_groups(history, order, cut_before)
    group_of = {member: index for index, group in enumerate(groups) for member in group.members}
    last_part = _find_last_parts(history, order, cut_before)
    place = {position: index for index, position in enumerate(order)}
    cuts: set[int] = set()
    stretches = _Stretches(history, cut_before)
    group, group_start, held_from, latest_cut, whole_start = -1, 0, len(order), 0, 0
    for position in order:
        item = history.items[position]
        if item.is_transparent:
            continue
        if group_of.get(position, group) != group:
            group, group_start, held_from = group_of[position], place[position], len(order)
            whole_start = group_start
        stretches.step(position)
        before = followers.get(position)
        if before is not None and position not in cut_before:
            in_group = place[before] >= group_start
            if before in answers:
                anchor = place[last_part[stretches.end_of(before)]]
                if place[before] < latest_cut:
                    anchor = min(anchor, latest_cut - 1)
                is_held = in_group and (adjacency == "response" or (adjacency == "message" and held_from <= anchor))
                stands_behind = anchor < place[position] and not is_held
            else:
                stands_behind = not in_group
            is_apart = position in history.joined and adjacency in ("free", "turn") and place[before] >= whole_start
            if is_apart or not stands_behind:
                cuts.add(position)
                stretches.cut(position)
                group_start = latest_cut = place[position]
                held_from = len(order)
        if position in holding:
            held_from = min(held_from, place[position])
    return cuts


class _Stretches:
    """The stretches of calls of the runner, while a history is read (REPAIR-14)."""

    def __init__(self, history: History, cuts: Collection[int]) -> None:
        self.items = history.items
        self.cuts = cuts
        self.stretches: list[list[int]] = []
        self.number_of: dict[int, int] = {}
        self.goes_on = False
        self.run: str | None = None

    def step(self, position: int) -> None:
        item = self.items[position]
        if item.is_transparent:
            return
        if self.goes_on and (
            not item.is_runner_call
            or position in self.cuts
            or are_told_apart(self.items[self.stretches[-1][-1]], item)
            or is_other_run(self.run, item)
        ):
            self.goes_on = False
        if belongs_to_group(item) and item.run is not None:
            self.run = item.run
        if item.is_runner_call:
            if not self.goes_on:
                self.stretches.append([])
            self.stretches[-1].append(position)
            self.number_of[position] = len(self.stretches) - 1
            self.goes_on = True

    def cut(self, position: int) -> None:
        """The stretch ends in front of the call that has just been read."""
        if self.stretches and self.stretches[-1][-1] == position:
            self.stretches[-1].pop()
            self.stretches.append([position])
            self.number_of[position] = len(self.stretches) - 1

    def end_of(self, call: int) -> int:
        return self.stretches[self.number_of[call]][-1]


def _stand_behind(history: History, order: Sequence[int], followers: Mapping[int, int]) -> list[int]:
    """REPAIR-15 where outputs stand anywhere: an output that comes too late stands in front of the next call."""
    place = {position: index for index, position in enumerate(order)}
    in_front: dict[int, int] = {}
    for call, before in followers.items():
        output = history.output_of.get(before)
        if output in place and place[output] > place[call]:
            in_front[call] = output
    moved = set(in_front.values())
    arranged: list[int] = []
    for position in order:
        if position in in_front:
            arranged.append(in_front[position])
        if position not in moved:
            arranged.append(position)
    return arranged


def _find_anchors(
    history: History,
    order: Sequence[int],
    cuts: Collection[int],
    answers: Mapping[int, int],
    holding: Collection[int],
) -> dict[int, list[int]]:
    """REPAIR-14: an item -> what is put behind it."""
    adjacency = history.profile["adjacency"]
    groups = find_groups(history, order, cuts)
    group_of = {member: group for group in groups for member in group.members}
    last_output = _find_last_outputs(history, order, group_of)
    holds = {
        group.members[0]: next((member for member in group.members if member in holding), None) for group in groups
    }
    stretches = _Stretches(history, cuts)
    for position in order:
        stretches.step(position)
    last_part = _find_last_parts(history, order, cuts)
    place = {position: index for index, position in enumerate(order)}
    waiting = _find_waiting(history, order)
    behind: dict[int, list[int]] = {}
    latest = -1
    """The place of the last closing so far: a stretch ends there too."""
    for call in sorted(answers, key=lambda each: place[each]):
        group = group_of[call]
        end = stretches.end_of(call)
        if place[call] <= latest < place[end]:
            end = order[latest]
        anchor = last_part.get(end, end)
        if call in waiting:
            anchor = last_output.get(group.members[0], group.end)
        elif adjacency == "response":
            anchor = group.end
        elif adjacency == "message":
            first = holds[group.members[0]]
            if first is not None and place[first] <= place[anchor]:
                anchor = group.end
        behind.setdefault(anchor, []).append(answers[call])
        latest = max(latest, place[anchor])
    return behind


def _find_last_outputs(
    history: History, order: Sequence[int], group_of: Mapping[int, Group]
) -> dict[int, int]:
    """First member of a group -> the last output of its calls."""
    last: dict[int, int] = {}
    for position in order:
        call = history.call_of.get(position)
        if call is not None and call in group_of:
            last[group_of[call].members[0]] = position
    return last


def _insert_answers(order: Sequence[int], behind: Mapping[int, Sequence[int]]) -> list[int]:
    arranged: list[int] = []
    for position in order:
        arranged.append(position)
        arranged.extend(behind.get(position, ()))
    return arranged


def _leave_texts(
    history: History, order: Sequence[int], behind: Mapping[int, list[int]], texts: Collection[int]
) -> dict[int, list[int]]:
    """What would be put behind a text that goes is put behind the item before it."""
    staying: dict[int, list[int]] = {}
    before: int | None = None
    for position in order:
        if position in texts:
            if before is not None and position in behind:
                staying.setdefault(before, []).extend(behind[position])
            continue
        if position in behind:
            staying.setdefault(position, []).extend(behind[position])
        if not history.items[position].is_transparent:
            before = position
    return staying


def _find_last_parts(history: History, order: Sequence[int], cuts: Collection[int]) -> dict[int, int]:
    """An item of a message -> the last one behind it that is known to be of that message, in front of the next cut."""
    last: dict[int, int] = {}
    behind: int | None = None
    for position in reversed(order):
        item = history.items[position]
        if item.is_transparent:
            continue
        goes_on = (
            behind is not None
            and behind not in cuts
            and item.message is not None
            and history.items[behind].message == item.message
            and _stays_in_group(history.items[behind], history.profile["adjacency"])
        )
        last[position] = last[behind] if goes_on and behind is not None else position
        behind = position
    return last


def _stays_in_group(item: Item, adjacency: str) -> bool:
    if adjacency == "free":
        return not item.is_runner_output
    return belongs_to_group(item) or (adjacency == "turn" and not item.is_user_input and not item.is_runner_output)


def _find_waiting(history: History, order: Sequence[int]) -> set[int]:
    """The calls in front of the output of an earlier call with their key."""
    waiting: set[int] = set()
    place = {position: index for index, position in enumerate(order)}
    latest: dict[Key, int] = {}
    for call in order:
        key = history.items[call].key
        if latest.get(key, -1) > place[call]:
            waiting.add(call)
        output = history.output_of.get(call)
        if output in place:
            latest[key] = max(latest.get(key, -1), place[output])
    return waiting


def _move_texts(order: Sequence[int], texts: Mapping[int, int]) -> list[int]:
    """REPAIR-16: each text before the first call of its segment."""
    before: dict[int, list[int]] = {}
    for text, call in texts.items():
        before.setdefault(call, []).append(text)
    arranged: list[int] = []
    for position in order:
        arranged.extend(before.get(position, ()))
        if position not in texts:
            arranged.append(position)
    return arranged
