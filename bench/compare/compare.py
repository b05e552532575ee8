#!/usr/bin/env python3
"""compare.py HOME... --taffrail PROGRAM [--ccusage PROGRAM] [--agentsview PROGRAM] [--short]

Prints what each program says that the histories in a home used and cost, for each agent, beside a count by hand
(oracle.py), and which mistake explains a difference; with --short one line for each home. Every program gets a copy of the home, an empty environment and no
network of its own: prices are the ones that it carries."""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import oracle

NAMES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "goose": "Goose"}
OURS = {"claude-code": "claude", "gemini-cli": "gemini"}


def run(home, command):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TZ": "UTC", "NO_COLOR": "1",
                   "AGENTSVIEW_NO_DAEMON": "1", "AGENTSVIEW_DATA_DIR": f"{home}/.agentsview"}
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return done.stdout


def taffrail(program, home):
    """Figures by agent: four kinds of tokens, dollars or `None`, and whether unknown prices are marked."""
    said = json.loads(run(home, [program, "usage", "--by", "agent", "--json"]))
    return {OURS.get(row["key"], row["key"]): row_of_taffrail(row) for row in said["rows"]}


def row_of_taffrail(row):
    tokens = [row["usage"][f"{kind}_tokens"] for kind in ("input", "output", "cache_read", "cache_write")]
    cost = row["cost_microdollars"]
    return tokens, None if cost is None else cost / 1e6, row["cost"]["unknown_answers"] > 0


def ccusage(program, home):
    said = json.loads(run(home, [program, "daily", "--json", "--offline", "--by-agent", "-z", "UTC"]))
    rows = {}
    for it in (it for day in said["daily"] for it in day["agents"]):
        is_marked = any(model.get("missingPricing") for model in it["modelBreakdowns"])
        add(rows, it["agent"], it, it["totalCost"], is_marked)
    return rows


def agentsview(program, home):
    run(home, [program, "sync"])
    said = json.loads(run(home, [program, "usage", "daily", "--all", "--json", "--breakdown", "--offline", "--no-sync", "--timezone", "UTC"]))
    rows = {}
    for it in (it for day in said["daily"] for it in day["agentBreakdowns"]):
        add(rows, it["agent"], it, it["cost"]["microdollars"] / 1e6, False)
    return rows


def add(rows, agent, it, dollars, is_marked):
    kinds = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    tokens, before, marked = rows.get(agent, ([0] * 4, 0.0, False))
    rows[agent] = [one + it[kind] for one, kind in zip(tokens, kinds)], before + dollars, marked or is_marked


def is_near(one, other):
    return abs(one - other) <= max(2e-6, 1e-5 * abs(other))


def verdict_of_tokens(lines, agent, tokens):
    flaws = oracle.explain(lines, agent, lambda sums: sums[:4] == tokens)
    return words(flaws)


def verdict_of_dollars(lines, agent, dollars, is_marked, billed):
    truth = oracle.count(lines)[agent]
    unpriced, answers = truth[5], len([it for it in oracle.answers(lines, ()) if it.agent == agent])
    if dollars is None:
        return "right: unknown" if unpriced == answers else "says unknown, has a price"
    if unpriced == answers:
        return "zero for an unknown price" + (", marked" if is_marked else "")
    if dollars == 0 and is_marked:
        return "has no price, marked"
    if billed is not None and is_near(dollars, billed):
        return "right: the agent's own bill"
    return words(oracle.explain(lines, agent, lambda sums: is_near(dollars, sums[4])))


def words(flaws):
    if flaws is None:
        return "wrong, not explained"
    return "wrong: " + "; ".join(flaws) if flaws else "right"


def money(dollars):
    return "unknown" if dollars is None else f"{dollars:,.5f}" if dollars < 10 else f"{dollars:,.2f}"


def table(home, programs):
    lines, bill = oracle.read(home), oracle.bills(home)
    truth = oracle.count(lines)
    said = {name: figures(name, program, home) for name, program in programs.items()}
    print("| agent | by | input | output | cache read | cache write | dollars | tokens | cost |")
    print("|---|---|--:|--:|--:|--:|--:|---|---|")
    for agent in sorted(truth):
        *tokens, dollars, unpriced = truth[agent]
        billed = bill if agent == "claude" and not is_near(bill, dollars) else None
        shown = f"{money(dollars)} list" + (f", {money(billed)} billed" if billed is not None else "")
        print(row(NAMES[agent], "the records", tokens, shown if dollars or not unpriced else "unknown", "", ""))
        for name, rows in said.items():
            tokens, dollars, is_marked = rows.get(agent, ([0] * 4, 0.0, False))
            cost = verdict_of_dollars(lines, agent, dollars, is_marked, billed)
            print(row("", name, tokens, money(dollars), verdict_of_tokens(lines, agent, tokens), cost))
    total = [sum(it[at] for it in truth.values()) for at in range(5)]
    print(row("all", "the records", total[:4], f"{money(total[4])} list", "", ""))
    for name, rows in said.items():
        tokens = [sum(it[0][at] for it in rows.values()) for at in range(4)]
        print(row("", name, tokens, money(sum(it[1] or 0 for it in rows.values())), "", ""))


def short(homes, programs):
    """One line for each home: what it cost by the records, and by each program."""
    print("| case | by the records | " + " | ".join(programs) + " |")
    print("|---|--:|" + "---|" * len(programs))
    for home in homes:
        lines = oracle.read(home)
        (agent, truth), bill = next(iter(oracle.count(lines).items())), oracle.bills(home)
        billed = bill if agent == "claude" and not is_near(bill, truth[4]) else None
        cells = [cell(lines, agent, figures(name, program, home).get(agent), billed) for name, program in programs.items()]
        cost = "unknown" if truth[5] else money(truth[4]) + (f", billed {money(billed)}" if billed is not None else "")
        print(f"| {home.name} | {cost} | " + " | ".join(cells) + " |")


def cell(lines, agent, said, billed):
    tokens, dollars, is_marked = said or ([0] * 4, 0.0, False)
    verdicts = [verdict_of_tokens(lines, agent, tokens), verdict_of_dollars(lines, agent, dollars, is_marked, billed)]
    wrong = [it for it in dict.fromkeys(verdicts) if not it.startswith("right")]
    return money(dollars) + (": " + ", ".join(wrong) if wrong else "")


def row(agent, by, tokens, dollars, one, other):
    return f"| {agent} | {by} | " + " | ".join(f"{it:,}" for it in tokens) + f" | {dollars} | {one} | {other} |"


def figures(name, program, home):
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "home"
        shutil.copytree(home, copy)
        return {"taffrail": taffrail, "ccusage": ccusage, "agentsview": agentsview}[name](program, copy)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("homes", nargs="+", type=Path)
    for name in ("taffrail", "ccusage", "agentsview"):
        parser.add_argument(f"--{name}", type=os.path.abspath)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    programs = {it: getattr(options, it) for it in ("taffrail", "ccusage", "agentsview") if getattr(options, it)}
    if options.short:
        short(options.homes, programs)
        return
    for home in options.homes:
        print(f"\n## {home.name}\n")
        contradictions = sum(it.agent == "claude" and it.parts != it.write for it in oracle.read(home))
        if contradictions:
            print(f"{contradictions} lines contradict themselves: their cache writes are not the sum of the parts.\n")
        table(home, programs)


if __name__ == "__main__":
    main()
