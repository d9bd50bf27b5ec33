"""Frames with text columns become features."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

import consensa
from consensa import EAC, DiverseKinds, LandmarkSpectral, Mixed, RandomKMeans
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.features._drawn_frame import drawn_frame
from consensa.features.seen import SeenFeatures, read_new
from consensa.metrics import adjusted_rand_index

FRAME = pd.DataFrame(
    {
        "height": [1.0, 3.0, 5.0, 7.0],
        "color": ["red", "blue", "red", "green"],
        "old": [1, 0, 1, 0],
    }
)
HEIGHTS = np.array([1.0, 3.0, 5.0, 7.0]) / 6  # by the range
WEIGHT = np.sqrt((np.var(HEIGHTS) + 0.25) / 2 / 0.625)  # mean variance; 5 of 8 pairs differ
COLORS = WEIGHT * np.array([[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
BY_HAND = np.c_[HEIGHTS, COLORS, [1, 0, 1, 0]]


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.astype({"color": "category"}),
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).with_columns(pl.col("color").cast(pl.Categorical)),
    ],
    ids=["pandas", "pandas categories", "polars", "polars categories"],
)
def test_text_columns_are_one_hot_encoded_and_numbers_divided_by_their_range(frame):
    features = read_features(frame)
    assert features.is_scaled
    assert features.encoding.text_columns == ["color"]
    assert_allclose(features.array, BY_HAND)


@pytest.mark.parametrize("cut", [0.0, 1.5])
def test_two_samples_differ_as_much_by_a_text_as_by_a_number_on_average(cut):
    x = np.random.default_rng(0).normal(size=2000)
    frame = pd.DataFrame({"x": x * 40, "w": np.where(x > cut, "a", "b")})
    points = read_features(frame).array
    squares = (points[:, None] - points[None]) ** 2
    assert squares[..., 0].mean() == pytest.approx(squares[..., 1:].sum(axis=2).mean())
    assert np.ptp(points[:, 0]) == pytest.approx(1)


def test_frames_of_numbers_pass_as_they_are():
    for frame in (FRAME[["height", "old"]], FRAME[["height"]].astype(object)):
        features = read_features(frame)
        assert features.encoding is None
        assert not features.is_scaled
        assert_array_equal(features.array, frame.to_numpy(dtype=float))
    written_as_text = read_features(FRAME["height"].astype(str).to_frame())
    assert written_as_text.encoding is None


def test_gaps_and_names_of_samples_alone_are_refused():
    with pytest.raises(InvalidInputError, match=r"'bad' of X has no value in row 1 .* 0 others"):
        read_features(FRAME.assign(bad=["a", None, "b", "b"]))
    with pytest.raises(InvalidInputError, match=r"'bad' of X has a different value in each of"):
        read_features(pd.DataFrame({"bad": ["a", "b", "c", "d"]}))


def test_gaps_and_infinities_beside_text_are_refused():
    with pytest.raises(InvalidInputError, match=r"^Column 'height' of X has no value in row 2"):
        read_features(FRAME.assign(height=[1.0, 2.0, np.nan, 3.0]))
    with pytest.raises(InvalidInputError, match=r"'height' of X must be finite. Row 0 .* has inf"):
        read_features(FRAME.assign(height=[np.inf, 2.0, 1.0, 3.0]))


@pytest.mark.parametrize("beside", [[], ["old"], ["old", "color"]], ids=len)
@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            pd.date_range("2020-01-01", periods=4),
            r"Row 0 .*Timestamp\('2020.* days since the first date",
        ),
        (pd.to_timedelta([1, 2, 3, 4], unit="D"), r"Row 0 .* has Timedelta\('1 day"),
        (pd.period_range("2020", periods=4), r"Row 0 .* has Period\('2020"),
        (["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-03"], "It contains dates: row 0"),
        (pd.Series([1, "a", 2, "b"], dtype=object), r"Row 1 .* has 'a'.* or to text, or drop it"),
        (pd.Series([[1], [2], [3], [4]], dtype=object), r"Row 0 .* has \[1\]"),
        ([1j, 2, 3, 4], "Row 0 .* has 1j"),
        (["1", "2", "?", "4"], "3 of its 4 entries are numbers, but row 2 .* has '\\?'"),
    ],
    ids=["date", "duration", "period", "text", "mixed", "lists", "complex", "question mark"],
)
def test_columns_of_neither_numbers_nor_text_are_named(column, said, beside):
    with pytest.raises(
        InvalidInputError, match=f"Column 'bad' of X must contain numbers or .*{said}"
    ):
        read_features(FRAME[beside].assign(bad=column))


def test_columns_of_polars_are_named_too():
    days = pl.DataFrame({"x": [1, 2], "day": [date(2020, 1, 1), date(2020, 1, 2)]})
    with pytest.raises(InvalidInputError, match="Column 'day' of X must contain numbers or text"):
        consensa.cluster(days, 2)


@pytest.mark.parametrize(
    ("column", "has"),
    [
        ([1.0, 2.0, np.nan, 4.0], "NaN"),
        ([1.0, 2.0, np.inf, 4.0], "infinity"),
        (pd.array([1, 2, None, 4], dtype="Int64"), "<NA>"),
    ],
    ids=["NaN", "infinity", "NA"],
)
def test_a_gap_in_a_frame_of_numbers_is_named(column, has):
    frame = FRAME[["old"]].assign(bad=column)
    with pytest.raises(InvalidInputError, match=f"Column 'bad' has {has} in row 2 .* Fill them"):
        read_features(frame)
    if has != "<NA>":
        with pytest.raises(InvalidInputError, match=f"Column 'bad' has {has} in row 2"):
            read_features(pl.from_pandas(frame))


def test_a_frame_of_an_array_of_text_is_taken_as_the_advice_says():
    words = np.array([["a", "1"], ["a", "2"], ["b", "3"]])
    weight = np.sqrt(np.var([0, 0.5, 1]) / (4 / 9))
    expected = weight * np.array([[1, 0], [1, 0], [0, 1]])
    assert_allclose(read_features(pd.DataFrame(words)).array[:, :2], expected)


def mixed_clusters():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], 60)
    return truth, pd.DataFrame(
        {
            "income": 1e5 + 1e4 * rng.normal(size=120),
            "age": 40 + 10 * truth + 3 * rng.normal(size=120),
            "city": np.where(truth == 0, "Bonn", rng.choice(["Ulm", "Jena"], 120)),
            "pet": np.where(truth == 0, "cat", "dog"),
        }
    )


@pytest.mark.parametrize(
    "generator", [RandomKMeans(n_clusters=2), LandmarkSpectral(), DiverseKinds()]
)
def test_text_columns_tell_clusters_apart_that_numbers_hide(generator):
    truth, frame = mixed_clusters()
    model = EAC(2, generator=generator, random_state=0).fit(frame)
    assert adjusted_rand_index(truth, model.labels_) > 0.9
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list(frame.columns)


def blobs_and_a_text_that_means_nothing(seed):
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1], 100)
    frame = pd.DataFrame(rng.normal(size=(200, 3)) + 6 * truth[:, None], columns=list("xyz"))
    return truth, frame.assign(word=rng.choice(["u", "v"], 200))


def blobs_and_a_text_that_means_a_little():
    truth, frame = blobs_and_a_text_that_means_nothing(0)
    other = np.random.RandomState(1).random_sample(200) < 0.06
    return truth, frame.assign(word=np.where(other, frame["word"], np.array(["u", "v"])[truth]))


@pytest.mark.parametrize("seed", range(3))
def test_a_random_text_does_not_outweigh_the_numbers(seed):
    truth, frame = blobs_and_a_text_that_means_nothing(seed)
    labels = consensa.cluster(frame, 2, random_state=0).labels
    assert adjusted_rand_index(truth, labels) == 1


def test_an_outlier_does_not_squeeze_the_numbers_either():
    truth, frame = blobs_and_a_text_that_means_nothing(0)
    frame.loc[5, list("xyz")] = 1e5
    model = EAC(2, generator=LandmarkSpectral(), random_state=0).fit(frame)
    assert adjusted_rand_index(np.delete(truth, 5), np.delete(model.labels_, 5)) == 1
    assert_array_equal(model.predict(frame), model.labels_)


def test_the_order_of_the_rows_changes_no_digit():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 20))).rename(columns=str)
    frame["word"] = rng.choice(["u", "v"], 200)
    order = rng.permutation(200)
    assert_array_equal(read_features(frame.iloc[order]).array, read_features(frame).array[order])


@pytest.mark.parametrize(
    "generator",
    [
        LandmarkSpectral(),
        LandmarkSpectral(scaling="standard"),
        DiverseKinds(6, metric="euclidean"),
        DiverseKinds(6, metric="euclidean", scaling="standard"),
        Mixed([LandmarkSpectral()]),
    ],
    ids=["range", "standard", "auto", "standard kinds", "mixed"],
)
@pytest.mark.filterwarnings("ignore:scaling='standard' is not used")
def test_what_the_reading_of_text_scaled_is_not_scaled_again(generator):
    truth, frame = blobs_and_a_text_that_means_a_little()
    settings = {"n_clusters": 2, "random_state": 0}
    if not isinstance(generator, Mixed):
        unscaled = clone(generator).set_params(scaling="none")
        once = unscaled.generate(read_features(frame).array, **settings)
        assert_array_equal(generator.generate(frame, **settings).labels, once.labels)
    model = EAC(generator=generator, **settings).fit(frame)
    assert adjusted_rand_index(truth, model.labels_) == 1
    assert_array_equal(model.predict(frame), model.labels_)
    assert (
        generator.get_params() == type(generator)(**generator.get_params(deep=False)).get_params()
    )


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (None, DiverseKinds(scaling="none", metric="euclidean")),
        (LandmarkSpectral(6), LandmarkSpectral(6, scaling="none")),
    ],
    ids=["default", "own"],
)
def test_the_choice_of_the_number_of_clusters_scales_text_once_too(given, same):
    _, frame = blobs_and_a_text_that_means_a_little()
    settings = {"n_references": 0, "n_draws": 3, "random_state": 0}
    wanted = consensa.select_n_clusters(
        read_features(frame).array, [2, 3], generator=same, **settings
    )
    found = consensa.select_n_clusters(frame, [2, 3], generator=given, **settings)
    assert_array_equal(found.scores, wanted.scores)


def test_new_samples_are_read_with_the_text_of_the_fit():
    _, frame = mixed_clusters()
    model = EAC(2, generator=RandomKMeans(n_clusters=2), random_state=0).fit(frame)
    answer = model.predict(frame.iloc[::7].assign(city="Köln"))  # a city that nobody had
    assert_array_equal(answer, model.labels_[::7])
    with pytest.raises(InvalidInputError, match=r"must have the columns \['income'"):
        model.predict(frame[["income", "age", "city"]])
    with pytest.raises(InvalidInputError, match="must be a frame with the columns"):
        model.predict(np.zeros((3, 4)))
    numbers = np.random.default_rng(0).normal(size=(20, 3))
    assert model.fit(numbers).predict(numbers).shape == (20,)  # the words are forgotten


def test_an_encoding_can_be_used_again():
    seen = SeenFeatures.of(read_features(FRAME), "EAC")
    assert_allclose(read_new(FRAME.iloc[[2, 0]], seen), BY_HAND[[2, 0]])
    new = read_new(FRAME.assign(color="pink"), seen)
    assert_array_equal(new[:, 1:4], 0)  # like none of the known ones


def test_integers_of_128_bits_are_numbers():
    frame = pl.DataFrame({"a": pl.Series([1, 2, 3], dtype=pl.Int128), "b": [0.5, 1.0, 2.0]})
    assert_array_equal(read_features(frame).array, [[1, 0.5], [2, 1], [3, 2]])
    with pytest.raises(InvalidInputError, match="has NaN in row 1"):
        read_features(pl.DataFrame({"a": pl.Series([1, None, 3], dtype=pl.Int128)}))


@pytest.mark.parametrize("nothing", ["NaN", "sNaN"])
def test_decimals_that_are_not_a_number_are_missing(nothing):
    with pytest.raises(InvalidInputError, match="'a' of X has no value in row 1"):
        read_features(pd.DataFrame({"a": [Decimal(1), Decimal(nothing)], "b": [1, 2]}))


@pytest.mark.parametrize("nothing", [None, pd.NA, np.nan])
def test_dates_with_gaps_are_refused_as_dates(nothing):
    days = pd.array(["2026-01-02", nothing, "2026-01-03"], dtype=object)
    with pytest.raises(InvalidInputError, match=r"'day' of X must .* It contains dates: row 0"):
        read_features(pd.DataFrame({"day": days, "x": [1.0, 2.0, 3.0]}))


def test_one_random_text_column_does_not_spoil_the_clusters():
    flowers = load_iris(as_frame=True)
    for n_values in (2, 5):
        texts = np.random.default_rng(n_values).choice(list("abcde")[:n_values], 150)
        frame = flowers.data.assign(site=texts)
        labels = consensa.cluster(frame, 3, generator=DiverseKinds(12), random_state=0).labels
        assert adjusted_rand_index(flowers.target, labels) > 0.85
        assert read_features(frame).encoding.ignored_columns == ["site"]


def test_a_text_column_that_belongs_to_the_clusters_is_used():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=200)
    noisy = np.where(rng.random(200) < 0.2, 1 - group, group)
    frame = pd.DataFrame({"x": rng.normal(size=200) + group, "w": np.array(["a", "b"])[noisy]})
    encoding = read_features(frame).encoding
    assert encoding.ignored_columns == []
    shuffled = frame.sample(frac=1, random_state=0)
    assert vars(read_features(shuffled).encoding.columns["w"]) == vars(encoding.columns["w"])
    texts = frame.assign(x=np.array(["u", "v"])[group])  # text beside text
    assert read_features(texts).encoding.ignored_columns == []


def test_text_columns_of_few_rows_or_without_others_are_used():
    rng = np.random.default_rng(0)
    few = pd.DataFrame({"x": rng.normal(size=49), "w": rng.choice(list("ab"), 49)})
    assert read_features(few).encoding.ignored_columns == []
    alone = pd.DataFrame({"v": rng.choice(list("ab"), 90), "w": rng.choice(list("ab"), 90)})
    assert read_features(alone).encoding.ignored_columns == []


def test_text_of_a_large_frame_that_occurs_twice_is_no_name():
    words = [f"w{i // 2}" for i in range(40)]
    frame = nw.from_native(pd.DataFrame({"word": words}), eager_only=True)
    drawn = drawn_frame(frame, limit=20).get_column("word").to_list()
    assert sorted(drawn) == sorted(words)
    unique = nw.from_native(pd.DataFrame({"word": sorted(set(words))}), eager_only=True)
    assert len(set(drawn_frame(unique, limit=15).get_column("word"))) == 15
