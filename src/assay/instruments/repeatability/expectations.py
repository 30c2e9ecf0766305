"""What a contract expects of outputs that are no programs: fields of JSON, the answer and the words of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from assay.study.source import Source

if TYPE_CHECKING:
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = [
    "NOT_OF_PROGRAMS",
    "AnswerForm",
    "FieldCheck",
    "TextLength",
    "check_expectations",
    "check_expressions",
    "refuse_misplaced",
]

Text = Annotated[str, Meta(min_length=1)]
Tolerance = Annotated[float, Meta(ge=0)]
Most = Annotated[int, Meta(ge=1)]
At = tuple[str | int, ...]


class FieldCheck(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What stands at a JSON Pointer. Without ``expected`` or ``any_of`` its agreement is measured, and no more."""

    pointer: str
    expected: Any | UnsetType = UNSET
    any_of: tuple[Any, ...] = ()
    tolerance: Tolerance | None = None

    @property
    def decides(self) -> bool:
        return self.expected is not UNSET or bool(self.any_of)


class AnswerForm(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How an answer is read: by the kit's reader, or as the first group of an expression."""

    kind: Literal["choice", "yes_no", "number", "share", "regex"]
    options: tuple[Text, ...] = ()
    pattern: str = ""
    tolerance: Tolerance | None = None


class TextLength(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The most that a text may have, white space at either end aside."""

    characters: Most | None = None
    words: Most | None = None
    lines: Most | None = None

    def complaint(self, text: str) -> str:
        bare = text.strip()
        has = {"characters": len(bare), "words": len(bare.split()), "lines": len(bare.splitlines())}
        over = [f"{has[name]} {name}" for name in has if has[name] > (getattr(self, name) or has[name])]
        return f"too long: {', '.join(over)}" if over else ""


_PROGRAM = ("entry_point", "test_cases", "inputs", "runner", "language", "limits")
_JSON = ("schema", "fields")
_TEXT = ("answer", "must_match", "must_contain", "length")
NOT_OF_PROGRAMS = (
    *_JSON,
    *_TEXT,
    "expected",
)  # contracts of programs may have fields of such names of their own


# Names that stand one level down, by the place they belong to. At the top of a contract they would do nothing.
_PLACES: dict[str, dict[str, tuple[str, ...]]] = {
    "text": {
        "answer": ("options", "pattern", "tolerance"),
        "length": ("characters", "words", "lines"),
    },
    "json": {"a field of fields": ("pointer", "any_of", "tolerance")},
    "program": {"a case of test_cases": ("raises", "tolerance"), "limits": ("seconds", "memory_mb")},
}


def refuse_misplaced(value: dict[str, Any], source: Source, at: At) -> None:
    """Refuse a name of ours that stands beside the place it belongs to."""
    kind = value.get("kind")
    places = _PLACES[kind if kind in ("json", "text") else "program"]
    for place, names in places.items():
        for name in names:
            if name in value:
                raise source.error((*at, name), f"{name!r} belongs inside {place}, and does nothing here")


def check_expectations(contract: Contract, value: dict[str, Any], source: Source, at: At) -> None:
    """Refuse what does not belong to the kind of a contract, and expectations that nothing could meet."""
    for name in (*_PROGRAM, *(_TEXT if contract.kind == "json" else _JSON)):
        if name in value:
            raise source.error((*at, name), f"a contract of kind {contract.kind} has none")
    if contract.kind == "json":
        _check_json(contract, source, at)
    elif contract.kind == "text":
        _check_text(contract, source, at)


def _check_json(contract: Contract, source: Source, at: At) -> None:
    from .kinds.json_values import pointer_parts

    if contract.schema is None:
        raise source.error((*at, "schema"), "a contract of kind json has a JSON Schema")
    if contract.expected is not UNSET and any(check.decides for check in contract.fields):
        raise source.error((*at, "fields"), "give the expected value as a whole, or by fields")
    for number, check in enumerate(contract.fields):
        where = (*at, "fields", number)
        if pointer_parts(check.pointer) is None:
            raise source.error(
                (*where, "pointer"), f"{check.pointer!r} is not a JSON Pointer, such as /name/0"
            )
        if check.expected is not UNSET and check.any_of:
            raise source.error(where, "give either expected or any_of")
        if check.tolerance is not None and not _is_number(check.expected):
            raise source.error(where, "a tolerance goes with an expected number")
    if len({check.pointer for check in contract.fields}) < len(contract.fields):
        raise source.error((*at, "fields"), "a field is given twice")


def _check_text(contract: Contract, source: Source, at: At) -> None:
    form, wanted = contract.answer, contract.expected
    if wanted is not UNSET and form is None:
        raise source.error((*at, "expected"), "say by answer how it is read")
    if wanted is UNSET and form is not None and form.kind != "regex":
        raise source.error((*at, "answer"), "say by expected what the right answer is")
    if not (form or contract.must_match or contract.must_contain or contract.length):
        raise source.error(at, "a text without answer, must_match, must_contain or length has no oracle")
    if form is not None:
        _check_answer(form, wanted, source, at)


def _check_answer(form: AnswerForm, wanted: Any, source: Source, at: At) -> None:
    here = (*at, "answer")
    if (form.kind == "choice") != bool(form.options) or len(form.options) == 1:
        raise source.error((*here, "options"), "a choice, and nothing else, has two options or more")
    if (form.kind == "regex") != bool(form.pattern):
        raise source.error((*here, "pattern"), "an answer of kind regex, and no other, has a pattern")
    if form.tolerance is not None and form.kind not in ("number", "share"):
        raise source.error((*here, "tolerance"), "a tolerance goes with a number or a share")
    right = {
        "choice": ("one of the options", wanted in form.options),
        "yes_no": ("the text 'yes' or 'no'", wanted in ("yes", "no")),
        "number": ("a number", _is_number(wanted)),
        "share": ("a number between 0 and 1", _is_number(wanted) and 0 <= wanted <= 1),
        "regex": ("a text", wanted is UNSET or isinstance(wanted, str)),
    }
    what, fits = right[form.kind]
    if not fits:
        raise source.error((*at, "expected"), f"has to be {what}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_expressions(contract: Contract, source: Source, at: At) -> None:
    """Schemas and expressions are compiled, so that a wrong one is refused before anything is asked."""
    from .kinds.json_outputs import schema_fault
    from .kinds.patterns import pattern_fault
    from .kinds.text_outputs import options_fault

    if contract.schema is not None and (fault := schema_fault(contract.schema)):
        raise source.error((*at, "schema"), fault)
    for number, pattern in enumerate(contract.must_match):
        if fault := pattern_fault(pattern):
            raise source.error((*at, "must_match", number), fault)
    form = contract.answer
    if form is not None and form.pattern and (fault := pattern_fault(form.pattern)):
        raise source.error((*at, "answer", "pattern"), fault)
    if form is not None and (fault := options_fault(form)):
        raise source.error((*at, "answer", "options"), fault)
