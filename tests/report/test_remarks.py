"""What a report warns of, in plain words and in order of weight."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import ConsensaWarning, ConvergenceWarning, DegenerateRefinementWarning
from consensa.report._collect import collect_report

pytestmark = pytest.mark.usefixtures("undrawn")


def titles(result, **options):
    return [remark.title for remark in collect_report(result, **options).remarks]


def lta(labels, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        return cs.LTA(3, generator="precomputed", random_state=0, **options).fit(labels)


def test_a_good_answer_has_no_remarks(planted):
    assert titles(cs.TEA(3, generator="precomputed").fit(planted[0])) == []


def test_the_order_comes_first(planted):
    result = lta(planted[0], max_iter=60).result_
    said = (DegenerateRefinementWarning("odd <b>matrix</b>"), *result.warnings)
    remarks = collect_report(dataclasses.replace(result, warnings=said)).remarks
    assert remarks[0].title == "The result depends on the order of the rows"
    assert "how the file is sorted" in remarks[0].text  # the planted rows are sorted by cluster
    assert remarks[1].title == "The solver did not converge"
    assert remarks[2].text == "odd <b>matrix</b>"
    assert len({remark.title for remark in remarks}) == len(remarks)


def test_a_solver_without_a_trace_that_did_not_finish():
    labels = np.random.RandomState(0).randint(6, size=(60, 8))
    with pytest.warns(ConvergenceWarning) as said:
        model = cs.SEC(6, generator="precomputed", max_iter=1, random_state=0).fit(labels)
    remarks = collect_report(model).remarks
    assert remarks[0].title == "The solver did not converge"
    assert remarks[0].text == str(said[0].message)


def test_shuffled_rows_are_said_to_tell_nothing(planted):
    model = lta(planted[0][np.random.RandomState(0).permutation(60)])
    assert "no relation to the partitions was found" in collect_report(model).remarks[0].text


def test_a_method_that_was_made_free_of_the_order_is_not_blamed(planted):
    model = lta(planted[0], domain="graph")
    assert "order" not in " ".join(titles(model))


def test_fewer_clusters_than_asked_for():
    with pytest.warns(ConsensaWarning):
        result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1], [1, 1]]), 3)
    assert titles(result)[0] == "2 clusters instead of the 3 requested"
    with pytest.warns(ConsensaWarning):
        result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0]]), 2)
    assert titles(result)[0] == "1 cluster instead of the 2 requested"


def test_partitions_that_are_all_the_same():
    assert "All base partitions are the same" in titles(
        cs.combine([[0] * 6, [0] * 6, [1] * 6, [1] * 6], 2)
    )


def test_doubt_clusters_of_one_and_missing_labels():
    rng = np.random.RandomState(3)
    labels = rng.randint(5, size=(40, 6))
    labels[rng.uniform(size=labels.shape) < 0.3] = -1
    labels[0] = 4
    found = titles(cs.eac(cs.Ensemble.from_labels(labels), 9))
    assert any("have a confidence below one half" in title for title in found)
    assert any("a low stability" in title for title in found)
    assert any("of one sample" in title for title in found)
    assert any("of the labels are missing" in title for title in found)


def test_a_partition_that_has_nothing_to_do_with_the_answer(planted):
    odd = np.random.RandomState(0).randint(3, size=(60, 1))
    model = cs.TEA(3, generator="precomputed").fit(np.concatenate([planted[0], odd], axis=1))
    assert titles(model) == ["1 of 9 base partitions hardly agrees with the consensus"]


def test_few_partitions():
    assert "Only 2 base partitions" in titles(cs.combine([[0, 1], [0, 1], [1, 1], [1, 0]], 2))


def test_no_clusters_beyond_noise_and_weak_evidence(planted):
    model = cs.TEA(3, generator="precomputed").fit(planted[0])
    found = cs.select_n_clusters(
        planted[0], [2, 3], generator="precomputed", n_references=0, n_draws=3, random_state=0
    )
    for change, words in [
        ({"n_clusters": 1, "answer": "one"}, "no cluster structure"),
        ({"n_clusters": 3, "answer": "unclear"}, "number of clusters is not clear"),
        ({"n_clusters": 3, "answer": "several"}, "Several numbers of clusters are good"),
        ({"n_clusters": 3, "answer": "unknown"}, "cannot tell the number"),
        ({"n_clusters": 3, "answer": "clear"}, None),
    ]:
        remarks = titles(model, selection=dataclasses.replace(found, **change))
        assert (words is None and remarks == []) or words in remarks[0]
