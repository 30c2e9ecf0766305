"""Names are found by entry point; what is wrong with one is said in words."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.errors import InputError, UnknownName, nearest


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    found: list[EntryPoint] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [point for point in found if point.group == group]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry._points.cache_clear()
    yield found
    registry._points.cache_clear()


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "g")


def test_names_are_sorted_and_loaded_when_asked_for(points: list[EntryPoint]) -> None:
    points += [point("b", "json:loads"), point("a", "math:pi")]
    assert registry.names("g") == ["a", "b"]
    assert registry.find("g", "a", what="thing") == pytest.approx(3.14159, abs=1e-5)
    assert list(registry.load_all("g")) == ["a", "b"]


def test_an_unknown_name_is_told_with_the_nearest(points: list[EntryPoint]) -> None:
    points += [point("bias", "math:pi")]
    with pytest.raises(UnknownName) as caught:
        registry.find("g", "biass", what="instrument", file="s.yaml", line=3)
    assert str(caught.value) == "s.yaml:3: unknown instrument 'biass'; did you mean 'bias'?"


@pytest.mark.parametrize("value", ["no_such_module_at_all:x", "math:no_such_name", "antigravity_missing"])
def test_something_that_cannot_be_loaded_is_told(points: list[EntryPoint], value: str) -> None:
    points += [point("x", value)]
    with pytest.raises(InputError, match=f"thing 'x' \\({value}\\) could not be loaded"):
        registry.find("g", "x", what="thing")


def test_a_plugin_that_fails_on_import_is_told(
    points: list[EntryPoint], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_plugin.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    points += [point("x", "broken_plugin:x")]
    with pytest.raises(InputError, match="could not be loaded: division by zero"):
        registry.find("g", "x", what="thing")


def test_one_name_claimed_by_two_is_refused_and_no_other(points: list[EntryPoint]) -> None:
    points += [point("x", "math:pi"), point("x", "math:e"), point("y", "math:tau")]
    with pytest.raises(InputError, match="'x' in g is claimed by both math:pi and math:e"):
        registry.find("g", "x", what="thing")
    assert registry.names("g") == ["x", "y"]
    assert list(registry.load_all("g")) == ["y"]
    assert "claimed by both" in registry.broken("g")["x"]
    registry._points.cache_clear()
    points[1] = points[0]
    assert registry.broken("g") == {}, "the same one twice is one"


def test_the_nearest_name_or_all_of_them() -> None:
    assert nearest("temprature", ["temperature", "top_p"]) == "; did you mean 'temperature'?"
    assert nearest("zzz", ["b", "a"]) == "; known: a, b"
    assert nearest("zzz", []) == ""


def test_an_error_says_file_and_line_as_far_as_they_are_known() -> None:
    assert str(InputError("m")) == "m"
    assert str(InputError("m", file="f")) == "f: m"
    assert str(InputError("m", file="f", line=2)) == "f:2: m"


def test_an_interrupt_is_the_users_own_only_where_one_was_sent(
    points: list[EntryPoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "raises_by_itself.py").write_text("raise KeyboardInterrupt")
    (tmp_path / "is_interrupted.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)")
    points += [point("a", "raises_by_itself:x"), point("b", "is_interrupted:x")]
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(InputError, match="could not be loaded: KeyboardInterrupt"):
        registry.find("g", "a", what="thing")
    with pytest.raises(KeyboardInterrupt):
        registry.find("g", "b", what="thing")
    assert signal.getsignal(signal.SIGINT) is before


def test_no_two_instruments_have_a_reference_of_one_name() -> None:
    """Whoever asks for it would get the one of the first instrument."""
    found = [name for some in registry.load_all("assay.references").values() for name in some]
    assert len(found) == len(set(found))
