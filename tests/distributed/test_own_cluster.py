"""Without a client: a local cluster is started and closed."""

from __future__ import annotations

import dask
import dask.array as da
import distributed as dask_distributed
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa import distributed


@pytest.mark.filterwarnings("ignore")  # of Dask's own, while processes start and end
def test_without_a_client_a_local_cluster_is_started_and_closed():
    labels = np.random.default_rng(0).integers(0, 4, (40, 5))
    options = {"generator": "precomputed", "random_state": 0}
    model = distributed.LWGP(3, **options).fit(da.from_array(labels, chunks=(20, 5)))
    with pytest.raises(ValueError, match="No clients found"):
        dask_distributed.Client.current()
    original = consensa.LWGP(3, **options).fit(labels)
    with dask.config.set(scheduler="synchronous"):
        assert_array_equal(model.labels_.compute(), original.labels_)
        assert model.confidence_.compute().shape == (40,)
