"""Training with proposals by clusters: a run in legs, between which words are clustered anew.

Vectors move fast at first and slowly later, so a leg is twice as long as the one before it: after
250, 500, 1,000 ... updates. Clusters cost O(K), so no update has them; in all there are only
logarithmically many. Old clusters make no wrong proposals, only less good ones.
"""

from collections.abc import Iterator

from threadpoolctl import threadpool_limits

from wordrbm.models import WordRepRBM
from wordrbm.sampling import (
    AliasTable,
    ClusteredMetropolis,
    Clusters,
    Cycle,
    PooledMetropolis,
    Transition,
    find_clusters,
    word_tables,
)
from wordrbm.shapes import Probability
from wordrbm.training.batches import Batches
from wordrbm.training.settings import TrainingSettings
from wordrbm.training.trainer import Progress, TrainingState, row_steps_of, updates

FIRST_LEG = 250  # updates


def end_of_leg(step: int) -> int:
    """The update after which words are clustered anew, for a run that has made `step`."""
    end = FIRST_LEG
    while end <= step:
        end *= 2
    return end


def train_by_clusters(
    model: WordRepRBM,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    *,
    q: Probability,
    threads: int = 1,
) -> Iterator[tuple[TrainingState, Progress]]:
    """As `train`, each leg with the clusters of the vectors it began with."""
    words = word_tables(AliasTable.build(q), model.positions)
    row_steps = row_steps_of(model, q, settings)
    while state.step < settings.steps:
        clusters = _clusters(model, settings, state, q)
        leg = updates(
            model,
            _operator(clusters, settings, q),
            batches,
            settings,
            state._replace(clusters=clusters),
            row_steps,
            words=words,
            threads=threads,
            until=end_of_leg(state.step),
        )
        for state, progress in leg:
            yield state, progress


def _operator(clusters: Clusters, settings: TrainingSettings, q: Probability) -> Transition:
    """Proposals by clusters, after those by word frequency if both are asked for."""
    clustered = ClusteredMetropolis.of_clusters([clusters], q, steps=settings.cluster_steps)
    if settings.operator == "clusters":
        return clustered
    return Cycle((PooledMetropolis.from_probability(q, steps=settings.mh_steps), clustered))


def _clusters(
    model: WordRepRBM, settings: TrainingSettings, state: TrainingState, q: Probability
) -> Clusters:
    """Those of before in the middle of a leg, as after a resume; at its beginning new ones."""
    begins = state.step == 0 or end_of_leg(state.step - 1) == state.step
    if state.clusters is not None and not begins:
        return state.clusters
    with threadpool_limits(1, "blas"):  # the same bits, however many threads there are
        return find_clusters(
            model.D, model.b, q, singles=settings.single_words, groups=settings.word_groups,
            before=state.clusters,
        )  # fmt: skip
