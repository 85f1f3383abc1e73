"""Runs the tests of each target with mistakes put into its sources, one at a time. See Scripts/mutants and Tests/Mutants/README.md."""

import argparse
import concurrent.futures
import datetime
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib

ENTRIES = pathlib.Path("Tests/Mutants")
WORK = pathlib.Path(".build/mutants")
TREE = WORK / "tree"
RESULTS = WORK / "results.json"
# A target's tests, where they are not in TARGETTests.
TESTS = {"afnet": "(AFSecurityTests|AFReachabilityTests)"}
# Tests that make networks need a process of their own (see Scripts/test).
APART = "HoldTests"
# Kill rates that must hold, in percent: in each target, and over all.
LEAST, LEAST_OVER_ALL = 85, 90
SWITCH = "af_mutant"


class Fault(Exception):
    """An entry that cannot be used, or a copy that cannot be built."""


class Mutant:
    def __init__(self, target, file, tests, name, place):
        self.target, self.file, self.tests, self.name, self.place = target, file, tests, name, place
        self.original, self.kind, self.text, self.equivalent, self.unnoticed = "", None, "", None, None
        self.number, self.span = 0, None

    @property
    def identity(self):
        return f"{self.target}/{self.name}"

    @property
    def path(self):
        return pathlib.Path("Sources") / self.target / self.file

    @functools.cached_property
    def digest(self):
        """Changes with the entry and with its source, so that a result can be known to be out of date."""
        text = "\0".join([self.original, str(self.kind), self.text, self.path.read_text()])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


# MARK: entries

KEYWORDS = ("file", "tests", "mutant", "with", "do", "text", "equivalent", "unnoticed")


def parse(target, text, source="?"):
    """The entries of one file of Tests/Mutants."""
    found, file, tests, current, slot = [], None, None, None, None
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{source}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            if current is None or slot is None:
                raise Fault(f"{place}: a line that belongs to no entry")
            setattr(current, slot, (getattr(current, slot) + "\n" + line.strip()).strip())
            continue
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word not in KEYWORDS:
            raise Fault(f"{place}: {word!r} is none of {', '.join(KEYWORDS)}")
        if word == "file":
            file, tests, current = rest, None, None
        elif word == "tests":
            tests, current = rest, None
        elif word == "mutant":
            if file is None:
                raise Fault(f"{place}: a mutant before the first file")
            current, slot = Mutant(target, file, tests, rest, place), "original"
            found.append(current)
        elif current is None:
            raise Fault(f"{place}: {word} before the first mutant")
        elif word in ("with", "do", "text"):
            if current.kind:
                raise Fault(f"{place}: a second mutant text")
            current.kind, current.text, slot = word, rest, "text"
        else:
            setattr(current, word, rest)
            slot = word
    for mutant in found:
        if not mutant.name or not re.fullmatch(r"[\w.+-]+", mutant.name):
            raise Fault(f"{mutant.place}: a name has letters, digits, and .+-_")
        if not mutant.original or not mutant.kind:
            raise Fault(f"{mutant.place}: an entry has an original, and one of with, do and text")
    return found


def locate(mutant, source):
    """Where in `source` the mutant goes: the part in «», or all of its original. White space may differ."""
    before, part, after = mutant.original, None, ""
    if "«" in mutant.original:
        before, rest = mutant.original.split("«", 1)
        part, after = rest.split("»", 1)
    pieces = [before, part, after] if part is not None else ["", before, ""]

    def pattern(text):
        words = re.split(r"\s+", text)
        return r"\s+".join(re.escape(word) for word in words)

    hits = list(re.finditer("(" + ")(".join(pattern(piece) for piece in pieces) + ")", source))
    if len(hits) != 1:
        raise Fault(f"{mutant.place}: stale: {mutant.path} has the original of {mutant.identity} {len(hits)} times")
    return hits[0].span(2)


def render(source, mutants):
    """The source with each of the mutants in it, as a switch."""

    def part(start, end, inside):
        # The outermost first; of those at one place, the first takes the others in.
        inside = sorted(inside, key=lambda m: (m.span[0], -m.span[1]))
        text, at = "", start
        while inside:
            outer = inside.pop(0)
            own = [m for m in inside if m.span[0] < outer.span[1]]
            if any(m.span[1] > outer.span[1] for m in own):
                raise Fault(f"{outer.place}: it overlaps {own[-1].identity}; let one take in all of the other")
            inside = inside[len(own) :]
            original = part(*outer.span, own)
            on = f"{SWITCH}({outer.number})"
            if outer.kind == "with":
                text += source[at : outer.span[0]] + f"({on} ? ({outer.text}) : ({original}))"
            elif outer.kind == "do":
                text += source[at : outer.span[0]] + f"if {on} {{ {outer.text} }} else {{ {original} }}"
            else:
                if own:
                    raise Fault(f"{outer.place}: a text cannot take in {own[0].identity}")
                text += source[at : outer.span[0]] + outer.text.replace("MUTANT", on)
            at = outer.span[1]
        return text + source[at:end]

    for mutant in mutants:
        mutant.span = locate(mutant, source)
    return part(0, len(source), mutants)


def read_entries():
    mutants, faults = [], []
    for path in sorted(ENTRIES.glob("*.txt")):
        try:
            mutants += parse(path.stem, path.read_text(), path)
        except Fault as fault:
            faults.append(str(fault))
    names = {}
    numbers = {}
    for mutant in mutants:
        # By its name, so that another entry changes the text, and the build, of its own source alone.
        mutant.number = zlib.crc32(mutant.identity.encode()) & 0x7FFF_FFFF
        if numbers.setdefault(mutant.number, mutant.identity) != mutant.identity:
            faults.append(f"{mutant.place}: {mutant.identity} has the number of {numbers[mutant.number]}; rename one")
        if names.setdefault(mutant.identity, mutant) is not mutant:
            faults.append(f"{mutant.place}: {mutant.identity} is there already")
    return mutants, faults


def render_all(mutants):
    """Path to text, for each source with mutants, and what is wrong with the entries."""
    texts, faults = {}, []
    for path in sorted({mutant.path for mutant in mutants}):
        own = [mutant for mutant in mutants if mutant.path == path]
        if not path.is_file():
            faults.append(f"{own[0].place}: stale: there is no {path}")
            continue
        source = path.read_text()
        stale = []
        for mutant in own:
            try:
                locate(mutant, source)
            except Fault as fault:
                stale.append(str(fault))
        faults += stale
        if not stale:
            try:
                texts[path] = "import CMutants\n" + render(source, own)
            except Fault as fault:
                faults.append(str(fault))
    return texts, faults


# MARK: the copy

HEADER = """\
#include <stdbool.h>
extern int af_mutant_number;
static inline bool af_mutant(int number) { return af_mutant_number == number; }
"""
BODY = """\
#include "CMutants.h"
#include <stdlib.h>
int af_mutant_number = 0;
__attribute__((constructor)) static void read_number(void) {
  const char *text = getenv("AF_MUTANT");
  if (text) af_mutant_number = atoi(text);
}
"""
MANIFEST = """
let withMutants: Set<String> = [%s]
package.targets.append(.target(name: "CMutants"))
for target in package.targets where withMutants.contains(target.name) {
  target.dependencies.append("CMutants")
  // What a mutant leaves unused is no error.
  target.swiftSettings?.removeAll { "\\($0)".contains("treatAllWarnings") }
}
let unwanted: Set<String> = ["quickstart", "AFBenchmarks", "CBenchmarkPeers", "AFBenchmarksTests", "AFNetworkingTests"]
package.targets.removeAll { unwanted.contains($0.name) }
package.products.removeAll { unwanted.contains($0.name) }
"""


def write(path, text):
    """Leaves a file alone that has this text, so that it is not compiled again."""
    data = text.encode() if isinstance(text, str) else text
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def make_copy(texts, targets):
    kept = set()

    def put(path, text):
        write(TREE / path, text)
        kept.add(TREE / path)

    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "Sources", "Tests"], capture_output=True, text=True, check=True)
    for path in map(pathlib.Path, names.stdout.splitlines()):
        if path.is_file() and path.parts[:2] != ENTRIES.parts:
            put(path, texts.get(path, None) or path.read_bytes())
    put(pathlib.Path("Sources/CMutants/include/CMutants.h"), HEADER)
    put(pathlib.Path("Sources/CMutants/CMutants.c"), BODY)
    put(pathlib.Path("Package.swift"), pathlib.Path("Package.swift").read_text() + MANIFEST % ", ".join(f'"{name}"' for name in sorted(targets)))
    for path in [*(TREE / "Sources").rglob("*"), *(TREE / "Tests").rglob("*")]:
        if path.is_file() and path not in kept:
            path.unlink()


def build(options):
    """Builds the copy, and returns the test runner."""
    command = ["swift", "build", "--build-tests", *options.split()]
    # No more than this of the environment: all is built anew where it differs.
    environment = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    result = subprocess.run(command, cwd=TREE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (WORK / "build.log").write_text(result.stdout)
    if result.returncode:
        lines = [line for line in result.stdout.splitlines() if "error:" in line]
        raise Fault("the copy does not build:\n" + "\n".join(dict.fromkeys(lines)))
    return next((TREE / ".build/debug").resolve().glob("*PackageTests.xctest"))


# MARK: runs

ISSUE = re.compile(r"Test (?:case passing .* to )?(.+?) recorded an issue")
ENDED = re.compile(r"Test run with (\d+) tests?.* (passed|failed) after")


def judge(command, environment, limit):
    """How one run went: (verdict, what told). The verdict is passed, failed, crashed, or hung."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    late = threading.Event()

    def end():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def on_limit():
        late.set()
        end()

    timer = threading.Timer(limit, on_limit)
    timer.start()
    failed = ended = None
    try:
        for line in process.stdout:
            if match := ISSUE.search(line):
                failed = match.group(1)
                break
            ended = ENDED.search(line) or ended
        # The first failure is enough; and nothing that the run has started stays.
        if failed is None and not late.is_set():
            process.wait()
    finally:
        timer.cancel()
        end()
        process.wait()
        process.stdout.close()
    if failed:
        return "failed", failed
    if late.is_set():
        return "hung", f"after {limit:.0f} s without a failure"
    if process.returncode:
        return "crashed", f"status {process.returncode}"
    return "passed", ended.group(1) if ended else "0"


class Runner:
    def __init__(self, binary):
        self.binary, self.plain, self.lock = binary, {}, threading.Lock()

    def command(self, tests):
        width = str(2 * (os.cpu_count() or 1))
        skip = [] if APART in tests else ["--skip", APART]
        return [str(self.binary), "--testing-library", "swift-testing", "--experimental-maximum-parallelization-width", width,
                "--filter", tests, *skip]

    def run(self, tests, number, limit):
        # A mutant that crashes is told by its status; no backtrace is needed.
        return judge(self.command(tests), {**os.environ, "AF_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no"}, limit)

    def limit(self, tests):
        """Three times what these tests take without a mutant, and half a minute. Without one they must pass, and there must be some."""
        with self.lock:
            if tests not in self.plain:
                for attempt in range(2):
                    start = time.monotonic()
                    verdict, told = self.run(tests, 0, 600)
                    if verdict == "passed" and told != "0":
                        break
                else:
                    raise Fault(f"without a mutant, {tests}: {verdict}: {told}")
                self.plain[tests] = time.monotonic() - start
                print(f"mutants: {tests}: {told} tests, {self.plain[tests]:.1f} s without a mutant", flush=True)
            return 30 + 3 * self.plain[tests]

    def verdict(self, mutant, quick):
        """(killed, what told) against the suites that the entry names, then against its whole target."""
        module = TESTS.get(mutant.target, f"{mutant.target}Tests")
        suites = [rf"^{module}\.({mutant.tests})"] if mutant.tests else []
        if not (quick and suites):
            suites.append(rf"^{module}\.")
        for tests in suites:
            verdict, told = self.run(tests, mutant.number, self.limit(tests))
            # A run that hangs without a failure shows none: it does not say what is wrong.
            if verdict in ("failed", "crashed"):
                return True, told
        return False, "" if verdict == "passed" else told


def keep(identity, result):
    """Notes a result among those of other runs, which may go on at the same time."""
    with (WORK / "results.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        all_results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
        all_results[identity] = result
        RESULTS.write_text(json.dumps(all_results, indent=1, sort_keys=True))


# MARK: the table

def rates(mutants, results):
    """Rows (target, entries, killed, survived, equivalent, rate), the last over all."""
    rows = []
    groups = [(target, [m for m in mutants if m.target == target]) for target in dict.fromkeys(m.target for m in mutants)]
    for name, own in [*groups, ("all", mutants)]:
        run = [m for m in own if m.identity in results]
        killed = sum(results[m.identity]["killed"] for m in run)
        equal = sum(m.equivalent is not None and not results[m.identity]["killed"] for m in run)
        counted = len(run) - equal
        rows.append((name, len(run), killed, counted - killed, equal, 100 * killed / counted if counted else 100.0))
    return rows


def markdown(mutants, results):
    lines = ["| target | mutants | killed | survived | equivalent | kill rate |", "| --- | --: | --: | --: | --: | --: |"]
    lines += [f"| {n} | {c} | {k} | {s} | {e} | {r:.0f} % |" for n, c, k, s, e, r in rates(mutants, results)]
    for title, reason in (("Survivors", lambda m: m.unnoticed or "no reason given"), ("Equivalent", lambda m: m.equivalent)):
        own = [m for m in mutants if m.identity in results and not results[m.identity]["killed"]]
        own = [m for m in own if (m.equivalent is not None) == (title == "Equivalent")]
        lines += ["", f"## {title}", "", "| mutant | file | why |", "| --- | --- | --- |"]
        for mutant in own:
            told = f" ({results[mutant.identity]['told']})" if results[mutant.identity]["told"] else ""
            lines.append(f"| `{mutant.identity}` | {mutant.file} | {' '.join(reason(mutant).split())}{told} |")
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser()
    for flag in ("check", "tenth", "survivors", "quick", "selftest"):
        options.add_argument(f"--{flag}", action="store_true")
    options.add_argument("--part", type=lambda text: tuple(map(int, text.split("/"))), metavar="K/N")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--table", type=pathlib.Path)
    options.add_argument("--build-options", default="")
    options.add_argument("names", nargs="*")
    options = options.parse_args()
    if options.selftest:
        import mutants_selftest

        return mutants_selftest.main()

    mutants, faults = read_entries()
    texts, stale = render_all(mutants)
    faults += stale
    if faults:
        raise Fault("\n".join(faults))
    if options.check:
        print(f"mutants: {len(mutants)} entries fit the sources")
        return 0

    # Now, and not when a run has ended: the files may be changed meanwhile.
    digests = {m.identity: m.digest for m in mutants}
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    results = {m.identity: results[m.identity] for m in mutants if results.get(m.identity, {}).get("digest") == digests[m.identity]}
    known = {m.identity for m in mutants} | {m.target for m in mutants}
    if unknown := set(options.names) - known:
        raise Fault(f"no such target or mutant: {', '.join(sorted(unknown))}")
    chosen = [m for m in mutants if not options.names or {m.identity, m.target} & set(options.names)]
    if options.tenth:
        options.part = (datetime.date.today().toordinal() % 10 or 10, 10)
    if options.part:
        number, count = options.part
        chosen = [m for m in chosen if zlib.crc32(m.identity.encode()) % count == number % count]
    if options.survivors:
        chosen = [m for m in chosen if not results.get(m.identity, {}).get("killed")]

    print(f"mutants: {len(chosen)} of {len(mutants)}; building a copy with all of them", flush=True)
    make_copy(texts, {m.target for m in mutants})
    runner = Runner(build(options.build_options))

    def run(mutant):
        start = time.monotonic()
        killed, told = runner.verdict(mutant, options.quick)
        return mutant, {"killed": killed, "told": told, "digest": mutant.digest, "seconds": round(time.monotonic() - start, 1)}

    wrong = []
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        for done in concurrent.futures.as_completed([pool.submit(run, mutant) for mutant in chosen]):
            mutant, result = done.result()
            results[mutant.identity] = result
            keep(mutant.identity, result)
            word = "killed" if result["killed"] else "equivalent" if mutant.equivalent is not None else "SURVIVED"
            print(f"{word:10} {result['seconds']:6.1f} s  {mutant.identity}  {result['told']}", flush=True)
            if result["killed"] and mutant.equivalent is not None:
                wrong.append(f"{mutant.identity} is called equivalent, and is not")
    finally:
        # What has not begun does not begin when something is wrong, or the user has interrupted it.
        pool.shutdown(cancel_futures=True)

    shown = {m.identity: results[m.identity] for m in chosen} if options.part or options.names else results
    print(markdown(mutants, shown))
    if options.table:
        head = options.table.read_text().split("<!-- made by Scripts/mutants -->")[0] if options.table.is_file() else ""
        options.table.write_text(head + "<!-- made by Scripts/mutants -->\n\n" + markdown(mutants, results))
    if not options.part and not options.names:
        for name, count, _, _, _, rate in rates(mutants, results):
            least = LEAST_OVER_ALL if name == "all" else LEAST
            if rate < least:
                wrong.append(f"{name}: {rate:.0f} % of {count}; at least {least} % must be killed")
    print("\n".join(f"mutants: {text}" for text in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Fault as fault:
        print(f"mutants: {fault}", file=sys.stderr)
        sys.exit(2)
