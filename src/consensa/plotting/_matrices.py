"""Several affinities of the same samples, with a common color bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consensa._array import Array, as_array, to_numpy
from consensa._docs import DISPLAY, documented
from consensa._optional import require
from consensa.exceptions import InvalidInputError
from consensa.plotting.blocks import block_means

__all__ = ["MatricesDisplay"]


@documented(DISPLAY)
class MatricesDisplay:
    """Several affinity matrices side by side, with a common color bar.

    Parameters
    ----------
    matrices : mapping of str to array of shape (n, n)
        Affinities by their names, samples in the same order; in [0, 1] to fit the bar.
    max_cells : int, default=400
        Maximum number of rows and columns of an image. Larger matrices are drawn as the means of
        square blocks.

    Attributes
    ----------
    %(figure_)s
    axes_ : list of matplotlib Axes
        The axes of each matrix.
    images_ : list of matplotlib AxesImage
        The matrices.
    colorbar_ : matplotlib Colorbar
        The one color bar.

    See Also
    --------
    AffinityDisplay : One matrix, ordered by cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.plotting import MatricesDisplay
    >>> display = MatricesDisplay({"given": np.eye(4), "ideal": np.ones((4, 4))}).plot()
    >>> [ax.get_title() for ax in display.axes_]
    ['given', 'ideal']
    """

    figure_: Any
    axes_: list[Any]
    images_: list[Any]
    colorbar_: Any

    def __init__(self, matrices: Mapping[str, Any], *, max_cells: int = 400) -> None:
        self.matrices = matrices
        self.max_cells = max_cells

    def plot(
        self, figure: Any = None, *, cmap: str = "viridis", columns: int = 4
    ) -> MatricesDisplay:
        """Draw the matrices and the color bar.

        Parameters
        ----------
        figure : matplotlib Figure or None, default=None
            Empty figure to draw on; None makes a new one.
        cmap : str, default="viridis"
            Color map. The default can be read by the color-blind and in gray.
        columns : int, default=4
            Maximum number of matrices in a row.

        Returns
        -------
        MatricesDisplay
            The display itself.

        See Also
        --------
        AffinityDisplay.plot : The drawing of one matrix.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa.plotting import MatricesDisplay
        >>> display = MatricesDisplay({"given": np.eye(4)}).plot(cmap="cividis")
        >>> display.images_[0].get_clim()
        (0.0, 1.0)
        """
        drawn = {name: self._read(name, matrix) for name, matrix in self.matrices.items()}
        if not drawn:
            message = "matrices must hold at least one matrix. It is empty."
            raise InvalidInputError(message)
        across = min(columns, len(drawn))
        down = -(-len(drawn) // across)
        self.figure_ = _new_figure(across, down) if figure is None else figure
        grid = self.figure_.subplots(down, across, squeeze=False).ravel()
        self.axes_ = list(grid[: len(drawn)])
        self.images_ = []
        for ax, (name, cells) in zip(self.axes_, drawn.items(), strict=True):
            image = ax.imshow(cells, cmap=cmap, vmin=0, vmax=1, interpolation="nearest")
            self.images_.append(image)
            ax.set_title(name, fontsize="medium")
            ax.set_xticks([])
            ax.set_yticks([])
        for ax in grid[len(drawn) :]:
            ax.set_axis_off()
        self.colorbar_ = self.figure_.colorbar(
            self.images_[0], ax=list(grid), label="affinity", fraction=0.03, pad=0.02
        )
        self.colorbar_.outline.set_visible(False)
        return self

    def _read(self, name: str, given: Any) -> Array:
        matrix = to_numpy(as_array(given))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
            message = f"matrices must be square, n × n. {name!r} has shape {matrix.shape}."
            raise InvalidInputError(message)
        return block_means(matrix, np.arange(len(matrix)), self.max_cells)


def _new_figure(across: int, down: int) -> Any:
    pyplot = require("matplotlib.pyplot", extra="plot", purpose="MatricesDisplay")
    return pyplot.figure(figsize=(2.6 * across + 0.8, 2.8 * down), layout="constrained")
