"""The words that people use in a declaration, beside those that it has. Content of ``declared_forms.py``."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = [
    "APPROACHES",
    "AXES",
    "AXIS_OF",
    "DIMENSION_OF",
    "FAMILY",
    "FOR_ALL",
    "INSIDE_BOUNDARY",
    "INTENSITIES",
    "INTERVALS",
    "NO_LIMIT",
    "RATES",
    "REGIME",
    "SYSTEM",
    "TOP",
    "folded",
]


def folded(text: str) -> str:
    """Without case; spaces and hyphens as one underscore."""
    return re.sub(r"[\s_-]+", "_", str(text).strip().casefold())


def _names(table: Mapping[str, str]) -> dict[str, str]:
    """Every name of a field, its own among them."""
    return {word: field for field, words in table.items() for word in (field, *words.split())}


AXES = ("information", "action", "compute", "stability")
INTENSITIES = ("baseline", "moderate", "severe")
APPROACHES = ("benchmark", "audit", "combined")
INTERVALS = {
    "wilson": "wilson",
    "wilson_score": "wilson",
    "agresti_coull": "agresti_coull",
    "exact": "exact",
    "clopper_pearson": "exact",
}
NO_LIMIT = ("", "none", "no", "unlimited", "no_limit", "full", "off", "n/a", "stationary", "standard")

TOP = _names(
    {
        "system": "system_id system_identifier system_name",
        "version": "system_version",
        "boundary": "boundary_type",
        "includes": "inclusion_list boundary_includes",
        "tools": "tool_access_list tool_list tool_access",
        "human_assistance": "human_assistance_policy",
        "memory": "memory_persistence",
        "began": "started started_at start start_time evaluation_start evaluation_started evaluation_began",
        "date": "evaluation_date",
        "regimes": "constraint_regimes",
        "families": "families_attempted attempted_families task_families",
        "inclusion": "inclusion_criteria",
        "exclusion": "exclusion_criteria",
        "evaluators": "raters",
        "suite": "task_suite suite_id task_suite_id",
        "artifacts": "artifact_location evidence",
        "contact": "evaluation_contact",
        "schemas": "schema interface_schemas",
        "criterion": "criteria success_criteria success_criterion ex_ante_success_criteria",
        "environment": "environments environment_class environment_classes",
        "verification": "verification_method verification_methods",
        "criterion_time": "criteria_time criteria_declared_at",
        "observation_schema": "input_schema",
        "action_schema": "output_schema",
    }
)
# Said once, for all families or by their names.
FOR_ALL = (
    "schemas",
    "observation_schema",
    "action_schema",
    "criterion",
    "criterion_time",
    "environment",
    "verification",
)
SYSTEM = _names(
    {
        "name": "id system_id identifier model",
        "version": "revision model_version",
        "hash": "config_hash configuration_hash digest",
        "architecture": "architecture_class",
    }
)
INSIDE_BOUNDARY = _names(
    {
        "type": "kind boundary boundary_type",
        "includes": "include included inclusion inclusions inclusion_list",
        "tools": "tool_access_list tool_list tool_access",
        "human_assistance": "human_assistance_policy humans",
        "memory": "memory_persistence",
    }
)
REGIME = _names(
    {
        "level": "intensity designation intensity_level claimed_level",
        "parameters": "params constraints axes limits exact_parameters",
        "adversarial": "",
    }
)
FAMILY = _names(
    {
        "dimension": "dimensions",
        "levels": "level",
        "environment": "environment_class env",
        "criterion": "criteria success_criterion success_criteria",
        "criterion_time": "criteria_time criterion_declared_at",
        "verification": "verification_method verifier",
        "observation_schema": "observation observations input_schema input",
        "action_schema": "action actions output_schema output",
        "schemas": "schema",
        "threshold_reason": "threshold_justification",
        "exclusion_reason": "excluded_because reason_for_exclusion",
    }
)
DIMENSION_OF = {
    word: letter
    for letter, words in {
        "S": "s sensing sensing_adequacy",
        "M": "m modeling modelling modeling_capacity modelling_capacity",
        "D": "d decision decision_coherence",
        "E": "e efficacy causal_efficacy",
        "L": "l learning learning_&_adaptation",
        "G": "g goals goal_governance",
    }.items()
    for word in words.split()
}

# 8.1, the axis that a parameter constrains by its name; the first that fits. A time-out is no time.
RATES = re.compile(r"noise|time_?out|fail|error|drift|lost|loss|inject|perturb|distract|unreliab|corrupt")
AXIS_OF = (
    (
        re.compile(r"noise|distract|observ|context|quer|retriev|mask|document|corpus|information|ocr"),
        "information",
    ),
    (
        re.compile(r"time_?out|fail|error|drift|lost|loss|inject|perturb|adversar|unreliab|reliab|stationar"),
        "stability",
    ),
    (re.compile(r"token|second|minute|time|latency|wall|compute|energy|inference|deadline"), "compute"),
    (re.compile(r"action|call|tool|permission|rate|retr|approval|step|operation|budget|cap"), "action"),
)
