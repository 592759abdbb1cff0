"""Does sampling help on my data? The methods to compare, their run, and the answer."""

from rarelabels.advisor._does_sampling_help import does_sampling_help
from rarelabels.advisor._result import SamplingHelp
from rarelabels.advisor._stored_comparison import stored_comparison
from rarelabels.advisor.model_file import load_model, save_model

__all__ = [
    "SamplingHelp",
    "does_sampling_help",
    "load_model",
    "save_model",
    "stored_comparison",
]
