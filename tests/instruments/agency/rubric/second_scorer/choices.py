"""Where the text is open, and what is taken. Another choice is another reading of the text, not an error."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CHOICES", "Choices"]


class Choices(NamedTuple):
    # 10.3.1 "assign the lower level": a lacking family costs one level; or: down to a level that has enough families.
    family_costs_one: bool = True
    # 10.2.2: Provisional where a level failed and levels between it and the value were not tested.
    gap_is_provisional: bool = True
    # 2.4 "when evidence is mixed": Provisional where a level below the value failed on enough instances.
    mixed_is_provisional: bool = False
    # 10.2.1 "partially satisfied, assign k − 1" names no flag.
    partial_is_provisional: bool = False
    # 10.7.3, E 5 "(tight action caps and time caps)", and 10.6.3, D 5: conditions, or examples of Severe.
    caps_at_5: bool = False
    # 6.3: an extended boundary without its human assistance policy is not evaluated: Invalid (Missing Inputs).
    policy_is_input: bool = True
    # 11.2 "including the declared inclusion list": asked of the extended boundary; 6.1 says what the core one includes.
    includes_is_input: bool = True
    # 10.3.1, L: the post-test instances of a level are counted; or: those whose content was in the pre-test, too.
    pairs_are_counted: bool = False
    # 10.8.2: a gain that the wiped arm has, too, satisfies a level in part; or: not at all.
    cause_is_part: bool = True
    # 10.8.3 asks for memory that lasts at L 3; or: at L 4 and L 5 as well.
    store_above_3: bool = False
    # 12.5.2 "each evidencing task family": two that show the gain; or: every family that was tested.
    every_family_evidences: bool = False


CHOICES = Choices()
