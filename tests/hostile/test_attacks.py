"""No attack gains a point, leaks a secret, harms another submission or leaves anything behind."""

from __future__ import annotations

import pytest

from tests.hostile.arena import Arena
from tests.hostile.attack import Attack
from tests.hostile.attacks import ATTACKS, MODULES

QUICK = [attack for attack in ATTACKS if attack.quick]


def contained(attack: Attack, arena: Arena) -> None:
    _, wrong = arena.fight(attack)
    if wrong:
        arena.tidy_up()  # so that the next attack is not blamed for this one
    assert not wrong, "\n".join([attack.sentence, *wrong])


@pytest.mark.parametrize("attack", QUICK, ids=lambda attack: attack.name)
def test_an_attack_achieves_nothing(attack, arena):
    contained(attack, arena)


@pytest.mark.extra
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_achieves_nothing_under_any_backend_and_user(attack, every_arena):
    contained(attack, every_arena)


def test_the_corpus_covers_every_kind_with_attacks_of_distinct_names():
    names = [attack.name for attack in ATTACKS]
    assert len(names) == len(set(names)) >= 90
    assert all(attack.sentence.endswith(".") for attack in ATTACKS)
    for module in MODULES:
        assert any(attack.quick for attack in module.ATTACKS), module.__name__
