"""The database of a world: transactions, rules, and a second connection that sees what is committed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest

from assay.errors import InputError
from assay.worlds.database import POSTGRES_URL, Broken, Database, open_database


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    if request.param == "sqlite":
        monkeypatch.delenv(POSTGRES_URL, raising=False)
    elif not os.environ.get(POSTGRES_URL):
        pytest.skip(f"{POSTGRES_URL} names no server")
    elif importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed")
    opened = open_database()
    opened.run("CREATE TABLE a (code TEXT PRIMARY KEY, count INTEGER CHECK (count >= 0))")
    opened.run("CREATE TABLE b (number INTEGER PRIMARY KEY, code TEXT REFERENCES a (code))")
    yield opened
    opened.close()


def test_a_statement_alone_takes_effect_by_itself(database: Database) -> None:
    database.run("INSERT INTO a VALUES (?, ?)", ["x", 1])
    assert database.committed("SELECT * FROM a") == [("x", 1)]


def test_what_is_not_committed_is_seen_by_nobody_else(database: Database) -> None:
    database.run("BEGIN")
    database.run("INSERT INTO a VALUES (?, ?)", ["x", 1])
    assert database.rows("SELECT * FROM a") == [("x", 1)]
    assert database.committed("SELECT * FROM a") == []
    database.run("COMMIT")
    assert database.committed("SELECT * FROM a") == [("x", 1)]


def test_rollback_leaves_nothing(database: Database) -> None:
    database.run("BEGIN")
    database.run("INSERT INTO a VALUES (?, ?)", ["x", 1])
    database.run("ROLLBACK")
    assert database.rows("SELECT * FROM a") == database.committed("SELECT * FROM a") == []


@pytest.mark.parametrize(
    ("statement", "values", "rule"),
    [
        ("INSERT INTO a VALUES (?, ?)", ["x", 2], "unique"),
        ("INSERT INTO a VALUES (?, ?)", ["y", -1], "check"),
        ("INSERT INTO b VALUES (?, ?)", [1, "nobody"], "foreign key"),
        ("INSERT INTO a VALUES (?, ?)", ["y", 2**70], "other"),
        ("INSERT INTO a VALUES (?, ?)", ["\ud800", 1], "other"),
        ("INSERT INTO a VALUES (?, ?)", ["y\0", -1], "other"),
    ],
)
def test_a_broken_rule_is_named(database: Database, statement: str, values: list[object], rule: str) -> None:
    database.run("INSERT INTO a VALUES (?, ?)", ["x", 1])
    with pytest.raises(Broken) as broken:
        database.run(statement, values)
    assert broken.value.rule == rule
    assert database.committed("SELECT * FROM a") == [("x", 1)]


def test_values_are_bound_and_never_read_as_statements(database: Database) -> None:
    evil = "'); DROP TABLE b; --"
    database.run("INSERT INTO a VALUES (?, ?)", [evil, 1])
    assert database.committed("SELECT code FROM a") == [(evil,)]
    assert database.committed("SELECT * FROM b") == []


def test_closing_with_an_open_transaction_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_database()
    opened.run("CREATE TABLE a (code TEXT)")
    opened.run("BEGIN")
    opened.run("INSERT INTO a VALUES (?)", ["x"])
    opened.close()


class Driver:
    """As much of psycopg as connecting takes. What it says of a failure repeats the URL."""

    class Error(Exception):
        pass

    errors = None

    def __init__(self, encoding: str = "", most: int = 2) -> None:
        self.encoding, self.most, self.open = encoding, most, 0

    def connect(self, url: str, **_: object) -> Driver:
        if not self.encoding or self.open == self.most:
            raise self.Error(f'missing "=" after "{url}" in connection info string')
        self.open += 1
        return self

    def execute(self, statement: str) -> Driver:
        if statement != "SHOW server_encoding":
            raise self.Error("permission denied")
        return self

    def fetchone(self) -> tuple[str]:
        return (self.encoding,)

    def close(self) -> None:
        self.open -= 1


@pytest.mark.parametrize(
    ("encoding", "told"), [("", "no connection to the server"), ("LATIN1", "encoded as LATIN1")]
)
def test_a_server_that_cannot_be_used_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, encoding: str, told: str
) -> None:
    driver = Driver(encoding)
    monkeypatch.setenv(POSTGRES_URL, "postgresql://me:secret@nowhere.invalid/none")
    monkeypatch.setattr("assay.worlds.database.importlib.import_module", lambda name: driver)
    with pytest.raises(InputError, match=told) as refused:
        open_database()
    assert "secret" not in str(refused.value)
    assert not driver.open


@pytest.mark.parametrize(("most", "told"), [(1, "no connection to the server"), (2, "permission denied")])
def test_a_server_that_refuses_half_way_is_left_without_connections(
    monkeypatch: pytest.MonkeyPatch, most: int, told: str
) -> None:
    driver = Driver("UTF8", most)
    monkeypatch.setenv(POSTGRES_URL, "postgresql://nowhere.invalid/none")
    monkeypatch.setattr("assay.worlds.database.importlib.import_module", lambda name: driver)
    with pytest.raises((InputError, Driver.Error), match=told):
        open_database()
    assert not driver.open


def test_a_server_without_a_driver_is_an_error_not_another_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setenv(POSTGRES_URL, "postgresql://nowhere.invalid/none")
    monkeypatch.setattr("assay.worlds.database.importlib.import_module", missing)
    with pytest.raises(InputError, match="psycopg is not installed"):
        open_database()
