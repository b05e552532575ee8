"""Writes the HTTP operations that an OpenAPI file describes as one Markdown page: openapi.py FILE > http.md"""
import json
import sys

TITLES = {
    "about": "About Taffrail and this machine",
    "approvals": "Approvals",
    "bindings": "Bindings",
    "controls": "Controls",
    "documents": "Documents",
    "history": "History",
    "sessions": "Sessions",
    "streams": "Streams",
    "writes": "Changes",
}
INTRODUCTION = """# HTTP operations

This page is generated from [openapi.json](openapi.json), which the daemon serves as `GET /openapi.json`. [API](api.md) describes who has access,
errors, cursors and streams. Every operation needs a token, and every one answers `default` with an [Envelope](#envelope) if it fails.
"""


def cell(text):
    """One line that does not end a table's cell."""
    return " ".join((text or "").split()).replace("|", "\\|")


def link(reference):
    """The name of a schema, with a link to its description below."""
    name = reference.rsplit("/", 1)[-1]
    return f"[{name}](#{name.lower()})"


def kind(schema):
    """The type of a value in a few words."""
    if not isinstance(schema, dict):
        return "any"
    if "$ref" in schema:
        return link(schema["$ref"])
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            kinds = [kind(it) for it in schema[word] if it.get("type") != "null"]
            return (" and " if word == "allOf" else " or ").join(dict.fromkeys(kinds))
    if "enum" in schema:
        return ", ".join(f"`{it}`" for it in schema["enum"])
    types = schema.get("type", "any")
    types = types if isinstance(types, list) else [types]
    words = []
    for word in types:
        if word == "array":
            words.append(f"list of {kind(schema.get('items', {}))}")
        elif word == "object" and isinstance(schema.get("additionalProperties"), dict):
            words.append(f"map to {kind(schema['additionalProperties'])}")
        else:
            words.append(word)
    return " or ".join(words)


def table(heads, rows):
    """A Markdown table."""
    return "\n".join([f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)] + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def content(part):
    """What a body or an answer holds."""
    kinds = [f"{kind(it.get('schema', {}))} as `{media}`" if media != "application/json" else kind(it.get("schema", {})) for media, it in part.get("content", {}).items()]
    return ", ".join(kinds) or "nothing"


def operation(path, method, it):
    """One operation: what it does, what it takes and what it answers."""
    yield f"### `{method.upper()} {path}`\n"
    yield "\n\n".join(it[key] for key in ("summary", "description") if it.get(key)) + "\n"
    parameters = it.get("parameters", [])
    if parameters:
        rows = [
            (f"`{one['name']}`", one["in"] + (", required" if one.get("required") else ""), kind(one.get("schema", {})), cell(one.get("description")))
            for one in parameters
        ]
        yield table(["parameter", "in", "type", ""], rows)
    if "requestBody" in it:
        yield f"Body: {content(it['requestBody'])}.\n"
    answers = [(code, one) for code, one in it["responses"].items() if code != "default"]
    for code, one in answers:
        words = cell(one.get("description"))
        yield f"Answers {code}: {content(one)}{'. ' + words if words else '.'}\n"


def schema(name, it):
    """One schema and its fields."""
    yield f"### {name}\n"
    if it.get("description"):
        yield it["description"] + "\n"
    fields = it.get("properties")
    if not fields:
        yield f"Type: {kind(it)}.\n"
        return
    required = it.get("required", [])
    rows = [(f"`{field}`" + ("" if field in required else ", optional"), kind(one), cell(one.get("description"))) for field, one in fields.items()]
    yield table(["field", "type", ""], rows)


def page(document):
    """The whole page."""
    yield INTRODUCTION
    tags = {}
    for path, methods in document["paths"].items():
        for method, it in methods.items():
            tags.setdefault(it.get("tags", ["other"])[0], []).append((path, method, it))
    for tag in sorted(tags, key=lambda it: TITLES.get(it, it)):
        yield f"## {TITLES.get(tag, tag.capitalize())}\n"
        for each in tags[tag]:
            yield from operation(*each)
    yield "## Schemas\n"
    for name, it in document["components"]["schemas"].items():
        yield from schema(name, it)


with open(sys.argv[1]) as file:
    print("\n".join(page(json.load(file))))
