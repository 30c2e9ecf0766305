"""A real database for one world: a private SQLite file, or a private schema of a PostgreSQL server.

SQLite is what Assay uses by itself. With ``ASSAY_POSTGRES_URL`` in the environment, and psycopg installed, the same
worlds run on that server, each in a schema of its own that is dropped at the end. Statements are ours and have bound
parameters only, written ``?``. `committed` reads through a second connection: what was not committed is not there.
"""

from __future__ import annotations

import importlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Sequence
from typing import Any, Literal, Protocol

from assay.errors import InputError

from .scratch import scratch_folder

__all__ = ["POSTGRES_URL", "Broken", "Database", "open_database"]

POSTGRES_URL = "ASSAY_POSTGRES_URL"
Rule = Literal["unique", "foreign key", "check", "other"]
Rows = list[tuple[Any, ...]]


class Broken(Exception):
    """A statement that breaks a rule of its table and was not done."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(rule)
        self.rule = rule


class Database(Protocol):
    """Statements outside ``begin`` … ``commit`` take effect by themselves."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement. Raises `Broken`."""
        ...

    def rows(self, statement: str) -> Rows:
        """What the working connection sees, its own uncommitted changes included."""
        ...

    def committed(self, statement: str) -> Rows:
        """What a second connection sees: committed rows only."""
        ...

    def close(self) -> None: ...


def open_database() -> Database:
    url = os.environ.get(POSTGRES_URL)
    return PostgresDatabase(url) if url else SqliteDatabase()


class SqliteDatabase:
    """A database file in a private folder. The journal stays in memory: the file is not kept."""

    def __init__(self) -> None:
        self._folder = scratch_folder()
        file = self._folder / "world.sqlite"
        self._own = sqlite3.connect(file, isolation_level=None)
        for pragma in ("journal_mode=MEMORY", "synchronous=OFF", "cache_spill=OFF", "foreign_keys=ON"):
            self._own.execute(f"PRAGMA {pragma}")
        self._other = sqlite3.connect(f"file:{file}?mode=ro", uri=True, isolation_level=None)

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        if any(isinstance(value, str) and "\0" in value for value in values):
            raise Broken("other")  # as PostgreSQL has it
        try:
            self._own.execute(statement, values)
        except sqlite3.IntegrityError as error:
            raise Broken(_sqlite_rule(str(error))) from None
        except (OverflowError, UnicodeEncodeError):
            raise Broken("other") from None

    def rows(self, statement: str) -> Rows:
        return self._own.execute(statement).fetchall()

    def committed(self, statement: str) -> Rows:
        return self._other.execute(statement).fetchall()

    def close(self) -> None:
        self._own.close()
        self._other.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _sqlite_rule(message: str) -> Rule:
    kinds: dict[str, Rule] = {"UNIQUE": "unique", "FOREIGN KEY": "foreign key", "CHECK": "check"}
    return next((rule for word, rule in kinds.items() if message.startswith(word)), "other")


def _connected(driver: Any, url: str) -> Any:
    """A connection that hands out text as text. What the driver says of a failure may hold the password."""
    try:
        connection = driver.connect(url, autocommit=True, client_encoding="utf8")
    except (driver.Error, UnicodeError) as error:
        raise InputError(
            f"no connection to the server that {POSTGRES_URL} names ({type(error).__name__}); "
            "start it and check the URL, as in postgresql://user@host:5432/database, or unset the variable"
        ) from None
    encoding = connection.execute("SHOW server_encoding").fetchone()[0]
    if encoding not in ("UTF8", "SQL_ASCII"):  # others cannot hold what SQLite holds
        connection.close()
        raise InputError(
            f"the database that {POSTGRES_URL} names is encoded as {encoding}; one in UTF8 is needed"
        )
    return connection


class PostgresDatabase:
    """A schema on a server, with two connections to it."""

    def __init__(self, url: str) -> None:
        try:
            driver: Any = importlib.import_module("psycopg")
        except ImportError:
            raise InputError(
                f"{POSTGRES_URL} is set, but psycopg is not installed; install the extra `postgres`, "
                "or unset the variable"
            ) from None
        self._errors = driver.errors
        self._schema = f"assay_{secrets.token_hex(8)}"
        opened: list[Any] = []
        try:
            for _ in range(2):
                opened.append(_connected(driver, url))
            self._own, self._other = opened
            self._own.execute(f"CREATE SCHEMA {self._schema}")
            for connection in opened:
                connection.execute(f"SET search_path TO {self._schema}")
        except BaseException:  # the caller has no object to close yet
            for connection in opened:
                connection.close()
            raise

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        rules: dict[Any, Rule] = {
            self._errors.UniqueViolation: "unique",
            self._errors.ForeignKeyViolation: "foreign key",
            self._errors.CheckViolation: "check",
        }
        try:
            self._own.execute(statement.replace("?", "%s"), tuple(values) or None)
        except (self._errors.IntegrityError, self._errors.DataError, UnicodeEncodeError) as error:
            raise Broken(rules.get(type(error), "other")) from None

    def rows(self, statement: str) -> Rows:
        found: Rows = self._own.execute(statement).fetchall()
        return found

    def committed(self, statement: str) -> Rows:
        found: Rows = self._other.execute(statement).fetchall()
        return found

    def close(self) -> None:
        self._other.close()
        self._own.rollback()
        self._own.execute(f"DROP SCHEMA {self._schema} CASCADE")
        self._own.close()
