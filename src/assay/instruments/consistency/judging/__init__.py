"""Judging: the scored replies of a transcript, read by rules over text, with the words that show each reading.

``judge`` reads a scenario alone and gives the same judgements for it always. ``VERSIONS`` names the rules.

======================  ===============================================================  =========================
measure                 checks                                                           labels beside variant
======================  ===============================================================  =========================
``M1``, ``M1_exact``    label digest boundaries lexicon cadence bounded; the second      part
                        return also same_structure same_state nothing_added
                        no_escalation
``return_wrong_digest`` says_so nothing_invented
``return_unknown_label``  the same
``M2``                  declines limit proximity adjacent vague over_apology leak
``false_refusals``      refusal (a success of it is a refusal)
``M3``, ``M3_prompted`` named corrected resumed incomplete defensive in_time             planted
``M4``                  origin utc license sha256 digest_matches in_utc reused           digest, content
``O``                   order (its note is the way; ``edges_of`` reads it)
``L``, ``L_exact``      one a token
``P``                   possible delivered in_time                                       promised (seconds)
``vague_promises``,     timed
``open_promises``
======================  ===============================================================  =========================

A check holds where the thing was found: ``leak`` holds where there is one, and has the note ``UNDECIDED`` where
nothing says what must not be given away. The measures ``limit``, ``incomplete``,
``origin`` and their like are shares of these checks. Impossible promises are failures in ``P`` named
``impossible_promise``.
"""

from __future__ import annotations

from assay.instruments.consistency.detectors import VERSION as TRIPLE

from . import canaries, lexicon, order, promises, provenance, refusals, repairs, returns
from .kinds import judge, judge_all
from .order import EDGES, STATES, Edge, Walk, edges_of, walk
from .provenance import Reuse, find_artifacts, reused_digests
from .settings import UNDECIDED, UNTIMED, Judging

__all__ = [
    "EDGES",
    "STATES",
    "UNDECIDED",
    "UNTIMED",
    "VERSIONS",
    "Edge",
    "Judging",
    "Reuse",
    "Walk",
    "edges_of",
    "find_artifacts",
    "judge",
    "judge_all",
    "reused_digests",
    "walk",
]

VERSIONS = (
    TRIPLE,
    returns.VERSION,
    refusals.VERSION,
    canaries.VERSION,
    repairs.VERSION,
    provenance.VERSION,
    order.VERSION,
    lexicon.VERSION,
    promises.VERSION,
)
