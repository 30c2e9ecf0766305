"""Files that are wrong in one place each: where that is, and a word of what is said."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from datetime import date
from typing import Any, NamedTuple

import polars as pl

from .making import ADD, CONDITION, OUTCOME, OUTPUT, SCENARIO, csv_bytes, parquet_bytes

__all__ = ["MALFORMED", "Malformed"]


class Malformed(NamedTuple):
    instrument: str
    name: str
    content: bytes
    place: str  # ":3:" for a line, "row 2" for a row, "" where the file as a whole is wrong
    field: str
    word: str


Row = dict[str, Any]
CELL: Row = {**CONDITION, "outputs": [ADD]}
HEAD = "dimension,level,family,regime,instance,outcome"


def lines(*rows: Row | bytes) -> bytes:
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def changed(row: Row, **change: Any) -> Row:
    """A row with other fields; a field that is ``...`` is left out."""
    return {name: value for name, value in {**row, **change}.items() if value is not ...}


def turn(**change: Any) -> Row:
    first, last = SCENARIO["turns"]
    return changed(SCENARIO, id="2", turns=[first, changed(last, **change)])


def table(row: Row, **columns: Any) -> bytes:
    """Parquet of three rows, with columns of other types."""
    names = {name: [value] * 3 for name, value in row.items() if name not in columns}
    file = io.BytesIO()
    pl.DataFrame({**names, **columns}, strict=False).write_parquet(file)
    return file.getvalue()


def excel() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


def repeatability() -> dict[str, Malformed]:
    def bad(name: str, content: bytes, place: str, field: str, word: str) -> Malformed:
        return Malformed("repeatability", name, content, place, field, word)

    def line(row: Row | bytes, field: str, word: str) -> Malformed:
        return bad("rows.jsonl", lines({**CELL, "subject": "first"}, b"", row), ":3:", field, word)

    def cells(*rows: Row, **change: Any) -> bytes:
        return csv_bytes([*rows, changed(OUTPUT, **change)])

    deep = b'{"contract": "add", "subject": "m", "outputs": ' + b"[" * 100_000
    return {
        "json: no json": line(b"{nope}", "", "not a row"),
        "json: cut short": line(lines(CELL)[:30], "", "not a row"),
        "json: a list": line(b"[1]", "", "object"),
        "json: no utf-8": line(b'{"contract": "\xff"}', "", "UTF-8"),
        "json: too deep": line(deep, "", "deep"),
        "json: a text of megabytes": line({**CELL, "outputs": ["x" * 1_000_001]}, "outputs[0]", "characters"),
        "csv: a text of megabytes": bad(
            "rows.csv", cells(output="x" * 1_000_001), ":2:", "output", "characters"
        ),
        "json: key twice": line(lines(CELL)[:-2] + b', "subject": "b"}', "subject", "twice"),
        "json: key twice, with spaces": line(b'{"contract" : "add", "contract" : "b"}', "contract", "twice"),
        "json: old name and new": line(changed(CELL, model="x"), "model", "both"),
        "json: missing": line(changed(CELL, contract=...), "contract", "missing"),
        "json: empty": line(changed(CELL, contract=""), "contract", "missing"),
        "json: null": line(changed(CELL, subject=None), "subject", "missing"),
        "json: near miss": line(changed(CELL, temperature=..., temprature=1), "temprature", "temperature"),
        "json: capital": line(changed(CELL, temperature=..., Temperature=1), "Temperature", "temperature"),
        "json: needed name mistyped": line(
            changed(CELL, contract=..., contarct="add"), "contract", "contarct"
        ),
        "json: infinite": line(changed(CELL, temperature=float("inf")), "temperature", "finite"),
        "json: too large": line(lines(CELL)[:-2] + b', "top_p": 1e999}', "top_p", "finite"),
        "json: digits without end": line(
            lines(CELL)[:-2] + b', "top_p": ' + b"9" * 5000 + b"}", "", "digits"
        ),
        "json: large": line(lines(CELL)[:-2] + b', "top_p": ' + b"9" * 400 + b"}", "top_p", "large"),
        "json: negative": line(changed(CELL, temperature=-1), "temperature", "at least 0"),
        "json: number in words": line(changed(CELL, temperature="hot"), "temperature", "number"),
        "json: truth for a number": line(changed(CELL, temperature=True), "temperature", "number"),
        "json: output is no text": line(changed(CELL, outputs=[ADD, 3]), "outputs[1]", "text"),
        "json: no list": line(changed(CELL, outputs=ADD), "outputs", "list"),
        "json: unknown contract": line(changed(CELL, contract="ad"), "contract", "add"),
        "json: cell twice": line({**CELL, "subject": "first"}, "", "line 1"),
        "json: flat after nested": line(OUTPUT, "output", "line 1"),
        "json: flat and nested": line({**CELL, "output": ADD}, "output", "outputs"),
        "json: output missing": line(changed(OUTPUT, output=...), "outputs", "missing"),
        "json: over several lines": bad(
            "rows.jsonl", json.dumps(CELL, indent=1).encode(), ":1:", "", "jq -c"
        ),
        "json: a long name": line(changed(CELL, contract="x" * 9000), "contract", "top_words"),
        "json: a name of two lines": line(
            changed(CELL, **{"temprature\n": 1}, temperature=...), "temp", "temperature"
        ),
        "json array: no mapping": bad("rows.json", json.dumps([CELL, 3]).encode(), "row 2", "", "mapping"),
        "json array: key twice": bad(
            "rows.json", b'[{"contract": "a", "contract": "b"}]', "row 1", "contract", "twice"
        ),
        "json array: cut short": bad("rows.json", json.dumps([CELL]).encode()[:-3], "", "", "not JSON"),
        "csv: column twice": bad("rows.csv", b"contract,subject,subject\na,b,c\n", ":1:", "subject", "twice"),
        "csv: old name and new": bad(
            "rows.csv", csv_bytes([{**OUTPUT, "model": "x"}]), ":2:", "model", "both"
        ),
        "csv: too short": bad(
            "rows.csv", b"contract,subject,output\nadd,m,x\nadd,m\n", ":3:", "output", "2 cells"
        ),
        "csv: too long": bad("rows.csv", b"contract,subject,output\nadd,m,x,y\n", ":2:", "", "4 cells"),
        "csv: quote without end": bad(
            "rows.csv", b'contract,subject,output\nadd,m,x\nadd,m,"x\ny\n', ":3:", "", "CSV"
        ),
        "csv: no utf-8": bad("rows.csv", b"contract,subject,output\nadd,M\xfcller,x\n", ":2:", "", "UTF-8"),
        "csv: nul": bad("rows.csv", b"contract,subject,output\n" * 200 + b"a\0b,c,d\n", ":201:", "", "NUL"),
        "csv: number in words": bad(
            "rows.csv", cells(OUTPUT, temperature="hot"), ":5:", "temperature", "number"
        ),
        "csv: decimal comma": bad("rows.csv", cells(temperature="0,5"), ":2:", "temperature", "point"),
        "csv: digits and a letter": bad(
            "rows.csv", cells(temperature="1" * 200_000 + "x"), ":2:", "temperature", "number"
        ),
        "csv: line ends of old": bad(
            "rows.csv", b"contract,subject,output\radd,m,x\r", ":1:", "", "carriage return"
        ),
        "csv: nul near the top": bad("rows.csv", b"contract,subject,output\na,b,c\0d\n", ":2:", "", "NUL"),
        "csv: infinite": bad("rows.csv", cells(temperature="inf"), ":2:", "temperature", "finite"),
        "csv: half a wording": bad("rows.csv", cells(wording="1.5"), ":2:", "wording", "whole"),
        "csv: near miss": bad(
            "rows.csv", cells(temprature=1, temperature=...), ":2:", "temprature", "temperature"
        ),
        "csv: outputs are no json": bad(
            "rows.csv", b"contract,subject,outputs\nadd,m,[x\n", ":2:", "outputs", "JSON"
        ),
        "csv: too large": bad("rows.csv", cells(wording="9" * 3000), ":2:", "wording", "large"),
        "csv: outputs nested too deeply": bad(
            "rows.csv", b"contract,subject,outputs\nadd,m," + b"[" * 100_000, ":2:", "outputs", "deep"
        ),
        "csv.gz: empty cell": bad(
            "rows.csv.gz", gzip.compress(cells(contract="")), ":2:", "contract", "missing"
        ),
        "parquet: bytes": bad(
            "rows.parquet", table(OUTPUT, output=[b"a", b"b", b"c"]), "row 1", "output", "bytes"
        ),
        "parquet: null output": bad(
            "rows.parquet", table(OUTPUT, output=["a", None, "c"]), "row 2", "output", "missing"
        ),
        "parquet: infinite": bad(
            "rows.parquet",
            table(OUTPUT, temperature=[0.0, 1.0, float("inf")]),
            "row 3",
            "temperature",
            "finite",
        ),
        "parquet: a date": bad(
            "rows.parquet",
            table(OUTPUT, temperature=[date(2026, 1, 1)] * 3),
            "row 1",
            "temperature",
            "number",
        ),
        "parquet: half an id": bad(
            "rows.parquet", table(OUTPUT, subject=[1.0, 1.5, 2.0]), "row 2", "subject", "whole"
        ),
        "parquet: a list with a gap": bad(
            "rows.parquet", table(CELL, outputs=[["a"], ["b", None], []]), "row 2", "outputs[1]", "text"
        ),
    }


def consistency() -> dict[str, Malformed]:
    def bad(name: str, content: bytes, place: str, field: str, word: str) -> Malformed:
        return Malformed("consistency", name, content, place, field, word)

    def line(row: Row, field: str, word: str) -> Malformed:
        return bad("rows.jsonl", lines(SCENARIO, {"id": "2"} | row), ":2:", field, word)

    other = changed(SCENARIO, id="2")
    return {
        "consistency: unknown kind": line(changed(other, kind="refuse"), "kind", "refusal"),
        "consistency: no turns": line(changed(other, turns=[]), "turns", "assistant"),
        "consistency: no part": line(turn(part=...), "turns", "part"),
        "consistency: no content": line(turn(content=...), "turns[1]", "content"),
        "consistency: nested near miss": line(turn(second=1, seconds=...), "turns[1].second", "seconds"),
        "consistency: endless": line(turn(seconds=float("inf")), "turns[1].seconds", "finite"),
        "consistency: nested key twice": bad(
            "rows.jsonl",
            lines(SCENARIO, json.dumps(other).replace('"part"', '"role": "user", "part"').encode()),
            ":2:",
            "turns[1].role",
            "twice",
        ),
        "consistency: unknown in expected": line(
            changed(other, expected={"worng": "x"}), "expected.worng", "wrong"
        ),
        "consistency: nothing planted": line(changed(other, kind="repair"), "expected", "planted"),
        "consistency: label too short": line(
            changed(other, thread={**SCENARIO["thread"], "label": "x"}), "thread.label", "3 characters"
        ),
        "consistency: id twice": line(SCENARIO, "id", "line 1"),
        "consistency: csv, id twice": bad("rows.csv", csv_bytes([SCENARIO, SCENARIO]), ":3:", "id", "line 2"),
        "consistency: csv, turns no json": bad(
            "rows.csv", csv_bytes([SCENARIO, {**other, "turns": "hello"}]), ":3:", "turns", "JSON"
        ),
        "consistency: csv, nested near miss": bad(
            "rows.csv", csv_bytes([turn(second=1, seconds=...)]), ":2:", "turns[1].second", "seconds"
        ),
        "consistency: csv, unknown role": bad(
            "rows.csv", csv_bytes([turn(role="robot")]), ":2:", "turns[1].role", "robot"
        ),
        "consistency: parquet, unknown kind": bad(
            "rows.parquet", parquet_bytes([SCENARIO, {**other, "kind": "x"}]), "row 2", "kind", "choice"
        ),
        "consistency: parquet, negative time": bad(
            "rows.parquet",
            parquet_bytes([SCENARIO, turn(seconds=-1.0)]),
            "row 2",
            "turns[1].seconds",
            "at least 0",
        ),
    }


def agency() -> dict[str, Malformed]:
    def bad(name: str, content: bytes, place: str, field: str, word: str) -> Malformed:
        return Malformed("agency", name, content, place, field, word)

    def line(row: Row | bytes, field: str, word: str) -> Malformed:
        return bad("rows.jsonl", lines(OUTCOME, b"", row), ":3:", field, word)

    def cells(text: str, place: str, field: str, word: str, head: str = HEAD) -> Malformed:
        return bad("rows.csv", f"{head}\n{text}".encode(), place, field, word)

    return {
        "agency: unknown column": line({**OUTCOME, "note": "x"}, "note", "unknown"),
        "agency: key twice": line(b'{"level": 2, ' + lines(OUTCOME)[1:-1], "level", "twice"),
        "agency: key twice, with spaces": line(b'{"level" : 2, ' + lines(OUTCOME)[1:-1], "level", "twice"),
        "agency: key twice, with a return": line(b'{"level"\r:2,' + lines(OUTCOME)[1:-1], "level", "twice"),
        "agency: old name and new": line({**OUTCOME, "subject": "a", "model": "b"}, "model", "both"),
        "agency: a list": line({**OUTCOME, "family": ["a"]}, "family", "single"),
        "agency: missing": line(changed(OUTCOME, outcome=...), "outcome", "missing"),
        "agency: level of nan": line({**OUTCOME, "level": float("nan")}, "level", "missing"),
        "agency: endless steps": line({**OUTCOME, "steps": float("inf")}, "steps", "finite"),
        "agency: huge steps": line({**OUTCOME, "steps": 10**30}, "steps", "whole"),
        "agency: half a surrogate pair": line({**OUTCOME, "family": "\ud800"}, "family", "Unicode"),
        "agency: half a surrogate pair in an array": bad(
            "rows.json",
            json.dumps([OUTCOME, {**OUTCOME, "family": "\ud800"}]).encode(),
            "row 2",
            "family",
            "Unicode",
        ),
        "agency: regime not declared": line({**OUTCOME, "regime": "Stormy"}, "regime", "8.2"),
        "agency: judged twice": line(OUTCOME, "instance", "first in line 1"),
        "agency: no time": line(
            {**OUTCOME, "instance": "2", "criterion_time": "soon"}, "criterion_time", "ISO"
        ),
        "agency: unknown word": line({**OUTCOME, "outcome": "won"}, "outcome", "success"),
        "agency: csv, blank lines before": cells(
            "S,1,a,B,1,success\n\n\nS,9,a,B,2,success\n", ":5:", "level", "whole"
        ),
        "agency: csv, after a record of two lines": cells(
            'S,1,"a\nb",B,1,success\nS,1,a,B,2,won\n', ":4:", "outcome", "success"
        ),
        "agency: csv, too short": cells("S,1,a,B,1,success\nS,1,a,B,2\n", ":3:", "outcome", "5 cells"),
        "agency: csv, too long": cells("S,1,a,B,1,success,more\n", ":2:", "", "7 cells"),
        "agency: csv, one short and one long": cells(
            "S,1,a,B,1\nS,1,a,B,2,success,x\n", ":2:", "outcome", "5 cells"
        ),
        "agency: csv, column without a name": cells(
            "0,S,1,a,B,1,success\n", ":1:", "", "column 1", f",{HEAD}"
        ),
        "agency: csv, column missing": cells("S,1\n", "", "family", "missing", "dimension,level"),
        "agency: csv, no utf-8": bad(
            "rows.csv", f"{HEAD}\nS,1,é,B,1,success\n".encode("latin-1"), ":2:", "", "UTF-8"
        ),
        "agency: parquet, bytes": bad(
            "rows.parquet", table(OUTCOME, family=[b"a"] * 3), "row 1", "family", "text"
        ),
        "agency: parquet, a level and a half": bad(
            "rows.parquet", table(OUTCOME, level=[1.0, 1.5, 2.0]), "row 2", "level", "whole"
        ),
        "agency: parquet, unknown column": bad(
            "rows.parquet", table(OUTCOME, note=["x"] * 3), "", "note", "unknown"
        ),
    }


def other_files() -> dict[str, Malformed]:
    def bad(instrument: str, name: str, content: bytes, word: str) -> Malformed:
        return Malformed(instrument, name, content, "", "", word)

    good = lines(CELL)
    return {
        "file: empty": bad("repeatability", "rows.jsonl", b"", "no rows"),
        "file: blank lines": bad("consistency", "rows.csv", b"\n\n", "no rows"),
        "file: header only": bad("agency", "rows.csv", HEAD.encode(), "no rows"),
        "file: empty list": bad("repeatability", "rows.json", b"[]", "no rows"),
        "file: parquet without rows": bad(
            "agency", "rows.parquet", parquet_bytes([OUTCOME, OUTCOME], 0), "no rows"
        ),
        "file: parquet cut short": bad(
            "consistency", "rows.parquet", parquet_bytes([SCENARIO])[:-9], "Parquet"
        ),
        "file: parquet as csv": bad("agency", "rows.csv", parquet_bytes([OUTCOME]), "name it .parquet"),
        "file: parquet in gzip": bad("agency", "rows.gz", gzip.compress(parquet_bytes([OUTCOME])), "unpack"),
        "file: json as parquet": bad("repeatability", "rows.parquet", good, "JSON Lines"),
        "file: json as csv": bad("repeatability", "rows.csv", good, "holds JSON"),
        "file: csv as json lines": bad("agency", "rows.jsonl", HEAD.encode(), "CSV"),
        "file: gzip cut short": bad(
            "repeatability", "rows.jsonl.gz", gzip.compress(good * 50)[:-12], "damaged"
        ),
        "file: utf-16": bad("agency", "rows.csv", HEAD.encode("utf-16"), "UTF-16"),
        "file: utf-16 without a mark": bad(
            "repeatability", "rows.jsonl", good.decode().encode("utf-16-le"), "UTF-16"
        ),
        "file: excel": bad("consistency", "rows.csv", excel(), "Excel"),
        "file: excel by name": bad("agency", "rows.xlsx", excel(), "Excel"),
        "file: pdf": bad("repeatability", "rows.jsonl", b"%PDF-1.7\n", "PDF"),
        "file: html": bad("agency", "rows.csv", b"\n<!DOCTYPE html><html>", "HTML"),
        "file: binary": bad("consistency", "rows.jsonl", bytes(range(256)), "binary"),
        "file: prose": bad("consistency", "rows.txt", b"Dear reader", "JSON Lines, CSV or Parquet"),
    }


MALFORMED: dict[str, Malformed] = {**repeatability(), **consistency(), **agency(), **other_files()}
