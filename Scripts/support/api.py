"""Writes the public API of each target, from its symbol graph, as one sorted declaration a line; or compares it.

api.py GRAPHS [--check] -- TARGET…
"""

import difflib
import json
import pathlib
import sys

graphs, *flags = sys.argv[1 : sys.argv.index("--")]
targets = sys.argv[sys.argv.index("--") + 1 :]

# What the compiler adds to nearly everything.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}


def declarations(target):
    """`Path.of.symbol` and its declaration, without attributes' line breaks; the same text on every run."""
    result = set()
    for path in pathlib.Path(graphs).glob(f"{target}*.symbols.json"):
        if path.name.split(".")[0].split("@")[0] != target:
            continue
        graph = json.loads(path.read_text())
        names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
        for symbol in graph["symbols"]:
            text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
            result.add(f"{'.'.join(symbol['pathComponents'])} :: {symbol['accessLevel']} {' '.join(text.split())}")
        for relation in graph["relationships"]:
            if relation["kind"] in ("conformsTo", "inheritsFrom") and relation["source"] in names:
                if relation.get("targetFallback", "").removeprefix("Swift.") in IMPLIED:
                    continue
                other = names.get(relation["target"]) or relation.get("targetFallback") or relation["target"]
                mark = ":" if relation["kind"] == "conformsTo" else "<"
                result.add(f"{names[relation['source']]} {mark} {other}")
    return sorted(result)


changed = False
for target in targets:
    path = pathlib.Path("api") / f"{target}.txt"
    lines = declarations(target)
    if "--check" not in flags:
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines))
        continue
    before = path.read_text().splitlines() if path.exists() else []
    for line in difflib.unified_diff(before, lines, f"api/{target}.txt", "this tree", lineterm="", n=0):
        changed = True
        print(line)

if changed:
    print("api: the public API differs from api/; if it is meant to, run Scripts/api and commit the result")
sys.exit(1 if changed else 0)
