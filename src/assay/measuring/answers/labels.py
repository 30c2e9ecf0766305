"""Labels of options in a text: where "B" is the option, and where it is a vitamin, a variable or the start of a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.errors import InputError

__all__ = ["Labels", "Mention", "labels_of"]

# Words before a letter that make it the name of something else, and words after it that do.
_NAMED = re.compile(
    r"\b(?:vitamin|hepatitis|influenza|type|group|grade|plan|point|class|figure|fig\.?|table|section|appendix|part|phase"
    r"|matrix|matrices|set|event|company|person|player|patient|city|country|drug|node|vertex|line|angle|vector|gene|allele"
    r"|protein|enzyme|team|box|room|gate|process|product|firm|town|planet|star|block|object|sphere|bulb|wire|car|train"
    r"|variable|constant|coefficient|series|list|stack|layer|level|zone|sample|state|mr|mrs|ms|dr|student|reader|user"
    r"|chapter|exhibit|schedule|title|article|bank|system|factor|antigen|virus|strain|locus|region|segment|molecule"
    r"|compound|element|statement|scenario|premise|machine|server|host|router|stock|bond|fund|party|site|note|string)\s*$",
    re.I,
)
_AFTER_NAME = re.compile(
    r"\s(?:cells?|lymphocytes?|vitamins?|minor|major|sharp|flat|section|clef|programming|language|corp\w*|street|string"
    r"|majors?|horizon|channel|horizons|ration|plus|minus)\b"
    r"|\.[A-Za-z]\.|\.\s?(?:coli|difficile|elegans|subtilis|pylori|thaliana|aureus|perfringens|botulinum|albicans|cereus|anthracis"
    r"|tetani|influenzae|gondii|falciparum|pneumoniae|fragilis|diphtheriae|jejuni|trachomatis|histolytica)\b",
    re.I,
)
# What may follow the words "A" and "I" where they are labels: the end of a clause, or a word no noun phrase begins with.
_CLAUSE_ENDS = re.compile(
    r"\s*(?:$|[.,:;!?)\]}|\"(/\n–—✅✓✔]|--?\s|(?:because|since|as|and|but|or|nor|with|for|which|is|was|due|rather|not|over|based|in"
    r"|would|here|instead|although|while|given|followed|then|if|so|on|from|too|again|denn|weil|car|porque|by|at"
    r"|wins|fits|seems|than|versus|vs|to|it|sounds|looks|fits|has|then)\b)",
    re.I,
)
_CLAUSE_ENDS_I = re.compile(
    r"\s*(?:$|[.,:;!)\]}|\"\n–—]|--?\s|\(|(?:because|since|as|and|is|for|due|based|which|with|in|so|rather\s+than|over|not|instead|but|or)\b)",
    re.I,
)
_FORMULA = re.compile(
    r"\s?(?:[=+^≈≤≥×·∩∪→<>%°#]|\\(?:times|cdot|cap|cup|to|in|subset|leq?|geq?|approx|rightarrow)\b)"
)
_TURKISH = re.compile(r"'[dt][iıuü]r\b")
_OPEN, _CLOSE = "([{\"'`*$<_|", ")]}\"'`*$>_|"
_OPTION = re.compile(
    r"\b(?:option|choice|letter|alternative|ending|proposition|response|antwort|opción|opcion|réponse|option|opzione|opção|вариант|选项|選項)[\s(\[\"'*`]*$",
    re.I,
)


class Mention(NamedTuple):
    """A label in a text. ``wrapped``: it stands in brackets, quotes or emphasis, or after the word "option"."""

    start: int
    end: int
    value: str
    wrapped: bool
    lower: bool


class Labels:
    """The labels of one question."""

    def __init__(self, options: Sequence[str]) -> None:
        self.options = tuple(options)
        self._by_text = {option.casefold(): option for option in self.options}
        self.letters = all(len(option) == 1 and option.isalpha() for option in self.options)
        self._upper = all(option == option.upper() for option in self.options)
        ordered = sorted(self.options, key=len, reverse=True)
        self.pattern = f"(?<![A-Za-z0-9]')(?<![A-Za-z0-9À-ɏ_\\\\-])(?:{'|'.join(map(re.escape, ordered))})(?![A-Za-z0-9À-ɏ])"
        self._mention = re.compile(self.pattern, re.I)

    def value(self, said: str) -> str:
        """The option that a label names."""
        return self._by_text[said.casefold()]

    def mentions(self, text: str, plain: str, start: int = 0, end: int | None = None) -> Iterator[Mention]:
        """Where the text names an option. ``plain`` is the text without its markup."""
        for found in self._mention.finditer(plain, start, len(plain) if end is None else end):
            mention = self.mention(text, plain, *found.span())
            if mention is not None:
                yield mention

    def named(self, plain: str, start: int) -> bool:
        """Whether the word "option" or another of its kind stands before a place."""
        return _OPTION.search(plain, max(0, start - 24), start) is not None

    def mention(self, text: str, plain: str, start: int, end: int) -> Mention | None:
        """The label at a place, or None where it is no label."""
        said = plain[start:end]
        value = self._by_text.get(said.casefold())
        if value is None:
            return None
        if not self.letters:
            return Mention(start, end, value, False, False)
        before, after = text[start - 1 : start], text[end : end + 1]
        option = self.named(plain, start)
        wrapped = (
            option
            or (before != "" and before in _OPEN and after != "" and after in _CLOSE + ".:,")
            or (after == ")")
        )
        lower = self._upper and said != value
        mention = Mention(start, end, value, wrapped, lower)
        return mention if self._stands(mention, text, plain, option) else None

    def _stands(self, mention: Mention, text: str, plain: str, option: bool) -> bool:
        _, end, value, wrapped, lower = mention
        after = text[end : end + 1]
        if after == "'" and text[mention.start - 1 : mention.start] != "'" and not _TURKISH.match(text, end):
            return False  # A's
        if after == "(" and not option:
            return False  # C(6, 2)
        if after == "." and text[end + 1 : end + 2].islower():
            return False  # C.size
        if after == "-" and text[end + 1 : end + 2].isalnum():
            return False  # B-cell
        if not option and _FORMULA.match(text, end) and after not in ("$", "*"):
            return False
        if lower and value in "AI" and not wrapped and not _CLAUSE_ENDS_I.match(plain, end):
            return False
        if option or (wrapped and after == ")" and text[mention.start - 1 : mention.start] == "("):
            return True
        if _NAMED.search(plain, max(0, mention.start - 24), mention.start) or _AFTER_NAME.match(plain, end):
            return False
        if wrapped:
            return True
        if value == "A":
            return bool(_CLAUSE_ENDS.match(plain, end))
        if value == "I":
            return bool(_CLAUSE_ENDS_I.match(plain, end))
        return True


@lru_cache(maxsize=256)
def labels_of(options: tuple[str, ...]) -> Labels:
    """The labels, refused where they cannot be told apart."""
    if len(options) < 2:
        raise InputError("a choice needs two options or more")
    if any(not option.strip() for option in options):
        raise InputError("an option is empty")
    if len({option.casefold() for option in options}) < len(options):
        raise InputError(f"the options {', '.join(options)} are not told apart by their letters")
    return Labels(options)
