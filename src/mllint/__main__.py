"""`python -m mllint` is the command `mllint`."""

from mllint.cli import run

if __name__ == "__main__":
    run()
