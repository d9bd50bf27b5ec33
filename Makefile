# The commands of the README. Each one sets up what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest

.PHONY: demo docs docs-links test faults check test-lowest format clean bench bench-methods bench-order bench-import bench-number bench-default bench-speed bench-page study leaderboard house fuzz release-check release-check-fast bench-quick paper note

demo: $(VENV)/.demo
	$(BIN)/consensa demo --output out/demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The site, in out/site: every warning is an error, every link inside it is followed.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -b html -W --keep-going -q -j auto docs out/site
	$(BIN)/python docs/_ext/check_links.py out/site
	@echo "The site is in out/site/index.html"

# Links that lead out of the site, where there is a network; what is broken is told, and nothing fails.
docs-links: $(VENV)/.docs
	-$(BIN)/python -m sphinx -b linkcheck -q -j auto docs out/site-links

# Signals at 60 random moments each, and what else takes too long for the tests; about 15 minutes.
faults: $(VENV)/.dev
	CONSENSA_FAULTS=60 $(BIN)/python -m pytest -q tests/cli/test_faults.py tests/cli/test_processes.py

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_docstrings.py

# Is the house in order: private imports between rooms, repeated lines, lengths of files and functions.
house: $(VENV)/.dev
	$(BIN)/python tools/house.py --list

# Damaged files of every format are read, others each time: about ten minutes.
FUZZ_EXAMPLES ?= 30000
fuzz: $(VENV)/.dev
	CONSENSA_FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -X faulthandler -m pytest -q tests/test_damaged_files.py

# The oldest supported versions, as pyproject.toml states them.
test-lowest: $(LOWEST)/.dev
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -m "not packaging"

# Long runs, never part of the tests. bench-order, bench-default, bench-speed, study and leaderboard
# need CONSENSA_DATA, the folder of the data sets.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/solver.py

bench-methods: $(VENV)/.dev
	$(BIN)/python benchmarks/methods.py

# From 10^5 to 10^7 samples, and the times that `consensa plan` is made of.
bench-scale: $(VENV)/.dev
	$(BIN)/python benchmarks/scale.py costs
	$(BIN)/python benchmarks/scale.py run

bench-order: $(VENV)/.dev
	$(BIN)/python benchmarks/order_effect.py

# The number of clusters, on noise and on sets with known numbers; can be stopped, and goes on when started again.
bench-number: $(VENV)/.dev
	$(BIN)/python benchmarks/number_of_clusters.py noise --seconds $(or $(SECONDS_EACH),600)
	$(BIN)/python benchmarks/number_of_clusters.py sets --seconds $(or $(SECONDS_EACH),600)
	$(BIN)/python benchmarks/number_of_clusters.py fresh --seconds $(or $(SECONDS_EACH),600)
	$(BIN)/python benchmarks/number_of_clusters.py rivals --seconds $(or $(SECONDS_EACH),600)
	$(BIN)/python benchmarks/number_of_clusters.py table > docs/results/number_of_clusters.md

# What `import consensa` and `consensa --help` cost.
bench-import: $(VENV)/.dev
	$(BIN)/python benchmarks/imports.py

# The hot paths in a minute or two, beside a stored baseline; says what became slower.
bench-quick: $(VENV)/.dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
		$(BIN)/python benchmarks/quick.py $(QUICK_OPTIONS)

# The paper's tables, beside its printed values; can be stopped at any time, and goes on when started again.
study: $(VENV)/.dev
	$(BIN)/consensa study tables --out out/study

leaderboard: $(VENV)/.bench
	$(BIN)/python benchmarks/leaderboard.py
	$(BIN)/python benchmarks/batteries.py

# The default without each of its parts, and its agreement with itself, on every development set.
bench-default: $(VENV)/.dev
	$(BIN)/python benchmarks/ablations.py
	$(BIN)/python benchmarks/steadiness.py

# What the default costs, beside UMAP, the older default, and at 100,000 samples.
bench-speed: $(VENV)/.bench
	$(BIN)/python benchmarks/speed.py umap
	$(BIN)/python benchmarks/speed.py sets
	$(BIN)/python benchmarks/speed.py large

# The page of 100,000 samples in Chromium.
bench-page: $(VENV)/.dev
	$(BIN)/python benchmarks/page.py

# Builds, installs, type-checks and validates everything that a release consists of; publishes nothing.
release-check: $(VENV)/.release
	$(BIN)/python tools/release_check.py

release-check-fast: $(VENV)/.release
	$(BIN)/python tools/release_check.py --fast

# The figure of the paper.
paper: $(VENV)/.demo
	MPLBACKEND=Agg $(BIN)/python examples/plot_order_of_rows.py paper/order.png

# The note on the order of the file as PDF: needs pandoc, and a browser (chromium) that prints its HTML.
# With LaTeX: pandoc docs/paper/order.md --resource-path docs/paper --pdf-engine=xelatex -o order.pdf
BROWSER_TO_PRINT ?= chromium
note:
	@command -v pandoc > /dev/null || { echo "make note needs pandoc: apt-get install pandoc, or see pandoc.org/installing.html"; exit 1; }
	@command -v $(BROWSER_TO_PRINT) > /dev/null || { echo "make note needs a browser to print: apt-get install chromium, or make note BROWSER_TO_PRINT=google-chrome"; exit 1; }
	mkdir -p out
	pandoc docs/paper/order.md --resource-path docs/paper --css docs/paper/print.css --lua-filter docs/paper/print.lua --shift-heading-level-by=-1 --standalone --self-contained --mathml --to html5 --output out/order.html
	$(BROWSER_TO_PRINT) --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf=out/order.pdf out/order.html

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(LOWEST) out build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Consensa needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[cli,plot]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	@touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@ $(VENV)/.demo

$(VENV)/.release: $(VENV)/.dev $(VENV)/.docs
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	@touch $@

$(LOWEST)/.dev: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --editable '.[dev]' \
		'numpy==2.0.*' 'scipy==1.13.*' 'scikit-learn==1.6.*' 'pytest<9'
	@touch $@
