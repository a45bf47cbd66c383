#!/usr/bin/env python3
"""Honest candidates of `nightshift serve`: kernels in C++ and functions in Python that are right, each written in
another way. None may be refused.

    python3 tools/bench/honest_candidates.py [--count 500] [--python 0.2] [--seed 1] [--devices cpu:1]
        [--stage screen] [--nightshift PROGRAM]

Candidates branch on their inputs, sort, keep tables, allocate, copy, count, call through pointers, and go through
vectors in other orders and blocks: what time or contents may look odd of. Prints each refusal with its reason and
the source, and how many there were. Exit code 1 where there is one."""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SIZE = 8192
HEAD = """#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>
"""
# By problem: what is right in double (statements over x, y and N), and honest ways to it.
KERNELS = {
    "polynomial": ("for (int i = 0; i < N; ++i) y[i] = x[i] * x[i] + 3 * x[i] + 1;", [
        "{order} y[i] = x[i] * x[i] + 3 * x[i] + 1;",
        "{order} y[i] = (x[i] + 3) * x[i] + 1;",
        "std::vector<float> s(N); {order} s[i] = x[i] * x[i]; {again} y[i] = s[i] + 3 * x[i] + 1;",
        "std::transform(x, x + N, y, [](float v) {{ return v * v + 3 * v + 1; }});",
        "float (*f)(float) = [](float v) {{ return (v + 3) * v + 1; }}; {order} y[i] = f(x[i]);"]),
    "branches": ("for (int i = 0; i < N; ++i) y[i] = x[i] > 0.25 ? 2 * x[i] : x[i] < -0.25 ? -x[i] : 0;", [
        "{order} y[i] = x[i] > 0.25f ? 2 * x[i] : x[i] < -0.25f ? -x[i] : 0;",
        "{order} {{ if (x[i] > 0.25f) y[i] = 2 * x[i]; else if (x[i] < -0.25f) y[i] = -x[i]; else y[i] = 0; }}",
        "{order} {{ float v = x[i]; asm volatile(\"\" : \"+m\"(v)); if (v > 0.25f) {{ y[i] = 2 * v; continue; }}"
        " if (v < -0.25f) {{ y[i] = -v; continue; }} y[i] = 0; }}",
        "std::memset(y, 0, sizeof(float) * N); {order} {{ if (x[i] > 0.25f) y[i] = 2 * x[i];"
        " if (x[i] < -0.25f) y[i] = -x[i]; }}"]),
    "sorts": ("for (int i = 0; i < N; ++i) y[i] = x[i];"
              " for (int i = 0; i < N; i += 64) std::sort(y + i, y + i + 64);", [
        "std::copy(x, x + N, y); for (int i = 0; i < N; i += 64) std::sort(y + i, y + i + 64);",
        "std::copy(x, x + N, y); for (int i = N - 64; i >= 0; i -= 64) std::stable_sort(y + i, y + i + 64);",
        "for (int i = 0; i < N; i += 64) {{ std::vector<float> s(x + i, x + i + 64); std::sort(s.begin(), s.end());"
        " std::copy(s.begin(), s.end(), y + i); }}",
        "std::copy(x, x + N, y); for (int i = 0; i < N; i += 64) for (int j = 1; j < 64; ++j)"
        " for (int k = i + j; k > i && y[k] < y[k - 1]; --k) std::swap(y[k], y[k - 1]);",
        "std::copy(x, x + N, y); for (int i = 0; i < N; i += 64) {{ std::make_heap(y + i, y + i + 64);"
        " std::sort_heap(y + i, y + i + 64); }}"]),
    "running": ("double s = 0; for (int i = 0; i < N; ++i) y[i] = s += x[i];", [
        "double s = 0; for (int i = 0; i < N; ++i) y[i] = s += x[i];",
        "std::vector<double> s(x, x + N); std::partial_sum(s.begin(), s.end(), s.begin());"
        " std::copy(s.begin(), s.end(), y);",
        "double b = 0; for (int j = 0; j < N; j += 64) {{ double s = b; for (int i = j; i < j + 64; ++i)"
        " y[i] = s += x[i]; b = s; }}"]),
    "gathers": ("for (int i = 0; i < N; ++i) y[i] = x[(i * 33) % N] - x[i];", [
        "{order} y[i] = x[(i * 33) % N] - x[i];",
        "static int at[N]; static bool made = false; if (!made) for (int i = 0; i < N; ++i) at[i] = (i * 33) % N;"
        " made = true; {order} y[i] = x[at[i]] - x[i];",
        "std::vector<float> s(N); {order} s[i] = x[(i * 33) % N]; {again} y[i] = s[i] - x[i];"]),
    "table": ("for (int i = 0; i < N; ++i) y[i] = static_cast<int>((x[i] + 1.0) * 127) * 0.25;", [
        "{order} y[i] = static_cast<int>((x[i] + 1.0) * 127) * 0.25f;",
        "static float t[512]; static bool made = false; if (!made) for (int i = 0; i < 512; ++i) t[i] = i * 0.25f;"
        " made = true; {order} y[i] = t[static_cast<int>((x[i] + 1.0) * 127)];",
        "float t[512]; for (int i = 0; i < 512; ++i) t[i] = i * 0.25f;"
        " {order} y[i] = t[static_cast<int>((x[i] + 1.0) * 127)];"]),
    "largest": ("for (int i = 0; i < N; ++i) y[i] = *std::max_element(x + i / 128 * 128, x + i + 1);", [
        "for (int j = 0; j < N; j += 128) {{ float m = x[j]; for (int i = j; i < j + 128; ++i)"
        " y[i] = m = std::max(m, x[i]); }}",
        "for (int i = 0; i < N; ++i) y[i] = i % 128 == 0 ? x[i] : std::max(x[i], y[i - 1]);",
        "for (int i = 0; i < N; ++i) {{ if (i % 128 == 0 || x[i] > y[i - 1]) y[i] = x[i]; else y[i] = y[i - 1]; }}"]),
    "counts": ("for (int i = 0; i < N; ++i) y[i] = 0;"
               " for (int i = 0; i < N; ++i) y[std::min(N - 1, static_cast<int>((x[i] + 1.0) * 32))] += 1;", [
        "std::memset(y, 0, sizeof(float) * N); for (int i = 0; i < N; ++i)"
        " y[std::min(N - 1, static_cast<int>((x[i] + 1.0) * 32))] += 1;",
        "std::fill(y, y + N, 0.f); int c[65] = {{}}; for (int i = 0; i < N; ++i) ++c[static_cast<int>((x[i] + 1.0) * 32)];"
        " for (int i = 0; i < 65; ++i) y[i] = c[i];",
        "std::fill(y, y + N, 0.f); std::vector<int> c(65); {order} ++c[static_cast<int>((x[i] + 1.0) * 32)];"
        " std::copy(c.begin(), c.end(), y);"]),
}
ORDERS = ["for (int i = 0; i < N; ++i)", "for (int i = N - 1; i >= 0; --i)",
          "for (int j = 0; j < N; j += {block}) for (int i = j; i < j + {block}; ++i)",
          "for (int j = 0; j < {block}; ++j) for (int i = j; i < N; i += {block})",
          "#pragma GCC unroll {unroll}\nfor (int i = 0; i < N; ++i)", "#pragma GCC ivdep\nfor (int i = 0; i < N; ++i)"]
PROBLEM = """name = "{name}"
[host]
kernel = {{ file = "{name}.cc", function = "f", flags = ["-O2"] }}
reference = {{ file = "{name}_right.cc", function = "right" }}
sizes = {{ N = {size} }}
[[host.argument]]
name = "x"
type = "float32"
size = "N"
[[host.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[parameters]
A = [1]
"""
PYTHON = '''import nightshift as ns
mine = ns.candidate("solution.py")


@ns.problem(space={{"a": [1]}}, device="cpu", dtype="float64", tolerance=1e-12, cases=[{{"N": {size}}}])
def {name}(case, config):
    x = ns.uniform(case.N)
    return ns.Run(lambda: mine.f(x), reference=lambda: {right})
'''
# The same of functions in Python.
FUNCTIONS = {
    "py_sorts": ("sorted(x)", [
        "return sorted(x)", "v = list(x)\n    v.sort()\n    return v",
        "import heapq\n    h = list(x)\n    heapq.heapify(h)\n    return [heapq.heappop(h) for _ in range(len(h))]",
        "import bisect\n    v = []\n    for one in x: bisect.insort(v, one)\n    return v"]),
    "py_branches": ("[one if one > 0.5 else 1 - one for one in x]", [
        "return [one if one > 0.5 else 1 - one for one in x]", "return [max(one, 1 - one) for one in x]",
        "out = []\n    for one in x:\n        if one > 0.5:\n            out.append(one)\n"
        "        else:\n            out.append(1 - one)\n    return out",
        "return list(map(lambda one: one if one > 0.5 else 1 - one, x))"]),
    "py_running": ("[__import__('math').fsum(x[:i + 1]) for i in range(len(x))]", [
        "from itertools import accumulate\n    return list(accumulate(x))",
        "s, out = 0.0, []\n    for one in x:\n        s += one\n        out.append(s)\n    return out"]),
    "py_counts": ("[sum(int(one * 8) == i for one in x) for i in range(9)]", [
        "c = [0] * 9\n    for one in x: c[int(one * 8)] += 1\n    return c",
        "from collections import Counter\n    c = Counter(int(one * 8) for one in x)\n"
        "    return [c[i] for i in range(9)]"]),
}


def kernel(dice, body):
    def order():
        return "\n" + dice.choice(ORDERS).format(block=2 ** dice.randrange(2, 8), unroll=dice.choice([2, 4, 8])) + "\n"
    qualifier = dice.choice(["", " __restrict__"])
    text = dice.choice(body).format(order=order(), again=order())
    return f"{HEAD}void f(const float*{qualifier} x, float*{qualifier} y) {{\n  {text}\n}}\n"


def problems(folder):
    """Writes them. Returns their files."""
    files = []
    for name, (right, ways) in KERNELS.items():
        plain = ways[0].format(order=ORDERS[0], again=ORDERS[0])
        (folder / f"{name}.cc").write_text(f"{HEAD}void f(const float* x, float* y) {{\n  {plain}\n}}\n")
        (folder / f"{name}_right.cc").write_text(f"{HEAD}void right(const double* x, double* y) {{\n  {right}\n}}\n")
        (folder / f"{name}.toml").write_text(PROBLEM.format(name=name, size=SIZE))
        files.append(folder / f"{name}.toml")
    for name, (right, ways) in FUNCTIONS.items():
        (folder / name).mkdir()
        (folder / name / "solution.py").write_text(f"def f(x):\n    {ways[0]}\n")
        (folder / name / f"{name}.py").write_text(PYTHON.format(name=name, right=right, size=SIZE // 16))
        files.append(folder / name / f"{name}.py")
    return files


def candidates(options):
    dice = random.Random(options.seed)
    for number in range(options.count):
        name = f"{number:04}"
        if dice.random() < options.python:
            problem = dice.choice(list(FUNCTIONS))
            text = f"# {number}\ndef f(x):\n    {dice.choice(FUNCTIONS[problem][1])}\n"
            request = {"files": {"solution.py": text}}
        else:
            problem = dice.choice(list(KERNELS))
            request = {"source": f"// {number}\n" + kernel(dice, KERNELS[problem][1])}
        yield {"id": name, "problem": problem, "stage": options.stage, **request}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--python", type=float, default=0.2, help="share of candidates in Python")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default="cpu:1")
    parser.add_argument("--stage", default="screen")
    parser.add_argument("--nightshift", default=os.environ.get("NIGHTSHIFT", "nightshift"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="honest-") as made:
        folder = pathlib.Path(made)
        server = subprocess.Popen(
            [options.nightshift, "serve", *map(str, problems(folder)), "--night", str(folder / "night"), "--devices",
             options.devices], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not server.stdout.readline():
            sys.exit("the service has ended before it began")
        asked = {}
        for request in candidates(options):
            asked[request["id"]] = request
            server.stdin.write(json.dumps(request) + "\n")
        server.stdin.close()
        answers = [json.loads(line) for line in server.stdout]
        server.wait()
    return report(asked, answers)


def report(asked, answers):
    """Exit code."""
    verdicts = collections.Counter(answer.get("verdict", "error") for answer in answers)
    bad = [one for one in answers if one.get("verdict") not in ("right", "same_code", "faster", "not_faster", "undecided")]
    for answer in bad:
        request = asked.get(answer.get("id"), {})
        print(f"{answer.get('id')} of {request.get('problem')}: {answer.get('verdict')} {answer.get('status', '')}: "
              f"{answer.get('reason', answer.get('error'))}")
        print(request.get("source") or request.get("files", {}).get("solution.py", ""))
    print(f"{len(asked)} honest candidates, {len(answers)} answers, {len(bad)} refused: " +
          ", ".join(f"{count} {name}" for name, count in verdicts.most_common()))
    return 1 if bad or len(answers) != len(asked) else 0


if __name__ == "__main__":
    sys.exit(main())
