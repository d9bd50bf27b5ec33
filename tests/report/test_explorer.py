"""The page as a place to explore: what it shows for another k is what the library computes."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import consensa as cs
from consensa import metrics
from consensa._result.wording import two_digits
from consensa.report import Run, write_report
from consensa.report._cuts import cuts_of

NAMES = [f"plant {i}" for i in range(90)]


@pytest.fixture(scope="module")
def plants():
    """90 samples around three centers, their classes, and a consensus of partitions with gaps."""
    rng = np.random.RandomState(0)
    truth = np.repeat(["oak", "elm", "ash"], 30)
    centers = np.repeat([[0, 0], [6, 1], [2, 6]], 30, axis=0)
    X = pd.DataFrame(rng.normal(size=(90, 2)) * 1.8 + centers, columns=["height", "width"])
    labels = np.array(cs.RandomKMeans(12, n_clusters=(3, 7)).generate(X, random_state=0).codes)
    labels[rng.uniform(size=labels.shape) < 0.05] = -1
    return X, truth, cs.eac(cs.Ensemble.from_labels(labels), 3)


@pytest.fixture(scope="module")
def page(plants, tmp_path_factory):
    X, truth, result = plants
    path = tmp_path_factory.mktemp("explorer") / "page.html"
    run = Run(source="plants.csv", names_title="plant")
    write_report(result, path, X=X, truth=truth, ids=NAMES, run=run)
    return path


def set_k(browser, k):
    browser.locator("#k").fill(str(k))
    wait_for_k(browser, k)


def wait_for_k(browser, k):
    browser.locator("#k-value", has_text=re.compile(f"^{k}$")).wait_for()
    browser.locator("body[data-state=ready]").wait_for()


def cut(result, k):
    return replace(result, labels=result.cut(k), confidence=None)


def column(browser, table, place, what="dataset.v"):
    """Values of a column of a table, from the first row to the last."""
    rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
    return browser.evaluate(f"{rows}.map(row => row.cells[{place}].{what})")


def drawn(browser, name):
    """The picture on a canvas, after it was scrolled to; what is not on screen waits."""
    browser.locator(name).scroll_into_view_if_needed()
    browser.evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")
    return browser.locator(name).evaluate("canvas => canvas.toDataURL()")


def names_in_table(browser):
    return column(browser, "samples", 0)


def selected_names(browser):
    assert browser.locator("#samples-which").input_value() == "selected"
    return set(names_in_table(browser))


@pytest.fixture(scope="module")
def points(plants):
    found = cs.sample_map(plants[0]).points
    return found - found.min(axis=0)


def places_of(browser, points):
    """Where the samples are drawn on the map: both axes have the same scale."""
    box = browser.locator("#plane").bounding_box()
    width, height = box["width"] - 2, box["height"] - 2  # the border
    right, top = points.max(axis=0)
    scale = min((width - 28) / right, (height - 28) / top)
    x, y = points.T
    return np.column_stack(
        [
            box["x"] + 1 + (width - scale * right) / 2 + scale * x,
            box["y"] + 1 + (height + scale * top) / 2 - scale * y,
        ]
    )


# ---- another number of clusters ----------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 6])
def test_the_labels_that_are_saved_are_those_of_the_command(plants, page, open_page, k):
    X, _, result = plants
    browser = open_page(page, accept_downloads=True).page
    if k != 3:
        set_k(browser, k)
    with browser.expect_download() as saved:
        browser.locator("#export").click()
    assert saved.value.suggested_filename == f"labels-k{k}.csv"
    text = saved.value.path().read_text()
    table = cs.sample_table(cut(result, k), X).round({"confidence": 6, "rival_share": 6})
    table.insert(0, "plant", NAMES)
    assert text == table.to_csv(index=False)
    found = pd.read_csv(io.StringIO(text)).cluster
    assert_array_equal(found, result.labels if k == 3 else result.cut(k))


@pytest.mark.parametrize("k", [2, 5])
def test_tables_and_counts_follow_the_number_of_clusters(plants, page, open_page, k):
    X, _, result = plants
    opened = open_page(page)
    browser = opened.page
    set_k(browser, k)
    labels = result.cut(k)
    stable = metrics.cluster_stability(result.ensemble, labels)
    for place, expected in [(1, stable.sizes), (2, stable.stability), (3, stable.cohesion)]:
        assert_allclose(np.array(column(browser, "clusters", place), float), expected)
    rivals = column(browser, "clusters", 4, "textContent")
    assert [int(text.split()[0]) for text in rivals] == stable.rival.tolist()
    assert browser.locator("#n-clusters").text_content() == str(k)
    confidence = metrics.sample_confidence(result.ensemble, labels)
    assert browser.locator("#mean-confidence").text_content() == two_digits(confidence.mean())
    assert int(browser.locator("#n-doubtful").text_content()) == (confidence < 0.5).sum()
    assert_allclose(np.array(column(browser, "samples", 1), float), np.sort(confidence))
    least = [NAMES[i] for i in np.argsort(confidence, kind="stable")]
    assert names_in_table(browser)[:5] == least[:5]
    profiles = cs.cluster_profiles(X, labels)
    assert column(browser, "profile-rows", 1) == profiles.feature.tolist()
    assert_allclose(np.array(column(browser, "profile-rows", 4), float), profiles.effect)
    bins = browser.locator("#histogram .bin").last.get_attribute("aria-label")
    assert int(re.search(r": (\d+) sample", bins)[1]) == (confidence >= 0.95).sum()
    assert opened.errors == []


def test_a_number_is_said_with_what_it_is_and_the_result_comes_back(page, open_page):
    browser = open_page(page).page
    note = browser.locator("#k-note")
    assert note.get_attribute("role") == "status"
    assert note.text_content() == "3 clusters: the result."
    assert not browser.locator(".of-answer").first.is_visible()
    before = column(browser, "clusters", 2)
    browser.locator("#k").focus()
    browser.keyboard.press("ArrowRight")
    wait_for_k(browser, 4)
    assert "-k 4 fits anew and may differ" in note.text_content()
    assert browser.locator("#k").get_attribute("aria-valuetext") == "4 clusters"
    assert browser.locator(".of-answer").first.is_visible()
    browser.locator("#k-back").click()
    wait_for_k(browser, 3)  # the tables follow later
    assert note.text_content() == "3 clusters: the result."
    assert_allclose(np.array(column(browser, "clusters", 2), float), np.array(before, float))


def test_map_and_matrix_are_drawn_again_for_another_number(page, open_page):
    browser = open_page(page).page
    pictures = ["#plane", "#map-canvas"]
    before = [drawn(browser, name) for name in pictures]
    set_k(browser, 6)
    for name, was in zip(pictures, before, strict=True):
        assert drawn(browser, name) != was
    set_k(browser, 3)
    assert [drawn(browser, name) for name in pictures] == before


def test_a_cluster_has_one_number_and_one_color_on_the_whole_page(plants, page, open_page):
    browser = open_page(page).page
    set_k(browser, 6)
    colors = {}
    for mark in browser.locator(
        "#clusters .cluster, #samples .cluster, #profile-rows .cluster, #compare-table th .cluster"
        ", #parts span, #tree-picture .node.now"
    ).all():
        html = mark.evaluate("e => e.outerHTML")
        name = mark.evaluate("e => (e.querySelector('text') || e).textContent")
        if name in set("012345"):  # and not a known class, or a part too small for a number
            colors.setdefault(name, set()).add(re.search(r"\bk(\d)\b", html)[1])
    expected = cuts_of(plants[2]).colors[5]
    assert colors == {str(c): {str(color)} for c, color in enumerate(expected)}


def test_the_matrix_tells_the_clusters_on_screen(plants, page, open_page):
    result = plants[2]
    browser = open_page(page).page
    set_k(browser, 5)
    labels, alike = result.cut(5), cs.coassociation(result.ensemble)
    for cluster in range(5):  # each is one block
        browser.locator("#map-cluster").select_option(str(cluster))
        browser.locator("#map-select").click()
        assert selected_names(browser) == {NAMES[i] for i in np.flatnonzero(labels == cluster)}
    browser.locator("#map-cluster").select_option("3")
    browser.locator("#map-canvas").focus()
    browser.keyboard.press("ArrowRight")
    said = browser.locator("#map-readout").text_content()
    found = re.findall(r"plant (\d+) \(cluster (\d)", said)
    (one, cluster), (other, same) = [(int(name), int(number)) for name, number in found]
    assert cluster == same == labels[one] == labels[other] == 3
    assert int(said.split()[0]) == pytest.approx(100 * alike[one, other], abs=0.51)
    browser.keyboard.press("s")
    assert selected_names(browser) == {NAMES[one], NAMES[other]}


def test_rows_of_several_samples_are_selected_as_a_whole(plants, open_page, tmp_path, monkeypatch):
    from consensa.report import _cuts, _map

    monkeypatch.setattr(_map, "MOST_SAMPLES", 10)
    monkeypatch.setattr(_map, "MOST_ROWS", 14)
    monkeypatch.setattr(_cuts, "MOST_ROWS", 7)
    result = plants[2]
    write_report(result, tmp_path / "page.html", ids=NAMES)
    browser = open_page(tmp_path / "page.html").page
    assert browser.locator("#k").get_attribute("max") == "7"
    for k in (3, 6):
        set_k(browser, k)
        for cluster in range(k):
            browser.locator("#map-cluster").select_option(str(cluster))
            browser.locator("#map-select").click()
            members = np.flatnonzero(result.cut(k) == cluster)
            assert selected_names(browser) == {NAMES[i] for i in members}
            browser.locator("#map-all").click()


def test_a_cluster_keeps_its_color_as_long_as_it_is_not_the_smaller_half(plants):
    result = plants[2]
    cuts = cuts_of(result)
    assert cuts.numbers[:3] == [1, 2, 3]
    assert cuts.colors[2] == [0, 1, 2]  # those of the result
    for place, (k, colors) in enumerate(zip(cuts.numbers, cuts.colors, strict=True)):
        assert len(set(colors)) == k
        assert_array_equal(np.array(cuts.clusters[place])[cuts.part_of_sample], result.cut(k))
    for finer, coarser in zip(cuts.colors[1:], cuts.colors, strict=False):
        assert set(coarser) - {0, 1, 2} <= set(finer)


def test_without_a_tree_there_is_no_slider_and_the_page_says_so(plants, open_page, tmp_path):
    result = cs.sec(plants[2].ensemble, 3, n_init=1, random_state=0)
    write_report(result, tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    assert opened.page.locator("#k").count() == 0
    assert "did not build a tree" in opened.page.locator("#explore").text_content()
    assert opened.page.locator("#tree-picture").count() == 0
    opened.page.locator("#samples .why").first.click()
    assert "confidence" in opened.page.locator("#why-text").text_content()
    assert opened.errors == []


def test_a_tree_of_other_labels_is_not_cut(plants):
    result = plants[2]
    moved = replace(result, labels=np.roll(result.labels, 1))
    assert cuts_of(moved).numbers == [3]


# ---- selection ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["lasso", "box"])
def test_drawing_on_the_map_selects_rows_and_blocks(plants, points, page, open_page, shape):
    browser = open_page(page, height=1400).page
    browser.locator(f"#plane-{shape}").check()
    matrix = drawn(browser, "#map-canvas")
    browser.locator("#plane").scroll_into_view_if_needed()
    places = places_of(browser, points)
    chosen = places[np.flatnonzero(plants[2].labels == 0)[:8]]
    (x0, y0), (x1, y1) = chosen.min(axis=0) - 8, chosen.max(axis=0) + 8
    browser.mouse.move(x0, y0)
    browser.mouse.down()
    corners = [(x1, y1)] if shape == "box" else [(x1, y0), (x1, y1), (x0, y1), (x0, y0)]
    for x, y in corners:
        browser.mouse.move(x, y, steps=4)
    inside = (places > [x0, y0]).all(axis=1) & (places < [x1, y1]).all(axis=1)
    browser.mouse.up()
    assert selected_names(browser) == {NAMES[i] for i in np.flatnonzero(inside)}
    assert browser.locator("#selection-note").text_content() == f"{inside.sum()} samples selected"
    assert drawn(browser, "#map-canvas") != matrix
    browser.locator("#plane").evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    browser.keyboard.down("Shift")  # adds to the selection
    browser.mouse.click(*places_of(browser, points)[np.flatnonzero(~inside)[0]])
    browser.keyboard.up("Shift")
    assert len(selected_names(browser)) == inside.sum() + 1
    browser.locator("#selection-clear").click()
    assert browser.locator("#samples-which").input_value() == "least"
    assert drawn(browser, "#map-canvas") == matrix


def test_the_matrix_and_the_tables_select_on_the_map(plants, page, open_page):
    browser = open_page(page).page
    nothing = drawn(browser, "#plane")
    browser.locator("#map-cluster").select_option("1")
    browser.locator("#map-select").click()
    members = {NAMES[i] for i in np.flatnonzero(plants[2].labels == 1)}
    assert selected_names(browser) == members
    of_cluster = drawn(browser, "#plane")
    assert of_cluster != nothing
    browser.locator("#selection-clear").click()
    browser.locator("#clusters .goto").nth(1).click()
    assert selected_names(browser) == members
    assert drawn(browser, "#plane") == of_cluster
    browser.locator("#selection-clear").click()
    first = names_in_table(browser)[0]
    browser.get_by_label(f"Select {first}", exact=True).check()
    assert browser.locator("#selection-note").text_content() == "1 sample selected"
    assert drawn(browser, "#plane") not in (nothing, of_cluster)


def test_a_selection_stays_when_the_number_of_clusters_changes(plants, page, open_page):
    browser = open_page(page).page
    browser.locator("#clusters .goto").first.click()
    chosen = selected_names(browser)
    set_k(browser, 5)
    assert selected_names(browser) == chosen
    clusters = set(column(browser, "samples", 2))
    assert clusters == set(map(str, plants[2].cut(5)[plants[2].labels == 0]))


def test_the_map_is_used_by_keyboard_alone(plants, page, open_page):
    browser = open_page(page).page
    browser.locator("#plane").focus()
    browser.keyboard.press("ArrowLeft")
    said = browser.locator("#plane-readout").text_content()
    name = re.match(r"plant \d+", said)[0]
    browser.keyboard.press("Enter")
    assert browser.locator("#why-text .who b").text_content() == name.removesuffix("cluster")
    assert selected_names(browser) == {name}
    for key in ["b", *["ArrowRight"] * 6, *["ArrowDown"] * 3, "b"]:
        browser.keyboard.press(key)
    assert "selected" in browser.locator("#plane-readout").text_content()
    browser.keyboard.press(" ")
    browser.keyboard.press("Escape")
    assert browser.locator("#selection").is_hidden()


def test_a_finger_taps_and_draws_when_asked(points, page, open_page):
    phone = {"width": 390, "height": 800, "has_touch": True, "is_mobile": True}
    opened = open_page(page, **phone)
    browser = opened.page
    plane = browser.locator("#plane")
    plane.scroll_into_view_if_needed()
    browser.touchscreen.tap(*places_of(browser, points)[4])
    assert browser.locator("#why-text .who b").text_content().startswith("plant ")
    browser.locator("#plane-draw").tap()
    assert browser.locator("#plane-draw").get_attribute("aria-pressed") == "true"
    assert plane.evaluate("e => getComputedStyle(e).touchAction") == "none"
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    corners = [(4, 4), (box["width"] - 4, 4), (box["width"] - 4, box["height"] - 4)]
    finger = browser.context.new_cdp_session(browser)
    for kind, place in zip(
        ["touchStart", "touchMove", "touchMove", "touchMove"], [*corners, (4, box["height"] - 4)],
        strict=True,
    ):  # fmt: skip
        touch = {"x": box["x"] + place[0], "y": box["y"] + place[1]}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [touch]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert browser.locator("#selection-note").text_content() == "90 samples selected"
    assert opened.errors == []


def test_the_table_finds_every_sample_by_its_name(page, open_page):
    browser = open_page(page).page
    browser.locator("#samples-filter").fill("plant 7")
    assert set(names_in_table(browser)) == {"plant 7", *(f"plant 7{i}" for i in range(10))}
    browser.locator("#samples-filter").fill("none of these")
    assert names_in_table(browser) == []
    assert browser.locator("#samples-count").text_content() == "0 shown"


# ---- why here? ---------------------------------------------------------------------------------


def test_a_sample_is_explained_by_its_partitions_rival_and_nearest_samples(
    plants, page, open_page
):
    result = plants[2]
    browser = open_page(page).page
    rivals = metrics.sample_rivals(result.ensemble, result.labels)
    sample = int(rivals.share.argmax())
    browser.locator("#why-name").fill(NAMES[sample].upper())
    browser.locator("#why-form button").click()
    said = browser.locator("#why-text").text_content()
    assert f"confidence {result.confidence[sample]:.2f}" in said
    assert f"rival is cluster {rivals.rival[sample]}, with a support of" in said
    assert f"support of {rivals.share[sample]:.2f}" in said
    alike = cs.coassociation(result.ensemble)[sample]
    alike[sample] = -1
    buttons = browser.locator("#why-text .nearest .why")
    near = [int(button.get_attribute("data-sample")) for button in buttons.all()]
    assert_allclose(alike[near], np.sort(alike)[::-1][: len(near)])
    votes = re.findall(r"(\d+) mostly with samples of cluster (\d+)", said)
    known = int((result.ensemble.codes[sample] >= 0).sum())
    assert sum(int(number) for number, _ in votes) <= known
    rows = browser.locator("#why-text details tbody tr")
    assert rows.count() == result.ensemble.n_partitions
    buttons.first.click()
    assert browser.locator("#why-text .who b").text_content() == NAMES[near[0]]
    set_k(browser, 6)
    cluster = result.cut(6)[near[0]]
    assert f"Cluster {cluster}," in browser.locator("#why-text .who").text_content()


def test_each_partition_says_with_whom_it_puts_a_sample(plants, page, open_page):
    result = plants[2]
    browser = open_page(page).page
    browser.locator("#why-name").fill("plant 31")
    browser.keyboard.press("Enter")
    browser.locator("#why-text summary").click()
    for m, row in enumerate(browser.locator("#why-text details tbody tr").all()):
        codes = result.ensemble.codes[:, m]
        _, where, others = row.locator("th, td").all_text_contents()
        if codes[31] < 0:
            assert (where, others) == ("not labeled", "")
            continue
        there = np.flatnonzero(codes == codes[31])
        there = there[there != 31]
        assert int(others) == len(there)
        counts = np.bincount(result.labels[there], minlength=3)
        assert where == f"{counts.argmax()} {round(100 * counts.max() / len(there))} %"


def test_a_name_that_is_not_there_is_said(page, open_page):
    browser = open_page(page).page
    browser.locator("#why-name").fill("rose")
    browser.keyboard.press("Enter")
    assert "No sample has a name with “rose”" in browser.locator("#why-text").text_content()


# ---- the tree ----------------------------------------------------------------------------------


def test_the_tree_sets_the_number_and_selects_the_cluster(plants, page, open_page):
    result = plants[2]
    browser = open_page(page).page
    nodes = browser.locator("#tree-picture .node")
    k = int(browser.locator("#k").get_attribute("max"))
    assert nodes.count() == k * (k + 1) // 2
    sizes = np.bincount(result.cut(5))
    label = f"5 clusters: cluster 2, {sizes[2]} sample"
    browser.locator(f"#tree-picture [aria-label^='{label}']").click()
    assert browser.locator("#k").input_value() == "5"
    assert selected_names(browser) == {NAMES[i] for i in np.flatnonzero(result.cut(5) == 2)}
    assert nodes.locator("visible=true").count() > 0
    assert browser.locator("#tree-picture .node.now").count() == 5


def test_the_tree_is_walked_with_arrows(page, open_page):
    browser = open_page(page).page
    assert browser.locator("#tree-picture .node[tabindex='0']").count() == 1
    browser.locator("#tree-picture .node[tabindex='0']").focus()
    label = "document.activeElement.getAttribute('aria-label')"
    assert browser.evaluate(label).startswith("3 clusters: cluster 0")
    browser.keyboard.press("ArrowDown")
    assert browser.evaluate(label).startswith("4 clusters")
    browser.keyboard.press("ArrowUp")
    browser.keyboard.press("ArrowUp")
    assert browser.evaluate(label).startswith("2 clusters")
    browser.keyboard.press("Enter")
    assert browser.locator("#k").input_value() == "2"
    assert browser.evaluate(label).startswith("2 clusters")  # the focus stays
    assert browser.locator("#tree-picture .node[tabindex='0']").count() == 1


# ---- two partitions -----------------------------------------------------------------------------


def test_the_known_classes_stand_beside_the_clusters(plants, page, open_page):
    _, truth, result = plants
    browser = open_page(page).page
    for k in (3, 4):
        set_k(browser, k)
        expected = pd.crosstab(result.cut(k), pd.Categorical(truth, ["oak", "elm", "ash"]))
        heads = browser.locator("#compare-table thead th").all_text_contents()
        assert heads == ["oak", "elm", "ash"]
        rows = browser.locator("#compare-table tbody tr").all()
        found = [[int(text) for text in row.locator("td").all_text_contents()] for row in rows]
        assert found == expected.to_numpy().tolist()
        score = metrics.adjusted_rand_index(truth, result.cut(k))
        said = browser.locator("#compare-readout").text_content()
        assert f"Adjusted Rand index {score:.3f}." in said
    browser.locator("#compare-table .count-cell").first.click()
    chosen = (result.cut(4) == 0) & (truth == "oak")
    assert selected_names(browser) == {NAMES[i] for i in np.flatnonzero(chosen)}


def test_any_two_partitions_are_compared(plants, page, open_page):
    result = plants[2]
    browser = open_page(page).page
    left = drawn(browser, "#compare-plane-left")
    browser.locator("#compare-left").select_option("0")
    browser.locator("#compare-right").select_option("result")
    codes = result.ensemble.codes[:, 0]
    expected = pd.crosstab(codes, result.labels)
    names = browser.locator("#compare-table tbody th").all_text_contents()
    assert names == ["missing" if code < 0 else str(code) for code in expected.index]
    rows = browser.locator("#compare-table tbody tr").all()
    found = [[int(text) for text in row.locator("td").all_text_contents()] for row in rows]
    assert found == expected.to_numpy().tolist()
    assert drawn(browser, "#compare-plane-left") != left


def test_a_truth_of_another_length_is_refused(plants, tmp_path):
    with pytest.raises(cs.exceptions.InvalidInputError, match="class for each of the 90 samples"):
        write_report(plants[2], tmp_path / "page.html", truth=["a", "b"])


# ---- sizes -------------------------------------------------------------------------------------


def test_what_is_too_large_for_the_page_is_left_out(plants, open_page, tmp_path, monkeypatch):
    from consensa.report import _explorer

    X, truth, result = plants
    monkeypatch.setattr(_explorer, "_MOST_SAMPLES", 80)
    write_report(result, tmp_path / "page.html", X=X, truth=truth, ids=NAMES)
    opened = open_page(tmp_path / "page.html")
    assert opened.page.locator("#explore, #k, #compare").count() == 0
    assert "too many samples" in opened.page.locator("#answer").text_content()
    assert opened.page.locator("img[alt^='Map of 90 samples']").count() == 1
    opened.page.locator(".goto").first.click()
    assert opened.page.locator("#map-cluster").input_value() == "0"
    opened.page.locator("#samples-filter").fill("plant 8")
    assert opened.page.locator("#samples-count").text_content() == "11 shown"
    assert opened.errors == []


def test_profiles_of_too_many_features_are_those_of_the_result(
    plants, open_page, tmp_path, monkeypatch
):
    from consensa.report import _description

    X, _, result = plants
    monkeypatch.setattr(_description, "_MOST_EFFECTS", 100)
    write_report(result, tmp_path / "page.html", X=X)
    browser = open_page(tmp_path / "page.html").page
    assert browser.locator("#no-profiles").is_hidden()
    set_k(browser, 4)
    assert browser.locator("#no-profiles").is_visible()
    assert column(browser, "profile-rows", 0) == []
    set_k(browser, 3)
    assert len(column(browser, "profile-rows", 0)) == 6
    assert browser.locator("#no-profiles").is_hidden()


def test_the_largest_page_has_less_than_40_megabytes():
    from consensa.report import _explorer
    from consensa.report._packed import packed

    rng = np.random.RandomState(0)
    n = _explorer._MOST_SAMPLES // 10  # a tenth of everything
    noise = rng.bytes(_explorer._MOST_BYTES // 10)  # does not compress
    others = {
        "part_of_sample": rng.randint(240, size=n).astype(np.uint32),
        "points": rng.randint(65536, size=2 * n).astype(np.uint16),
        "distance": rng.uniform(size=1000),
        "point_of_sample": rng.randint(10_000, size=n).astype(np.uint32),
        "truth": rng.randint(100, size=n).astype(np.uint32),
        "row_of_sample": rng.randint(240, size=n).astype(np.uint16),
        "matrix": rng.bytes(240 * 240),
    }
    assert len(packed({"labels": noise, **others}).data) < 4_000_000
