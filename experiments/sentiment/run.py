"""The stages of the experiment: class models, self-training, and the rows of the table.

Each class model is trained by one thread, several jobs in parallel; their bits do not depend on how
many there are. NB-SVM is fitted in the main thread alone: liblinear draws from one random stream.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from experiments.cache import Record, ResultCache
from experiments.sentiment.cloze import cloze_key, load_cloze, score_job
from experiments.sentiment.config import FoldJob, ModelConfig, fold_jobs
from experiments.sentiment.data import Dataset
from experiments.sentiment.features import NgramFeatures
from experiments.sentiment.models import (
    JobContext,
    is_done,
    load_energies,
    pretrained_model,
    train_and_score,
)
from experiments.sentiment.rows import (
    STACKED,
    STACKED_UNLABELLED,
    Row,
    baseline_rows,
    cloze_rows,
    content_rows,
    energy_rows,
    finetuned_rows,
    mean_contrast,
    row_inputs,
    stacked_row,
    student_rows,
    unit_classifiers,
    unit_rows,
)
from experiments.sentiment.self_training import (
    Scores,
    TeacherScores,
    eligible,
    expected_windows,
    ngram_scores,
    self_train,
    self_training_key,
    student_features,
)
from experiments.sentiment.stacking import Labelling
from wordrbm.threads import ProgressCallback, SharedProgress, StopCheck, one_blas_thread, run_all


class SentimentExperiment(NamedTuple):
    """Configurations by their names in the table, documents, and where results are kept."""

    configs: Mapping[str, ModelConfig]
    seeds: Sequence[int]
    data: Dataset
    cache: ResultCache
    workers: int
    self_training: bool = False
    without_frequent: int = 0  # words that a second set of generative class models does without

    @property
    def content(self) -> dict[str, ModelConfig]:
        """Configurations of generative models of documents without frequent words."""
        return {
            name: config._replace(without_frequent=self.without_frequent, finetune_epochs=0)
            for name, config in self.configs.items()
            if self.without_frequent and not config.pretrain_unlabelled
        }

    @property
    def jobs(self) -> list[FoldJob]:
        """All jobs of the configurations and seeds."""
        return self._jobs(self.configs.values())

    @property
    def content_jobs(self) -> list[FoldJob]:
        """All jobs without frequent words."""
        return self._jobs(self.content.values())

    def _jobs(self, configs: Iterable[ModelConfig]) -> list[FoldJob]:
        pairs = product(configs, self.seeds)
        return [job for config, seed in pairs for job in fold_jobs(config, seed)]

    @property
    def expected_rows(self) -> int:
        """About how many rows the table has."""
        rows = 15 + 3 * self.self_training + (len(self.seeds) > 1)
        return 5 + rows * len(self.configs) + 2 * len(self.content)


def train_models(
    experiment: SentimentExperiment,
    jobs: Sequence[FoldJob],
    show: ProgressCallback,
    stop: StopCheck,
) -> None:
    """Train the class models that are not on disk; first the initial models that they share."""
    data, cache, workers = experiment.data, experiment.cache, experiment.workers
    missing = [job for job in jobs if not is_done(job, data, cache)]
    initial = dict.fromkeys((job.config, job.seed) for job in missing)
    pretraining = sum(config.pretrain_windows for config, _ in initial)
    total = pretraining + sum(job.expected_windows(data) for job in missing)
    progress = SharedProgress(total, show, stop)
    context = JobContext(data, cache, progress)
    with one_blas_thread():
        run_all([partial(_pretrain, *pair, context) for pair in initial], workers, progress)
        tasks = {job.key(data): partial(train_and_score, job, context) for job in missing}
        cache.compute(tasks, workers, progress)
    show(1.0, "all class models are on disk")


def _pretrain(config: ModelConfig, seed: int, context: JobContext) -> None:
    pretrained_model(config, seed, context)


def score_words(
    experiment: SentimentExperiment, show: ProgressCallback, stop: StopCheck
) -> None:  # fmt: skip
    """Score documents word by word under generative models on disk, where the result is not."""
    data, cache = experiment.data, experiment.cache
    keys = {cloze_key(job, data): job for job in experiment.jobs}
    missing = {key: job for key, job in keys.items() if cache.load(key) is None}
    progress = SharedProgress(len(missing), show, stop)
    context = JobContext(data, cache, progress)

    def score(job: FoldJob) -> Record:
        record = score_job(job, context)
        progress.report(1, job.name)
        return record

    with one_blas_thread():
        tasks = {key: partial(score, job) for key, job in missing.items()}
        cache.compute(tasks, experiment.workers, progress)
    show(1.0, "all words are scored")


def train_students(
    experiment: SentimentExperiment, jobs: Sequence[FoldJob], ngrams: NgramFeatures,
    show: ProgressCallback, stop: StopCheck,
) -> None:  # fmt: skip
    """Self-train from class models that are on disk, where the result is not."""
    data, cache = experiment.data, experiment.cache
    keys = {self_training_key(job, data): job for job in jobs}
    missing = {key: job for key, job in keys.items() if cache.load(key) is None}
    total = sum(expected_windows(job, data) for job in missing.values())
    progress = SharedProgress(total, show, stop)
    context = JobContext(data, cache, progress)
    with one_blas_thread():
        teachers = _teacher_scores(list(missing.values()), ngrams, context)
        tasks = {key: partial(self_train, job, context, teachers) for key, job in missing.items()}
        cache.compute(tasks, experiment.workers, progress)
    show(1.0, "all students are on disk")


def _teacher_scores(
    jobs: Sequence[FoldJob], ngrams: NgramFeatures, context: JobContext
) -> TeacherScores:
    """NB-SVM's scores of unlabelled documents, fitted without the fold of each job."""
    data, scores = context.data, dict[int | None, Scores]()
    for fold in dict.fromkeys(job.fold for job in jobs):
        context.progress.report(0, "NB-SVM")
        scores[fold] = ngram_scores(ngrams, data.train.label, data.fitted(fold))
    return TeacherScores(eligible(data), scores)


def fit_rows(experiment: SentimentExperiment, ngrams: NgramFeatures) -> Iterator[Row]:
    """Every row of the table, one after another."""
    data, cache, seeds = experiment.data, experiment.cache, experiment.seeds
    labels = Labelling(data.train.label, data.test.label, data.fold, data.inner_fold)
    baselines = []
    for row in baseline_rows(data, ngrams, labels):
        baselines.append(row)
        yield row
    inputs = row_inputs(baselines, ngrams, labels)
    energies, cloze, units, students = {}, {}, {}, {}
    for name, config in experiment.configs.items():
        energies[name] = [load_energies(config, seed, data, cache) for seed in seeds]
        cloze[name] = [load_cloze(config, seed, data, cache) for seed in seeds]
        yield from energy_rows(inputs, name, energies[name])
        yield from cloze_rows(inputs, name, cloze[name])
        units[name] = unit_classifiers(labels, energies[name])
        yield from unit_rows(inputs, name, units[name])
        yield from finetuned_rows(inputs, name, energies[name])
    for name, config in experiment.content.items():
        content = [load_energies(config, seed, data, cache) for seed in seeds]
        means = [mean_contrast(x.out_of_fold) for x in content]
        yield from content_rows(inputs, name, cloze[name], means)
    labelled = {
        name: x for name, x in energies.items() if not experiment.configs[name].pretrain_unlabelled
    }
    yield stacked_row(inputs, STACKED, labelled, units, cloze)
    for name, config in experiment.configs.items() if experiment.self_training else ():
        students[name] = [student_features(config, seed, data, ngrams, cache) for seed in seeds]
        yield from student_rows(inputs, name, students[name])
    if students or len(labelled) < len(energies):
        yield stacked_row(
            inputs, STACKED_UNLABELLED, energies, units, cloze, list(students.values())
        )
