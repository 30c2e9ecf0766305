# Everything sets itself up: a virtual environment of its own, from the package index, without root.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test proof lint bench pictures results clean
.DEFAULT_GOAL := test

$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "Assay needs Python 3.11 or newer"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The demo needs the package with the embedded model's engine; nothing else.
$(VENV)/.demo: $(VENV)/.made pyproject.toml
	$(BIN)/pip install --quiet --editable '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml tests/plugin/pyproject.toml tests/agent/pyproject.toml
	$(BIN)/pip install --quiet --editable '.[local,dev]'
	$(BIN)/pip install --quiet --no-deps ./tests/plugin ./tests/agent
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/assay pull smollm2
	$(BIN)/assay run examples/demo.yaml
	$(BIN)/assay compare "$$(ls -d runs/*-demo | tail -1)" # the subjects of that run beside each other
	$(BIN)/assay run examples/consistency.yaml
	$(BIN)/assay run bias --biases core --quick --subject local:smollm2
	$(BIN)/assay run examples/recognition.yaml
	$(BIN)/assay run agency --quick --subject local:smollm2
	$(BIN)/assay run agency --subject reference:apprentice
	$(BIN)/assay run examples/tiers.yaml # learning, goals and the gates of tiers 3 and 4
	$(BIN)/assay report "$$(ls -d runs/*-tiers | tail -1)" --document agency-card

test: $(VENV)/.dev lint
	$(BIN)/assay pull smollm2
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not proof and not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Long simulations, fault storms, tests that take their time, and a search for examples not tried before.
proof: $(VENV)/.dev
	$(BIN)/assay pull smollm2
	$(BIN)/pytest -q -m "proof or slow"
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not proof and not slow" --hypothesis-profile=searching

bench: $(VENV)/.dev
	@for script in benchmarks/[a-z]*.py; do echo; echo "== $$script"; $(BIN)/python $$script || exit 1; done
	@echo; $(BIN)/python benchmarks/throughput.py --latency 0.2 --connections 256

# The pictures of README and docs, from runs made now. Needs Chromium.
pictures: $(VENV)/.dev
	$(BIN)/assay pull smollm2
	$(BIN)/python docs/pictures.py

# docs/results.md, from the studies below results/: hours. Called again it goes on where it was; `make results-agency` is one
# instrument alone. RESULTS is where the runs are kept.
RESULTS ?= results/runs
results: $(VENV)/.demo
	$(BIN)/assay pull smollm2
	$(BIN)/assay pull qwen2.5-coder-1.5b
	$(BIN)/python docs/results.py --pictures --keep --runs $(RESULTS)

results-%: $(VENV)/.demo
	$(BIN)/assay pull smollm2
	$(BIN)/assay pull qwen2.5-coder-1.5b
	$(BIN)/python docs/results.py --pictures --keep --runs $(RESULTS) $*

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
