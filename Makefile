# The commands of this project. `make` alone lists them; each installs what it needs first.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Where `make serve` listens: make serve PORT=5000 HOST=0.0.0.0
HOST ?= 127.0.0.1
PORT ?= 4000
# Further arguments of `cargo build`: make serve CARGO_FLAGS=--timings
CARGO_FLAGS ?=
# The kinds of tests that `make test` runs, all of them when it is empty: make test KINDS="build rust", or KINDS=changed for
# what the difference to `main` can break
KINDS ?=

SITEGEN := target/release/sitegen
# npm writes this file last, so it doubles as the mark of a finished install. The other one is there if the packages that
# only tests and checks need are installed as well: they are four fifths of all, and no site is built with them.
NPM_INSTALLED := node_modules/.package-lock.json
NPM_COMPLETE := node_modules/.complete
# The first one is Chromium without a window, which takes a third less time; tests/browser/site.mjs has the same list.
CHROMIUM_NAMES := chromium-headless-shell chromium chromium-browser google-chrome
FIREFOX_NAMES := firefox-esr firefox

# $(call need,PROGRAM,HOW TO GET IT)
need = command -v $(1) >/dev/null || { printf 'error: `%s` is not installed\nhint: %s\n' $(1) '$(2)' >&2; exit 1; }

# Each command uses all cores by itself, and two installations at once would destroy each other.
.NOTPARALLEL:

.PHONY: help
help: ## list these commands
	@echo "make …"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "settings: PORT=$(PORT) HOST=$(HOST) (serve, docs)"

.PHONY: serve
serve: program ## build the site and serve it on http://127.0.0.1:4000/, rebuilding on each save
	@exec $(SITEGEN) serve --host $(HOST) --port $(PORT)

.PHONY: build
build: program ## build the site into dist/, ready to upload
	@$(SITEGEN) build

.PHONY: docs
docs: $(NPM_COMPLETE) program ## build the documentation as a site and serve it on http://127.0.0.1:4000/
	@exec node scripts/docs-site.mjs serve --host $(HOST) --port $(PORT)

.PHONY: check
check: $(NPM_COMPLETE) program cargo-tools ## find problems without building: content, formatting, lints, accessibility, types, English, workflows, licenses
	@tests/run content format lint style words types workflows deny

.PHONY: test
test: $(NPM_COMPLETE) tools forms chromium firefox nginx neovim cargo-tools ## run every test of every kind; the last lines count them
	@tests/run $(KINDS)

.PHONY: wordpress
wordpress: program ## import a real WordPress, which tests/wordpress/README.md tells how to install
	@tests/wordpress/run

.PHONY: posts
posts: $(NPM_COMPLETE) chromium nginx python posts-tools ## run the code of the blog's posts, with PostgreSQL, compilers and more
	@tests/run posts

.PHONY: faults
faults: $(NPM_COMPLETE) tools chromium program ## plant known faults into a copy of the site; the tests must notice each
	@tests/faults/run

.PHONY: bench
bench: bench-tools ## build 1,500 posts beside other generators, then time leads, searches and pages
	@bench/compare 1500 --rounds 1 --saves 3
	@bench/leads
	@bench/search 10000
	@bench/pages || echo "some pages are over their budget" >&2
	@bench/report

.PHONY: bench-search
bench-search: bench-tools ## the search of a site: its index beside Pagefind's command, its first result, Lighthouse; an hour
	@bench/site-search 15000
	@bench/pages --only-search --runs 3

.PHONY: bench-full
bench-full: bench-tools ## also 15,000 and 100,000 posts, the editor, a fresh clone; hours; writes bench/RESULTS.md
	@rm -f target/bench/results.json
	@scripts/published
	@SITEGEN=target/published/sitegen bench/compare 1500 15000 --rounds 5 --extras 1500 --scale 1000,10000,100000
	@bench/run
	@bench/pages --runs 3 || echo "some pages are over their budget" >&2
	@for part in editor forms entries languages leads inbox search api pictures photographs brief 'cold HEAD 1fb70c4'; do \
	  BENCH_PROFILE=dist bench/$$part || echo "bench/$$part failed, so its goals are not measured" >&2; \
	done
	@bench/report --write

# All at once: with what the benchmarks need beside, libraries have more features, and would be compiled a second time.
.PHONY: bench-tools
bench-tools: tools $(NPM_COMPLETE) chromium python
	@scripts/explain cargo build --release --locked -p sitegen -p generator --bin sitegen --bench leads --bench inbox --bench search --example floor

.PHONY: clean
clean: ## delete what can be made again: target/, dist/, search/, .sitegen/, node_modules/
	rm -rf target dist search .sitegen node_modules

# npm waits for the network and the disk, so it runs beside the compiler.
.PHONY: program
program: tools
	@scripts/beside $(MAKE) $(NPM_INSTALLED) -- scripts/compile $(CARGO_FLAGS)

.PHONY: tools
tools:
	@scripts/prerequisites

# $(call npm-ci,FLAGS): an install that was interrupted left no mark, so it starts over.
npm-ci = scripts/explain npm ci $(1) --no-progress --loglevel=error; [ -f $(NPM_INSTALLED) ] \
	  || { printf 'error: npm ended before it had installed everything\nhint: run the command again\n' >&2; exit 1; }; \
	touch $(NPM_INSTALLED)

PACKAGES := package.json package-lock.json .npmrc

$(NPM_INSTALLED): $(PACKAGES) | tools
	@echo 'installing npm packages'
	@if [ -f $(NPM_COMPLETE) ]; then $(call npm-ci); touch $(NPM_COMPLETE); else $(call npm-ci,--omit=dev); fi

$(NPM_COMPLETE): $(PACKAGES) | tools
	@echo 'installing npm packages, with those for tests'
	@$(call npm-ci)
	@touch $@

# The forms at /admin/ are no package of package.json: `sitegen` fetches them when they are asked for, and tests have no network.
.PHONY: forms
forms:
	@scripts/explain npm cache add --prefer-offline --loglevel=error \
	  $$(awk -F '"' '/^        name: /{name = $$2} /^        version: /{print name "@" $$2}' crates/desk/src/decap.rs)

# $(call install,PACKAGE,WHAT ELSE TO DO)
install = $(call need,apt-get,$(2)); sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	scripts/explain $$sudo apt-get update -qq \
	  && DEBIAN_FRONTEND=noninteractive scripts/explain $$sudo apt-get install -y -qq --no-install-recommends $(1)

# Browser tests use the browser of the system, or the one that CHROMIUM names.
.PHONY: chromium
chromium:
	@if [ -n "$${CHROMIUM:-}" ]; then $(call need,"$$CHROMIUM",CHROMIUM should name a Chromium executable); exit; fi; \
	command -v $(CHROMIUM_NAMES) >/dev/null && exit; \
	package=chromium; ! grep -qx ID=debian /etc/os-release 2>/dev/null || package=chromium-headless-shell; \
	$(call install,$$package,install Chromium$(comma) or name an executable: make test CHROMIUM=/path/to/chromium)

# The lead form and the blog are tested in Firefox as well.
.PHONY: firefox
firefox:
	@if [ -n "$${FIREFOX:-}" ]; then $(call need,"$$FIREFOX",FIREFOX should name a Firefox executable); exit; fi; \
	command -v $(FIREFOX_NAMES) >/dev/null && exit; \
	package=firefox; ! grep -qx ID=debian /etc/os-release 2>/dev/null || package=firefox-esr; \
	$(call install,$$package,install Firefox$(comma) or name an executable: make test FIREFOX=/path/to/firefox)

# Tests of the host files use the nginx of the system, or the one that NGINX names; they start it themselves,
# so the server that the package would run is switched off.
.PHONY: nginx
nginx:
	@if [ -n "$${NGINX:-}" ]; then $(call need,"$$NGINX",NGINX should name an nginx executable); exit; fi; \
	PATH="$$PATH:/usr/sbin:/usr/local/sbin" command -v nginx >/dev/null && exit; \
	$(call install,nginx-light,install nginx$(comma) or name an executable: make test NGINX=/path/to/nginx); \
	! command -v systemctl >/dev/null || $$sudo systemctl disable --now nginx || true

# The language server is tested in the Neovim of the system, or the one that NVIM names. Where it cannot be had, that test says
# that it was left out.
.PHONY: neovim
neovim:
	@if [ -n "$${NVIM:-}" ]; then $(call need,"$$NVIM",NVIM should name a Neovim executable); exit; fi; \
	if command -v nvim >/dev/null; then exit; fi; \
	if ! command -v apt-get >/dev/null; then echo 'Neovim is not installed: the language server is not tested in it'; exit; fi; \
	$(call install,neovim,install Neovim)

# Tests of the API, the stores and the deployment use packages of PyPI, each in a virtual environment below target/.
.PHONY: python
python:
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then exit; fi; \
	$(call install,python3-venv,install Python 3 with its module venv)

# Commands of Cargo that tests and checks use.
.PHONY: cargo-tools
cargo-tools: python
	@scripts/cargo-tools

# The code of posts runs with these packages of Debian; a database server that the package would run is not needed.
.PHONY: posts-tools
posts-tools:
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  && for program in restic g++ rustc mawk jq git setpriv; do command -v $$program >/dev/null || exit 1; done; then exit; fi; \
	$(call install,postgresql postgresql-contrib restic g++ mawk jq git util-linux,install PostgreSQL$(comma) restic$(comma) g++$(comma) mawk and jq)

comma := ,
