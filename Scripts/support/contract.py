"""Compares the dump of the public API with what Swift programs saw of AFNetworking 4.0.1, declaration by declaration.

`api/contract/AFNetworking.txt` has AFNetworking's declarations, as the Swift importer made them of its headers, with this
package's types in the place of Apple's; `Linux.txt` has what stands for Apple's types, and the members that earlier versions
had. Where this package means to differ, `differences.txt` says why, what was, and what is.

contract.py [API]
"""

import pathlib
import re
import sys

api = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "api")


def plain(line):
    """A conformance without the module of what is conformed to: there it depends on who declares it."""
    return re.sub(r" ([:<]) AF\w+\.(?=AF)", r" \1 ", line)


def lines(path):
    return [plain(line) for line in path.read_text().splitlines() if line]


present = {line for path in sorted(api.glob("*.txt")) for line in lines(path)}
names = {}
for line in present:
    names.setdefault(line.split(" :: ")[0], []).append(line)

differences, faults = {}, []
why = was = None
for line in lines(api / "contract" / "differences.txt"):
    mark, text = line.split(" ", 1)
    if mark == "why":
        why = text
    elif mark == "-":
        was = text
    elif mark == "+" and why and was:
        differences[was] = text
        if text != "none" and text not in present:
            faults.append(f"listed as what takes the place of another, and is not there: {text}")
        why = was = None

used, counts = set(), {}
for name in ("AFNetworking", "Linux"):
    expected = lines(api / "contract" / f"{name}.txt")
    counts[name] = sum(" :: " in line for line in expected)
    for line in expected:
        if line in present:
            continue
        if line in differences:
            used.add(line)
            continue
        found = names.get(line.split(" :: ")[0], [])
        faults.append(f"differs: {line}\n     is: {found[0]}" if found and " :: " in line else f"missing: {line}")
for line in set(differences) - used:
    faults.append(f"listed as different, and is as it was, or was never expected: {line}")

for fault in sorted(faults):
    print(f"contract: {fault}")
print(
    f"contract: {counts['AFNetworking']} declarations of AFNetworking and {counts['Linux']} that stand for Apple's types;"
    f" {len(used)} left out or different on purpose, {len(faults)} faults"
)
sys.exit(1 if faults else 0)
