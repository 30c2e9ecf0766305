"""Replay a run against its ledger, without model and without network, and score it again.

Three questions. Is the evidence what was signed? Does the declared protocol, run again, ask and compute exactly
what the ledger says? Does the evidence amount to the reading that was published?
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import encode
from assay.errors import AssayError, Divergence, ExtensionFailed, InputError, IntegrityError, SubjectFault
from assay.evidence.events import Event
from assay.evidence.manifest import unsealed
from assay.evidence.records import End, Evidence, LedgerIndex
from assay.evidence.waves import Wave, Withdrawal
from assay.sandbox import CommandJob, CommandRun, Job, Run
from assay.study.lock import Lock
from assay.study.model import Budget
from assay.subjects.base import Call, Subject
from assay.vocabulary import Result, Trial

from .caller import OUTAGES
from .chronology import check_chronology
from .determination import COMPLIANT, AuditReport, Signature
from .folder import RunFolder
from .history import History
from .instrument import Instrument, score, strata_of
from .live import SandboxService
from .meter import Meter
from .probe import Probe, Received

__all__ = ["close_to", "replay"]

AT_ONCE = 4
_TORN = re.compile(r"ledger/\d{4}\.jsonl\.torn-\d+")
TOLERANCE = 1e-9


class _Silent:
    """Behind an auditing probe: answers nothing, compares everything."""

    live = False

    def __init__(self, index: LedgerIndex, sandbox: SandboxService, report: AuditReport) -> None:
        self._sandbox, self._report = sandbox, report
        self.earlier = index.earlier

    def record(self, event: Event) -> Event:
        raise Divergence(event.trial, event.attempt, event.ordinal, "an audit records nothing")

    def record_sent(self, event: Event, own: dict[str, str]) -> None:
        self.record(event)

    async def call(
        self, subject: Subject, wire: dict[str, Any], call: Call, largest: int, announce: Callable[[], object]
    ) -> Received:
        raise Divergence(call.trial, call.attempt, call.ordinal, "an audit asks no model")

    async def execute(self, job: Job | CommandJob) -> Run | CommandRun:
        self._report.recomputed += 1
        return await self._sandbox.execute(job)

    def note(self, what: str, trial: str, ordinal: int) -> None:
        self._report.environment_dependent += what == "environment-dependent"
        self._report.not_deterministic += what == "not deterministic"


async def replay(
    folder: RunFolder,
    lock: Lock,
    instruments: Iterable[Instrument],
    subjects: Iterable[Subject],
    *,
    signers: Sequence[str] = (),
    sandbox: SandboxService | None = None,
    published: Callable[[Instrument, Evidence, AuditReport], None] | None = None,
    packed: bool = False,
) -> AuditReport:
    """Check a finished run. Faults are collected, not raised: an auditor wants all of them.

    ``published`` checks the other files of an instrument against its evidence. A run that came
    ``packed`` has nothing beside it.
    """
    report = AuditReport(lock=lock.digest, keyid=lock.keyid, faults=[], notes=[], vouched=bool(signers))
    report.signatures.append(Signature("lock.json", lock.keyid))
    faults, signed = folder.verify(lock, signers)
    report.faults += faults
    report.signatures += [Signature(one.what, one.keyid) for one in signed]
    _check_challenges(folder, lock, report, signers)
    if not packed:
        report.notes += _not_covered(folder)
    service = sandbox or SandboxService()
    index = LedgerIndex(folder.ledger, lock.digest)
    try:
        index.refresh()
        check_chronology(folder.ledger, lock, folder.sealed_at, report, time.time())
        if index.reopened or index.retries or index.withdrawn:
            report.faults += _check_retries(folder, lock)
            report.notes.append(f"{len(index.retries)} trials were asked again after they were lost")
        replay = _Replay(lock, index, {s.spec.title: s for s in subjects}, service, report)
        for instrument in instruments:
            await replay.instrument(instrument)
            await replay.withdrawn(instrument, folder.ledger)
            try:
                evidence = Evidence(index, instrument.name, lock=lock)
                _score_again(folder, evidence, instrument, report)
                if published is not None:
                    published(instrument, evidence, report)
            except (
                ExtensionFailed,
                IntegrityError,
            ) as error:  # altered evidence may break a score in any way
                report.faults.append(f"{instrument.name}: cannot be scored ({error})")
        replay.nothing_left_over()
        replay.tell_lost()
    except IntegrityError as error:
        report.faults.append(str(error))
    finally:
        index.close()
        await service.close()
    for found in (report.faults, report.doubts, report.notes):
        found[:] = dict.fromkeys(found)
    return report


class _Replay:
    def __init__(
        self,
        lock: Lock,
        index: LedgerIndex,
        subjects: dict[str, Subject],
        sandbox: SandboxService,
        report: AuditReport,
        seen: set[str] | None = None,
    ) -> None:
        self._lock, self._index, self._subjects, self._report = lock, index, subjects, report
        self._sandbox = sandbox
        self._back = _Silent(index, sandbox, report)
        self._seen: set[str] = set() if seen is None else seen
        self._strata: set[tuple[str, str]] = set()
        self._outcomes: Counter[tuple[str, str, bool]] = Counter()  # instrument, subject, whether it was lost

    async def instrument(self, instrument: Instrument) -> None:
        for stratum in strata_of(instrument, self._lock):
            self._strata.add((instrument.name, stratum))
            await self._guarded(self._stratum(instrument, stratum), f"{instrument.name} {stratum!r}")

    async def _guarded(self, replayed: Awaitable[None], where: str) -> None:
        try:
            await replayed
        except AssayError:
            raise
        except Exception as error:  # altered evidence may break a protocol in any way
            what = f"the protocol cannot be run on the record ({type(error).__name__}: {error})"
            self._report.faults.append(f"{where}: {what}")

    async def _stratum(self, instrument: Instrument, stratum: str) -> None:
        waves = self._index.waves.get((instrument.name, stratum), [])
        for wave in waves:
            if not await self._wave(instrument, wave):
                return
            if not wave.closed:
                self._report.faults.append(f"{_where(wave)}: was never closed")
        if next(self._trials(instrument, stratum, len(waves)), None) is not None:
            self._report.faults.append(f"{instrument.name} {stratum!r}: a wave that is due was never opened")

    async def _wave(self, instrument: Instrument, wave: Wave, passed_over: Collection[str] = ()) -> bool:
        """Replay a wave but for some trials; False where it is not the one that the protocol yields."""
        trials = self._declared(instrument, wave)
        if trials is None:
            self._report.faults.append(f"{_where(wave)}: the protocol yields other trials than were run")
            return False
        await self._conduct_all(instrument, wave, [trial for trial in trials if trial.id not in passed_over])
        return True

    async def withdrawn(self, instrument: Instrument, ledger: Path) -> None:
        """Waves that were withdrawn, replayed on the ledger as it was before: that too has to have happened so."""
        for segment, withdrawal in self._index.withdrawn:
            if withdrawal.instrument != instrument.name:
                continue
            before = LedgerIndex(ledger, self._lock.digest, before=segment)
            try:
                before.refresh()
                earlier = _Replay(self._lock, before, self._subjects, self._sandbox, self._report, self._seen)
                where = f"{instrument.name} {withdrawal.stratum!r}"
                await self._guarded(earlier._withdrawn_waves(instrument, withdrawal), where)
            finally:
                before.close()

    async def _withdrawn_waves(self, instrument: Instrument, withdrawal: Withdrawal) -> None:
        waves = self._index.waves.get((instrument.name, withdrawal.stratum), [])
        if withdrawal.number >= len(waves):
            self._report.faults.append(
                f"{instrument.name} {withdrawal.stratum!r}: what was withdrawn was not there"
            )
        counted = self._report.trials
        for wave in waves[withdrawal.number :]:
            trials = self._declared(instrument, wave) or []
            open_ = [] if wave.closed else [t.id for t in trials if self._index.counted(t.id) is None]
            begun = [trial for trial in open_ if self._index.is_begun(trial)]
            if sorted(begun) != sorted(withdrawal.unfinished if wave is waves[-1] else ()):
                self._report.faults.append(f"{_where(wave)}: was withdrawn with other trials than were begun")
            self._seen.update(open_)
            await self._wave(instrument, wave, open_)
        self._report.trials = counted  # they do not count
        told = f"{sum(wave.trials for wave in waves[withdrawal.number :])} trials were withdrawn"
        self._report.notes.append(f"{instrument.name} {withdrawal.stratum!r}: {told}: {withdrawal.because}")

    def _trials(self, instrument: Instrument, stratum: str, number: int) -> Iterator[Trial]:
        evidence = Evidence(self._index, instrument.name, stratum, lock=self._lock, upto=number)
        return iter(instrument.trials(self._lock, evidence))

    def _declared(self, instrument: Instrument, wave: Wave) -> list[Trial] | None:
        """The trials of a wave as the protocol yields them; None if they are not those that were run."""
        trials: list[Trial] = []
        sha = hashlib.sha256()
        for trial in self._trials(instrument, wave.stratum, wave.number):
            if len(trials) == wave.trials:  # a hostile lock may yield trials without end
                return None
            trials.append(trial)
            sha.update(bytes.fromhex(trial.id))
        return trials if (len(trials), sha.hexdigest()) == (wave.trials, wave.digest) else None

    async def _conduct_all(self, instrument: Instrument, wave: Wave, trials: list[Trial]) -> None:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(trial: Trial) -> None:
            async with gate:
                try:
                    await self._conduct(instrument, wave, trial)
                except (Divergence, IntegrityError) as fault:
                    self._report.faults.append(str(fault))
                except AssayError:
                    raise
                except Exception as error:  # altered evidence may break a protocol in any way
                    what = f"the protocol cannot be run on the record ({type(error).__name__}: {error})"
                    self._report.faults.append(f"trial {trial.id[:12]}: {what}")

        for start in range(0, len(trials), 1000):
            await asyncio.gather(*(one(trial) for trial in trials[start : start + 1000]))

    async def _conduct(self, instrument: Instrument, wave: Wave, trial: Trial) -> None:
        trial_id = trial.id
        self._seen.add(trial_id)
        attempts = self._index.attempts(trial_id)
        retried = {retry.attempt for retry in self._index.retries.get(trial_id, ())}
        first = self._index.first_attempt(trial_id)
        complete = {a for a, tape in attempts.items() if a >= first and any(e.kind == "end" for e in tape)}
        if not complete - retried:
            self._report.faults.append(f"trial {trial_id[:12]}: has no outcome")
            return
        attempt = min(complete - retried)
        self._report.trials += 1
        lost = any(e.kind == "end" and e.data["outcome"] == "excluded" for e in attempts[attempt])
        self._outcomes[instrument.name, trial.subject, lost] += 1
        for earlier in range(first, attempt):
            if earlier in retried:  # it has to have been lost as recorded, too
                await self._conduct_attempt(instrument, wave, trial, earlier, attempts[earlier])
            else:
                self._check_abandoned(
                    trial_id, earlier, attempts.get(earlier, []), self._subjects[trial.subject]
                )
        await self._conduct_attempt(instrument, wave, trial, attempt, attempts[attempt])

    async def _conduct_attempt(
        self, instrument: Instrument, wave: Wave, trial: Trial, attempt: int, tape: list[Event]
    ) -> None:
        trial_id, subject = trial.id, self._subjects[trial.subject]
        self._report.asks += sum(event.kind == "received" and "reply" in event.data for event in tape)
        end = next(event for event in tape if event.kind == "end")
        if len([e for e in tape if e.kind == "end"]) > 1:
            raise Divergence(trial_id, attempt, end.ordinal, "has two outcomes")
        probe = Probe(trial, trial_id, subject, self._lock, self._back, attempt=attempt, tape=tape)
        recorded = msgspec.convert(end.data, End)
        try:
            await instrument.conduct(trial, probe)
            found = probe.conclusion
            got = (found.outcome, found.reason, found.report) if found else ("unknown", "no conclusion", None)
        except SubjectFault as fault:
            got = ("excluded", fault.name, None)
        except Divergence as divergence:
            # A trial cut off by its time limit has no more to replay; where it was cut depends on the machine.
            cut_off = recorded.outcome == "excluded" and recorded.reason == "trial_timeout"
            if not cut_off or divergence.ordinal < end.ordinal - 1:
                raise
            self._report.environment_dependent += 1
            return
        if encode(got) != encode((recorded.outcome, recorded.reason, recorded.report)):
            told = f"ends as {got[0]}, recorded as {recorded.outcome}"
            if got[:2] == (recorded.outcome, recorded.reason):
                told = "comes to something else than the record reports"
            raise Divergence(trial_id, attempt, end.ordinal, told)
        if (recorded.instrument, recorded.stratum, recorded.wave) != (
            instrument.name,
            wave.stratum,
            wave.number,
        ):
            raise Divergence(trial_id, attempt, end.ordinal, "is recorded as part of another wave")
        if encode(recorded.trial) != encode(trial):
            raise Divergence(trial_id, attempt, end.ordinal, "the recorded trial is not the declared one")
        if probe.next_ordinal != end.ordinal:
            raise Divergence(
                trial_id, attempt, probe.next_ordinal, "the record goes on after the protocol has ended"
            )
        self._report.steps += sum(e.kind == "computed" and e.data["name"] != "execute" for e in tape)

    def _check_abandoned(self, trial: str, attempt: int, tape: list[Event], subject: Subject) -> None:
        """An attempt may be given up only for a reason the record shows, never because of what came back."""
        self._report.abandoned += 1
        stateful = subject.stateful or any(event.kind == "clock" for event in tape)
        unreachable = any(e.kind == "received" and e.data.get("fault") in OUTAGES for e in tape)
        if not (stateful or unreachable) or not any(event.kind == "abandoned" for event in tape):
            raise Divergence(trial, attempt, 0, "an attempt was given up without a reason")

    def tell_lost(self) -> None:
        """Trials lost to infrastructure beyond the share that was declared (spec 11.7.3), whatever the reading says."""
        most = self._lock.study.limits.excluded_share
        for instrument, subject in sorted({key[:2] for key in self._outcomes}):
            lost = self._outcomes[instrument, subject, True]
            of = lost + self._outcomes[instrument, subject, False]
            if Fraction(lost, of) > Fraction(str(most)):
                told = f"{lost} of {of} trials were lost, more than the declared share of {most:g}"
                self._report.doubts.append(f"{instrument}, {subject}: {told}")

    def nothing_left_over(self) -> None:
        for trial in self._index.trials():
            if trial not in self._seen:
                self._report.faults.append(f"trial {trial[:12]}: is in the ledger but not in the study")
        for instrument, stratum in sorted(set(self._index.waves) - self._strata):
            self._report.faults.append(f"{instrument} {stratum!r}: is in the ledger but not in the study")


def _where(wave: Wave) -> str:
    return f"{wave.instrument} {wave.stratum!r} wave {wave.number}"


def _check_challenges(folder: RunFolder, lock: Lock, report: AuditReport, signers: Sequence[str]) -> None:
    """A challenge that is not settled is a doubt, whatever the evidence shows (15.4.3). So is a settlement by somebody
    whom nobody vouches for. A record that does not count is no fault of the run: anybody may add one.
    """
    found = folder.challenges(lock)
    report.notes += [f"does not count: {fault}" for fault in found.faults]
    for one in found.challenges:
        records = (one.opened, *one.responses, *([one.resolution] if one.resolution else []))
        report.signatures += [Signature(f"challenge-{r.number:04d}.jsonl", r.keyid) for r in records]
        end = one.resolution
        if (flag := one.flag) is not None:
            report.doubts.append(str(flag))
        elif end and end.role == "auditor" and not any(end.keyid.startswith(one.lower()) for one in signers):
            told = f"by a key that nobody vouches for, {end.keyid[:16]}: name it, --signed-by"
            report.doubts.append(f"challenge {one.number} was found {COMPLIANT} {told}")
        else:
            report.notes.append(f"challenge {one.number}: {one.state(one.ends)}")


def _not_covered(folder: RunFolder) -> list[str]:
    """What lies beside the sealed files: nobody vouches for it, however much it looks like a part of the run."""
    extra = set(unsealed(folder.ledger, folder.path)) - {".writer"}
    notes, page = [], folder.report_path.name
    if page in extra:
        notes.append(f"{page} is not sealed and was not checked; assay report draws it anew")
    torn = sorted(name for name in extra if _TORN.fullmatch(name))
    if torn:
        notes.append(f"torn tails that a resume cut off and kept, no part of the run: {', '.join(torn)}")
    others = sorted(extra - {page, *torn})
    if others:
        told = ", ".join(others[:10]) + (f" and {len(others) - 10} more" if len(others) > 10 else "")
        notes.append(f"not sealed, and no part of the run: {told}")
    return notes


def _check_retries(folder: RunFolder, lock: Lock) -> list[str]:
    """All trials that were lost to the named faults were asked again, not a choice of them; and what was withdrawn
    for that could be."""
    try:
        history = History.read(folder.ledger, lock.digest, Meter(Budget()), repair=False)
    except IntegrityError as error:
        return [str(error)]
    left = len(history.due)
    return [f"{left} lost trials that were to be asked again were not"] if left else []


def _score_again(folder: RunFolder, evidence: Evidence, instrument: Instrument, report: AuditReport) -> None:
    """The reading that was published against the one the evidence gives now."""
    path = folder.reading_path(instrument.name)
    try:
        published = folder.read_reading(instrument.name).result
    except InputError:
        report.faults.append(f"{path.name}: the file is missing")
        return
    except IntegrityError as error:
        report.faults.append(str(error))
        return
    found = score(instrument, evidence)
    report.measures += len(found.measures)
    if encode(found) == encode(published):
        return
    if found.versions != published.versions:
        differing = [k for k in found.versions if found.versions[k] != published.versions.get(k)]
        told = ", ".join(f"{k} {published.versions.get(k)}, here {found.versions[k]}" for k in differing)
        report.faults.append(f"{path.name}: was scored with other versions ({told}); audit it with those")
    elif same_result(found, published):
        report.notes.append(f"{path.name}: equal within {TOLERANCE:g}, not byte for byte (another platform?)")
    else:
        report.faults.append(f"{path.name}: {_first_difference(found, published)}")


def same_result(a: Result, b: Result) -> bool:
    return close_to(msgspec.to_builtins(a), msgspec.to_builtins(b))


def close_to(a: Any, b: Any) -> bool:
    """Equal but for the last digits of reals, which another platform may give otherwise."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close_to(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(close_to, a, b))
    return bool(a == b)


def _first_difference(found: Result, published: Result) -> str:
    for a, b in zip(found.measures, published.measures, strict=False):
        ours, theirs = msgspec.structs.asdict(a), msgspec.structs.asdict(b)
        parts = [name for name in ours if not close_to(*map(msgspec.to_builtins, (ours[name], theirs[name])))]
        if parts:
            labels = ", ".join(f"{k}={v}" for k, v in a.labels.items())
            if "value" in parts:
                return f"{a.name} ({labels}) is {a.value} by the evidence, published as {b.value}"
            return f"{a.name} ({labels}) has other {', '.join(parts)} by the evidence than were published"
    return "the published result is not what the evidence amounts to"
