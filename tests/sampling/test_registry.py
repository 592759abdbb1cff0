from importlib.metadata import EntryPoint

import pytest

from rarelabels import _registry, sampling
from rarelabels.base import BaseSampler
from rarelabels.sampling import MLSOL, SamplerChain, sampler, sampler_names


def test_every_sampler_has_its_name():
    classes = [getattr(sampling, name) for name in sampling.__all__]
    samplers = {
        made.__name__.lower()
        for made in classes
        if isinstance(made, type) and issubclass(made, BaseSampler) and made is not SamplerChain
    }
    assert set(sampler_names()) == samplers | {"remedial_hwr_hus", "remedial_hwr_ros", "rhwrsmt"}
    for name in samplers:
        assert type(sampler(name)).__name__.lower() == name


def test_makes_a_sampler_with_parameters_in_any_case():
    made = sampler("MLSOL", sampling_ratio=0.2)
    assert type(made) is MLSOL
    assert made.sampling_ratio == 0.2
    assert sampler("rhwrsmt", n_neighbors=3, random_state=1).random_state == 1


def test_names_what_may_have_been_meant():
    with pytest.raises(ValueError, match="no sampler is called 'mlsoll'; did you mean 'mlsol'"):
        sampler("mlsoll")
    with pytest.raises(ValueError, match="there are lpros, lprus, lsdmlo"):
        sampler("xyz")
    with pytest.raises(TypeError, match="no parameter 'sampling_rate'; did you mean 'sampling_r"):
        sampler("mlros", sampling_rate=0.2)
    with pytest.raises(TypeError, match="no parameter 'n_neighbours'; did you mean 'n_neighbors'"):
        sampler("rhwrsmt", n_neighbours=3)
    with pytest.raises(TypeError, match="must be the name of a sampler"):
        sampler(MLSOL)


def test_other_packages_add_theirs(monkeypatch):
    def found(group):
        assert group == "rarelabels.samplers"
        return [
            EntryPoint("Mine", "rarelabels.sampling:MLROS", group),
            EntryPoint("mlsol", "rarelabels.sampling:MLROS", group),
        ]

    monkeypatch.setattr(_registry, "entry_points", found)
    assert "mine" in sampler_names()
    assert sampler("mine", sampling_ratio=3).sampling_ratio == 3
    # A built-in name cannot be taken.
    assert type(sampler("mlsol")) is MLSOL
