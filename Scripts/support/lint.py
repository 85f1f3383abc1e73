"""The house rules that the compiler and the formatter do not check. Reads `swift package dump-package` from standard input."""

import json
import pathlib
import re
import statistics
import subprocess
import sys

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


def comment_near(lines, index, word):
    """Whether a comment within three lines says why: what it must mention is `word`."""
    return any("//" in line and word in line.split("//", 1)[1].lower() for line in lines[max(0, index - 3) : index + 4])


# MARK: lines of code

FORBIDDEN = [
    (re.compile(r"\btry!"), "try! (handle the error)"),
    (re.compile(r"\bas!"), "as! (handle the other type)"),
    (re.compile(r"\bfatalError\("), "fatalError (return an error; precondition for a caller's mistake)"),
    (re.compile(r"\b(TODO|FIXME)\b"), "unfinished work"),
]
OUTSIDE = re.compile(r"(?<![\w.$}])/(home|root|mnt|w[o]rk)/\w")


def check_lines(path, lines):
    in_sources = path.parts[0] == "Sources"
    for index, line in enumerate(lines):
        code = line.split("//", 1)[0]
        for pattern, text in FORBIDDEN if in_sources else []:
            if pattern.search(line if "unfinished" in text else code):
                problem(path, index + 1, text)
        if in_sources and "@unchecked Sendable" in code and not comment_near(lines, index, "unchecked"):
            problem(path, index + 1, "@unchecked Sendable without a comment that says why it is unchecked")
        if in_sources and "nonisolated(unsafe)" in code and not comment_near(lines, index, ""):
            problem(path, index + 1, "nonisolated(unsafe) without a comment that says why")
        if OUTSIDE.search(line):
            problem(path, index + 1, "a path of somebody's machine")


def check_length(path, lines):
    if len(lines) > 600:
        problem(path, 1, f"{len(lines)} lines; the limit is 600")
    elif len(lines) > 400 and not any("Over 400 lines because" in line for line in lines):
        problem(path, 1, f"{len(lines)} lines: split it, or add a comment 'Over 400 lines because …'")


# MARK: imports

NO_NETWORKING = {"AFSupport", "AFMultipart", "AFSecurity", "AFReachability"}
IMPORT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
                    r"(?:(?:struct|class|enum|protocol|func|var|typealias)\s+)?(\w+)")


def check_imports(target, dependencies, names, path, lines):
    for index, line in enumerate(lines):
        match = IMPORT.match(line)
        if not match:
            continue
        module = match.group(1)
        if module in names and module not in dependencies:
            problem(path, index + 1, f"{target} imports {module}, which the manifest does not name as its dependency")
        if target in NO_NETWORKING and module == "FoundationNetworking":
            problem(path, index + 1, f"{target} must not link FoundationNetworking: it brings libcurl")


manifest = json.load(sys.stdin)
names = {target["name"] for target in manifest["targets"]}
lengths = []
for target in manifest["targets"]:
    dependencies = {next(iter(item.values()))[0] for item in target["dependencies"]} | {target["name"]}
    folder = target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + target["name"]
    for path in sorted(pathlib.Path(folder).rglob("*.swift")):
        lines = path.read_text().splitlines()
        check_lines(path, lines)
        check_length(path, lines)
        check_imports(target["name"], dependencies, names, path, lines)
        if path.parts[0] == "Sources":
            lengths.append(len(lines))

if statistics.median(lengths) > 150:
    problem("Sources", 0, f"the median file has {statistics.median(lengths):.0f} lines; the limit is 150")

# MARK: documents

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def check_links(path, lines):
    for index, line in enumerate(lines):
        for target in LINK.findall(line):
            if not (path.parent / target).exists():
                problem(path, index + 1, f"a link to {target}, which does not exist")


tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
for name in tracked:
    path = pathlib.Path(name)
    if path.suffix in {".md", ".py", ".sh", ".conf", ""} and path.is_file() and path.parts[0] != "LICENSE":
        for index, line in enumerate(path.read_text(errors="replace").splitlines()):
            if OUTSIDE.search(line) and path.name != "lint.py":
                problem(path, index + 1, "a path of somebody's machine")
    if path.suffix == ".md" and path.is_file():
        check_links(path, path.read_text().splitlines())

print("\n".join(problems) or f"lint: {len(lengths)} files in Sources, median {statistics.median(lengths):.0f} lines")
sys.exit(1 if problems else 0)
