def test_known_data_sets_are_listed(script, shared_data):
    done = script("datasets", RARELABELS_DATA=str(shared_data))
    assert done.returncode == 0
    assert str(shared_data / "yeast" / "yeast.arff") in done.stdout
    assert "rarelabels fetch emotions" in done.stdout


def test_what_cannot_be_downloaded_is_said(command, monkeypatch):
    monkeypatch.delenv("RARELABELS_DATA", raising=False)
    _, out, _ = command("datasets")
    assert "not to be downloaded" in out


def test_fetch_gives_what_is_there(command, monkeypatch, shared_data):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    code, out, _ = command("fetch", "flags", "yahoo-Arts1")
    assert code == 0
    assert "flags: 194 samples, 19 features, 7 labels" in out
    assert "yahoo-Arts1" in out


def test_fetch_of_an_unknown_name(command):
    code, _, err = command("fetch", "yeats")
    assert code == 2
    assert "did you mean 'yeast'?" in err


def test_fetch_of_what_cannot_be_downloaded(command, monkeypatch):
    monkeypatch.delenv("RARELABELS_DATA", raising=False)
    code, _, err = command("fetch", "rcv1subset1")
    assert code == 1
    assert "cannot be downloaded" in err
    assert err.count("\n") <= 2


def test_fetch_without_a_network(script, tmp_path):
    done = script(
        "fetch", "emotions", XDG_CACHE_HOME=str(tmp_path), HTTPS_PROXY="http://127.0.0.1:9",
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be downloaded" in done.stderr
    assert "Traceback" not in done.stderr
