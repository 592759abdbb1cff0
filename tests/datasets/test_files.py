"""Files that are written: permissions stay, errors name the file, nothing is left behind."""

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.datasets.files import _NamedFile, replacing, replacing_together

on_posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@on_posix
@given(st.integers(0, 0o777), st.integers(0, 0o777), st.sampled_from(["x.csv", "x.csv.gz"]))
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path_factory, mode, mask, name):
    path = tmp_path_factory.mktemp("replaced") / name
    path.write_bytes(b"old")
    path.chmod(mode)
    before = os.umask(mask)
    try:
        with replacing(path) as file:
            (beside,) = set(path.parent.iterdir()) - {path}
            # Never wider than the old file, not even for a moment.
            assert mode_of(beside) == mode
            file.write(b"new")
    finally:
        os.umask(before)
    assert mode_of(path) == mode
    assert list(path.parent.iterdir()) == [path]


@on_posix
@given(st.integers(0, 0o777))
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path_factory, mask):
    path = tmp_path_factory.mktemp("new") / "x.csv"
    before = os.umask(mask)
    try:
        with replacing(path) as file:
            file.write(b"new")
    finally:
        os.umask(before)
    assert mode_of(path) == 0o666 & ~mask


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs two groups")
def test_a_file_that_is_replaced_keeps_its_group(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    os.chown(path, -1, 12345)
    path.chmod(0o660)
    with replacing(path) as file:
        file.write(b"new")
    assert (path.stat().st_gid, mode_of(path)) == (12345, 0o660)


@on_posix
def test_without_the_group_its_permissions_are_dropped(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    path.chmod(0o664)
    real = os.stat(path)

    def other_group(place, *args, **kwargs):
        values = list(real)
        values[stat.ST_GID] = real.st_gid + 1
        return os.stat_result(values)

    def refused(*args):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("rarelabels.datasets.files.os.stat", other_group)
    monkeypatch.setattr("rarelabels.datasets.files.os.fchown", refused)
    with replacing(path) as file:
        file.write(b"new")
    monkeypatch.undo()
    assert mode_of(path) == 0o604


@on_posix
def test_a_link_that_is_put_in_the_place_is_replaced_and_not_followed(tmp_path):
    """A race: somebody puts a link there while the file is being written."""
    path, secret = tmp_path / "x.csv", tmp_path / "secret"
    secret.write_bytes(b"stays")
    with replacing(path) as file:
        file.write(b"new")
        path.symlink_to(secret)
    assert secret.read_bytes() == b"stays"
    assert path.read_bytes() == b"new"
    assert not path.is_symlink()


@pytest.fixture
def shared_folder(tmp_path):
    """Return a folder that everybody can write to, with a link to a file, and that file."""
    secret, shared = tmp_path / "secret", tmp_path / "shared"
    secret.write_bytes(b"stays")
    shared.mkdir()
    shared.chmod(0o1777)
    link = shared / "x.csv"
    link.symlink_to(secret)
    return link, secret


def write_new(path):
    with replacing(path) as file:
        file.write(b"new")


@on_posix
@pytest.mark.parametrize("through", ["", "another link"])
def test_a_link_of_another_user_is_not_followed_where_everybody_can_write(
    shared_folder, monkeypatch, through
):
    link, secret = shared_folder
    path = link
    if through:
        path = secret.parent / "mine.csv"
        path.symlink_to(link)
    real, someone = os.lstat, os.geteuid() + 1

    def of_someone(place, *args, **kwargs):
        found = real(place, *args, **kwargs)
        if os.fspath(place) != str(link):
            return found
        values = list(found)
        values[stat.ST_UID] = someone
        return os.stat_result(values)

    monkeypatch.setattr("rarelabels.datasets.files.os.lstat", of_someone)
    with pytest.raises(PermissionError, match="a link that another user created"):
        write_new(path)
    assert secret.read_bytes() == b"stays"
    link.parent.chmod(0o755)
    write_new(path)
    assert secret.read_bytes() == b"new"


@on_posix
def test_a_link_of_yours_is_followed_everywhere(shared_folder):
    link, secret = shared_folder
    write_new(link)
    assert secret.read_bytes() == b"new"
    assert link.is_symlink()


@on_posix
def test_links_in_a_circle_are_an_error(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(OSError, match=r"one\.csv|other\.csv"):
        write_new(one)
    assert one.is_symlink()
    assert other.is_symlink()


def fail_in(*paths):
    with replacing_together(*paths) as files:
        for file in files:
            file.write(b"new")
        raise RuntimeError


@pytest.mark.parametrize("names", [["x.csv"], ["x.csv", "y.csv.gz"]])
def test_an_error_while_writing_leaves_the_old_files(tmp_path, names):
    paths = [tmp_path / name for name in names]
    paths[0].write_bytes(b"old")
    with pytest.raises(RuntimeError):
        fail_in(*paths)
    assert paths[0].read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [paths[0]]


class Full(OSError):
    """No room is left."""


def write_both(*paths):
    with replacing_together(*paths) as files:
        for file in files:
            file.write(b"new")


def test_two_files_are_renamed_when_both_are_whole(tmp_path, monkeypatch):
    """What is still to be written when the first file is closed can fail, too."""
    real = _NamedFile.write

    def write(self, content):
        if self._path.name == "x.csv":
            raise Full
        return real(self, content)

    monkeypatch.setattr(_NamedFile, "write", write)
    with pytest.raises(Full):
        write_both(tmp_path / "x.csv", tmp_path / "y.csv")
    assert not list(tmp_path.iterdir())
