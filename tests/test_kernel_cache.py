"""Compiled code is kept where nobody else can write, whole or not at all."""

import hashlib
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numba")

from rarelabels._compiling import Compiler
from rarelabels._kernel_cache import (
    SEAL,
    first_private_folder,
    is_private,
    read_sealed,
    write_sealed,
)

on_posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only the administrator can give files away"
)
KERNEL = """
from pathlib import Path
from rarelabels._compiling import Compiler

compiler = Compiler(Path(__file__).parent, "small")

@compiler.entry
def total(values):
    found = values[0]
    for value in values[1:]:
        found += value
    return found
"""
USE = """
import warnings
import numpy as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import small
    values = [small.total(np.arange(9.0)), small.total(np.arange(9)), small.total(np.ones(3, "f4"))]
print(*map(float, values), sum(small.total.stats.cache_hits.values()), small.compiler.folder)
print(*[one.message for one in caught if "compiled code" in str(one.message)], sep="\\n")
"""


@pytest.fixture
def kernels(tmp_path):
    """Write a module with a kernel into a folder where no code can be kept beside it."""
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o755)
    (folder / "small.py").write_text(KERNEL)
    (folder / "__pycache__").write_text("not a folder")
    return folder


def environment(kernels, **more):
    """Return an environment whose only place for compiled code is the one given."""
    unusable = str(kernels / "small.py")
    paths = [str(kernels), *sys.path]
    return {
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "HOME": unusable,
        "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": unusable, "NUMBA_CACHE_DIR": unusable,
        "TMPDIR": str(kernels.parent),
        **more,
    }  # fmt: skip


def start(env):
    command = [sys.executable, "-c", USE]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=env, text=True, **pipes)


def finish(process):
    """Return values, how many were found in the cache, the folder, and warnings."""
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    first, *warned = stdout.splitlines()
    *values, hits, folder = first.split()
    assert values == ["36.0", "36.0", "3.0"]
    return int(hits), folder, [line for line in warned if line]


def use(env):
    return finish(start(env))


def private(path):
    path.mkdir(mode=0o700)
    return path


def files_of(folder):
    return sorted(Path(folder).iterdir())


def test_a_second_process_compiles_nothing(kernels, tmp_path):
    env = environment(kernels, NUMBA_CACHE_DIR=str(private(tmp_path / "cache")))
    hits, folder, warned = use(env)
    assert hits == 0
    assert not warned
    assert Path(folder).name.startswith("small-")
    before = files_of(folder)
    assert [path.suffix for path in before] == 3 * [".nbc"]
    assert use(env)[0] == 3
    assert files_of(folder) == before


def damaged(contents):
    """Yield damaged versions of files, as many as there are files."""
    flipped = bytearray(contents[1])
    flipped[len(flipped) // 2] ^= 1
    yield b"", bytes(flipped), contents[2][: len(contents[2]) // 2]
    # Whole, but what was compiled for other types; and something else entirely.
    yield contents[1], contents[0], pickle.dumps("something else")


def test_a_damaged_file_is_compiled_again(kernels, tmp_path):
    env = environment(kernels, NUMBA_CACHE_DIR=str(private(tmp_path / "cache")))
    _, folder, _ = use(env)
    files = files_of(folder)
    for contents in damaged([path.read_bytes() for path in files]):
        for path, content in zip(files, contents, strict=True):
            path.write_bytes(content)
        assert use(env)[0] == 0
        assert files_of(folder) == files
    assert use(env)[0] == 3


def test_processes_that_compile_at_once_do_not_disturb_each_other(kernels, tmp_path):
    env = environment(kernels, NUMBA_CACHE_DIR=str(private(tmp_path / "cache")))
    found = [finish(process) for process in [start(env) for _ in range(4)]]
    assert all(not warned for _, _, warned in found)
    (folder,) = {folder for _, folder, _ in found}
    # No temporary file stays, and all files are whole.
    assert [path.suffix for path in files_of(folder)] == 3 * [".nbc"]
    assert all(read_sealed(path) is not None for path in files_of(folder))
    assert use(env)[0] == 3


@on_posix
def test_without_a_safe_place_code_is_compiled_and_this_is_said_once(kernels, tmp_path):
    env = environment(kernels, TMPDIR=str(tmp_path))
    tmp_path.chmod(0o777)  # anybody could put another folder in the place of ours
    hits, folder, warned = use(env)
    assert (hits, folder) == (0, "None")
    assert len(warned) == 1
    assert "NUMBA_CACHE_DIR" in warned[0]


@on_posix
def test_a_folder_for_temporary_files_is_used_where_nothing_else_is_left(kernels, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    _, folder, warned = use(environment(kernels, TMPDIR=str(shared)))
    assert Path(folder).parent == shared
    assert "small-" in Path(folder).name
    assert not warned
    assert use(environment(kernels, TMPDIR=str(shared)))[0] == 3


@as_root
def test_a_folder_of_another_user_is_not_used(kernels, tmp_path):
    """Before, what another user had put into a guessable folder was loaded."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    env = environment(kernels, TMPDIR=str(shared))
    _, folder, _ = use(env)
    os.chown(folder, 65534, 65534)
    hits, used, warned = use(env)
    assert (hits, used, len(warned)) == (0, "None", 1)


class Runs:
    """A pickle that leaves a file where it is loaded."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (Path(self.mark),)


@as_root
def test_code_of_another_user_does_not_run(kernels, tmp_path):
    env = environment(kernels, NUMBA_CACHE_DIR=str(private(tmp_path / "cache")))
    _, folder, _ = use(env)
    payload = pickle.dumps(Runs(str(tmp_path / "ran")))
    for path in files_of(folder):
        write_sealed(path, payload)
    os.chown(folder, 65534, 65534)
    assert use(env)[0] == 0
    assert not (tmp_path / "ran").exists()


@on_posix
def test_a_link_is_not_used(tmp_path):
    private(tmp_path / "elsewhere")
    base = private(tmp_path / "base")
    (base / "name").symlink_to(tmp_path / "elsewhere")
    assert first_private_folder([base], "name") is None
    assert first_private_folder([base, tmp_path / "other"], "name") == tmp_path / "other" / "name"


@on_posix
@given(st.integers(0, 0o777))
def test_a_folder_is_private_by_its_mode(tmp_path_factory, mode):
    folder = tmp_path_factory.mktemp("folder", numbered=True)
    folder.chmod(mode)
    assert is_private(folder) == (not mode & 0o077)
    folder.chmod(0o700)


@on_posix
@given(st.integers(0, 0o777), st.booleans())
def test_the_folder_above_lets_nobody_put_another_in_its_place(tmp_path_factory, mode, is_sticky):
    above = tmp_path_factory.mktemp("above", numbered=True)
    folder = private(above / "folder")
    above.chmod((mode | 0o500) | (stat.S_ISVTX if is_sticky else 0))
    if is_sticky or not mode & 0o022:
        assert is_private(folder)
    elif mode & 0o002:
        assert not is_private(folder)
    above.chmod(0o700)


@on_posix
def test_a_folder_is_made_closed_whatever_the_umask_is(tmp_path):
    before = os.umask(0)
    try:
        folder = first_private_folder([private(tmp_path / "base")], "name")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@given(st.binary(max_size=200), st.data())
def test_any_change_of_a_sealed_file_is_noticed(tmp_path_factory, payload, data):
    path = tmp_path_factory.mktemp("sealed", numbered=True) / "file"
    write_sealed(path, payload)
    assert read_sealed(path) == payload
    content = bytearray(path.read_bytes())
    change = data.draw(st.sampled_from(["flip", "cut", "add", "drop"]))
    place = data.draw(st.integers(0, len(content) - 1))
    if change == "flip":
        content[place] ^= data.draw(st.integers(1, 255))
    elif change == "cut":
        content = content[:place]
    elif change == "add":
        content.insert(place, data.draw(st.integers(0, 255)))
    else:
        del content[place]
    path.write_bytes(bytes(content))
    kept = read_sealed(path)
    digest = hashlib.sha256(kept or b"").digest()
    assert kept is None or bytes(content) == SEAL + digest + kept
    if change in ("flip", "cut"):
        assert kept is None


def test_the_folder_carries_the_digest_of_the_sources_wherever_it_is(tmp_path, monkeypatch):
    import rarelabels._compiling as compiling

    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "one.py").write_text("a = 1")
    (sources / "__pycache__").write_text("not a folder")
    monkeypatch.setattr(compiling.config, "CACHE_DIR", str(sources / "one.py"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(sources / "one.py"))
    monkeypatch.setattr(compiling, "temporary_base", lambda: private(tmp_path / "temporary"))
    compiler = Compiler(sources, "some")
    assert compiler.folder.parent == tmp_path / "temporary"
    assert compiler.digest() in compiler.folder.name
