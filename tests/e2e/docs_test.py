"""The pages of docs/ do what they say: files stand under a line that is their name in backticks and a
colon, and the lines of fences called sh are run one after the other. A remark behind a line names an
exit code that is right beside 0 and 3, or says that a line needs a GPU, or that and a module of Python: it is
run where NIGHTSHIFT_TEST_GPU=1, or on the fake GPU for pages that can. It may say what becomes of candidates,
"0: faster; 1: wrong_result", by their ids and a verdict or a status. Budgets of a minute become seconds."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import harness
from harness import BIN, Case, SOURCE

DOCS = SOURCE / "docs"
ON_GPU = os.environ.get("NIGHTSHIFT_TEST_GPU") == "1"
NEEDS = {"batch.md": "cpp.md", "ci.md": "cpp.md", "morning.md": "cuda.md"}  # what their reader has done before
BECOMES = re.compile(r"(\w+): (faster|measured|refused|build_failed|wrong_result|launch_failed)\b")
FOR_GPU = re.compile(r"# (?:exit code \d+.*; )?on a GPU(?:, with (\w+))?$")


def is_run(command, fake):
    """Modules are those of a real GPU."""
    found = FOR_GPU.search(command)
    if found is None or (found.group(1) is None and fake):
        return True
    return ON_GPU and (found.group(1) is None or importlib.util.find_spec(found.group(1)) is not None)


def steps(page, fake=False):
    """("file", name, text) and ("run", line, (codes, {id: what becomes of it})), in order."""
    name, kind, block = None, None, []
    for line in (DOCS / page).read_text().splitlines():
        if kind is None and line.startswith("```"):
            kind, block = line[3:] or "text", []
        elif kind is not None and line == "```":
            if kind == "sh":
                for command in block:
                    if not is_run(command, fake):
                        print(f"not run without a GPU: {command}", file=sys.stderr)
                        continue
                    codes = {0, 3} | {int(c) for c in re.findall(r"exit code (\d+)", command)}
                    line, *remarks = re.split(r"\s+#\s", command)
                    yield "run", line, (codes, dict(BECOMES.findall(" ".join(remarks))))
            elif name:
                yield "file", name, "\n".join(block) + "\n"
            name, kind = None, None
        elif kind is not None:
            block.append(line)
        elif line:
            found = re.fullmatch(r"`([\w.-]+)`:", line)
            name = found.group(1) if found else None


def became(printed):
    """{id: (verdict, status)} of the answers of a service, or of lines that begin with an id and a verdict."""
    found = {}
    for line in printed.splitlines():
        if line.startswith("{"):
            answer = json.loads(line)
            found[answer.get("id")] = answer.get("verdict"), answer.get("status")
        elif len(words := line.split()) > 1:
            found[words[0]] = tuple(words[1:2])
    return found


class Walker(Case):
    more = {}         # environment
    is_fake = False   # pages are walked on the fake GPU

    def environment(self, **changes):
        changes = dict(self.more, **changes)
        changes.setdefault("PATH", f"{BIN}:{os.environ['PATH']}")
        changes.setdefault("NIGHTSHIFT_PYTHON", sys.executable)
        changes.setdefault("PYTHONPATH", str(SOURCE / "python"))
        return super().environment(**changes)

    def walk(self, page):
        if page in NEEDS:
            self.walk(NEEDS[page])
        ran = 0
        for what, name, detail in steps(page, self.is_fake):
            if what == "file":
                text = detail.replace('"1m"', '"4s"')
                if self.is_fake:  # it knows kernels of C by their names, and is told what takes how long
                    text = text.replace("__global__ void", 'extern "C" __global__ void')
                    text = text.replace("2 * x[i];\n", "2 * x[i];\n  fake_spend_us(4000.0 / blockDim.x / ITEMS);\n")
                    text = text.replace("4096", "256")  # it takes its time on cores
                    if "[cuda]" in text:
                        text += harness.FEW_SAMPLES + harness.FEW_PAIRS
                (self.folder / name).write_text(text)
                continue
            line = name.replace("--budget 1m", "--budget 4t" if self.is_fake else "--budget 6s").replace(
                "--time 15m", "--time 60s")
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                                  timeout=harness.TIMEOUT, env=self.environment(), check=False,
                                  stdin=subprocess.DEVNULL)
            codes, wanted = detail
            printed = f"{page}: {line}\n{done.stdout}{done.stderr}"
            self.assertIn(done.returncode, codes, printed)
            found = became(done.stdout) if wanted else {}
            for identity, what in wanted.items():
                self.assertIn(what, found.get(identity, ()), printed)
            ran += 1
        self.assertGreater(ran, 1, page)


class Docs(Walker):
    def test_a_cpp_function(self):
        self.walk("cpp.md")

    @unittest.skipUnless(shutil.which("cc"), "no cc")
    def test_a_program(self):
        self.walk("program.md")

    def test_a_kernel_in_python(self):
        self.walk("python.md")

    def test_a_cuda_kernel(self):
        self.walk("cuda.md")

    def test_a_night(self):
        self.walk("batch.md")

    def test_a_table_by_sizes(self):
        self.walk("tables.md")

    def test_a_winner_in_ci(self):
        self.walk("ci.md")

    def test_a_program_that_measures(self):
        self.walk("search.md")

    def test_programs_that_write_kernels(self):
        self.walk("serve.md")

    def test_problems_of_other_benchmarks(self):
        self.walk("imports.md")


if __name__ == "__main__":
    harness.main()
