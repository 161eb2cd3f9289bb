"""The models by brute force, in plain loops. The referee: it shares no code with the package."""

import itertools
import math

import numpy as np

MASK = 2**64 - 1


def weight(model, i, word, j):
    """W(i)[j, word]: what a word at position i adds to the input of hidden unit j."""
    kind = type(model).__name__
    if kind == "BinaryRBM":
        return model.W[j][i] * word
    if kind == "SoftmaxRBM":
        return model.W[i][word][j]
    return sum(u * x for u, x in zip(model.U[i][j], model.D[word], strict=True))


def bias(model, i, word):
    """The bias of a word at position i."""
    kind = type(model).__name__
    if kind == "BinaryRBM":
        return model.b[i] * word
    return model.b[i][word] if kind == "SoftmaxRBM" else model.b[word]


def energy(model, window, h):
    """E(v, h), term by term as the paper prints it."""
    total = -sum(h_j * c_j for h_j, c_j in zip(h, model.c, strict=True))
    for i, word in enumerate(window):
        total -= bias(model, i, word)
        for j, h_j in enumerate(h):
            total -= h_j * weight(model, i, word, j)
    return total


def choices(model):
    """K: how many words there are to choose from."""
    kind = type(model).__name__
    return {"BinaryRBM": 2, "SoftmaxRBM": model.b.shape[-1], "WordRepRBM": len(model.b)}[kind]


def positions(model):
    """n: how many words a window has."""
    return {"BinaryRBM": len(model.b), "SoftmaxRBM": len(model.b)}.get(
        type(model).__name__, len(getattr(model, "U", ()))
    )


def all_windows(model):
    return list(itertools.product(range(choices(model)), repeat=positions(model)))


def all_hiddens(model):
    return list(itertools.product([0.0, 1.0], repeat=len(model.c)))


def mass(model, window):
    """exp(-F(v)): the sum of exp(-E) over every h."""
    return sum(math.exp(-energy(model, window, h)) for h in all_hiddens(model))


def window_probability(model):
    """P(v) of every window."""
    masses = np.array([mass(model, v) for v in all_windows(model)])
    return masses / masses.sum()


def log_likelihood(model, windows):
    """The mean log P(v)."""
    log_z = math.log(sum(mass(model, v) for v in all_windows(model)))
    return sum(math.log(mass(model, v)) for v in windows) / len(windows) - log_z


def word_conditional(model, i, h):
    """P(v_i = k | h) for every k: only the terms of position i differ."""
    score = [
        bias(model, i, k) + sum(h[j] * weight(model, i, k, j) for j in range(len(h)))
        for k in range(choices(model))
    ]
    exponentials = np.exp(np.array(score, dtype=float))
    return exponentials / exponentials.sum()


def cloze(model, window, i):
    """P(v_i = k | the other words) for every k."""
    masses = []
    for k in range(choices(model)):
        tried = list(window)
        tried[i] = k
        masses.append(mass(model, tried))
    return np.array(masses) / sum(masses)


def total_variation(p, q):
    return np.abs(p - q).sum() / 2


class Xoshiro:
    """xoshiro256++ in Python integers, from the four words of a stream."""

    def __init__(self, stream):
        self.s = [int(word) for word in stream]

    def bits(self):
        s = self.s
        total = (s[0] + s[3]) & MASK
        result = ((((total << 23) | (total >> 41)) & MASK) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & MASK
        return result

    def uniform(self):
        return (self.bits() >> 11) / 2**53


def alias_draw(random, keep, alias):
    x = random.uniform() * len(keep)
    column = int(x)
    return column if x - column < keep[column] else int(alias[column])


def acceptance(model, h, i, old, new, q):
    """min(1, pi(new) q(old) / (pi(old) q(new))), from the normalised conditional."""
    pi = word_conditional(model, i, h)
    return min(1.0, pi[new] * q[old] / (pi[old] * q[new]))


def walk(random, model, q, keep, alias, steps, v, h):
    """Metropolis-Hastings from the paper's two-line recipe, one proposal after another."""
    v = [list(window) for window in v]
    for m, window in enumerate(v):
        for i in range(len(window)):
            for _ in range(steps):
                new = alias_draw(random, keep, alias)
                if random.uniform() < acceptance(model, h[m], i, window[i], new, q):
                    window[i] = new
    return np.array(v)


def pooled_walk(random, model, q, pool, steps, v, h):
    """The same with proposals from each position's pool: random start, random odd stride.

    Chains stand in lanes, 32 abreast: a uniform number belongs to a step and a lane of a group.
    """
    size, (M, n) = pool.shape[1], np.shape(v)
    order = np.reshape(lanes(random, 2 * n * M), (n, M, 2)).tolist()
    groups = -(-M // 32)
    luck = np.reshape(lanes(random, n * groups * steps * 32), (n, groups, steps, 32))
    v = [list(window) for window in v]
    for m, window in enumerate(v):
        for i in range(n):
            start, stride = order[i][m][0], order[i][m][1] | 1
            for t in range(steps):
                new = int(pool[i][(start + t * stride) % size])
                u = ((int(luck[i, m // 32, t, m % 32]) >> 9) + 0.5) / 2**23
                if u < acceptance(model, h[m], i, window[i], new, q):
                    window[i] = new
    return np.array(v)


def lanes(random, count):
    """32-bit words of 32 xoshiro128++ generators in turn, which the stream seeds."""
    low = 2**32 - 1
    pairs = [random.bits() for _ in range(64)]
    words = [bits >> shift & low for bits in pairs for shift in (0, 32)]
    states = [[words[32 * k + lane] for k in range(4)] for lane in range(32)]
    return [_advance(states[k % 32]) for k in range(-(-count // 32) * 32)][:count]


def _advance(s):
    low = 2**32 - 1
    total = (s[0] + s[3]) & low
    result = ((((total << 7) | (total >> 25)) & low) + s[0]) & low
    t = (s[1] << 9) & low
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = ((s[3] << 11) | (s[3] >> 21)) & low
    return result


def independence_matrix(pi, q):
    """Metropolis-Hastings with target pi and proposals from q, as a matrix of all pairs."""
    K = len(pi)
    matrix = np.zeros((K, K))
    for x in range(K):
        for y in range(K):
            if y != x:
                matrix[x, y] = q[y] * min(1.0, (pi[y] * q[x]) / (pi[x] * q[y]))
        matrix[x, x] = 1.0 - matrix[x].sum()
    return matrix


def clustered_proposal(centroid, weight, label, q, share, context):
    """q(w | g) from its two lines: a cluster by its mass and its centroid, then a word inside."""
    C = len(centroid)
    mass = [sum(q[w] for w in range(len(q)) if label[w] == c) for c in range(C)]
    fit = [weight[c] * np.exp(sum(context * centroid[c])) for c in range(C)]
    p = [share * mass[c] + (1 - share) * fit[c] / sum(fit) for c in range(C)]
    return np.array([p[label[w]] * q[w] / mass[label[w]] for w in range(len(q))])


def clustered_walk(random, model, known, steps, v, h, context):
    """Metropolis-Hastings over proposals by clusters, one chain and position after another.

    All tables' words in turn; `known` has for each the centroids, labels, q, share and members.
    """
    v, (M, n) = [list(window) for window in v], np.shape(v)
    for p, table in enumerate(known):
        places = range(n) if len(known) == 1 else [p]
        luck = iter(lanes(random, M * len(places) * steps))
        for m in range(M):
            for i in places:
                proposal = clustered_proposal(*table["formula"], context[m][i])
                clusters = [_cluster(random, table, context[m][i]) for _ in range(steps)]
                words = [_member(random, table, c) for c in clusters]
                for new in words:
                    u = ((int(next(luck)) >> 9) + 0.5) / 2**23
                    if u < acceptance(model, h[m], i, v[m][i], new, proposal):
                        v[m][i] = new
    return np.array(v)


def _cluster(random, table, context):
    """From the masses, or by fit: then block after block of sixteen places, place after place."""
    centroid, weight, label, q, share = table["formula"]
    u, C, blocks = random.uniform(), table["clusters"], table["clusters"] // 16
    if u < share:
        left, order = u / share, range(len(weight))
        chance = [sum(q[w] for w in range(len(q)) if label[w] == c) for c in order]
    else:
        left, order = (u - share) / (1 - share), sorted(range(C), key=lambda c: (c % blocks, c))
        chance = [
            weight[c] * np.exp(sum(context * centroid[c])) if c < len(weight) else 0.0
            for c in range(C)
        ]
    left *= sum(chance)
    for c in order:
        left -= chance[c]
        if left < 0:
            return c


def _member(random, table, c):
    """A column of the cluster's own alias table, then its word or the other one."""
    words = table["members"][c]
    x = random.uniform() * len(words)
    keep, own, other = words[int(x)]
    return own if x - int(x) < keep else other


def reservoir_probability(windows, q, unigram_share, v, bigram_share=0.0):
    """r(v): a stored window, its bigrams, or words by frequency; q[i][k] is of word k at i."""
    words = math.prod(q[i][word] for i, word in enumerate(v))
    count = sum(tuple(w) == tuple(v) for w in windows)
    stored = (1 - unigram_share - bigram_share) * count / len(windows)
    bigrams = bigram_share * bigram_probability(windows, q, v) if bigram_share else 0.0
    return stored + bigrams + unigram_share * words


def bigram_probability(windows, q, v):
    """The first word by frequency, each other one given the word before: absolute discounting."""
    pairs = [(w[i - 1], w[i]) for w in windows for i in range(1, len(v))]
    chance = q[0][v[0]]
    for i in range(1, len(v)):
        after = [pair[1] for pair in pairs if pair[0] == v[i - 1]]
        if after:
            kept = max(after.count(v[i]) - 0.75, 0.0)
            chance *= (kept + 0.75 * len(set(after)) * q[i][v[i]]) / len(after)
        else:
            chance *= q[i][v[i]]
    return chance


def jump_walk(random, jumps, pool, log_target, log_r, v):
    """Metropolis-Hastings over a pool of windows: random start, random odd stride, chain by chain.

    `log_target` and `log_r` answer for a window, given as a tuple.
    """
    ended = []
    for window in v:
        place, stride = random.bits(), random.bits() | 1
        for _ in range(jumps):
            new = pool[place % len(pool)]
            ratio = log_target(new) + log_r(window) - log_target(window) - log_r(new)
            if random.uniform() < math.exp(min(0.0, ratio)):
                window = new
            place += stride
        ended.append(window)
    return ended


def annealed_mass(model, q, beta, window):
    """f_b(v): words by q^(1-b) exp(b bias), the hidden units summed out one vector at a time."""
    words = 1.0
    for i, word in enumerate(window):
        words *= q[word] ** (1 - beta) * math.exp(beta * bias(model, i, word))
    total = 0.0
    for h in all_hiddens(model):
        active = sum(h_j * c_j for h_j, c_j in zip(h, model.c, strict=True))
        for i, word in enumerate(window):
            active += sum(h_j * weight(model, i, word, j) for j, h_j in enumerate(h))
        total += math.exp(beta * active)
    return words * total


def annealed_hidden(model, beta, window, j):
    """p_b(h_j = 1 | v)."""
    active = model.c[j] + sum(weight(model, i, word, j) for i, word in enumerate(window))
    return 1 / (1 + math.exp(-beta * active))


def annealed_conditional(model, q, beta, i, h):
    """p_b(v_i = k | h) for every k."""
    score = []
    for k in range(choices(model)):
        active = bias(model, i, k) + sum(h[j] * weight(model, i, k, j) for j in range(len(h)))
        score.append(q[k] ** (1 - beta) * math.exp(beta * active))
    return np.array(score) / sum(score)


def annealed_matrix(model, q, beta, steps):
    """The transition v -> h -> v' of all pairs of windows: words by Metropolis-Hastings given h."""
    windows = all_windows(model)
    matrix = np.zeros((len(windows), len(windows)))
    for h in all_hiddens(model):
        moves = [
            np.linalg.matrix_power(
                independence_matrix(annealed_conditional(model, q, beta, i, h), q), steps
            )
            for i in range(positions(model))
        ]
        for x, v in enumerate(windows):
            chance = 1.0
            for j, h_j in enumerate(h):
                on = annealed_hidden(model, beta, v, j)
                chance *= on if h_j else 1 - on
            for y, w in enumerate(windows):
                matrix[x, y] += chance * math.prod(
                    moves[i][v[i], w[i]] for i in range(positions(model))
                )
    return matrix


def jump_matrix(model, q, r, beta):
    """Metropolis-Hastings over whole windows with proposals from r, all pairs of windows."""
    target = np.array([annealed_mass(model, q, beta, v) for v in all_windows(model)])
    return independence_matrix(target / target.sum(), r)


def annealed_words(random, model, q, keep, alias, beta, steps, v):
    """Hidden units of every window, then every word, one proposal after another."""
    h = [
        [float(random.uniform() < annealed_hidden(model, beta, w, j)) for j in range(len(model.c))]
        for w in v
    ]
    for m, window in enumerate(v):
        for i in range(len(window)):
            pi = annealed_conditional(model, q, beta, i, h[m])
            for _ in range(steps):
                new, old = alias_draw(random, keep, alias), window[i]
                if random.uniform() < pi[new] * q[old] / (pi[old] * q[new]):
                    window[i] = new


def annealed_jumps(random, model, q, proposed, r, beta, v):
    """One window proposed to each particle; r has the probability of being proposed by window."""
    for m, new in enumerate(proposed):
        old = v[m]
        ratio = annealed_mass(model, q, beta, new) / annealed_mass(model, q, beta, old)
        if random.uniform() < ratio * r[tuple(old)] / r[tuple(new)]:
            v[m] = new


def negative_weights(chains, pool, stored, target, r):
    """Weights of chains and pool: chains on stored windows hand theirs to the pool, by importance.

    All are tuples of windows; `target` and `r` answer for a window.
    """
    inside = [v for v in chains if v in stored]
    importance = [target(w) / r(w) if w in stored else 0.0 for w in pool]
    if not sum(importance):
        return [1.0] * len(chains) + [0.0] * len(pool)
    kept = [0.0 if v in stored else 1.0 for v in chains]
    return kept + [len(inside) * x / sum(importance) for x in importance]


def spectral_vectors(windows, q, contexts, d, prior, rms):
    """Hellinger components of the words beside each word, with every number written out."""
    n, K, N = len(windows[0]), len(q), len(windows)
    order = sorted(range(K), key=lambda w: -q[w])[:contexts]
    sides = [(n // 2, n // 2 - 1), ((n - 1) // 2, (n - 1) // 2 + 1)]
    count = [[[0] * K for _ in range(K)] for _ in sides]
    read = [[0] * K for _ in sides]
    for window in windows:
        for side, (word, neighbour) in enumerate(sides):
            read[side][window[word]] += 1
            count[side][window[word]][window[neighbour]] += 1
    x = []
    for w in range(K):
        row = []
        for side in range(2):
            for j in order:
                p = sum(count[side][u][j] for u in range(K)) / N
                row.append(math.sqrt((count[side][w][j] + prior * p) / (read[side][w] + prior)))
        x.append(row)
    weight = np.sqrt(np.sum(read, axis=0))
    weight = weight / weight.sum()
    centred = np.array(x) - weight @ np.array(x)
    _, deviation, axes = np.linalg.svd(np.sqrt(weight)[:, None] * centred, full_matrices=False)
    vectors = centred @ axes[:d].T / np.sqrt(deviation[:d])
    return vectors * rms / math.sqrt(weight @ (vectors**2).mean(axis=1))


def replicated_energy(model, words, h):
    """E(v, h) of the replicated softmax, word by word: -sum_k n_k b_k - N c.h - h.W n."""
    total = 0.0
    for word in words:
        total -= model.b[word]
        for j, h_j in enumerate(h):
            weight_j = sum(u * x for u, x in zip(model.U[j], model.D[word], strict=True))
            total -= h_j * (model.c[j] + weight_j)
    return total


def replicated_log_Z(model, length):
    """log Z of documents of this many words, over all sequences of words and hidden vectors."""
    K, H = len(model.b), len(model.c)
    total = 0.0
    for words in itertools.product(range(K), repeat=length):
        for h in itertools.product((0, 1), repeat=H):
            total += math.exp(-replicated_energy(model, words, h))
    return math.log(total)
