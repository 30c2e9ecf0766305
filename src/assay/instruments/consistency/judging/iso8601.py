"""A date and time as ISO 8601 writes it, of a day and an hour that exist.

The date is of the calendar (2025-03-01), the year (2025-060) or the week (2025-W09-6), the time has at least its
hour and may have a fraction of its last part, by point or comma; both in the basic or the extended form, also mixed,
since common tools write 2025-03-01T10:00:00+0100. The zone is Z, an offset, or left out: that is local time, and valid.
A blank in place of the T, small letters, the offset -00:00 and a date alone are none. 24:00 is the end of a day, and
second 60 exists in the last minute of a day in UTC alone. ``datetime.fromisoformat`` reads another set: it takes any
character for the T, and no date of the year.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

__all__ = ["DateTime", "read_datetime"]

DAY = 24 * 60  # minutes
_DATETIME = re.compile(
    r"(?P<year>[0-9]{4})-?(?:W(?P<week>[0-9]{2})-?(?P<weekday>[1-7])|(?P<day>[0-9]{3})|(?P<month>[0-9]{2})-?(?P<of>[0-9]{2}))"
    r"T(?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2}))?)?(?P<fraction>[.,][0-9]{1,30})?"
    r"(?:Z|(?P<sign>[+-])(?P<hours>[0-9]{2})(?::?(?P<minutes>[0-9]{2}))?)?",
)


class DateTime(NamedTuple):
    """A valid date and time. ``offset`` is its zone's distance from UTC in minutes; None where no zone is given."""

    offset: int | None

    @property
    def in_utc(self) -> bool:
        return self.offset == 0


def read_datetime(text: str) -> DateTime | None:
    """The date and time that the whole text is; None where it is none."""
    found = _DATETIME.fullmatch(text)
    if found is None or not _is_day(found):
        return None
    offset: int | None = 0 if text.endswith("Z") else None
    if found["sign"]:
        hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
        if hours > 23 or minutes > 59 or (found["sign"] == "-" and hours == minutes == 0):
            return None
        offset = (hours * 60 + minutes) * (1 if found["sign"] == "+" else -1)
    return DateTime(offset) if _is_time(found, offset or 0) else None


def _is_day(found: re.Match[str]) -> bool:
    year = int(found["year"])
    try:
        if found["week"]:
            date.fromisocalendar(year, int(found["week"]), int(found["weekday"]))
        elif found["day"]:
            return 1 <= int(found["day"]) <= date(year, 12, 31).timetuple().tm_yday
        else:
            date(year, int(found["month"]), int(found["of"]))
    except ValueError:
        return False
    return True


def _is_time(found: re.Match[str], offset: int) -> bool:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if hour == 24:
        return minute == second == 0 and not (found["fraction"] or "").strip(".,0")
    if second == 60:  # a leap second
        return hour < 24 and minute < 60 and (hour * 60 + minute - offset) % DAY == DAY - 1
    return hour < 24 and minute < 60 and second < 60
