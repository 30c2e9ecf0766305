"""``over_apology``: apologies that crowd out the answer."""

from __future__ import annotations

from .rule import Rule

__all__ = ["APOLOGY", "TOO_MANY"]

TOO_MANY = 3  # one is polite, two can be an accident

APOLOGY: tuple[Rule, ...] = (
    Rule(
        "sorry",
        r"(?<!not )\bsorr?y\b(?! to (?:hear|learn)| for your loss| about your)",
        heads="sorry sory",
        accepts="I'm sorry.",
        refuses="I'm sorry to hear that your cat died.",
    ),
    Rule(
        "apologise",
        r"\bapolog(?:i[sz]e|i[sz]ing|y|ies|ys)\b",
        heads="apologies apologise apologising apologize apologizing apology apologys",
        accepts="My sincerest apologies.",
        refuses="An apologist for the empire.",
    ),
    Rule(
        "pardon",
        r"\b(?:forgive me|(?:beg|ask) (?:your|for your) (?:pardon|forgiveness)|pardon me|"
        r"i feel (?:so )?(?:terrible|awful|bad) about|i(?:'m| am) (?:useless|hopeless)|"
        r"es tut mir (?:so )?leid|entschuldigung|lo siento|désolé|mi dispiace)",
        heads="ask beg désolé entschuldigung es forgive i lo mi pardon",
        accepts="Please forgive me.",
        refuses="The governor signed a pardon.",
    ),
)
