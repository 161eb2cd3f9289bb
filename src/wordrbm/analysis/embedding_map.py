"""The words of a model in the plane: t-SNE of frequent words, the others beside their neighbours.

The word vectors, centred, whitened and scaled to length one, are embedded by t-SNE [van der Maaten
and Hinton 2008], as the paper's figure does [Dahl 2012, figure 1], from exact nearest neighbours,
or by their first two principal components where the package openTSNE is missing. A word that is
not among the embedded ones is placed amid those of its nearest embedded neighbours that lie closest
together. Clusters are found by k-means on the same vectors. The same vectors and seed give the same
map.
"""

from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Float32, Int32

from wordrbm.io.map_file import WordMap
from wordrbm.io.vectors import Vectors
from wordrbm.sampling.clustered import kmeans
from wordrbm.shapes import Probability
from wordrbm.threads import ProgressCallback, no_progress, one_blas_thread

EMBEDDED, MAX_POINTS = 20_000, 250_000
NEIGHBOURS, PERPLEXITY, CLUSTERS = 10, 30, 12
CLUSTERED = 5_000  # frequent words on which clusters are found
LABEL_WORDS, LABEL_AMONG = 3, 1_000  # words that name a cluster, among the most frequent ones
ITERATIONS = 50  # of k-means, and between two reports of t-SNE
EARLY, LATE = 250, 500  # iterations of t-SNE with and without early exaggeration
BLOCK = 1024  # rows whose cosines are held at once
TSNE, PCA = "t-SNE", "PCA"
WITHOUT_TSNE = (
    "The package openTSNE is not installed: the map shows two principal components; for t-SNE run "
    "pip install 'wordrbm[map]'."
)

Directions = Float32[np.ndarray, "P d"]  # vectors of length one


class Neighbourhood(NamedTuple):
    """The nearest embedded words of every word, the nearest first, and their cosines."""

    ids: Int32[np.ndarray, "P k"]
    cosine: Float32[np.ndarray, "P k"]


def has_tsne() -> bool:
    """Whether openTSNE is installed."""
    return find_spec("openTSNE") is not None


def compute_map(
    vectors: Vectors,
    q: Probability,
    *,
    embedded: int = EMBEDDED,
    method: str | None = None,
    seed: int = 1,
    report: ProgressCallback = no_progress,
) -> WordMap:
    """Place the words in the plane; `method` is t-SNE where it is installed, else PCA."""
    x = directions(vectors.matrix[:MAX_POINTS])
    embedded = min(embedded, len(x))
    method = method or (TSNE if has_tsne() else PCA)
    report(0.0, "nearest neighbours")
    near = nearest_embedded(x, embedded, NEIGHBOURS, report)
    report(0.3, "clusters")
    cluster, labels = find_clusters(x, q[: len(x)], vectors.words)
    place = principal_components(x[:embedded])
    if method == TSNE and embedded > NEIGHBOURS:
        place = embed(x[:embedded], place, seed, report)
    xy = np.empty((len(x), 2), np.float32)
    xy[:embedded] = place
    xy[embedded:] = centre_of_closest(place[near.ids[embedded:]])
    report(1.0, "done")
    return WordMap(fit_square(xy), cluster, near.ids, labels, embedded, method, seed)


def directions(matrix: Float[np.ndarray, "K d"]) -> Directions:
    """The rows scaled to length one; a zero row stays zero."""
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.maximum(length, np.finfo(np.float32).tiny)).astype(np.float32)


def nearest_embedded(
    x: Directions, embedded: int, count: int, report: ProgressCallback = no_progress
) -> Neighbourhood:
    """The `count` nearest of the first `embedded` rows to every row, itself and row 0 left out."""
    count = max(1, min(count, embedded - 2))
    index = np.empty((len(x), count), np.int32)
    cosine = np.empty((len(x), count), np.float32)
    with one_blas_thread():
        for first in range(0, len(x), BLOCK):
            rows = np.arange(first, min(first + BLOCK, len(x)))
            score = x[rows] @ x[:embedded].T
            score[:, 0] = -2.0  # the unknown word is nobody's neighbour
            inside = rows < embedded
            score[np.flatnonzero(inside), rows[inside]] = -3.0
            best = np.argpartition(-score, count - 1, axis=1)[:, :count]
            value = np.take_along_axis(score, best, axis=1)
            order = np.lexsort((best, -value))
            index[rows] = np.take_along_axis(best, order, axis=1)
            cosine[rows] = np.take_along_axis(value, order, axis=1)
            report(0.3 * (first + BLOCK) / (len(x) + BLOCK), "nearest neighbours")
    return Neighbourhood(index, cosine)


def find_clusters(
    x: Directions, q: Probability, words: tuple[str, ...]
) -> tuple[Any, tuple[tuple[str, ...], ...]]:
    """The cluster of every word, and the frequent words nearest to each cluster's mean."""
    weight, among = np.sqrt(q), min(CLUSTERED, len(x))
    start = _spread_rows(x[:among], CLUSTERS)
    fitted = kmeans(x[:among], weight[:among], start, iterations=ITERATIONS)
    used = np.unique(fitted)
    means = [(x[:among] * weight[:among, None])[fitted == c].sum(axis=0) for c in used]
    label, labels = (x @ directions(np.array(means)).T).argmax(axis=1), []
    used, label = np.unique(label, return_inverse=True)
    for c in range(len(used)):
        members = np.flatnonzero(label == c)
        mean = (x[members] * weight[members, None]).sum(axis=0)
        frequent = members[(members > 0) & (members < LABEL_AMONG)]
        candidates = frequent if frequent.size else members
        typical = candidates[np.argsort(-(x[candidates] @ mean), kind="stable")]
        labels.append(tuple(words[k] for k in typical[:LABEL_WORDS]))
    return label.astype(np.uint8), tuple(labels)


def _spread_rows(x: Directions, count: int) -> Float32[np.ndarray, "C d"]:
    """Rows far from each other: each next one has the least cosine with those before."""
    chosen = [min(1, len(x) - 1)]
    closest = x @ x[chosen[0]]
    while len(chosen) < min(count, len(x)):
        chosen.append(int(closest.argmin()))
        closest = np.maximum(closest, x @ x[chosen[-1]])
    return x[chosen]


def principal_components(x: Float[np.ndarray, "P d"]) -> Float32[np.ndarray, "P 2"]:
    """The rows on their first two principal axes, whose largest component is positive."""
    centred = x - x.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    axes = axes[:, ::-1][:, :2]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    place = np.zeros((len(x), 2), np.float32)  # vectors of one number lie on a line
    place[:, : axes.shape[1]] = centred @ axes
    return place


def embed(
    x: Directions, start: Float32[np.ndarray, "P 2"], seed: int, report: ProgressCallback
) -> Float[np.ndarray, "P 2"]:
    """Embed the rows by t-SNE from their principal components and exact neighbours."""
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    perplexity = min(PERPLEXITY, (len(x) - 2) // 3)
    near = nearest_embedded(x, len(x), 3 * perplexity)
    distance = np.sqrt(np.maximum(2.0 - 2.0 * near.cosine.astype(np.float64), 0.0))
    index = PrecomputedNeighbors(near.ids.astype(np.int64), distance)
    affinities = PerplexityBasedNN(perplexity=perplexity, knn_index=index)
    scaled = start.astype(np.float64) / max(float(start[:, 0].std()), 1e-12) * 1e-4
    embedding = TSNEEmbedding(scaled, affinities, n_jobs=1, random_state=seed)
    done = 0
    for iterations, exaggeration, momentum in ((EARLY, 12, 0.5), (LATE, None, 0.8)):
        for _ in range(0, iterations, ITERATIONS):
            embedding = embedding.optimize(
                ITERATIONS, exaggeration=exaggeration, momentum=momentum, n_jobs=1
            )
            done += ITERATIONS
            report(0.35 + 0.65 * done / (EARLY + LATE), f"t-SNE, {done} of {EARLY + LATE}")
    return np.asarray(embedding)


def centre_of_closest(places: Float[np.ndarray, "P k 2"]) -> Float[np.ndarray, "P 2"]:
    """The mean of the half of k places that are nearest to the most central of them.

    A median of each coordinate by itself would line words up in rows and columns.
    """
    distance = np.zeros((*places.shape[:2], places.shape[1]), np.float32)
    for axis in (0, 1):
        distance += (places[:, :, None, axis] - places[:, None, :, axis]) ** 2
    distance = np.sqrt(distance)
    central = distance.sum(axis=2).argmin(axis=1)
    nearest = np.argsort(distance[np.arange(len(places)), central], axis=1, kind="stable")
    half = nearest[:, : (places.shape[1] + 1) // 2, None]
    return np.take_along_axis(places, half, axis=1).mean(axis=1)


def fit_square(xy: Float[np.ndarray, "P 2"]) -> Float32[np.ndarray, "P 2"]:
    """Centre the points and scale both axes alike, so that all lie within -1 and 1."""
    low, high = xy.min(axis=0), xy.max(axis=0)
    centred = xy - (low + high) / 2
    return (centred / max(float(np.abs(centred).max()), 1e-12)).astype(np.float32)
