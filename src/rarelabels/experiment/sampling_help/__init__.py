"""Does sampling help my data? The methods to compare, their run, and the answer."""

from rarelabels.experiment.sampling_help._answer import SamplingHelp
from rarelabels.experiment.sampling_help._ask import Question, does_sampling_help, read_folds
from rarelabels.experiment.sampling_help._model_file import (
    is_skops,
    load_model,
    model_bytes,
    save_model,
)
from rarelabels.experiment.sampling_help._rivals import (
    DEFAULT_SAMPLERS,
    as_multilabel,
    explicit_learner,
    methods_of,
    weight_params,
)
from rarelabels.experiment.sampling_help._stored import stored_comparison

__all__ = [
    "DEFAULT_SAMPLERS",
    "Question",
    "SamplingHelp",
    "as_multilabel",
    "does_sampling_help",
    "explicit_learner",
    "is_skops",
    "load_model",
    "methods_of",
    "model_bytes",
    "read_folds",
    "save_model",
    "stored_comparison",
    "weight_params",
]
