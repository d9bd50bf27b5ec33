"""What a report says is what the result says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import InvalidInputError
from consensa.metrics import clustering_scores, partition_agreement
from consensa.report import Run
from consensa.report._collect import collect_report

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def model(planted):
    return cs.TEA(3, generator="precomputed", random_state=0).fit(planted[0])


def test_the_numbers_are_those_of_the_result(model, planted):
    run = Run(scores=clustering_scores(planted[1], model.labels_), seconds=1.25, source="x.csv")
    data = collect_report(model, run=run)
    assert data.title == "3 clusters in 60 samples"
    assert data.mean_confidence == f"{model.confidence_.mean():.2f}"
    assert data.n_doubtful == (model.confidence_ < 0.5).sum()
    assert [row.size for row in data.clusters] == np.bincount(model.labels_).tolist()
    agreement = partition_agreement(model.ensemble_, model.labels_)
    assert [row.agreement for row in data.partitions] == agreement.agreement.tolist()
    assert data.scores["acc"] == 1.0
    facts = dict(data.facts)
    assert facts["Seed"] == "0"
    assert facts["Time"] == "1.2 s"
    assert facts["Order of the rows"] == "not used (order-free method)"
    assert dict(data.versions)["consensa"] == cs.__version__


def test_a_share_that_is_not_the_whole_is_not_called_one():
    labels = np.stack([np.repeat([0, 1], 500)] * 6, axis=1)
    assert collect_report(cs.combine(labels, 2)).mean_confidence == "1.00"
    labels[0, 0] = 1
    assert collect_report(cs.combine(labels, 2)).mean_confidence == "> 0.99"


def test_the_histogram_counts_every_sample_once(model):
    counts = collect_report(model).histogram
    assert sum(counts["all"]) == 60
    assert np.array([counts[str(c)] for c in range(3)]).sum(0).tolist() == counts["all"]
    assert counts["all"][-1] == (model.confidence_ >= 0.95).sum()


def test_the_least_certain_come_first_by_their_names(model):
    names = [f"id {i}" for i in range(60)]
    rows = collect_report(model, ids=names).samples
    least = int(model.confidence_.argmin())
    assert rows[0].name == names[least]
    assert rows[0].cluster == model.labels_[least]
    assert [row.confidence for row in rows] == sorted(model.confidence_)
    assert all(row.rival != row.cluster for row in rows)
    assert all(row.confidence + row.rival_share <= 1 + 1e-9 for row in rows)


def test_names_come_from_the_frame_if_none_are_given(planted):
    import pandas as pd

    frame = pd.DataFrame(planted[0], index=[f"row {i}" for i in range(60)])
    model = cs.TEA(3, generator="precomputed").fit(frame)
    assert collect_report(model).samples[0].name.startswith("row ")
    assert collect_report(model, ids=range(60)).samples[0].name.isdigit()


def test_a_result_tells_as_much_as_an_estimator_but_the_generator(planted, model):
    ensemble = cs.Ensemble.from_labels(planted[0])
    of_result = collect_report(cs.tea(ensemble, 3))
    of_model = collect_report(model)
    assert of_result.map == of_model.map
    assert of_result.samples == of_model.samples
    assert of_result.clusters == of_model.clusters
    assert "consensa.tea(ensemble, n_clusters=3)" in of_result.python
    assert dict(of_result.facts)["Seed"] == "not used by the method"


@pytest.mark.parametrize("method", [cs.TEA, cs.SPCE])
def test_an_estimator_and_its_result_give_the_same_page(method, planted):
    given = cs.RandomKMeans(6).generate(planted[0].astype(float), random_state=0)
    for model, data in [
        (method(3, generator=cs.RandomKMeans(6), random_state=1), planted[0].astype(float)),
        (method(3, generator="precomputed", random_state=1), planted[0]),
        (method(3, random_state=1), given),
    ]:
        model.fit(data)
        pages = [collect_report(thing) for thing in (model, model.result_)]
        one, other = (dataclasses.replace(page, made="") for page in pages)
        assert one == other


def test_the_page_tells_the_generator_that_was_used_and_the_details(planted):
    model = cs.TEA(3, random_state=0).fit(planted[0].astype(float))
    facts = dict(collect_report(model.result_).facts)
    assert facts["Generator"] == repr(model.result_.generator)
    assert facts["exact"] == "True"
    sec = cs.SEC(3, generator="precomputed", random_state=0).fit(planted[0])
    facts = dict(collect_report(sec).facts)
    assert facts["converged"] == "True"
    assert facts["n_iter"] == str(sec.n_iter_)


def test_one_call_without_choices_says_its_method(planted):
    data = collect_report(cs.combine(planted[0], 3))
    assert "combined by TEA" in data.lede


def test_names_of_another_length_are_refused(model):
    with pytest.raises(InvalidInputError, match="each of the 60 samples"):
        collect_report(model, ids=["a", "b"])


@pytest.mark.parametrize("thing", [cs.EAC(2), "page", None])
def test_what_is_no_answer_is_refused(thing):
    with pytest.raises(InvalidInputError, match="A report needs a ConsensusResult or a fitted"):
        collect_report(thing)


def test_the_evidence_for_the_number_of_clusters(model, planted):
    found = cs.select_n_clusters(
        planted[0], [2, 3, 4], generator="precomputed", n_references=0, random_state=0
    )
    selection = collect_report(model, selection=found).selection
    assert [row.n_clusters for row in selection.rows] == [2, 3, 4]
    assert [row.pac for row in selection.rows] == found.scores["pac"].tolist()
    assert selection.finding == found.finding
