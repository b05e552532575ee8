#!/usr/bin/env python3
"""litellm.py TABLE TAFFRAIL: where the built-in prices differ from LiteLLM's table, for Anthropic, OpenAI and Google.

TABLE is `model_prices_and_context_window_backup.json` of the wheel `litellm`. TAFFRAIL is asked for each of its models,
with an empty home, for today. Prices are dollars for a million tokens. Where one table is silent, they do not differ."""
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

VENDORS = {"anthropic": "", "openai": "", "gemini": "gemini/"}
KINDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write_5m": "cache_creation_input_token_cost",
    "cache_write_1h": "cache_creation_input_token_cost_above_1hr",
}


def dollars(price):
    return None if price is None else (Decimal(str(price)) * 1_000_000).normalize()


def tier(entry):
    """The tokens above which a prompt is dearer."""
    found = (re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", key) for key in entry)
    return next((int(it[1]) * 1000 for it in found if it), None)


def ours(program, home, model):
    environment = {"HOME": home, "PATH": os.environ["PATH"], "TZ": "UTC"}
    command = [program, "prices", model, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout) if done.returncode == 0 else None


def differences(model, theirs, said):
    for kind, key in KINDS.items():
        # A cache price that no table lists is shown as the price that applies, so it says nothing.
        listed = theirs.get(key) if kind in ("input", "output") or said[kind] != said["input"] else None
        one, other = Decimal(str(said[kind])).normalize(), dollars(listed)
        if other and one != other:
            yield f"| {model} | {kind} | {one:f} | {other:f} |"
    above = said["tiers"][0]["above"] if said["tiers"] else None
    if above != tier(theirs):
        yield f"| {model} | longer prompts | {above or 'none'} | {tier(theirs) or 'none'} |"


def main():
    table, both = json.load(open(sys.argv[1])), 0
    print("| model | kind | built in | LiteLLM |\n|---|---|--:|--:|")
    with tempfile.TemporaryDirectory() as home:
        for name, entry in sorted(table.items()):
            prefix = VENDORS.get(entry.get("litellm_provider"))
            is_text = entry.get("mode") in ("chat", "responses") and entry.get("input_cost_per_token") and not name.startswith("ft:")
            if prefix is None or not is_text or not name.startswith(prefix):
                continue
            said = ours(os.path.abspath(sys.argv[2]), home, name.removeprefix(prefix))
            both += said is not None
            for line in differences(name.removeprefix(prefix), entry, said) if said else ():
                print(line)
    print(f"\nmodels in both tables: {both}")


if __name__ == "__main__":
    main()
