"""Tables and figures → one self-contained HTML page.

`collect_page` turns them into plain values; the template turns those into HTML and escapes
all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from consensa._machine.atomic import writing
from consensa.report.template import data_uri, render
from consensa.study._critical_differences import picture_of
from consensa.study._order_effect import findings, order_table
from consensa.study._remarks import remarks_on
from consensa.study._summary import Summary
from consensa.study._table_files import Tables
from consensa.study._tables import Table
from consensa.study._views import FigureView, Image, Page, Section, view_of
from consensa.study._words import HEADS, footnotes, legend
from consensa.study.cells import Record
from consensa.study.draws import METRICS
from consensa.study.experiments import Experiments
from consensa.study.figures import DrawnFigure
from consensa.study.material import Material

__all__ = ["collect_page", "to_page", "write_page"]

_SHORT_METRICS = ("nmi", "acc")
_LEDE = (
    "The experiments of “Clustering Ensemble Meets Low-rank Tensor Approximation” (Jia, Liu, Hou "
    "and Zhang, AAAI 2021), computed by Consensa: the paper's values and ours, with the rows in "
    "the order of the published files and with the same rows shuffled."
)
_MOST_EMBEDDED = 400_000  # maximum number of bytes of an SVG; above it, the PNG is smaller


def write_page(
    experiments: Experiments,
    material: Material,
    tables: Tables,
    figures: Sequence[DrawnFigure],
    out: Path,
) -> Path:
    """Write ``index.html``: tables, figures, and the numbers of cells."""
    cells = {cell.key: cell for cell in experiments.cells(material.datasets)}
    page = collect_page(
        tables,
        figures,
        material.found(cells.values()),
        wanted=len(cells),
        out=out,
        command=str(experiments.page),
    )
    path = out / "index.html"
    with writing(path) as temporary:
        temporary.write_text(to_page(page), encoding="utf-8")
    return path


def to_page(page: Page) -> str:
    """The page as HTML, self-contained, without scripts, with all values escaped."""
    return render("consensa.study", "study.html", page=page)


def collect_page(
    tables: Tables,
    figures: Sequence[DrawnFigure],
    records: Sequence[Record],
    *,
    wanted: int,
    out: Path,
    command: str,
) -> Page:
    """Contents of the page, from tables, figures and their cells."""
    sections = [_section(table) for table in tables.sets]
    over = "the draws"
    if len(tables.sets) > 1:
        summary = tables.summary
        sections.append(_section(summary.table, summary, _differences(summary, out)))
        over = "the draws, in the summary over the sets,"
    return Page(
        title="The paper's study, reproduced and audited",
        lede=_LEDE,
        findings=findings(tables.sets),
        order=order_table(tables.sets),
        sections=sections,
        figures=[_figure(each) for each in figures],
        command=command,
        provenance=_provenance(records, wanted),
        legend=legend(over, second="underlined"),
    )


def _section(
    table: Table, summary: Summary | None = None, images: Sequence[Image] = ()
) -> Section:
    return Section(
        anchor=f"set-{table.name}",
        name=table.name,
        title=table.title,
        remarks=remarks_on(table),
        short=view_of(table, summary, _SHORT_METRICS),
        whole=view_of(table, summary, METRICS),
        notes=footnotes(table),
        images=list(images),
    )


def _differences(summary: Summary, out: Path) -> list[Image]:
    """The figures of critical differences."""
    images = []
    for source, (names, compared) in summary.comparisons.items():
        stem = picture_of(out, source)
        if not stem.with_suffix(".svg").exists():
            continue
        ranked = sorted(zip(compared.mean_ranks, names, strict=True))
        words = ", ".join(f"{name} {rank:.2f}" for rank, name in ranked)
        alt = (
            f"Mean ranks by NMI, {HEADS[source]}: {words}. Differences of less than "
            f"{compared.critical_difference:.2f} are not significant."
        )
        images.append(_image(stem, alt))
    return images


def _figure(drawn: DrawnFigure) -> FigureView:
    return FigureView(
        anchor=f"figure-{drawn.figure.name}",
        title=drawn.figure.title,
        about=drawn.about,
        images=[_image(stem, alt) for stem, alt in drawn.pictures],
        data=[path.name for path in drawn.data],
        left_out=drawn.left_out,
        possible=drawn.possible,
    )


def _image(stem: Path, alt: str) -> Image:
    """The SVG as a data URI; the PNG if the SVG is large."""
    vector = stem.with_name(f"{stem.name}.svg")
    if vector.stat().st_size <= _MOST_EMBEDDED:
        kind, data = "svg+xml", vector.read_bytes()
    else:
        kind, data = "png", stem.with_name(f"{stem.name}.png").read_bytes()
    return Image(data_uri(data, kind), alt)


def _provenance(records: Sequence[Record], wanted: int) -> list[str]:
    """Numbers of cells by state, and the libraries that computed them."""
    states: Counter[str] = Counter()
    versions: Counter[tuple[tuple[str, str], ...]] = Counter()
    for record in records:
        states[record.state] += 1
        versions[tuple(sorted(record.versions.items()))] += 1
    states["missing"] = wanted - states.total()
    counted = [f"{count} {state}" for state, count in sorted(states.items()) if count]
    said = [f"{wanted} cells: {', '.join(counted)}."]
    for found, count in versions.most_common():
        libraries = ", ".join(f"{name} {version}" for name, version in found)
        said.append(f"{count} cells computed with {libraries}.")
    return said
