#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The JSON Schema of tuesday/1, of the tables in docs/json.md:  schema.py docs/json.md."""
import json
import re
import sys

PLAIN = {
    "text": {"type": "string", "minLength": 1},
    "number": {"type": "number"},
    "count": {"type": "integer", "minimum": 0},
    "true": {"const": True},
    "true or false": {"type": "boolean"},
    "list": {"type": "array"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "texts": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
    "object of texts": {"type": "object", "additionalProperties": {"type": "string"}},
}
# What is in which list or object: the key in its own table, and the table that says more.
INSIDE = {
    ("report", "machine"): "machine",
    ("report", "type"): "type",
    ("report", "since"): "since",
    ("report", "exonerated"): "exonerated",
    ("report", "not_cleared"): "not_cleared",
    ("report", "checks"): "check",
    ("report", "cost"): "cost",
    ("check", "metrics"): "metric",
    ("check", "since"): "metric",
    ("check", "culprits"): "culprit",
    ("check", "experiments"): "experiment",
    ("check", "offers"): "offer",
    ("check", "cost"): "cost",
}
# What a reader may count on in every report.
REQUIRED = {
    "report": "schema version host kernel time duration_seconds window_seconds windows verdict checks "
    "exonerated not_cleared errors cost",
    "check": "check verdict exonerated metrics culprits howevers next",
    "metric": "name unit class verdict",
    "culprit": "kind name",
    "experiment": "name answer",
    "offer": "experiment command",
    "exonerated": "check evidence",
    "not_cleared": "check",
    "cost": "cpu_seconds",
}


def tables(text):
    """Name and rows of each table that is about tuesday/1."""
    for part in re.split(r"^##+ ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        if title.startswith("`tuesday "):
            return
        name = re.sub(r"^(The|In|An|A) ", "", title).strip("`").lower()
        rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) ?\|$", body, flags=re.M)
        if rows:
            yield name, rows


def words(meaning):
    """The values that are all that a key has: "`a`, `b` or `c`" at the beginning of its meaning."""
    found = re.match(r"(?:[a-z ]+: )?((?:`[a-z_ ]+`(?:, | or )?){2,})(?:$|;|:)", meaning)
    return re.findall(r"`([a-z_ ]+)`", found.group(1)) if found else None


def properties(name, rows):
    out = {}
    for keys, kinds, meaning in rows:
        keys = re.findall(r"`([a-z0-9_]+)`", keys)
        kinds = kinds.split(", ")
        for i, key in enumerate(keys):
            schema = dict(PLAIN[kinds[min(i, len(kinds) - 1)]])
            inside = INSIDE.get((name, key))
            if inside:
                of = {"$ref": "#/$defs/" + inside}
                schema = {"type": "array", "items": of} if schema["type"] == "array" else of
            elif schema.get("type") == "string" and words(meaning):
                schema["enum"] = words(meaning)
            if meaning and "$ref" not in schema:
                schema["description"] = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning.replace("`", "'"))
            out[key] = schema
    return out


def main():
    defs = {}
    for name, rows in tables(open(sys.argv[1], encoding="utf-8").read()):
        defs[name] = {"type": "object", "properties": properties(name, rows)}
        if name in REQUIRED:
            defs[name]["required"] = REQUIRED[name].split()
    missing = [name for name in set(INSIDE.values()) | set(REQUIRED) if name not in defs]
    if missing:
        sys.exit("docs/json.md has no table of: " + " ".join(sorted(missing)))
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON report of tuesday, schema tuesday/1",
        "description": "Written by docs/generate, of docs/json.md. New keys may come.",
        **defs.pop("report"),
    }
    schema["properties"]["schema"] = {"const": "tuesday/1"}
    schema["$defs"] = defs
    print(json.dumps(schema, indent=1, ensure_ascii=False))


main()
