"""What the names of loaders and of rows are made of, as far as `_unread` asks about them."""

from __future__ import annotations

from mllint.pattern import Pattern

__all__: list[str] = []

_LOADS = Pattern("load|iter|^dl$|_dl$|^dl_|_dl_")
_HOLDS = Pattern(
    "load|iter|^dl$|_dl$|^dl_|_dl_|_it$|data$|_ds$|_set$|batches$|^x_|^y_"
)  # rows too, where more is asked
_MEASURES = Pattern("^eval|^valid|^test|^infer|^accuracy|^score|^measure|^compute|^_eval|^_valid|^_test|^_infer")


def words(name: str | None) -> str:
    """The last name of a place with its words parted by underscores: `self.valSet` as `val_Set`."""
    last = (name or "").rpartition(".")[2].partition("[")[0]
    if last.islower():
        return last
    return "".join(f"_{c}" if c.isupper() and b.islower() else c for b, c in zip(f" {last}", last, strict=False))
