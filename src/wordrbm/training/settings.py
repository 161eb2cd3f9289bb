"""The settings of a training run: defaults, bounds and presets, checked all at once."""

import reprlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from wordrbm.errors import WordRBMError, validation_faults
from wordrbm.settings import StrictModel

MAX_COUNT = 2**24  # windows or chains in one update: beyond any use, below any overflow
RATE = 0.04  # learning rate of a model and run of the default size
# Windows of the text hold little of longer ones: their chains need more proposals, and nearer ones.
LONGEST_SHORT_WINDOW = 3
SHORT_WINDOW_JUMPS: Mapping[str, Any] = {"jumps": 1, "bigram_share": 0.0, "reservoir": 2**17}
LONG_WINDOW_JUMPS: Mapping[str, Any] = {"jumps": 8, "bigram_share": 0.3}
LARGE_RESERVOIR, RESERVOIR_WORDS = 2**20, 2**23  # windows, and at most so many words in them
LONG_RUN = 10_000_000  # windows: a run that has the time to learn rare windows by heart
MAX_FILE_BYTES = 1_000_000  # bytes of settings
MAX_FAULTS = 20  # that one sentence may hold


class TrainingSettings(StrictModel):
    """What decides the bits of a trained model, together with the corpus."""

    window: int = Field(3, ge=1, le=10_000, description="words in a window: n")
    dimension: int = Field(50, ge=1, le=100_000, description="numbers in a word vector: d")
    hidden: int = Field(250, ge=1, le=1_000_000, description="hidden units: H")
    hidden_bias: float = Field(
        -2.0, ge=-50, le=50, description="initial hidden biases c; below 0 the units start sparse"
    )
    initialization: Literal["spectral", "random"] = Field(
        "spectral",
        description="initial D: principal components of neighbouring words, or random numbers",
    )
    objective: Literal["hybrid", "sml"] = Field(
        "hybrid",
        description="what is maximised: the log-likelihood and a ranking of words, or it alone",
    )
    ranking_weight: float = Field(
        6.0, gt=0, le=1_000, description="weight of the ranking beside the log-likelihood"
    )
    candidates: int = Field(
        64, ge=1, le=100_000, description="words drawn that a word read is ranked among"
    )
    mh_steps: int = Field(100, ge=1, le=1_000_000, description="words proposed per word and update")
    jumps: int = Field(
        1,
        ge=0,
        le=1_000,
        description="whole windows proposed per chain and update, 0 for none; 8 if n is above 3",
    )
    reservoir: int = Field(
        131_072,
        ge=1,
        le=MAX_COUNT,
        description="windows read lately that jumps draw from; up to 1,048,576 if n is above 3, or "
        "in runs of 10 M windows and more",
    )
    bigram_share: float = Field(
        0.0,
        ge=0,
        le=0.9,
        description="share of the jumps drawn from bigrams of the reservoir; 0.3 if n is above 3",
    )
    batch_size: int = Field(512, ge=1, le=MAX_COUNT, description="windows per update: B")
    chains: int = Field(256, ge=1, le=MAX_COUNT, description="persistent Markov chains: M")
    shards: int = Field(
        4,
        ge=1,
        le=MAX_COUNT,
        validate_default=True,
        description="independent parts of a batch; fixes the bits",
    )
    windows: int = Field(50_000_000, ge=1, lt=2**62, description="windows to train on in all")
    seed: int = Field(1, ge=0, lt=2**63, description="fixes every random choice")
    word_rate: float = Field(
        RATE,
        gt=0,
        description="learning rate of D and b, per window; lower for large models and long runs",
    )
    hidden_rate: float = Field(
        RATE,
        gt=0,
        description="learning rate of U and c, per batch; lower for large models and long runs",
    )
    warmup: int = Field(1000, ge=0, description="updates over which the rates rise, at most")
    warmup_share: float | None = Field(
        0.02,
        ge=0,
        le=1,
        description="share of the run over which the rates rise, at most; or 100 updates",
    )
    rate_windows: int | None = Field(
        None, ge=1, description="rates fall as 1 / sqrt(1 + windows / this) too, if it is given"
    )
    final_rate: float = Field(0.0, ge=0, le=1, description="share of the rates left at the end")
    averaging: int = Field(
        32,
        ge=0,
        le=10_000,
        description="updates are averaged with weights that rise by this power; 0 is none",
    )
    momentum: float = Field(0.9, ge=0, lt=1, description="momentum of U and c")
    l2: float = Field(
        0.0, ge=0, description="weight decay of U, and of every row of D that is used"
    )
    evaluations: int = Field(20, ge=1, description="held-out scores taken during the run")
    heldout_windows: int = Field(500, ge=1, description="held-out windows scored each time")

    @model_validator(mode="before")
    @classmethod
    def _fill_in_by_size(cls, values: dict[str, Any]) -> dict[str, Any]:
        rate = default_rate(values)
        return {"word_rate": rate, "hidden_rate": rate, **default_jumps(values), **values}

    @field_validator("shards")
    @classmethod
    def _divides_the_work(cls, shards: int, info: ValidationInfo) -> int:
        uneven = [
            f"{name} {info.data[name]} is not a multiple of shards {shards}"
            for name in ("batch_size", "chains")
            if info.data.get(name, 0) % shards
        ]
        if uneven:
            raise PydanticCustomError("uneven", "; ".join(uneven))
        return shards

    @property
    def steps(self) -> int:
        """Updates in the whole run: the last one is a full batch too."""
        return -(-self.windows // self.batch_size)


def default_rate(values: Mapping[str, Any]) -> float:
    """The learning rate for the sizes and the length of run among the settings.

    What one update changes in the energy of a window grows with n, d and H, and what a run can do
    wrong with its length: the rate is divided by (n / 3)^2 (d / 50) (H / 250), if that is above 1,
    and beyond 50 M windows by the root of the length.
    """
    fields = TrainingSettings.model_fields
    names = ("window", "dimension", "hidden", "windows")
    sizes = [values.get(name, fields[name].default) for name in names]
    if not all(type(size) is int and 0 < size < 2**62 for size in sizes):
        return RATE  # such sizes are refused
    n, d, H, windows = sizes
    size = (n / 3) ** 2 * (d / 50) * (H / 250)
    return float(RATE / max(1.0, size) / max(1.0, windows / 50_000_000) ** 0.5)


def default_jumps(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The jumps for the sizes of windows and run among the settings, if there are any jumps."""
    fields = TrainingSettings.model_fields
    n, windows = (values.get(name, fields[name].default) for name in ("window", "windows"))
    if not isinstance(n, int) or not isinstance(windows, int) or values.get("jumps") == 0:
        return {}
    if n > LONGEST_SHORT_WINDOW:
        return {**LONG_WINDOW_JUMPS, "reservoir": min(LARGE_RESERVOIR, 1 + RESERVOIR_WORDS // n)}
    return {"reservoir": LARGE_RESERVOIR} if windows >= LONG_RUN else {}


PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Stochastic maximum likelihood alone, at the rates it can bear.
    "sml": {
        "objective": "sml", "chains": 512, "word_rate": 0.08, "hidden_rate": 0.08,
        "initialization": "random",
    },
    # The procedure of [Dahl 2012]: chains move word by word, and the last parameters are kept.
    "paper": {
        "objective": "sml", "chains": 512, "jumps": 0, "averaging": 0, "hidden_bias": 0.0,
        "initialization": "random",
        "word_rate": 0.02, "hidden_rate": 0.03, "l2": 3e-4, "rate_windows": 2_000_000,
        "warmup_share": None,
    },
}  # fmt: skip


def with_preset(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace a `preset` by its settings; settings given explicitly win over it."""
    name = values.get("preset")
    if name is not None and (not isinstance(name, str) or name not in PRESETS):
        raise WordRBMError(
            f"The preset {reprlib.repr(name)} is not known; the presets are {', '.join(PRESETS)}."
        )
    explicit = {key: value for key, value in values.items() if key != "preset"}
    return {**PRESETS[name], **explicit} if name else explicit


def check_settings(values: Mapping[str, Any], extra_faults: Sequence[str] = ()) -> TrainingSettings:
    """Settings from a mapping; every mistake is named in one sentence, with `extra_faults`."""
    faults = list(extra_faults)
    try:
        settings = TrainingSettings(**values)
    except ValidationError as error:
        faults = validation_faults(error) + faults
    if len(faults) > MAX_FAULTS:
        faults[MAX_FAULTS:] = [f"and {len(faults) - MAX_FAULTS} more"]
    if faults:
        raise WordRBMError("Settings cannot be used: " + "; ".join(faults) + ".")
    return settings


def resolve_settings(
    values: Mapping[str, Any], count_windows: Callable[[int], int], extra_faults: Sequence[str] = ()
) -> TrainingSettings:
    """Checked settings; a `preset` and `epochs`, passes over the training text, may be among them.

    `count_windows` gives the number of training windows of a length. `extra_faults` were found by
    the caller, and are named in the same sentence.
    """
    chosen = with_preset({name: value for name, value in values.items() if name != "epochs"})
    epochs = values.get("epochs")
    settings = check_settings(chosen, [*_epoch_faults(epochs, chosen), *extra_faults])
    if epochs is None:
        return settings
    windows = count_windows(settings.window)
    if not 1 <= epochs * windows < 2**62:
        raise WordRBMError(
            f"Settings cannot be used: {epochs!r} epochs of {windows} windows are no number of "
            "windows to read; give epochs that come to 1 window or more."
        )
    return check_settings({**chosen, "windows": round(epochs * windows)})


def _epoch_faults(epochs: Any, chosen: Mapping[str, Any]) -> list[str]:
    if epochs is None:
        return []
    faults = ["both windows and epochs were given; give one"] if "windows" in chosen else []
    if isinstance(epochs, bool) or not isinstance(epochs, int | float) or not epochs > 0:
        faults.insert(0, f"epochs: {epochs!r} is not a number above zero")
    return faults


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file, not yet checked."""
    try:
        if path.exists() and (not path.is_file() or path.stat().st_size > MAX_FILE_BYTES):
            raise WordRBMError(f"Settings file {path} is no small file; give a file of TOML.")
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise WordRBMError(f"Settings file {path} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise WordRBMError(f"Settings file {path} is nested too deeply; mend it.") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number of thousands of digits
        reason = " ".join(str(error).split())[:200]
        raise WordRBMError(f"Settings file {path} is not TOML: {reason}.") from None
