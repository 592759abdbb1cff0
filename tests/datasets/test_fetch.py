"""Downloads, from a server on this machine."""

import functools
import hashlib
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rarelabels._mulan_sources import MULAN_URL, REGISTRY, File, Source, known_names
from rarelabels.datasets import DownloadError, fetch_mulan, make_local_imbalance, save_mulan
from rarelabels.datasets.mulan import _fetch as fetch_module
from rarelabels.datasets.mulan._places import local_file

pytest.importorskip("pooch")


class Recorder(SimpleHTTPRequestHandler):
    """Serves files and remembers what was asked for."""

    asked: list[str]

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def asked():
    return []


@pytest.fixture
def server(tmp_path, asked):
    """Give a folder and the address it is served at."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = type("Handler", (Recorder,), {"asked": asked})
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(folder))
    ) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield folder, f"http://127.0.0.1:{running.server_address[1]}/"
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_local_folder(monkeypatch):
    monkeypatch.delenv("RARELABELS_DATA", raising=False)


@pytest.fixture
def serve(server, monkeypatch):
    """Serve data sets under a registered name, with the sums that they have."""

    def put(name, *parts):
        folder, _ = server
        (folder / name).mkdir()
        files = []
        for number, dataset in enumerate(parts):
            file = folder / name / f"{name}-{number}.arff"
            save_mulan(dataset, file, folder / name / f"{name}.xml")
            files.append(File(file.name, hashlib.sha256(file.read_bytes()).hexdigest()))
        xml = folder / name / f"{name}.xml"
        names = File(xml.name, hashlib.sha256(xml.read_bytes()).hexdigest())
        monkeypatch.setitem(REGISTRY, name, Source(name, tuple(files), names))

    return put


@pytest.fixture
def fetch(server, tmp_path):
    return functools.partial(
        fetch_mulan, data_home=tmp_path / "cache", base_url=server[1], progress=False
    )


FIRST, SECOND = (make_local_imbalance(n, random_state=n) for n in (20, 30))


def test_it_downloads_once_and_works_offline_afterwards(serve, fetch, asked, assert_same):
    serve("yeast", FIRST)
    fetched = fetch("yeast")
    assert_same(fetched, FIRST)
    assert fetched.name == "yeast"
    assert sorted(asked) == ["/yeast/yeast-0.arff", "/yeast/yeast.xml"]
    assert_same(fetch("yeast", base_url="http://127.0.0.1:9/"), FIRST)
    assert len(asked) == 2


def test_parts_are_put_together(serve, fetch):
    serve("scene", FIRST, SECOND)
    fetched = fetch("SCENE")
    np.testing.assert_array_equal(fetched.X, np.vstack([FIRST.X, SECOND.X]))
    np.testing.assert_array_equal(fetched.Y, np.vstack([FIRST.Y, SECOND.Y]))
    assert fetched.name == "scene"


def test_a_progress_bar_goes_to_stderr(serve, fetch, capfd):
    pytest.importorskip("tqdm")
    serve("yeast", FIRST)
    fetch("yeast", progress=True)
    printed = capfd.readouterr()
    assert "%" in printed.err
    assert printed.out == ""


def test_nothing_is_printed_without_it(serve, fetch, capfd):
    serve("yeast", FIRST)
    fetch("yeast")
    assert capfd.readouterr() == ("", "")


def test_a_wrong_sum(serve, fetch, server, tmp_path):
    serve("yeast", FIRST)
    (server[0] / "yeast" / "yeast-0.arff").write_text("@relation forged")
    with pytest.raises(DownloadError, match=r"SHA-256.*try again.*RARELABELS_DATA"):
        fetch("yeast")
    assert not list((tmp_path / "cache").rglob("*.arff"))


def test_a_damaged_file_in_the_cache_is_fetched_anew(serve, fetch, tmp_path, assert_same):
    serve("yeast", FIRST)
    fetch("yeast")
    cached = next((tmp_path / "cache").rglob("*.arff"))
    cached.write_text("@relation damaged")
    assert_same(fetch("yeast"), FIRST)


def test_no_network(fetch):
    with pytest.raises(DownloadError, match=r"cannot be downloaded.*Check the network"):
        fetch("yeast", base_url="http://127.0.0.1:9/")


def test_a_file_that_is_not_there(fetch):
    with pytest.raises(DownloadError, match="404"):
        fetch("yeast")


def test_a_label_file_with_a_wrong_sum(serve, fetch, server, tmp_path, assert_same):
    """One that names fewer labels is as well-formed as the right one."""
    serve("yeast", FIRST)
    names = server[0] / "yeast" / "yeast.xml"
    right = names.read_text()
    forged = right.replace('<label name="label_2"></label>\n', "")
    for wrong in (forged, "<html><body>Please log in</body></html>"):
        assert wrong != right
        names.write_text(wrong)
        with pytest.raises(DownloadError, match=r"yeast\.xml.*SHA-256"):
            fetch("yeast")
        assert not list((tmp_path / "cache").rglob("*.xml"))
    names.write_text(right)
    assert_same(fetch("yeast"), FIRST)
    next((tmp_path / "cache").rglob("*.xml")).write_text(forged)
    assert_same(fetch("yeast"), FIRST)


def test_an_unknown_name(fetch):
    with pytest.raises(ValueError, match="did you mean 'corel5k'"):
        fetch("corel5")
    with pytest.raises(ValueError, match="there are bibtex, birds"):
        fetch("xyzzy")


@pytest.mark.parametrize("name", ["rcv1subset1", "yahoo-Arts1", "Yahoo-arts1"])
def test_a_name_that_is_local_only(fetch, name, monkeypatch, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot be downloaded.*RARELABELS_DATA"):
        fetch(name)
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="there is none in"):
        fetch(name)


def test_the_local_folder_comes_first(fetch, asked, monkeypatch, tmp_path, assert_same):
    for name in ("yeast", "yahoo-Arts1", "my-own"):
        (tmp_path / "local" / name).mkdir(parents=True)
        save_mulan(FIRST, tmp_path / "local" / name / f"{name}.arff")
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path / "local"))
    for name in ("yeast", "yahoo-arts1", "my-own"):
        assert_same(fetch(name), FIRST)
    assert asked == []


@pytest.mark.parametrize("name", ["../local/yeast", "/etc/passwd", "", ".."])
def test_a_name_is_no_path(fetch, name, monkeypatch, tmp_path):
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="no data set is called"):
        fetch(name)


PIECES = ("..", ".", "/", "\\", "\0", "secret", "local", "~", "%2e%2e", "\udcff", "C:", "x" * 300)
NAMES = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=12)


def test_no_name_leads_out_of_the_local_folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    for name in ("local", "secret"):
        (root / name).mkdir()
    for name in ("...arff", "secret.arff", "secret/secret.arff"):
        (root / name).touch()

    @given(name=NAMES)
    @example(name="..")
    @example(name="../secret")
    @example(name=str(root / "secret"))
    def check(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RARELABELS_DATA", str(root / "local"))
            assert local_file(name) is None

    check()


def test_without_pooch(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'pip install "rarelabels\[fetch\]"'):
        fetch_mulan("yeast")


def test_the_registry():
    assert MULAN_URL.startswith("https://")
    assert len(known_names()) == 17
    for source in REGISTRY.values():
        assert all(len(file.sha256) == 64 for file in (*source.parts, source.xml))
    assert [file.name for file in REGISTRY["scene"].parts] == [
        "scene-train.arff",
        "scene-test.arff",
    ]


@pytest.mark.parametrize("name", REGISTRY)
def test_the_sums_are_those_of_the_files(shared_data, name):
    """The copies here have the same bytes as the repository's files, but for scene's two parts."""
    source = REGISTRY[name]
    folders = (shared_data, shared_data.parent / "more-data")
    paths = [folder / name / f"{name}.arff" for folder in folders]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        pytest.skip(f"{name} is not in {shared_data}")
    assert sum_of(path.with_suffix(".xml")) == source.xml.sha256
    if len(source.parts) == 1:
        assert sum_of(path) == source.parts[0].sha256


def sum_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_nothing_heavy_is_imported_early():
    code = (
        "import sys, rarelabels; before = set(sys.modules)\n"
        "import rarelabels.datasets; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pooch", "tqdm", "pandas", "polars", "pyarrow"} & set(done.stdout.split())


def test_the_cache_is_the_user_s_by_default(monkeypatch, tmp_path):
    import pooch

    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / name)
    found = []
    monkeypatch.setattr(fetch_module, "_read", lambda *arguments: found.append(arguments[2]))
    fetch_mulan("yeast")
    assert found == [Path(tmp_path / "rarelabels" / "mulan" / "yeast")]
