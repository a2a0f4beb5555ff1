"""The outer layer: namespaces of its own, in which only what a worker needs is mounted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from autograder.worker.isolation.backend import SandboxError
from autograder.worker.isolation.visible import Visible

SCRATCH = "/scratch"
"""The only folder that a worker may write to. It lies in memory and goes with the namespaces."""
_SCRATCH_BYTES = 16 << 20
_SHARED_MEMORY_BYTES = 1 << 20
_USER = "65534"
_LINKS = ("/lib", "/lib64")


def bubblewrap_command(seen: Visible) -> list[str]:
    """The command that runs the command after it in namespaces of its own.

    Raises:
        SandboxError: bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError("the command bwrap is not there. Install bubblewrap 0.8 or newer.")
    return [
        program,
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"),
        *("--new-session", "--uid", _USER, "--gid", _USER),
        *_root(),
        *_files(seen),
        *("--remount-ro", "/", "--chdir", SCRATCH, "--"),
    ]


def _root() -> Iterator[str]:
    """Links of a merged /usr, devices, and the folders in memory, each with a size."""
    for link in _LINKS:
        if os.path.islink(link):
            yield from ("--symlink", os.readlink(link), link)
    yield from ("--dev", "/dev", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108 - a mount point
    yield from ("--remount-ro", "/dev")
    yield from ("--size", str(_SCRATCH_BYTES), "--tmpfs", SCRATCH)


def _files(seen: Visible) -> Iterator[str]:
    """Every tree, with empty folders over what is left out; later ones may lie in those."""
    masks = []
    for tree in seen.trees:
        yield from ("--ro-bind", str(tree.path.resolve()), str(tree.path))
        for name in tree.without:
            masks.append(str(tree.path / name))
            yield from ("--tmpfs", masks[-1])
    for mask in masks:
        yield from ("--remount-ro", mask)
