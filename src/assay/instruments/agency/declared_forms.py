"""The forms in which people write a declaration, brought to the one that ``declaration.py`` has.

Only what can be read in one way is taken: other names for a field, a text where a mapping has one needed entry, a list
where the names are the keys, something said once for all families. What is missing stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.errors import InputError
from assay.worlds import shipped_regimes

from .declared_words import (
    APPROACHES,
    AXES,
    AXIS_OF,
    DIMENSION_OF,
    FAMILY,
    FOR_ALL,
    INSIDE_BOUNDARY,
    INTENSITIES,
    INTERVALS,
    NO_LIMIT,
    RATES,
    REGIME,
    SYSTEM,
    TOP,
    folded,
)

__all__ = ["Complain", "normal"]

Path_ = tuple[str | int, ...]
Complain = Callable[[Path_, str], InputError]
_VERSION = re.compile(r"(?:^|[@:\s_/-])(v?\d[\w.+-]*)$", re.IGNORECASE)


def normal(value: Any, complain: Complain) -> Any:
    """The declaration in its one form. Anything that is not understood is left as it is, for the types to refuse."""
    if not isinstance(value, dict):
        return value
    found = _renamed(value, TOP, (), complain)
    _system(found, complain)
    _boundary(found, complain)
    if "regimes" in found:
        found["regimes"] = _regimes(found["regimes"], complain)
    _families(found, complain)
    _people(found)
    _words(found)
    return found


def _renamed(
    value: Mapping[str, Any], names: Mapping[str, str], at: Path_, complain: Complain
) -> dict[str, Any]:
    """With the fields under their own names; a field that is given twice is an error."""
    found: dict[str, Any] = {}
    by: dict[str, str] = {}
    for key, one in value.items():
        name = names.get(folded(key), key)
        if name in found:
            raise complain((*at, key), f"is the same as {by[name]!r}; give it once")
        found[name], by[name] = one, key
    return found


def _text(value: Any, at: Path_, complain: Complain) -> Any:
    """A whole number as text; 1.10 written without quotes has lost its nought."""
    if isinstance(value, float):
        raise complain(at, f"{value!r} is read as a number; put it in quotes")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(value: Any) -> Any:
    if isinstance(value, str):
        return [] if folded(value) in NO_LIMIT else [value]
    return value


# System and boundary.


def _system(found: dict[str, Any], complain: Complain) -> None:
    given = found.get("system")
    version = found.pop("version", None)  # beside the system
    if isinstance(given, str | int) and not isinstance(given, bool):
        given = {"name": str(given)}
    if not isinstance(given, dict):
        if version is not None:
            found["version"] = version
        return
    system = _renamed(given, SYSTEM, ("system",), complain)
    parts = [part for name in ("version", "hash") if (part := system.pop(name, None)) not in (None, "")]
    if version is not None:
        parts.append(version)
    if parts:
        told = [_text(part, ("system", "version"), complain) for part in parts]
        system["version"] = "+".join(told) if all(isinstance(part, str) for part in told) else parts[0]
    elif isinstance(system.get("name"), str) and (tail := _VERSION.search(system["name"])):
        system["version"] = tail[1]
    found["system"] = system


def _boundary(found: dict[str, Any], complain: Complain) -> None:
    given = found.get("boundary")
    if isinstance(given, dict):
        inside = _renamed(given, INSIDE_BOUNDARY, ("boundary",), complain)
        for name in ("includes", "tools", "human_assistance", "memory"):
            if name in inside:
                if name in found:
                    raise complain((name,), "is given under `boundary` as well; give it once")
                found[name] = inside.pop(name)
        kind = inside.pop("type", None)
        for name in inside:
            raise complain(
                ("boundary", name), "unknown field; known: type, includes, tools, human_assistance, memory"
            )
        found["boundary"] = kind
    if isinstance(found.get("boundary"), str):
        word = folded(found["boundary"]).removesuffix("_boundary")
        found["boundary"] = word if word in ("core", "extended") else found["boundary"]
    for name in ("includes", "tools"):
        if name in found:
            found[name] = _list(found[name])
    for name in ("human_assistance", "memory"):
        if found.get(name, "") in (False, None):
            found[name] = "none" if found[name] is False else ""


# Regimes.


def _named(value: Any, keys: Iterable[str]) -> Any:
    """A list of names, or of mappings that hold their name, as a mapping from names."""
    if not isinstance(value, list):
        return value
    made: dict[str, Any] = {}
    for one in value:
        name, body = one, {}
        if isinstance(one, dict):
            key = next((key for key in one if folded(key) in keys), None)
            if key is None:
                return value
            name, body = one[key], {k: v for k, v in one.items() if k != key}
        if not isinstance(name, str) or name in made:
            return value
        made[name] = body
    return made


def _regimes(value: Any, complain: Complain) -> Any:
    named = _named(value, ("name", "id", "regime", "regime_id"))
    if not isinstance(named, dict):
        return named
    return {id_: _regime(id_, one, complain) for id_, one in named.items()}


def _regime(id_: str, value: Any, complain: Complain) -> Any:
    at: Path_ = ("regimes", id_)
    if not value and id_ in shipped_regimes():  # 13.2.2: a published id stands for its parameters
        known = shipped_regimes()[id_]
        return {"level": known.level, "adversarial": known.adversarial, **known.parameters()}
    if value is None or isinstance(value, str):
        value = {} if value is None else {"level": value}
    if not isinstance(value, dict):
        return value
    given = _renamed(value, REGIME, at, complain)
    flat = {**given.pop("parameters", {})} if isinstance(given.get("parameters", {}), dict) else {}
    made: dict[str, Any] = {}
    if "level" in given:
        made["level"] = given.pop("level")
        if isinstance(made["level"], str) and folded(made["level"]) in INTENSITIES:
            made["level"] = folded(made["level"])
    elif word := next((word for word in INTENSITIES if folded(id_).startswith(word)), None):
        made["level"] = word
    if "adversarial" in given:
        attack = given.pop("adversarial")
        made["adversarial"] = attack if isinstance(attack, bool) else bool(attack)
        if not isinstance(attack, bool) and attack:
            flat["adversarial"] = attack
    # Where axes are named, what stands apart from them makes nothing scarce.
    by_axis = any(folded(key) in AXES for key in (*given, *flat))
    for key, one in {**given, **flat}.items():
        if by_axis and key in flat and folded(key) not in AXES:
            made.setdefault("parameters", {})[key] = one
        else:
            _place(made, key, one, at, complain)
    return made


def _place(made: dict[str, Any], key: str, value: Any, at: Path_, complain: Complain) -> None:
    """One parameter under the axis that it constrains; what constrains nothing, beside them."""
    name = folded(key)
    if name in AXES:
        inside = value if isinstance(value, dict) else {} if _free(name, value) else {"limit": value}
        for one, amount in inside.items():
            where = "parameters" if _free(one, amount) else name
            made.setdefault(where, {})[one] = amount
        return
    if made.get("level") == "baseline" or _free(key, value):
        made.setdefault("parameters", {})[key] = value
        return
    axis = next((axis for words, axis in AXIS_OF if words.search(name)), None)
    if axis is None:
        raise complain(
            (*at, key),
            "which axis does it constrain (8.1)? Put it under information, action, compute or stability, such as "
            f"`stability: {{{key}: ...}}`",
        )
    made.setdefault(axis, {})[key] = value


def _free(key: str, value: Any) -> bool:
    """Does it say that there is no constraint? No noise, no failures, no limit."""
    if value is None or value is False or value in ({}, []):
        return True
    if isinstance(value, str):
        return folded(value) in NO_LIMIT
    return value == 0 and bool(RATES.search(folded(key)))


# Families.


def _families(found: dict[str, Any], complain: Complain) -> None:
    shared = {name: found.pop(name) for name in FOR_ALL if name in found}
    named = _by_dimension(_named(found.get("families", {}), ("name", "id", "family", "family_id")))
    if not isinstance(named, dict):
        found["families"] = named
        found.update(shared)
        return
    families = {name: _family(name, one, complain) for name, one in named.items()}
    for name in _criteria_only(shared, families):
        families[name] = {}
    for field, value in shared.items():
        for name, one in _shared(field, value, families, complain):
            body = families[name]
            if isinstance(body, dict):
                for key, part in one.items():
                    body.setdefault(key, part)
    if families or "families" in found:
        found["families"] = families
    elif shared:
        raise complain(
            (next(iter(shared)),), "is of no family; list those that were attempted under `families` (11.8)"
        )


def _by_dimension(value: Any) -> Any:
    """S: [inbox, helpdesk] as families that have a dimension."""
    if not isinstance(value, dict) or not value:
        return value
    if not all(folded(key) in DIMENSION_OF and isinstance(names, list) for key, names in value.items()):
        return value
    made: dict[str, Any] = {}
    for key, names in value.items():
        for name in names:
            if not isinstance(name, str):
                return value
            made.setdefault(name, {"dimension": []})["dimension"].append(DIMENSION_OF[folded(key)])
    return made


def _family(id_: str, value: Any, complain: Complain) -> Any:
    if value is None:
        return {}
    if isinstance(value, str) and folded(value) in DIMENSION_OF:
        return {"dimension": DIMENSION_OF[folded(value)]}
    if not isinstance(value, dict):
        return value
    at: Path_ = ("families", id_)
    given = _renamed(value, FAMILY, at, complain)
    if "schemas" in given:
        given = {**given, **_schemas(given.pop("schemas"), (*at, "schemas"), complain)}
    if "criterion" in given:
        given = {**_criterion(given.pop("criterion")), **given}
    if "dimension" in given:
        given["dimension"] = _dimension(given["dimension"])
    if "levels" in given:
        given["levels"] = [_level(one) for one in _each(given["levels"])]
    if "version" in given:
        given["version"] = _text(given["version"], (*at, "version"), complain)
    return given


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _dimension(value: Any) -> Any:
    if isinstance(value, list):
        return [_dimension(one) for one in value]
    return DIMENSION_OF.get(folded(value), value) if isinstance(value, str) else value


def _level(value: Any) -> Any:
    """3, "3" or "S3"."""
    told = re.fullmatch(r"[A-Z]?\s*=?\s*([0-9])", value.strip()) if isinstance(value, str) else None
    return int(told[1]) if told else value


def _criterion(value: Any) -> dict[str, Any]:
    """A criterion may hold its time and how it is verified."""
    if isinstance(value, dict):
        given = {FAMILY.get(folded(key), folded(key)): one for key, one in value.items()}
        text = next(
            (given[key] for key in ("criterion", "text", "rule") if isinstance(given.get(key), str)), None
        )
        rest = set(given) - {"criterion", "text", "rule", "criterion_time", "time", "verification"}
        if text is not None and not rest:
            time = given.get("criterion_time", given.get("time"))
            more = {"criterion_time": time, "verification": given.get("verification")}
            return {"criterion": text, **{key: one for key, one in more.items() if one is not None}}
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return {"criterion": "; ".join(value)}
    return {"criterion": value}


def _schemas(value: Any, at: Path_, complain: Complain) -> dict[str, Any]:
    if isinstance(value, dict):
        given = _renamed(value, FAMILY, at, complain)
        if given and set(given) <= {"observation_schema", "action_schema"}:
            return given
    raise complain(at, "must be a mapping {observation: ..., action: ...}, once for all families or for each")


def _criteria_only(shared: Mapping[str, Any], families: Mapping[str, Any]) -> list[str]:
    """Families that are named by their criteria alone."""
    given = shared.get("criterion")
    return (
        list(given)
        if not families and isinstance(given, dict) and all(isinstance(k, str) for k in given)
        else []
    )


def _shared(
    field: str, value: Any, families: Mapping[str, Any], complain: Complain
) -> list[tuple[str, dict[str, Any]]]:
    """What is said once: for all families, or for each by its name."""
    if field in ("criterion", "schemas"):
        value = _named(value, ("family", "name", "id"))
    spoken = "criteria" if field == "criterion" else field
    by_name = isinstance(value, dict) and any(key in families for key in value)
    if not by_name:
        return [(name, _part(field, value, (spoken,), complain)) for name in families]
    for key in value:
        if key not in families:
            raise complain((spoken, key), f"no such family (11.8); declared: {', '.join(families)}")
    return [(name, _part(field, one, (spoken, name), complain)) for name, one in value.items()]


def _part(field: str, value: Any, at: Path_, complain: Complain) -> dict[str, Any]:
    """One shared thing as entries of a family."""
    if field == "schemas":
        return _schemas(value, at, complain)
    return _criterion(value) if field == "criterion" else {field: value}


# The rest.


def _people(found: dict[str, Any]) -> None:
    """Raters and further systems by name alone, or by name with what is known of them."""
    for field in ("evaluators", "systems"):
        given = found.get(field)
        if isinstance(given, dict) and all(isinstance(one, dict) for one in given.values()):
            given = [{"name": name, **one} for name, one in given.items()]
        if isinstance(given, list):
            found[field] = [{"name": one} if isinstance(one, str) else one for one in given]


def _words(found: dict[str, Any]) -> None:
    for name in ("rule", "purpose"):
        if isinstance(found.get(name), str):
            found[name] = found[name].strip().casefold()
    if isinstance(found.get("interval"), str):
        found["interval"] = INTERVALS.get(folded(found["interval"]), found["interval"])
    if isinstance(found.get("protocol"), str) and folded(found["protocol"]) in APPROACHES:
        found["protocol"] = {"approach": folded(found["protocol"])}
