"""diffusers: what its training scripts take from it."""
