"""What can go wrong, as one tree.

::

    AssayError
    ├── InputError            the user can put it right: exit code 2
    │   └── UnknownName       a name that is not there, with the nearest one that is
    ├── IntegrityError        evidence that was altered, cut or contradicts itself: exit code 1
    │   └── Divergence        a replayed trial asked or computed something else than was recorded
    ├── RequirementFailed     a run does not keep what its study requires; an AssertionError, too
    ├── RunStopped            cut short on purpose; the run can be resumed
    │   ├── BudgetReached     a declared budget is used up
    │   └── StorageFull       the disk took no more; nothing is lost
    ├── SubjectFault          one try failed on the way: infrastructure, never the subject's answer
    ├── SubjectRefused        the endpoint will not serve us (bad key, unknown model): no retry helps
    ├── ExtensionFailed       an instrument or an adapter raised, or broke its contract: exit code 70
    │   └── ContractBroken    a conformance check found rules that are not kept, and lists them all
    └── SandboxUnavailable    untrusted code cannot be run safely here

A message says what is wrong, where, and what would be right. No traceback reaches a user.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterable, Iterator

__all__ = [
    "OWN_FAULTS",
    "AssayError",
    "BudgetReached",
    "ContractBroken",
    "Divergence",
    "ExtensionFailed",
    "InputError",
    "IntegrityError",
    "RequirementFailed",
    "RunStopped",
    "SandboxUnavailable",
    "StorageFull",
    "SubjectFault",
    "SubjectRefused",
    "UnknownName",
    "blaming",
    "nearest",
    "quote",
]


def quote(said: str) -> str:
    """The words of an endpoint or another system: marked as such, so that none of them passes for our own advice."""
    plain = said.translate({ord("“"): '"', ord("”"): '"'})
    return f"“{plain}”"


class AssayError(Exception):
    """Anything Assay raises on purpose."""


class InputError(AssayError):
    """Wrong input; the message names file, line and field where there are any."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(f"{where}{message}")


class UnknownName(InputError):
    """A name that is not there. Says what is, nearest first."""

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        *,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(f"unknown {what} {name!r}{nearest(name, known)}", file=file, line=line)


class IntegrityError(AssayError):
    """Evidence that does not hold together."""


class Divergence(IntegrityError):
    """A replay that parted from the record, named by trial and ordinal."""

    def __init__(self, trial: str, attempt: int, ordinal: int, what: str) -> None:
        self.trial, self.attempt, self.ordinal, self.what = trial, attempt, ordinal, what
        super().__init__(f"trial {trial[:12]} attempt {attempt} ordinal {ordinal}: {what}")


class RequirementFailed(AssayError, AssertionError):
    """What a study requires does not hold, or is not established; test runners count it as a failure."""


class RunStopped(AssayError):
    """The run was cut short and can be resumed."""


class BudgetReached(RunStopped):
    """A declared budget is used up."""


class StorageFull(RunStopped):
    """The ledger could not be written; what was acknowledged is safe."""


OWN_FAULTS = frozenset({"subject_raised", "subject_died"})
"""The names of faults that are the subject's own: its code raised, or ended its process. No infrastructure failed."""


class SubjectFault(AssayError):
    """One try at a call failed on the way.

    ``name`` is the kind of fault (``http_429``, ``reset``, ``timeout``, ``malformed_json`` ...), under
    which it is counted. ``retriable`` tells transport faults from those that would only repeat. ``trace`` and
    ``printed`` are the end of the traceback and of the output where a subject's own code failed.
    """

    def __init__(
        self,
        name: str,
        detail: str = "",
        *,
        retriable: bool = True,
        slow_down: bool = False,
        retry_after: float | None = None,
        trace: str = "",
        printed: str = "",
    ) -> None:
        self.name, self.detail, self.trace, self.printed = name, detail, trace, printed
        self.retriable, self.slow_down, self.retry_after = retriable, slow_down, retry_after
        super().__init__(f"{name}: {detail}" if detail else name)


class SubjectRefused(AssayError):
    """The endpoint will not serve this subject at all.

    ``mend`` is the change of the study that would put it right, where that is known: then no resuming helps either.
    """

    def __init__(self, said: str, *, mend: str = "") -> None:
        self.said, self.mend = said, mend
        super().__init__(f"{said.rstrip('.')}. {mend}" if mend else said)


class ExtensionFailed(AssayError):
    """An instrument or a subject's adapter raised, or gave what its contract does not know."""


class ContractBroken(ExtensionFailed):
    """Every rule that an extension does not keep, as ``(rule, what is wrong)``."""

    def __init__(self, what: str, broken: Iterable[tuple[str, str]]) -> None:
        self.broken = tuple(broken)
        rules: dict[str, list[str]] = {}
        for rule, wrong in self.broken:
            rules.setdefault(rule, []).append(wrong)
        lines = []
        for rule, found in rules.items():
            more = f" (and {len(found) - 2} more)" if len(found) > 2 else ""
            lines.append(f"\n  {rule}: {'; '.join(found[:2])}{more}")
        super().__init__(f"{what} does not keep its contract:{''.join(lines)}")


@contextlib.contextmanager
def blaming(who: str, part: str) -> Iterator[None]:
    """Whatever is raised inside, short of our own errors, is told under the name of whose code it was."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        raise ExtensionFailed(f"{who} failed in {part} ({type(error).__name__}: {error})") from error


class SandboxUnavailable(AssayError):
    """No way to confine untrusted code was found."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The tail of a message: the nearest known name, or the list when none is near."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""
