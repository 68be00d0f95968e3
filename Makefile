# Everything a person or a machine does with this repository. `make` alone lists it.
.DEFAULT_GOAL := help
.PHONY: help tools build demo test bench clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 8

tools: ## install what building and testing need (solvers into .tools, system packages with apt, a C library for 64-bit programs)
	@tools/setup.sh

build: tools ## build the release binary, target/release/symcrete
	cargo build --release --locked -p symcrete

demo: build ## write tests for the C files of examples/c, prove them, and solve the path conditions of examples/
	@tools/demo.sh

test: tools ## all that CI runs: format, lints, tests, documentation
	@tools/test.sh

bench: tools ## measure; prints tables, never fails on a time
	cargo bench --workspace --locked

clean: ## remove build products; .tools stays
	cargo clean
