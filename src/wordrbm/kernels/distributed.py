"""What ranks send each other in an update, packed and unpacked: see `training/exchange.py`.

A rank computes the shards rank, rank + world, ... and updates the rows and the slices of dense
parameters that it owns. It sends its shards' gradients to the owners, and the parameters it has
updated to all. A row that one rank alone has in an update is that rank's, so its gradient is not
sent; any other has the owner of `barrier.py`'s rule.
"""

from numba import njit

from wordrbm.kernels.barrier import owner_thread, thread_slice
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.optimizer import STRIDE, average_dense
from wordrbm.kernels.periodic import average_row
from wordrbm.shapes import Array

NO_OWNER = -1


@njit(cache=True, nogil=True)
def assign_owners(gradient, world, owner, out):  # type: ignore[no-untyped-def]
    """Write the distinct rows of all shards, in the order of the shards; how many there are.

    ``owner[w]`` becomes the rank that owns row w; it is `NO_OWNER` for all K rows before.
    """
    count = 0
    for shard in range(len(gradient.rows)):
        rank = shard % world
        for w in gradient.row_index[shard, : gradient.rows[shard]]:
            if owner[w] == NO_OWNER:
                owner[w] = rank
                out[count] = w
                count += 1
            elif owner[w] != rank:
                owner[w] = owner_thread(w, world)
    return count


@njit(cache=True, nogil=True)
def count_rows_by_owner(row_index: Array, owner: Array, counts: Array) -> None:
    """``counts[p]`` is how many of these rows rank p owns."""
    counts[:] = 0
    for w in row_index:
        counts[owner[w]] += 1


@njit(cache=True, nogil=True)
def flip_rows_of_others(rank, owner, gradient):  # type: ignore[no-untyped-def]
    """Turn the number w of a row that another rank owns into -1 - w, and back."""
    for shard in range(len(gradient.rows)):
        row_index = gradient.row_index[shard, : gradient.rows[shard]]
        for r in range(row_index.size):
            w = max(row_index[r], -1 - row_index[r])
            if owner[w] != rank:
                row_index[r] = -1 - row_index[r]


@njit(cache=True, nogil=True)
def pack_gradient(rank, world, owner, gradient, shard, out):  # type: ignore[no-untyped-def]
    """Write the part of a shard's gradient that `rank` applies into `out`; its length."""
    end = 0
    for dense in (gradient.U[shard].reshape(-1), gradient.c[shard]):
        part = dense[thread_slice(rank, world, dense.size)]
        out[end : end + part.size] = part
        end += part.size
    d = gradient.D.shape[2]
    for r in range(gradient.rows[shard]):
        if owner[gradient.row_index[shard, r]] == rank:
            out[end : end + d] = gradient.D[shard, r]
            out[end + d] = gradient.b[shard, r]
            out[end + d + 1] = gradient.weight[shard, r]
            end += d + 2
    return end


@njit(cache=True, nogil=True)
def unpack_gradient(rank, world, owner, gradient, shard, values):  # type: ignore[no-untyped-def]
    """Read what `pack_gradient` wrote into the gradient of the shard; its length."""
    end = 0
    for dense in (gradient.U[shard].reshape(-1), gradient.c[shard]):
        part = dense[thread_slice(rank, world, dense.size)]
        part[:] = values[end : end + part.size]
        end += part.size
    d = gradient.D.shape[2]
    for r in range(gradient.rows[shard]):
        if owner[gradient.row_index[shard, r]] == rank:
            gradient.D[shard, r] = values[end : end + d]
            gradient.b[shard, r] = values[end + d]
            gradient.weight[shard, r] = values[end + d + 1]
            end += d + 2
    return end


@njit(cache=True, nogil=True)
def pack_parameters(rank, world, owner, parameters, rows, out):  # type: ignore[no-untyped-def]
    """Write the slices of U and c and the rows of D and b that this rank owns; their length."""
    end, d = 0, parameters.D.shape[1]
    for dense in (parameters.U.reshape(-1), parameters.c):
        part = dense[thread_slice(rank, world, dense.size)]
        out[end : end + part.size] = part
        end += part.size
    for w in rows:
        if owner[w] == rank:
            out[end : end + d], out[end + d] = parameters.D[w], parameters.b[w]
            end += d + 1
    return end


@njit(cache=True, nogil=True)
def unpack_parameters(rank, world, owner, parameters, averages, rows, step, bound, values):  # type: ignore[no-untyped-def]
    """Read the parameters that another rank has updated; whether the dense ones are within `bound`.

    The averages of a row are brought up to date before the row changes, as its owner did.
    """
    end, d, within = 0, parameters.D.shape[1], True
    for dense, average in (
        (parameters.U.reshape(-1), averages.U.reshape(-1)),
        (parameters.c, averages.c),
    ):
        part = thread_slice(rank, world, dense.size)
        dense[part] = values[end : end + part.stop - part.start]
        end += part.stop - part.start
        within = within and all_within(dense[part], bound)
        if averages.power > 0 and step % STRIDE == 0:
            average_dense(dense[part], average[part], step // STRIDE, averages.power)
    now = (step - 1) // STRIDE
    for w in rows:
        if owner[w] == rank:
            if averages.power > 0 and averages.covered[w] < now:
                average_row(parameters, averages, w, now)
            parameters.D[w], parameters.b[w] = values[end : end + d], values[end + d]
            end += d + 1
    return within
