# SPDX-License-Identifier: Apache-2.0
import copy
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._types import Ids, StrPath


class LatticePaths:
    """Paths of different lengths: path ``i`` is ``nodes[lims[i]:lims[i + 1]]``, with both ends. An empty one says that there is none.

    >>> [path.tolist() for path in Lattice(1, 5, blocked_nodes=[3]).paths([(0, 2), (0, 4)])]
    [[0, 1, 2], []]
    """

    __slots__ = ("lims", "nodes")

    def __init__(self, lims: NDArray[np.int64], nodes: NDArray[np.int64]) -> None:
        self.lims: NDArray[np.int64] = lims  #: int64 [paths + 1], from 0
        self.nodes: NDArray[np.int64] = nodes  #: int64 [lims[-1]]

    def __len__(self) -> int:
        """The number of paths."""
        return len(self.lims) - 1

    def __getitem__(self, path: int) -> NDArray[np.int64]:
        count = len(self)
        if not -count <= path < count:
            raise IndexError(f"path {path} of {count}")
        path %= count
        return self.nodes[self.lims[path]:self.lims[path + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        return (self[path] for path in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.LatticePaths: {len(self)} paths, {len(self.nodes)} nodes>"


class LatticeDistances(NamedTuple):
    """Distances of nodes from the nearest source.

    >>> Lattice(1, 4).distances([0], targets=[3])
    LatticeDistances(distances=array([3], dtype=uint32), reached=4, farthest=3)
    """

    distances: NDArray[np.uint32]  #: one per target, or per node; 2³² − 1 where no path leads
    reached: int  #: number of reached nodes, with the sources
    farthest: int  #: greatest distance of a reached node


class LatticeRows(NamedTuple):
    """A lattice as compressed sparse rows, as :meth:`SpreadingEngine.from_csr` takes them, with both directions of every edge.

    >>> Lattice(1, 3).rows()
    LatticeRows(indptr=array([0, 1, 3, 4]), indices=array([1, 0, 2, 1], dtype=uint32))
    """

    indptr: NDArray[np.int64]  #: [nodes + 1]
    indices: NDArray[np.uint32]  #: [indptr[-1]]


class Lattice(Closing):
    """A cubic lattice: ``size`` nodes along each of its dimensions, with edges between neighbours. Nodes and edges are implicit.

    Blocked nodes and edges are not used by paths and searches; rows and measurements cover the whole lattice. Immutable, thread-safe.

    Calls with ``space`` run in that space instead of the dispatcher's choice.

    Args:
        dimensions: 1 … 20
        size: 2 … 1000
        blocked_nodes: nodes
        blocked_edges: pairs of neighbours, in either order: int64 ``[n, 2]`` or a collection of pairs
        context: None: the default context

    >>> lattice = Lattice(2, 3)
    >>> lattice.path(0, 8)
    array([0, 1, 2, 5, 8])
    >>> lattice.distances([0]).distances.reshape(3, 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]], dtype=uint32)
    """

    __slots__ = ("__weakref__", "_native", "_options")

    def __init__(self, dimensions: int, size: int, *, blocked_nodes: Ids = (), blocked_edges: "NDArray[np.int64] | Iterable[tuple[int, int]]" = (),
                 context: Context | None = None) -> None:
        # Copies: for pickling, after the caller has changed them.
        nodes = list(blocked_nodes) if isinstance(blocked_nodes, Iterable) and not isinstance(blocked_nodes, str) else blocked_nodes
        edges = list(blocked_edges) if isinstance(blocked_edges, Iterator) else copy.deepcopy(blocked_edges)
        self._native = _kindred.Lattice(dimensions, size, nodes, edges, native(context))
        self._options = (dimensions, size, nodes, edges)

    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
        return self._native.dimensions()

    @property
    def size(self) -> int:
        """The number of nodes along each dimension."""
        return self._native.size()

    @property
    def nodes(self) -> int:
        """The number of nodes: ``size ** dimensions``."""
        return self._native.nodes()

    def coordinates(self, node: int) -> NDArray[np.uint32]:
        """The coordinates of a node: uint32 ``[dimensions]``.

        >>> Lattice(2, 3).coordinates(5)
        array([1, 2], dtype=uint32)
        """
        return self._native.coordinates(node)

    def index(self, coordinates: Ids) -> int:
        """The node at ``coordinates``, integers ``[dimensions]``.

        >>> Lattice(2, 3).index([1, 2])
        5
        """
        return self._native.index(coordinates)

    def neighbours(self, node: int) -> NDArray[np.int64]:
        """The neighbours of a node, blocked ones included: int64 ``[degree]``.

        >>> Lattice(2, 3).neighbours(0)
        array([3, 1])
        """
        return self._native.neighbours(node)

    def is_blocked(self, node: int) -> bool:
        """Whether a node is blocked."""
        return self._native.is_blocked(node)

    def metrics(self) -> dict[str, Any]:
        """Numbers of nodes and edges, degrees, density, diameter and bytes, in closed form."""
        return self._native.metrics()

    def measure(self, *, space: str | None = None) -> dict[str, Any]:
        """The numbers of :meth:`metrics`, measured on the rows, with components and clustering.

        >>> Lattice(2, 3).measure()["components"]
        1
        """
        return self._native.measure(space)

    def rows(self, *, space: str | None = None) -> LatticeRows:
        """The lattice as compressed sparse rows.

        >>> SpreadingEngine.from_csr(*Lattice(2, 3).rows())
        <pykindred.SpreadingEngine: 9 nodes, 24 edges>
        """
        return LatticeRows(*self._native.rows(space))

    def dense(self) -> NDArray[np.uint8]:
        """The adjacency matrix, uint8 ``[nodes, nodes]``."""
        return self._native.dense()

    def save(self, path: StrPath, *, space: str | None = None) -> None:
        """Writes the rows to ``path``, atomically, as a file for :meth:`SpreadingEngine.load`.

        >>> Lattice(2, 3).save("lattice.kindred")
        """
        self._native.save(path, space)

    def path(self, source: int, target: int, *, space: str | None = None) -> NDArray[np.int64]:
        """A shortest path from ``source`` to ``target`` with both ends, always the same one: int64, empty if there is none.

        >>> Lattice(2, 3, blocked_nodes=[1]).path(0, 2)
        array([0, 3, 4, 5, 2])
        """
        return self._native.path(source, target, space)

    def paths(self, pairs: "NDArray[np.int64] | Iterable[tuple[int, int]]", *, space: str | None = None) -> LatticePaths:
        """Shortest paths of pairs of nodes: int64 ``[n, 2]`` or a collection of pairs.

        >>> Lattice(2, 3).paths([(0, 2), (4, 4)]).lims
        array([0, 3, 4])
        """
        return LatticePaths(*self._native.paths(pairs, space))

    def all_paths(self, source: int, target: int, edges_max: int, *, limit: int = 1_000_000) -> LatticePaths:
        """All simple paths of at most ``edges_max`` edges, in the order of a depth-first search.

        Args:
            source, target: nodes

        Raises:
            InvalidArgument: there are more than ``limit``

        >>> [path.tolist() for path in Lattice(2, 2).all_paths(0, 3, 2)]
        [[0, 2, 3], [0, 1, 3]]
        """
        return LatticePaths(*self._native.all_paths(source, target, edges_max, limit))

    def distances(self, sources: Ids, *, targets: Ids | None = None, space: str | None = None) -> LatticeDistances:
        """Distances from the nearest of the ``sources``, of all nodes or of ``targets``.

        >>> Lattice(1, 4).distances([0, 3]).distances
        array([0, 1, 1, 0], dtype=uint32)
        """
        return LatticeDistances(*self._native.distances(sources, targets, space))

    def __reduce__(self) -> Any:
        self._native.nodes()  # raises if it is closed
        return _restored, (type(self), *self._options)

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.Lattice: closed>"
        return f"<pykindred.Lattice: {self.dimensions} dimensions of {self.size}, {self.nodes} nodes>"


def _restored(kind: type[Lattice], dimensions: int, size: int, blocked_nodes: Any, blocked_edges: Any) -> Lattice:
    """An unpickled or copied lattice, in the default context."""
    return kind(dimensions, size, blocked_nodes=blocked_nodes, blocked_edges=blocked_edges)
