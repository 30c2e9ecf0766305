"""A real git repository for one world, by git's own everyday commands.

Nothing of the machine gets in: no configuration but ours, no hooks, no clock, no prompts. What git keeps lies
outside the folder with the files, where no name that a subject gives can reach it.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile

from assay.errors import InputError

from .folder import Folder, encodable
from .model import Refused
from .scratch import scratch_folder

__all__ = ["Repository"]

_WHO = ("Assay", "assay@example.invalid", "2026-01-01T12:00:00+00:00")
_OPTIONS = (
    "core.hooksPath=/dev/null", "core.fsync=none", "gc.auto=0", "maintenance.auto=false", "core.autocrlf=false",
    "commit.gpgSign=false", "tag.gpgSign=false", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null",
)  # fmt: skip
_SECONDS = 60  # only a machine that stands still takes so long


class Repository:
    """Files in a folder, and their history."""

    def __init__(self) -> None:
        program = shutil.which("git")
        if program is None:
            raise InputError("git is not installed, or not on PATH; the family 'release' needs it")
        self.folder = Folder()
        self._kept = scratch_folder()
        self._command = [program, *(part for option in _OPTIONS for part in ("-c", option))]
        name, mail, date = _WHO
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._kept),
            "LC_ALL": "C",
            "TZ": "UTC",
            "GIT_DIR": str(self._kept / "git"),
            "GIT_WORK_TREE": str(self.folder.path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_EDITOR": "true",
            **{f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": mail for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_DATE": date for role in ("AUTHOR", "COMMITTER")},
        }
        try:
            self._must("init", "--quiet", "--template=", "--initial-branch=main")
        except BaseException:  # the caller has no object to close yet
            self.close()
            raise

    def commit(self, message: str) -> None:
        """Everything as it is in the folder."""
        encodable(message)
        if not message.strip() or "\0" in message:
            raise Refused("a commit needs a message of at least one word")
        self._must("add", "--all")
        if self._run("commit", "--quiet", f"--message={message}").returncode:
            raise Refused("nothing was committed: the files are as in the last commit")

    def revert(self, number: int) -> None:
        """A new commit that undoes an earlier one; the first has the number 1."""
        count = len(self.history())
        if not 1 <= number <= count:
            raise Refused(f"there is no commit {number}; they are numbered 1 to {count}")
        if self._run("revert", "--no-edit", f"HEAD~{count - number}").returncode:
            if self._run("revert", "--abort").returncode:
                self._run("revert", "--quit")
            raise Refused(
                f"commit {number} could not be reverted on the files as they are; nothing was changed"
            )

    def tag(self, name: str) -> None:
        """Tag the last commit. The caller has checked the name."""
        if self._run("tag", "--", name).returncode:
            raise Refused(f"there is already a tag {name}")

    def history(self) -> list[tuple[str, list[str]]]:
        """Subject and tags of every commit, the oldest first."""
        output = self._must("log", "-z", "--reverse", "--decorate=full", "--format=%s%x1f%D").split("\0")
        found = []
        for line in filter(None, output):
            subject, _, names = line.rpartition("\x1f")
            tags = [
                name.removeprefix("tag: refs/tags/") for name in names.split(", ") if name.startswith("tag: ")
            ]
            found.append((subject, sorted(tags)))
        return found

    def uncommitted(self) -> list[str]:
        """Files that differ from the last commit."""
        output = self._must("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        return sorted(line[3:] for line in output.split("\0") if line)

    def tree(self, revision: str) -> dict[str, str]:
        """All files as they are in a revision, read from git itself."""
        # Of the tree, not the commit: the archive of a commit without files is one that tarfile cannot read.
        done = self._run("archive", "--format=tar", f"{revision}^{{tree}}")
        if done.returncode:
            raise Refused(f"there is no {revision}")
        found: dict[str, str] = {}
        with tarfile.open(fileobj=io.BytesIO(done.stdout), mode="r:") as archive:
            for member in archive:
                file = archive.extractfile(member)
                if file is not None:
                    found[member.name] = file.read().decode("utf-8", "backslashreplace")
        return dict(sorted(found.items()))

    def close(self) -> None:
        self.folder.close()
        shutil.rmtree(self._kept, ignore_errors=True)

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603
            [*self._command, *arguments],
            env=self._environment,
            cwd=self.folder.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )

    def _must(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode:
            raise OSError(
                f"git {arguments[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()[:300]}"
            )
        return done.stdout.decode("utf-8", "backslashreplace")
