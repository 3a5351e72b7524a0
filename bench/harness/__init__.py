"""The modules of the benchmarks in `bench/`, such as `bench/compare`."""
