"""Subjects: one adapter a file."""

from __future__ import annotations

from .base import Call, Subject, make_subject, wire_messages

__all__ = ["Call", "Subject", "make_subject", "wire_messages"]
