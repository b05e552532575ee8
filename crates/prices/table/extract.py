#!/usr/bin/env python3
"""Makes prices.json from the table of the crate genai-prices: facts only, one model a line.

    cargo fetch
    python3 crates/prices/table/extract.py SOURCE_OF_THE_CRATE VERSION DATE_OF_ITS_RELEASE

Whatever it does not understand stops it, so that an update cannot drop a price in silence.
"""
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

KINDS = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cache_read",
    "cache_write_mtok": "cache_write_5m",
    "cache_write_1h_mtok": "cache_write_1h",
}
# A text answer of a model with one of these costs more than its tokens.
BEYOND_TOKENS = {"requests_kcount", "output_reasoning_mtok", "output_citation_mtok"}
PLACES = Decimal("0.000000001")
# Day where the sellers with such prices are.
DAY = "08:00:00Z"
NOT_TTS = "^(?!.*-[tT][tT][sS](?:$|-))"
MISTRAL = "^(?![^/]+/)(?:labs-)?(?:(?:mi|code|dev|magi|mini)stral|mixtral|pixtral|voxtral|open-(?:mistral|mixtral))"


def clause(rule):
    (kind, value), = rule.items()
    if kind in ("and", "or"):
        return {kind: [clause(it) for it in value]}
    if kind != "regex":
        return {kind: value.lower()}
    return from_regex(value)


def from_regex(text):
    """A regular expression as a clause; `#` stands for a digit."""
    if text == NOT_TTS:
        return {"not": {"or": [{"ends_with": "-tts"}, {"contains": "-tts-"}]}}
    if text == MISTRAL:
        names = [f"{it}stral" for it in ("mi", "code", "dev", "magi", "mini")]
        names += ["mixtral", "pixtral", "voxtral", "open-mistral", "open-mixtral"]
        return {"or": [{"starts_with": labs + it} for labs in ("", "labs-") for it in names]}
    if text == "^o[134]":
        return {"or": [{"starts_with": f"o{it}"} for it in "134"]}
    if "[-@]" in text:
        return {"or": [from_regex(text.replace("[-@]", it)) for it in "-@"]}
    body = re.sub(r"\\d\{(\d)\}", lambda it: "#" * int(it[1]), text).replace("\\d", "#")
    body = re.sub(r"\\([.\[\]])", lambda it: {".": "\1", "[": "\2", "]": "\3"}[it[1]], body)
    whole = body.endswith("$")
    body = body.removeprefix("^").removesuffix("$")
    if not text.startswith("^") or re.search(r"[][\\()|?*+.^$]", body):
        sys.exit(f"extract.py does not know the form of the regular expression {text}")
    for mark, letter in (("\1", "."), ("\2", "["), ("\3", "]")):
        body = body.replace(mark, letter)
    return {"digits" if whole else "starts_with_digits": body}


def number(value):
    value = Decimal(value).quantize(PLACES).normalize()
    return int(value) if value == value.to_integral() else float(value)


def rates(prices):
    out, tiers = {}, {}
    for key, name in KINDS.items():
        value = prices.get(key)
        if isinstance(value, dict):
            for tier in value["tiers"]:
                tiers.setdefault(tier["start"], {"above": tier["start"]})[name] = number(tier["price"])
            value = value["base"]
        if value is not None:
            out[name] = number(value)
    if tiers:
        out["tiers"] = [tiers[it] for it in sorted(tiers)]
    return out


def rules(model):
    """The prices by date; of prices by time of day, those of the day."""
    prices = model.get("prices") or {}
    dated, by_day = [], None
    for it in prices if isinstance(prices, list) else [{"prices": prices}]:
        when = it.get("constraint", {})
        if set(when) & set(("start_time", "end_time")):
            if when["start_time"] <= DAY < when["end_time"]:
                by_day = it["prices"]
            elif when["end_time"] < when["start_time"]:
                sys.exit(f"{model['id']}: a span of hours over midnight")
        else:
            dated.append((when.get("start_date"), it["prices"]))
    if by_day is not None:
        dated = [(None, by_day)]
    dates = [it or "" for it, _ in dated]
    if dates != sorted(set(dates)):
        sys.exit(f"{model['id']}: the dates are out of order")
    if any(BEYOND_TOKENS & set(it) for _, it in dated):
        return []
    out = [({"from": date} if date else {}) | rates(it) for date, it in dated]
    return out if all("input" in it and "output" in it for it in out) else []


def models(provider):
    """Also those without a price: their clauses keep a looser one from taking their names."""
    for it in provider["models"]:
        yield {"id": it["id"], "match": clause(it["match"]), "rules": rules(it)}


def provider(it):
    out = {"id": it["id"]}
    for name, ours in (("provider_match", "alias"), ("model_match", "names")):
        if it.get(name):
            out[ours] = clause(it[name])
    if it.get("fallback_model_providers"):
        out["fallbacks"] = it["fallback_model_providers"]
    return out | {"models": list(models(it))}


def written(name, date, providers):
    """One model a line, so that an update can be read as a change of lines."""
    dump = lambda it: json.dumps(it, separators=(",", ":"), ensure_ascii=False)
    blocks = []
    for it in providers:
        lines = ",\n".join(dump(model) for model in it["models"])
        head = dump({key: value for key, value in it.items() if key != "models"})
        blocks.append(f'{head[:-1]},"models":[\n{lines}\n]}}')
    head = dump({"name": name, "date": date})
    return f'{head[:-1]},"providers":[\n' + ",\n".join(blocks) + "\n]}\n"


def main():
    source, version, date = sys.argv[1:]
    text = (Path(source) / "data/prices.json").read_text()
    table = json.loads(text, parse_float=Decimal)
    providers = [provider(it) for it in table]
    out = Path(__file__).with_name("prices.json")
    out.write_text(written(f"genai-prices {version}", date, providers))
    print(sum(len(it["models"]) for it in providers), "models of", len(providers), "providers")


if __name__ == "__main__":
    main()
