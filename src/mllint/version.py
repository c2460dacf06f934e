"""Which mllint is this? The one place that says so; `hatchling` reads it when a wheel is built."""

__version__ = "0.1.0"
