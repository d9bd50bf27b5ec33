"""Order information: energy of the co-association matrix by frequency."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.metrics import order_spectrum
from consensa.metrics.spectrum import spectrum_information, spectrum_threshold
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, tidy

__all__ = ["OrderSpectrumDisplay"]

_LEAST = 1e-7  # smaller shares are drawn at the bottom


class OrderSpectrumDisplay(Display):
    """Fourier energy of the co-association matrix along its rows.

    For rows in random order all frequencies have about the same energy. The sum of the energy
    above the threshold is `consensa.metrics.order_information`: what a method that is not
    order-free can exploit.

    Parameters
    ----------
    spectrum : array-like of shape (n_samples // 2,)
        Proportions of `consensa.metrics.order_spectrum`, for the rows as given.
    shuffled : array-like of shape (n_samples // 2,) or None, default=None
        The same of shuffled rows, for comparison.
    n_samples : int or None, default=None
        Number of rows; None is twice the number of frequencies.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    lines_ : list of matplotlib Line2D
        Proportions for the rows as given, and for shuffled rows if there are any.
    information_ : float
        Energy above the threshold: the order information.

    See Also
    --------
    OrderAgreementDisplay : The effect on the result of a method.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.plotting import OrderSpectrumDisplay
    >>> sorted_rows = np.kron(np.eye(2), np.ones((50, 50)))
    >>> display = OrderSpectrumDisplay.from_coassociation(sorted_rows)
    >>> round(display.information_, 2)
    0.71
    """

    spectrum: Any
    shuffled: Any = None
    _: KW_ONLY
    n_samples: int | None = None

    lines_: list[Any] = field(init=False)
    information_: float = field(init=False)

    @classmethod
    def from_coassociation(
        cls, coassociation: Any, *, random_state: int = 0, ax: Any = None
    ) -> OrderSpectrumDisplay:
        """Draw the spectrum of a co-association matrix, as it is and with its rows shuffled.

        Parameters
        ----------
        coassociation : array of shape (n_samples, n_samples)
            Co-association matrix, with the rows in the order to be examined.
        random_state : int, default=0
            Seed of the shuffle.
        %(ax)s

        Returns
        -------
        OrderSpectrumDisplay
            The display, drawn.

        See Also
        --------
        OrderSpectrumDisplay.plot : The drawing itself.

        Examples
        --------
        >>> import numpy as np
        >>> from consensa.plotting import OrderSpectrumDisplay
        >>> len(OrderSpectrumDisplay.from_coassociation(np.eye(9)).lines_)
        2
        """
        matrix = np.asarray(coassociation)
        # The energy does not depend on the order of the columns.
        order = np.random.RandomState(random_state).permutation(len(matrix))
        spectra = order_spectrum(matrix), order_spectrum(matrix[order])
        return cls(*spectra, n_samples=len(matrix)).plot(ax)

    def plot(self, ax: Any = None) -> OrderSpectrumDisplay:
        """Draw the shares on logarithmic axes.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        OrderSpectrumDisplay
            The display itself.

        See Also
        --------
        OrderSpectrumDisplay.from_coassociation : From a matrix in one call.

        Examples
        --------
        >>> from consensa.plotting import OrderSpectrumDisplay
        >>> OrderSpectrumDisplay([0.8, 0.1, 0.05, 0.05]).plot().ax_.get_xscale()
        'log'
        """
        spectrum, shuffled, n_samples = self._read()
        threshold = spectrum_threshold(n_samples)
        self.information_ = spectrum_information(spectrum, n_samples)
        self._draw_on(ax)
        frequencies = np.arange(1, len(spectrum) + 1)
        self.lines_ = []
        if shuffled is not None:
            style = {"color": "0.6", "linewidth": 1, "label": "rows shuffled"}
            self.lines_ += self.ax_.plot(frequencies, np.maximum(shuffled, _LEAST), **style)
        style = {"color": COLORS[0], "linewidth": 1.4, "label": "rows as given"}
        self.lines_.insert(0, self.ax_.plot(frequencies, np.maximum(spectrum, _LEAST), **style)[0])
        above = np.maximum(spectrum, threshold)
        self.ax_.fill_between(
            frequencies, threshold, above, color=COLORS[0], alpha=0.25, linewidth=0
        )
        style = {"color": "0.25", "linestyle": "--", "label": "threshold"}
        self.ax_.axhline(threshold[0], linewidth=1, **style)
        self._name()
        return self

    def _read(self) -> tuple[Array, Array | None, int]:
        spectrum = np.asarray(self.spectrum, dtype=float)
        shuffled = None if self.shuffled is None else np.asarray(self.shuffled, dtype=float)
        n_samples = 2 * len(spectrum) if self.n_samples is None else self.n_samples
        for name, shares in (("spectrum", spectrum), ("shuffled", shuffled)):
            if shares is not None and shares.shape != (n_samples // 2,):
                message = (
                    f"{name} must hold the shares of the {n_samples // 2} frequencies of "
                    f"{n_samples} rows. Got shape {shares.shape}."
                )
                raise InvalidInputError(message)
        return spectrum, shuffled, n_samples

    def _name(self) -> None:
        self.ax_.set_xscale("log")
        self.ax_.set_yscale("log")
        self.ax_.set_xlabel("frequency along the rows")
        self.ax_.set_ylabel("proportion of the energy")
        self.ax_.set_title(f"Order information {self.information_:.2f}")
        self.ax_.legend(frameon=False, loc="best")
        tidy(self.ax_)
