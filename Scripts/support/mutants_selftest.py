"""Tests of Scripts/mutants: how entries are read and put into a source, and how the end of a run is judged."""

import pathlib
import tempfile
import types
import unittest

import mutants

SOURCE = """\
func admit(count: Int, limit: Int) -> Bool {
  guard count   <
    limit else { return false }
  note(count)
  return count > 0 && count != 7
}
"""


def entries(text):
    found = mutants.parse("T", text)
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    return found


def rendered(text):
    return mutants.render(SOURCE, entries("file A.swift\n" + text))


def judged(script, limit=20):
    return mutants.judge(["bash", "-c", script], {"PATH": "/usr/bin:/bin"}, limit)


class Entries(unittest.TestCase):
    def test_an_expression_becomes_a_choice_whatever_the_white_space(self):
        self.assertIn("guard (af_mutant(1) ? (count <= limit) : (count   <\n    limit)) else",
                      rendered("mutant a\n  guard «count < limit» else\nwith count <= limit\n"))

    def test_a_statement_becomes_a_branch_and_may_be_left_out(self):
        self.assertIn("if af_mutant(1) {  } else { note(count) }", rendered("mutant a\n  note(count)\ndo\n"))

    def test_a_text_holds_the_switch_itself(self):
        self.assertIn("note(count, af_mutant(1))", rendered("mutant a\n  note(«count»)\ntext count, MUTANT\n"))

    def test_two_at_one_place_and_one_within_another(self):
        text = rendered("mutant a\n  «count > 0» &&\nwith count >= 0\nmutant b\n  «count > 0» &&\nwith true\n"
                        "mutant c\n  return «count > 0 && count != 7»\nwith true\n")
        self.assertIn("return (af_mutant(3) ? (true) : ((af_mutant(1) ? (count >= 0) : ((af_mutant(2) ? (true) : (count > 0)))) && ", text)

    def test_overlapping_ones_are_refused(self):
        with self.assertRaisesRegex(mutants.Fault, "overlaps"):
            rendered("mutant a\n  «return count > 0»\ndo\nmutant b\n  «count > 0 && count»\nwith true\n")

    def test_what_is_not_there_or_there_twice_is_stale(self):
        for original in ("count == limit", "return"):
            with self.subTest(original), self.assertRaisesRegex(mutants.Fault, "stale"):
                rendered(f"mutant a\n  {original}\nwith true\n")

    def test_wrong_entries_are_refused(self):
        for text in ("mutant a\n  b\nwith c\n", "file A\nmutant a\nwith c\n", "file A\nmutant a\n  b\n", "file A\nmutant a b\n  b\nwith c\n",
                     "file A\n  b\n", "file A\nmuttant a\n", "file A\nmutant a\n  b\nwith c\nwith d\n"):
            with self.subTest(text), self.assertRaises(mutants.Fault):
                mutants.parse("T", text)

    def test_reasons_and_suites_are_kept(self):
        first, second = entries("file A\ntests X\nmutant a\n  b\nwith c\nequivalent because\n  of it\nfile B\nmutant b\n  b\nwith c\n")
        self.assertEqual((first.tests, first.equivalent, first.unnoticed), ("X", "because\nof it", None))
        self.assertEqual((second.file, second.tests), ("B", None))

    def test_an_entry_of_a_source_that_is_gone_is_a_fault_and_never_dropped(self):
        texts, faults = mutants.render_all(entries("file Nothing.swift\nmutant a\n  b\nwith c\n"))
        self.assertEqual((texts, len(faults)), ({}, 1))
        self.assertIn("stale", faults[0])


class Runs(unittest.TestCase):
    def test_the_first_failure_ends_a_run_and_what_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder) / "went-on"
            verdict = judged(f"echo '✘ Test \"a b\" recorded an issue at A.swift:1:1: no'; sleep 2; touch {mark}")
            self.assertEqual(verdict, ("failed", '"a b"'))
            self.assertFalse(mark.exists())

    def test_a_known_issue_is_no_failure(self):
        self.assertEqual(judged("echo '✘ Test a() recorded a known issue at A.swift:1:1'; echo '✔ Test run with 3 tests in 1 suite passed after 1 seconds.'"),
                         ("passed", "3"))

    def test_a_crash_is_one(self):
        self.assertEqual(judged("kill -SEGV $$")[0], "crashed")
        self.assertEqual(judged("exit 1")[0], "crashed")

    def test_a_run_that_hangs_says_nothing(self):
        self.assertEqual(judged("sleep 30", limit=0.3)[0], "hung")

    def test_a_failure_before_it_hangs_counts(self):
        self.assertEqual(judged("echo '✘ Test a() recorded an issue at A.swift:1:1: no'; sleep 30", limit=5)[0], "failed")

    def test_only_failures_and_crashes_kill(self):
        for verdict, killed in (("failed", True), ("crashed", True), ("hung", False), ("passed", False)):
            runner = mutants.Runner("runner")
            runner.limit = lambda tests: 1
            runner.run = lambda tests, number, limit, verdict=verdict: (verdict, "why")
            mutant = types.SimpleNamespace(target="T", tests=None, number=1)
            with self.subTest(verdict):
                self.assertEqual(runner.verdict(mutant, quick=False)[0], killed)

    def test_what_the_named_suites_miss_the_whole_target_may_notice(self):
        runner, asked = mutants.Runner("runner"), []
        runner.limit = lambda tests: 1
        runner.run = lambda tests, number, limit: (asked.append(tests), ("passed", "1"))[1]
        mutant = types.SimpleNamespace(target="T", tests="A|B", number=1)
        runner.verdict(mutant, quick=False)
        self.assertEqual(asked, [r"^TTests\.(A|B)", r"^TTests\."])

    def test_tests_that_fail_without_a_mutant_judge_nothing(self):
        for verdict in (("failed", "a"), ("passed", "0"), ("hung", "")):
            runner = mutants.Runner("runner")
            runner.run = lambda tests, number, limit, verdict=verdict: verdict
            with self.subTest(verdict), self.assertRaises(mutants.Fault):
                runner.limit("T")


class Tables(unittest.TestCase):
    def test_equivalent_ones_do_not_count_unless_they_are_killed(self):
        found = entries("file A\n" + "".join(f"mutant {name}\n  b\nwith c\n" for name in "abcd"))
        found[2].equivalent = found[3].equivalent = "the same"
        results = {m.identity: {"killed": killed, "told": ""} for m, killed in zip(found, (True, False, False, True))}
        self.assertEqual(mutants.rates(found, results), [(name, 4, 2, 1, 1, 200 / 3) for name in ("T", "all")])

    def test_survivors_are_listed_with_their_reasons(self):
        found = entries("file A\nmutant a\n  b\nwith c\nunnoticed too rare\nmutant b\n  b\nwith c\n")
        text = mutants.markdown(found, {m.identity: {"killed": False, "told": ""} for m in found})
        self.assertIn("| `T/a` | A | too rare |", text)
        self.assertIn("| `T/b` | A | no reason given |", text)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"mutants_selftest.{name}" for name in ("Entries", "Runs", "Tables")])
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
