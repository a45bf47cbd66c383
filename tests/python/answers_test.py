"""Candidates whose answers another process compares: of lists, numpy and torch, with a check of the
problem's own, and problems that such a process can't judge."""

import importlib.util

import harness
from harness import ORDER, Case, Served


def problem(body, head="", **more):
    options = ", ".join(f"{name}={value}" for name, value in more.items())
    return f'''
import random
import nightshift as ns
{head}
solution = ns.candidate("solution.py")

@ns.problem(space={{"source": [0]}}, device="cpu", {options})
def twice(case, config):
{body}
'''


LISTS = problem('''
    x = [random.random() for _ in range(300)]
    return ns.Run(lambda: solution.twice(x), reference=lambda: [2 * one for one in x])''')
NAMED = problem('''
    x, y = ns.uniform(300), ns.output(300)
    return ns.Run(lambda: solution.twice(x, y), outputs=[y], reference=lambda: [2 * one for one in x])''')
CHECKED = problem('''
    x = ns.integers(300, high=9)
    return ns.Run(lambda: solution.twice(x), reference=lambda: x,
                  check=lambda got, given: "" if list(got) == sorted(given) else "it is not sorted")''')
NUMPY = problem('''
    x = numpy.random.rand(50, 6).astype("float32")
    return ns.Run(lambda: solution.twice(x), reference=lambda: 2 * x.astype("float64"))''', "import numpy")
TORCH = problem('''
    x = ns.normal(50, 6, dtype="bfloat16")
    return ns.Run(lambda: solution.twice(x), reference=lambda: (2 * x.double(), x.double().sum(0)))''',
                "import torch")
COMPLEX = problem('''
    x = numpy.exp(9j * numpy.random.rand(300)).astype("complex64")
    return ns.Run(lambda: solution.twice(x), reference=lambda: 2 * x.astype("complex128"))''', "import numpy")
CONJUGATES = problem('''
    x = ns.normal(50, 6, dtype="complex64")
    return ns.Run(lambda: solution.twice(x), reference=lambda: 2 * x.to(torch.complex128).conj())''',
                     "import torch")
LAST = problem('''
    x = ns.uniform(300)
    solution.prepare()
    y = [random.random() for _ in range(300)]
    return ns.Run(lambda: solution.twice(x, y), reference=lambda: [a + b for a, b in zip(x, y)])''')
HELD = problem('''
    x, weights = ns.uniform(300), Weights()
    return ns.Run(lambda: solution.twice(x, weights), reference=lambda: [weights.own * one for one in x])''',
               "class Weights:\n    def __init__(self): self.own = random.random()")
# (problem, a right candidate, a wrong one, what is said of that)
JUDGED = {
    "lists": (LISTS, "def twice(x): return [2 * one for one in x]",
              "def twice(x): return [2 * one for one in x[:-1]] + [0.0]", "output 0[299] is 0 instead of"),
    "named outputs": (NAMED, "def twice(x, y):\n    for i in range(len(x)): y[i] = 2 * x[i]",
                      "def twice(x, y):\n    for i in range(len(x)): y[i] = x[i]", "instead of"),
    "a check": (CHECKED, "def twice(x): return sorted(x)", "def twice(x): return list(x)", "it is not sorted"),
    "numpy": (NUMPY, "def twice(x): return 2 * x", "def twice(x): return 2.001 * x", "instead of"),
    "complex, numpy": (COMPLEX, "def twice(x): return 2 * x", "def twice(x): return 2 * x.conj()",
                       ".imag is "),
    "complex, torch": (CONJUGATES, "def twice(x): return 2 * x.conj()", "def twice(x): return 2 * x",
                       ".imag is "),
    "torch": (TORCH, "def twice(x): return 2 * x, x.float().sum(0)",
              "def twice(x): return 2 * x, x.sum(0) * 1.1", "output 1["),
    "what no factory makes": (HELD, "def twice(x, w): return [w.own * one for one in x]",
                              "def twice(x, w): return [0.5 * one for one in x]", "instead of"),
    "numbers of its own": (LAST, "import random\nrandom.seed(1)\ndef prepare(): pass\n"
                           "def twice(x, y): return [a + b for a, b in zip(x, y)]",
                           "def prepare(): pass\ndef twice(x, y): return list(x)", "instead of"),
}
LIBRARIES = {"numpy": "numpy", "complex, numpy": "numpy", "torch": "torch", "complex, torch": "torch"}


class Answers(Case):
    def judged(self, text, candidate, number=1):
        """What a process says of a candidate, and of the problem's own."""
        file = self.write("problem.py", text)
        self.write("solution.py", candidate)
        folder = self.folder / "candidates" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "solution.py").write_text(candidate)
        served = Served(self, file, NIGHTSHIFT_CANDIDATES=str(folder.parent))
        answers = []
        for one in (number, 0):
            served.send(id=7 + one, do="measure", trust="none",
                        configuration={"source": 0, "NIGHTSHIFT_CANDIDATE": one}, **ORDER)
            answers.append(served.answer(7 + one))
        served.close()
        return answers

    def test_what_is_right_is_measured_and_what_is_wrong_is_refused(self):
        for name, (text, right, wrong, words) in JUDGED.items():
            if name in LIBRARIES and importlib.util.find_spec(LIBRARIES[name]) is None:
                continue
            with self.subTest(name):
                for answer in self.judged(text, right):
                    self.assertEqual(len(answer.get("time", [])), 3, answer)
                for answer in self.judged(text, wrong):
                    self.assertEqual(answer.get("failure"), "wrong_result", answer)
                    self.assertIn(words, answer["words"])

    def test_evaluations_that_are_not_doubted_have_the_same_inputs(self):
        file = self.write("problem.py", LISTS)
        self.write("solution.py", JUDGED["lists"][1])
        served = Served(self, file, NIGHTSHIFT_CANDIDATES=str(self.folder))
        served.measure(1, source=0, NIGHTSHIFT_CANDIDATE=0)
        answer = served.answer(1)
        self.assertEqual(len(answer.get("time", [])), 3, answer)

    def test_inputs_that_no_seed_determines_are_told(self):
        text = LISTS.replace("random.random()", "DICE.random()").replace(
            "solution =", "DICE = random.Random()\nsolution =")
        answer, _ = self.judged(text, JUDGED["lists"][1])
        self.assertEqual(answer["failure"], "launch_failed")
        self.assertIn("is another each time that the problem's function is called", answer["words"])

    def test_a_reference_that_dies_is_a_failure_and_the_next_candidate_is_judged(self):
        text = LISTS.replace("reference=lambda: [", "reference=lambda: os._exit(3) if MARK.exists() else [")
        text = text.replace("import random", f"import os, pathlib, random\nMARK = pathlib.Path({str(self.folder)!r}, 'die')")
        (self.folder / "die").write_text("")
        answer, other = self.judged(text, JUDGED["lists"][1])
        self.assertEqual(answer["failure"], "launch_failed")
        self.assertIn("in which the reference is computed has ended", answer["words"])
        self.assertEqual(other["failure"], "launch_failed")

    def test_an_answer_that_cannot_be_compared_is_wrong(self):
        answer, _ = self.judged(LISTS, "def twice(x): return {'a': {1, 2}}")
        self.assertEqual(answer["failure"], "wrong_result", answer)

    def test_what_is_dropped_while_it_is_compared_holds_up_nobody(self):
        text = LISTS.replace("import random", "import pathlib, random, time\n"
                             f"MARK = pathlib.Path({str(self.folder)!r}, 'hang')\n"
                             "def hang():\n    while MARK.exists(): time.sleep(0.01)\n    return []\n")
        text = text.replace("reference=lambda: [", "reference=lambda: hang() + [")
        (self.folder / "hang").write_text("")
        file = self.write("problem.py", text)
        self.write("solution.py", JUDGED["lists"][1])
        served = Served(self, file, NIGHTSHIFT_CANDIDATES=str(self.folder))
        ask = dict(ORDER, do="measure", trust="none", configuration={"source": 0, "NIGHTSHIFT_CANDIDATE": 0})
        served.send(id=1, **ask)
        served.until_phase(1, "verify")
        served.send(do="drop", id=1)
        self.assertEqual(served.frame(), {"dropped": 1})
        (self.folder / "hang").unlink()
        served.send(id=2, **ask)
        self.assertEqual(len(served.answer(2)["time"]), 3)


class Foreseen(Case):
    def look(self, text, code=0):
        file = self.write("problem.py", text)
        self.write("solution.py", "def twice(x): return list(x)\n")
        return self.module("describe", file, "--candidates", code=code).stderr

    def test_what_candidates_may_know_is_told_before_there_is_one(self):
        self.assertEqual(self.look(LISTS), "")
        self.assertEqual(self.look(LISTS.replace("x = [", "kernel = solution.twice\n    x = [")), "")
        self.assertIn("no input of twice is made from a seed, so that a candidate can have the answer",
                      self.look(NAMED.replace("ns.uniform(300)", "ns.full(300, value=2.0)")))

    def test_what_nobody_can_be_judged_by_is_refused_before_there_is_a_candidate(self):
        self.assertIn("needs a reference", self.look(LISTS.replace("reference", "figures"), code=2))
        self.assertIn("no input of this problem is made from a seed",
                      self.look(LISTS.replace("random.random()", "2.0"), code=2))
        self.assertIn("nothing of this file is left to candidates",
                      self.look(LISTS.replace("ns.candidate", "str"), code=2))

    def test_a_function_that_fails_is_told_where_it_is_measured(self):
        self.assertEqual(self.look(LISTS.replace("x = [", "x = 1 / 0 + [")), "")


if __name__ == "__main__":
    harness.main()
