"""The side-by-side benchmark: what `bench/compare` is made of."""
