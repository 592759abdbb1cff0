"""Unknown labels and groups in files: read, written and refused."""

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import DataFormatError, MultiLabelDataset, drop_rare_labels, load, save
from rarelabels.experiment import DatasetSpec, load_plan

NAN = np.nan
CSV = "size,patient,y_a,y_b\n1.5,p1,1,-1\n2.5,p1,0,1\n3.5,p2,,0\n4.5,p3,-1.0,1\n"
EXPECTED = [[1, NAN], [0, 1], [NAN, 0], [NAN, 1]]


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(CSV)
    return path


def test_marker_and_blanks_are_unknown(csv):
    data = load(csv, "y_", unknown="-1", groups="patient")
    np.testing.assert_array_equal(data.Y, EXPECTED)
    assert data.has_unknown_labels
    assert data.feature_names == ("size",)
    assert data.groups.tolist() == ["p1", "p1", "p2", "p3"]
    assert data.label_matrix.unknown.nnz == 3


def test_without_the_parameter_the_error_names_it(csv):
    with pytest.raises(DataFormatError, match=r"neither 0 nor 1 .*unknown="):
        load(csv, "y_", drop=["patient"])


def test_blanks_alone(csv):
    csv.write_text(CSV.replace("-1.0", "").replace("-1", "?"))
    np.testing.assert_array_equal(load(csv, "y_", unknown="", groups="patient").Y, EXPECTED)
    csv.write_text(CSV)
    with pytest.raises(DataFormatError, match="neither 0 nor 1"):
        load(csv, "y_", unknown="", groups="patient")


@pytest.mark.parametrize("marker", ["0", "1", "yes", "1.0"])
def test_a_marker_that_is_a_value_is_refused(csv, marker):
    with pytest.raises(ValueError, match="is a valid label"):
        load(csv, "y_", unknown=marker, groups="patient")


def test_without_unknown_labels_y_stays_integers(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("size,y_a\n1,0\n2,1\n")
    data = load(path, "y_", unknown="-1")
    assert data.Y.dtype == np.int64
    assert not data.has_unknown_labels


def test_missing_and_wrong_groups_are_refused(csv):
    csv.write_text(CSV.replace("p2", ""))
    with pytest.raises(ValueError, match="'patient', has 1 missing values"):
        load(csv, "y_", unknown="-1", groups="patient")
    with pytest.raises(ValueError, match="the column 'pateint' does not exist"):
        load(csv, "y_", unknown="-1", groups="pateint")
    with pytest.raises(ValueError, match="is a label"):
        load(csv, "y_", unknown="-1", groups="y_a")


def dataset(Y):
    X = np.arange(8.0).reshape(4, 2)
    return MultiLabelDataset(X, np.array(Y), ("u", "v"), ("y_a", "y_b"), name="x")


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet", "x.feather", "x.xlsx"])
def test_tables_are_written_and_read_back(tmp_path, name):
    save(dataset(EXPECTED), tmp_path / name)
    read = load(tmp_path / name, unknown="")
    np.testing.assert_array_equal(read.Y, EXPECTED)
    with pytest.raises(DataFormatError, match="unknown="):
        load(tmp_path / name)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("format", ["mulan", "meka"])
def test_arff_is_written_and_read_back(tmp_path, format, as_sparse):
    made = dataset(EXPECTED)
    if as_sparse:
        made = MultiLabelDataset(
            sparse.csr_array(made.X), sparse.csr_array(made.Y), ("u", "v"), ("y_a", "y_b")
        )
    path = tmp_path / "x.arff"
    save(made, path, format=format)
    assert "?" in path.read_text()
    read = load(path, unknown="?")
    Y = read.Y.toarray() if as_sparse else read.Y
    np.testing.assert_array_equal(Y, EXPECTED)
    with pytest.raises(DataFormatError, match="unknown='\\?'"):
        load(path)
    with pytest.raises(ValueError, match=r"written as \?"):
        load(path, unknown="-1")


def test_labels_whose_first_value_is_one_keep_unknown_values(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text("@relation x\n@attribute u numeric\n@attribute y {1,0}\n@data\n"
                    "{0 1}\n{0 2, 1 0}\n{0 3, 1 ?}\n")  # fmt: skip
    read = load(path, ["y"], unknown="?")
    np.testing.assert_array_equal(read.Y.toarray(), [[1], [0], [NAN]])


def test_other_formats_refuse_unknown_labels(tmp_path):
    with pytest.raises(ValueError, match="cannot represent unknown labels"):
        save(dataset(EXPECTED), tmp_path / "x.txt")
    save(dataset([[1, 0], [0, 1], [1, 1], [0, 0]]), tmp_path / "x.txt")
    with pytest.raises(ValueError, match="no unknown labels"):
        load(tmp_path / "x.txt", unknown="?")


def test_rare_labels_are_counted_among_known_ones():
    kept = drop_rare_labels(dataset(EXPECTED), min_positive=2)[1]
    assert kept.tolist() == [1]


def test_plans_name_markers_and_groups(csv):
    entry = {"path": str(csv), "labels": "y_", "unknown": "-1", "groups": "patient"}
    plan = load_plan({"datasets": [entry], "learners": ["br"], "methods": ["default"]})
    (spec,) = plan.datasets
    assert spec.load().groups.tolist() == ["p1", "p1", "p2", "p3"]
    other = DatasetSpec("x", path=str(csv), labels="y_", sha256=spec.sha256)
    assert spec.identity() != other.identity()
    assert "unknown" not in other.identity()
