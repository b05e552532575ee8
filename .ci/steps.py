"""Writes every shell step of workflows to a file of its own, so that shellcheck can read it: steps.py FOLDER FILE..."""
import pathlib
import re
import sys

EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def steps(text):
    """The line and the text of every `run:`, by its indentation: no YAML library is needed."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        run = re.match(r"^(\s*(?:- )?)run:\s*(.*)$", line)
        if not run:
            continue
        indent, rest = len(run[1]), run[2]
        if rest not in ("|", "|-", ">", ">-"):
            if rest:
                yield at + 1, rest
            continue
        block = []
        for inner in lines[at + 1 :]:
            if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
                break
            block.append(inner)
        yield at + 1, "\n".join(block)


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
for name in sys.argv[2:]:
    path = pathlib.Path(name)
    for line, step in steps(path.read_text()):
        body = EXPRESSION.sub("expression", step)
        # As the forge runs steps: it stops at the first failure.
        (folder / f"{path.stem}-line-{line}.sh").write_text(f"set -eo pipefail\n{body}\n")
