"""The published JSON Schema says what `--output-format json` prints: all of it, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Edit, Fix
from mllint.report.json import SCHEMA_VERSION
from tests.cli.conftest import DOUBLE_SOFTMAX, FOUND, KEEPS_GRAPH

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "docs" / "schema" / "report.schema.json").read_text(encoding="utf-8"))
FIXED = DOUBLE_SOFTMAX._replace(fix=Fix((Edit(DOUBLE_SOFTMAX.span, "logits"),), safe=False, message="Use the logits"))


def closed(schema: Any) -> Any:
    """The schema with no place for anything that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else inner


@pytest.fixture
def valid():
    validators = pytest.importorskip("jsonschema", reason="jsonschema is part of the group dev").validators
    cls = validators.validator_for(SCHEMA)
    cls.check_schema(SCHEMA)

    def check(document: Any, part: str = "") -> None:
        schema = closed(SCHEMA)
        cls({"$defs": schema["$defs"], "$ref": part} if part else schema).validate(document)

    return check


@pytest.mark.parametrize("found", [FOUND, [FIXED], [KEEPS_GRAPH, FIXED], []], ids=["plain", "fix", "notebook", "clean"])
def test_reports_are_valid(engine, mllint, valid, found):
    engine.find(*found, notes=["big.py was skipped: 5 MiB"], suppressed=3)
    report = json.loads(mllint("check", "--output", "json").out)
    valid(report)
    assert report["schema_version"] == SCHEMA_VERSION == SCHEMA["properties"]["schema_version"]["const"]
    for line in mllint("check", "--output", "json-lines").out.splitlines():
        valid(json.loads(line), "#/$defs/diagnostic")


def unknown(document: Any, schema: Any) -> set[str]:
    """The members of a document that its schema does not have, and those of the schema that it lacks."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(document, list) and "items" in schema:
        return {name for item in document for name in unknown(item, schema["items"])}
    if not isinstance(document, dict) or "properties" not in schema:
        return set()
    inner = [
        unknown(value, schema["properties"][key]) for key, value in document.items() if key in schema["properties"]
    ]
    return set(schema["properties"]) ^ set(document) | {name for names in inner for name in names}


def test_every_member_is_described(engine, mllint):
    engine.find(FIXED, KEEPS_GRAPH)
    assert unknown(json.loads(mllint("check", "--output", "json").out), SCHEMA) == set()


def test_a_real_report_is_valid(valid, monkeypatch, capsys):
    from mllint import cli

    monkeypatch.chdir(ROOT)
    assert cli.main(["check", "examples", "--no-cache", "--isolated", "--output", "json"]) == 1
    valid(json.loads(capsys.readouterr().out))


def test_addresses_are_those_of_the_site():
    assert SCHEMA["$id"] == f"{catalogue.DOCS}/schema/report.schema.json"
    assert catalogue.rules()["double-softmax"].url == f"{catalogue.DOCS}/rules/loss/double-softmax.html"
    assert "use_directory_urls: false" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
