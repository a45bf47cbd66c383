"""Python candidates of `nightshift serve` on a real GPU: python3 tests/python/candidates_on_gpu.py

Each is judged by real processes, confined, and its answers are compared in another one. Needs torch, Triton and a
GPU; no ctest runs it."""

import textwrap

import harness
from harness import ORDER, Case, Served

PROBLEM = '''
import nightshift as ns
import torch
solution = ns.candidate("solution.py")


@ns.problem(space={"source": [0]}, dtype="float32")
def twice(case, config):
    x = ns.normal(1 << 20)
    own = torch.rand(1 << 20, device=x.device)  # of no factory: the seed's all the same
    return ns.Run(lambda: solution.twice(x, own), reference=lambda: 2 * x.double() + own.double())
'''
RIGHT = "def twice(x, own):\n    return 2 * x + own\n"
TRITON = '''
import torch, triton
import triton.language as tl


@triton.jit
def kernel(x, own, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, at < n) + tl.load(own + at, at < n), at < n)


def twice(x, own):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, own, y, x.numel(), BLOCK=1024)
    return y
'''
# Kind, words, text.
EXPLOITS = {
    "half of the work": ("wrong_result", "instead of", "def twice(x, own):\n    return torch.cat((2 * x[:9] + own[:9], x[9:]))\n"),
    "the memory of another answer": ("wrong_result", "", "def twice(x, own):\n    return torch.empty_like(x)\n"),
    "the answer of the first call": ("wrong_result", "", "kept = []\ndef twice(x, own):\n    kept or kept.append(2 * x + own)\n    return kept[0]\n"),
    "answers by contents": ("", "", "kept = {}\ndef twice(x, own):\n    key = x[0].item()\n    if key not in kept: kept[key] = 2 * x + own\n    return kept[key]\n"),
    "a clock of events": ("launch_failed", "it has replaced", "torch.cuda.Event.elapsed_time = lambda *_: 1e-6\n" + RIGHT),
    "the synchronisation": ("launch_failed", "it has replaced", "torch.cuda.synchronize = lambda *_: None\n" + RIGHT),
    "a comparison": ("launch_failed", "it has replaced", "torch.isclose = lambda *_, **__: True\n" + RIGHT),
    "another stream": ("", "", "stream = torch.cuda.Stream()\ndef twice(x, own):\n    with torch.cuda.stream(stream):\n        return 2 * x + own\n"),
    "lower precision": ("wrong_result", "instead of", "def twice(x, own):\n    return (2 * x.half() + own.half()).float()\n"),
    "a tensor that computes later": ("wrong_result", "", "class Late(torch.Tensor): pass\ndef twice(x, own):\n    return (2 * x + own).as_subclass(Late)\n"),
    "inputs made easy": ("wrong_result", "", "def twice(x, own):\n    x.zero_()\n    return own.clone()\n"),
}


class Candidates(Case):
    def judged(self, *texts):
        file = self.write("problem.py", PROBLEM)
        self.write("solution.py", RIGHT)
        for number, text in enumerate(texts, start=1):
            folder = self.folder / "candidates" / str(number)
            folder.mkdir(parents=True)
            (folder / "solution.py").write_text("import torch\n" + textwrap.dedent(text))
        served = Served(self, file, NIGHTSHIFT_CANDIDATES=str(self.folder / "candidates"))
        answers = []
        for number in range(len(texts) + 1):
            served.send(id=number, do="measure", trust="none",
                        configuration={"source": 0, "NIGHTSHIFT_CANDIDATE": number}, **ORDER)
            answers.append(served.answer(number))
        served.close()
        return answers

    def test_what_is_right_is_measured(self):
        for answer in self.judged(RIGHT, TRITON):
            print(answer.get("conditions", answer))
            self.assertEqual(len(answer.get("time", [])), 3, answer)

    def test_what_is_not_is_refused(self):
        answers = self.judged(*(text for _, _, text in EXPLOITS.values()))[1:]
        for (name, (kind, words, _)), answer in zip(EXPLOITS.items(), answers):
            print(name, {key: value for key, value in answer.items() if key != "conditions"})
            with self.subTest(name):
                self.assertNotIn("time", answer)
                self.assertIn(kind, answer.get("failure", "died"))
                self.assertIn(words, answer.get("words", ""))


if __name__ == "__main__":
    harness.main()
