# The everyday commands. `make help` lists them.

CARGO ?= cargo
STRIDE := target/release/stride
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help demo build install uninstall test static release test-packages test-kernels bench bench-all chaos setup docs lint

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: build ## install what is missing, build, trace a real program
	@scripts/demo $(STRIDE)

build: setup ## leaves target/release/stride
	$(CARGO) build --release --package stride-cli --package stride-broker
	$(CARGO) build --release --package stride-mcp
	$(CARGO) build --release --package stride-agent

install: ## the program, man page and completions to PREFIX (/usr/local), below DESTDIR; after `make build`
	@scripts/install '$(STRIDE)' '$(PREFIX)' '$(DESTDIR)'

uninstall: ## what `make install` with the same PREFIX and DESTDIR has made
	@scripts/install --remove '$(PREFIX)' '$(DESTDIR)'

static: ## the static program: target/x86_64-unknown-linux-musl/release/stride
	@scripts/setup release
	@scripts/static

release: ## all packages of the committed sources, in target/packages
	@scripts/setup release
	@scripts/release

test-packages: ## tries the packages of `make release` on a bare Debian in target/packages/try, and on an emulated machine with systemd
	@scripts/setup release
	@scripts/test-packages
	@scripts/test-booted

test: setup ## everything, privileged tests included; skips are named
	@scripts/test

test-kernels: setup ## both engines on Debian's kernels 6.1 and 6.12, and on 6.1 for aarch64, under emulation
	@scripts/test-kernels

bench: build ## the costs that matter most in one table, measured side by side; BENCH=--real-time on a busy machine
	$(CARGO) xtask bench $(STRIDE) $(BENCH)

bench-all: build ## the same and other tracers in detail, into docs/benchmarks.md
	$(CARGO) xtask bench $(STRIDE) all
	$(CARGO) bench --package stride-output

chaos: build ## ten minutes of bad luck: signals, full disks, hogs, mutated recordings (not part of `make test`)
	$(CARGO) xtask chaos $(CHAOS)

docs: ## regenerate the man page, completions, JSON schema, pages of system calls and docs/advise.toml
	$(CARGO) xtask docs

lint: ## formatting and clippy
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings

setup: ## install the Debian packages that building and testing need
	@scripts/setup
