"""Statistics beside those of shuffled orders."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import InputError
from assay.stats import shuffle_test, shuffled_orders


def test_the_first_order_is_as_it_was_and_the_others_move_what_may_be_moved() -> None:
    movable = np.array([True, False, True, True])
    orders = shuffled_orders(movable, key="k", shuffles=50)
    assert orders[0].tolist() == [0, 1, 2, 3]
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    assert (orders[:, 1] == 1).all()
    assert len(np.unique(orders, axis=0)) == 6  # all orders of three
    assert (shuffled_orders(movable, key="k", shuffles=50) == orders).all()
    assert (shuffled_orders(movable, key="k", stream=1, shuffles=50) != orders).any()


def test_p_is_how_often_a_shuffle_gives_as_much_or_more() -> None:
    found = shuffle_test(np.array([2.0, 1.0, 2.0, 3.0]))
    assert (found.value, found.null_mean, found.p_value, found.shuffles) == (2.0, 2.0, 0.75, 3)
    assert shuffle_test(np.array([9.0, *range(9)])).p_value == pytest.approx(0.1)
    with pytest.raises(InputError, match="beside the first"):
        shuffle_test(np.array([2.0]))
