"""Word vectors to start training from: principal components of the words beside each word.

Each word has the frequencies of the `CONTEXTS` most frequent words on its left and on its right,
smoothed by their frequencies p in the text and taken to the square root (Hellinger distance):

    x_wj = sqrt((count_wj + PRIOR p_j) / (read_w + PRIOR))

Their principal components, centred and weighted by the root of the word's frequency, are its
vector. It costs one pass over a sample of the text, and O(K) once.

Reference
    R. Lebret, R. Collobert. Word embeddings through Hellinger PCA. EACL 2014.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.sparse as sparse
from jaxtyping import Float, Int64

from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.shapes import Array, Probability
from wordrbm.threads import one_blas_thread
from wordrbm.training.batches import Batches
from wordrbm.training.settings import TrainingSettings

WINDOWS = 20_000_000  # of the text that are counted, at most
MIN_WORDS = 1_000  # of a vocabulary that is initialised so
BLOCK = 2**18  # windows counted at once
CONTEXTS = 1_000
PRIOR = 10.0
AXIS_WORDS = 30_000  # the frequent words that the components are found from
OVERSAMPLING, ITERATIONS = 20, 4  # of the subspace iteration
MIN_VARIANCE = 1e-6  # of a component over that of the largest: below it there is only rounding
MAX_NORM = 2.0  # of a vector over the root mean square one: rare words lie far out
RMS = 0.6  # of an entry, over words weighted as above


def initial_model(
    settings: TrainingSettings, batches: Batches, windows: int, q: Probability
) -> WordRepRBM:
    """The model before the first update of a run on so many windows; q are word frequencies."""
    rng = np.random.default_rng(settings.seed)
    rbm = random_model(rng, settings, q)
    # A small vocabulary starts at random: its words are read often, and vectors that already say
    # all of a small text make the first updates diverge.
    if settings.initialization == "spectral" and len(q) >= MIN_WORDS:
        n, d = settings.window, settings.dimension
        vectors = spectral_vectors(rng, batches, min(windows, WINDOWS), n, q, d)
        rbm.D[:, : vectors.shape[1]] = vectors  # columns beyond the components stay
    return rbm


def random_model(
    rng: np.random.Generator, settings: TrainingSettings, q: Probability
) -> WordRepRBM:
    """A model with random word vectors, whose word biases match the word frequencies q."""
    sizes = {"n": settings.window, "H": settings.hidden, "d": settings.dimension}
    return init_wordrep(rng, **sizes, word_probability=q, hidden_bias=settings.hidden_bias)


def spectral_vectors(
    rng: np.random.Generator, batches: Batches, windows: int, n: int, q: Probability, d: int
) -> Float[np.ndarray, "K k"]:
    """Vectors of k <= d numbers from the first `windows` windows of n words; k < d if K is small.

    Windows of one word have no neighbours: then k is 0.
    """
    order = np.argsort(-q, kind="stable")
    contexts = order[:CONTEXTS]
    k = min(d, 2 * contexts.size - 2, q.size - 1) if n > 1 else 0
    if k <= 0:
        return np.empty((q.size, 0), np.float32)
    with one_blas_thread():  # the same bits for any number of threads
        features = _count(batches, windows, n, q.size, contexts)
        frequent = order[:AXIS_WORDS]
        weight = np.sqrt(features.read.sum(axis=1))
        axes, deviation = _principal_axes(rng, features, frequent, weight[frequent], k)
        if not deviation.size:  # all words have the same neighbours
            return np.empty((q.size, 0), np.float32)
        vectors = [
            features.project(slice(first, first + AXIS_WORDS), axes / np.sqrt(deviation))
            for first in range(0, q.size, AXIS_WORDS)
        ]
    D = np.concatenate(vectors)
    size = np.sqrt(weight @ (D * D).mean(axis=1) / weight.sum())
    D *= RMS / size
    longest = MAX_NORM * RMS * np.sqrt(D.shape[1])
    D *= np.minimum(1.0, longest / np.maximum(np.linalg.norm(D, axis=1, keepdims=True), longest))
    D[weight == 0] = 0.0  # a word that was never read is the mean word
    return D.astype(np.float32)


@final
@dataclass(frozen=True, eq=False)
class _Features:
    """The centred matrix x, K x 2C, as a sparse part and one of low rank.

    A word that was never seen beside w has ``sqrt(p_j) unseen_w``; `sparse` is what is above it.
    """

    sparse: sparse.csr_matrix
    unseen: Float[np.ndarray, "K 2"]  # on each side
    root: Float[np.ndarray, "2 J"]  # sqrt(p), zero on the other side
    read: Float[np.ndarray, "K 2"]
    mean: Float[np.ndarray, " J"]

    def project(self, words: Array | slice, axes: Array) -> Array:
        """``x axes`` of some words."""
        low_rank = self.unseen[words] @ (self.root @ axes)
        projected: Array = self.sparse[words] @ axes + low_rank - self.mean @ axes
        return projected

    def back_project(self, words: Array, values: Array) -> Array:
        """``x^T values`` of some words."""
        low_rank = self.root.T @ (self.unseen[words].T @ values)
        centre = np.outer(self.mean, values.sum(axis=0))
        projected: Array = self.sparse[words].T @ values + low_rank - centre
        return projected


def _count(
    batches: Batches, windows: int, n: int, K: int, contexts: Int64[np.ndarray, " C"]
) -> _Features:
    """Count the neighbours of the middle word of each window; with n = 2, one on each side."""
    C = contexts.size
    column = np.full(K, -1)
    column[contexts] = np.arange(C)
    parts, read = [sparse.csr_matrix((K, 2 * C), dtype=np.int32)], np.zeros((K, 2))
    sides = (n // 2, n // 2 - 1), ((n - 1) // 2, (n - 1) // 2 + 1)  # a word and its neighbour
    for first in range(0, windows, BLOCK):
        v = batches(first, min(BLOCK, windows - first))
        for side, (word, neighbour) in enumerate(sides):
            np.add.at(read[:, side], v[:, word], 1.0)
            j = column[v[:, neighbour]]
            known = j >= 0
            entries = v[known, word], side * C + j[known]
            ones = np.ones(len(entries[0]), np.int32)
            parts.append(sparse.csr_matrix((ones, entries), parts[0].shape))
            _merge(parts)
    return _features(sum(parts[1:], parts[0]), read, windows, C)


def _merge(parts: list[sparse.csr_matrix]) -> None:
    """Add up matrices of like sizes, so that an entry is added a few times and not every time."""
    while len(parts) > 1 and parts[-2].nnz < 2 * parts[-1].nnz:
        last = parts.pop()
        parts[-1] = parts[-1] + last


def _features(counts: sparse.csr_matrix, read: Array, windows: int, C: int) -> _Features:
    """Smooth the counts and take their square roots."""
    p = np.asarray(counts.sum(axis=0)).ravel() / windows
    side = np.repeat([0, 1], C)
    root = np.where(side == np.array([[0], [1]]), np.sqrt(p), 0.0)
    unseen = np.sqrt(PRIOR / (read + PRIOR))
    row, column = np.repeat(np.arange(len(read)), np.diff(counts.indptr)), counts.indices
    seen = (
        np.sqrt((counts.data + PRIOR * p[column]) / (read[row, side[column]] + PRIOR))
        - np.sqrt(p[column]) * unseen[row, side[column]]
    )
    above = sparse.csr_matrix((seen, column, counts.indptr), counts.shape)
    weight = np.sqrt(read.sum(axis=1))
    weight /= weight.sum()
    mean = above.T @ weight + root.T @ (unseen.T @ weight)
    return _Features(above, unseen, root, read, mean)


def _principal_axes(
    rng: np.random.Generator, features: _Features, words: Array, weight: Array, k: int
) -> tuple[Array, Array]:
    """The k axes of largest weighted variance, fewer if the text has fewer, and the deviations."""
    J, weight = features.root.shape[1], weight[:, None] / weight.sum()
    axes = np.linalg.qr(rng.normal(size=(J, min(J, k + OVERSAMPLING))))[0]
    for _ in range(ITERATIONS):
        projected = weight * features.project(words, axes)
        axes = np.linalg.qr(features.back_project(words, projected))[0]
    projected = features.project(words, axes)
    variance, rotation = np.linalg.eigh(projected.T @ (weight * projected))
    largest = np.arange(variance.size)[: -k - 1 : -1]
    largest = largest[variance[largest] > max(1e-20, MIN_VARIANCE * variance[-1])]
    return axes @ rotation[:, largest], np.sqrt(variance[largest])
