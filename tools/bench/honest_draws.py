#!/usr/bin/env python3
"""Honest kernels of `[host]` whose answers are what is left where numbers cancel: sums in other orders, in
blocks, in pairs and fused, in float and double, variances by two passes, Welford and sums of squares, dot
products, softmax and its logarithm, norms, layer norm, cosines, of several sizes and inputs. Rounding explains
their errors, and none may be refused.

    python3 tools/bench/honest_draws.py [--seed 1] [--devices cpu:1] [--kinds variance,dot] [--inputs 0,5]
        [--sizes 13,200] [--orders forwards,lanes] [--type float64] [--faults] [--nightshift PROGRAM]

Each kind is one study of all its ways and orders for each of the inputs, whose sizes are cases of one problem; a way
is left out of inputs with which it overflows or may lose an eighth of its answer. Prints each refusal, and a row of
Markdown for each kind. --faults also asks kernels that are wrong by a factor, and says how many pass. Exit code 1
where an honest one is refused."""

import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERS = {  # of a sum `s` over `term(i)`
    "forwards": "T s = 0; for (int i = 0; i < N; ++i) s += term(i);",
    "backwards": "T s = 0; for (int i = N - 1; i >= 0; --i) s += term(i);",
    "lanes": "T l[8] = {}; for (int i = 0; i < N; ++i) l[i % 8] += term(i); T s = 0; for (T one : l) s += one;",
    "pairs": "T l[N]; for (int i = 0; i < N; ++i) l[i] = term(i); for (int h = 1; h < N; h *= 2)"
             " for (int i = 0; i + h < N; i += 2 * h) l[i] += l[i + h]; T s = l[0];",
    "blocks": "T s = 0; for (int j = 0; j < N; j += 16) { T b = 0; for (int i = j; i < N && i < j + 16; ++i)"
              " b += term(i); s += b; }",
    "compensated": "T s = 0, c = 0; for (int i = 0; i < N; ++i) { volatile T v = term(i) - c; volatile T t = s + v;"
                   " c = (t - s) - v; s = t; }",
    "double": "double d = 0; for (int i = 0; i < N; ++i) d += term(i); T s = d;",
}
SUM = "auto sum = [&](auto term) { %s return s; };"
LARGEST = "T t = x[0]; for (int i = 1; i < N; ++i) t = x[i] > t ? x[i] : t; "
SQUARES = ("const T p = sum([&](int i) { return x[i] * x[i]; }), q = sum([&](int i) { return x[i / 2] * x[i / 2]; }),"
           " d = sum([&](int i) { return x[i] * x[i / 2]; }); ")
NORMS = SQUARES + "const T a = std::sqrt(p), b = std::sqrt(q); "
MEAN = "const T m = sum([&](int i) { return x[i]; }) / N; "
VARIANCE = "const T v = sum([&](int i) { return (x[i] - m) * (x[i] - m); }) / N; "
DEVIATION = VARIANCE + "const T q = std::sqrt(v + T(1e-5));"
# By kind: the reference's row in double, and honest ways to it. Where inputs that lie near each other cost many digits,
# answers are scaled: what is off by more than kMostUsualTolerance is wrong, whatever explains it.
KINDS = {
    "variance": (MEAN + "y[0] = sum([&](int i) { return (x[i] - m) * (x[i] - m); }) / N;", [
        MEAN + "y[0] = sum([&](int i) { return (x[i] - m) * (x[i] - m); }) / N;",
        MEAN + "y[0] = sum([&](int i) { return x[i] * x[i]; }) / N - m * m;",
        "T m = 0, q = 0; for (int i = 0; i < N; ++i) { const T d = x[i] - m; m += d / (i + 1); q += d * (x[i] - m); }"
        " y[0] = q / N;",
        "const T by = T(1) / N, o = x[0]; const T m = sum([&](int i) { return x[i] - o; }) * by;"
        " y[0] = sum([&](int i) { return (x[i] - o) * (x[i] - o); }) * by - m * m;"]),
    "alternating": ("y[0] = sum([&](int i) { return i % 2 ? x[i] : -x[i]; }) * T(1e-3);", [
        "y[0] = sum([&](int i) { return i % 2 ? x[i] : -x[i]; }) * T(1e-3);",
        "T a = 0, b = 0; for (int i = 0; i < N; i += 2) a += x[i]; for (int i = 1; i < N; i += 2) b += x[i];"
        " y[0] = (b - a) * T(1e-3);"]),
    "dot": ("y[0] = sum([&](int i) { return x[i] * (x[N - 1 - i] - x[i / 2]); }) * T(1e-3);", [
        "y[0] = sum([&](int i) { return x[i] * (x[N - 1 - i] - x[i / 2]); }) * T(1e-3);",
        "y[0] = (sum([&](int i) { return x[i] * x[N - 1 - i]; }) - sum([&](int i) { return x[i] * x[i / 2]; }))"
        " * T(1e-3);",
        "T f = 0; for (int i = 0; i < N; ++i) f = std::fma(x[i], x[N - 1 - i] - x[i / 2], f); y[0] = f * T(1e-3);"]),
    "softmax": ("const T s = sum([&](int i) { return std::exp(x[i]); }); y[0] = (std::exp(x[0]) / s - T(1) / N) * T(1e-2);", [
        "const T s = sum([&](int i) { return std::exp(x[i]); }); y[0] = (std::exp(x[0]) / s - T(1) / N) * T(1e-2);",
        LARGEST + "const T s = sum([&](int i) { return std::exp(x[i] - t); });"
        " y[0] = (std::exp(x[0] - t) / s - T(1) / N) * T(1e-2);"]),
    "norm": ("const T q = std::sqrt(sum([&](int i) { return x[i] * x[i]; })); y[0] = (x[0] - x[N - 1]) / q * T(1e-2);", [
        "const T q = std::sqrt(sum([&](int i) { return x[i] * x[i]; })); y[0] = (x[0] - x[N - 1]) / q * T(1e-2);",
        "const T q = 1 / std::sqrt(sum([&](int i) { return x[i] * x[i]; })); y[0] = (x[0] * q - x[N - 1] * q) * T(1e-2);"]),
    # All elements of a row, which share what they are divided by.
    "softmax of rows": ("const T s = sum([&](int i) { return std::exp(x[i]); });"
                        " for (int i = 0; i < N; ++i) y[i] = std::exp(x[i]) / s - T(1) / N;", [
        "const T s = sum([&](int i) { return std::exp(x[i]); });"
        " for (int i = 0; i < N; ++i) y[i] = std::exp(x[i]) / s - T(1) / N;",
        LARGEST + "const T q = 1 / sum([&](int i) { return std::exp(x[i] - t); });"
        " for (int i = 0; i < N; ++i) y[i] = std::exp(x[i] - t) * q - T(1) / N;"]),
    "log-softmax": ("const T s = std::log(sum([&](int i) { return std::exp(x[i]); }));"
                    " for (int i = 0; i < N; ++i) y[i] = x[i] - s;", [
        "const T s = std::log(sum([&](int i) { return std::exp(x[i]); })); for (int i = 0; i < N; ++i) y[i] = x[i] - s;",
        LARGEST + "const T s = std::log(sum([&](int i) { return std::exp(x[i] - t); }));"
        " for (int i = 0; i < N; ++i) y[i] = (x[i] - t) - s;",
        LARGEST + "const T s = sum([&](int i) { return std::exp(x[i] - t); });"
        " for (int i = 0; i < N; ++i) y[i] = std::log(std::exp(x[i] - t) / s);"]),
    "log of a sum": ("y[0] = (std::log(sum([&](int i) { return std::exp(x[i]); })) - std::log(T(N))) * T(1e-2);", [
        "y[0] = (std::log(sum([&](int i) { return std::exp(x[i]); })) - std::log(T(N))) * T(1e-2);",
        LARGEST + "y[0] = (std::log(sum([&](int i) { return std::exp(x[i] - t); }) / N) + t) * T(1e-2);"]),
    "layer norm": (MEAN + DEVIATION + " for (int i = 0; i < N; ++i) y[i] = (x[i] - m) / q * T(1e-5);", [
        MEAN + DEVIATION + " for (int i = 0; i < N; ++i) y[i] = (x[i] - m) / q * T(1e-5);",
        MEAN + DEVIATION + " const T w = 1 / q; for (int i = 0; i < N; ++i) y[i] = (x[i] * w - m * w) * T(1e-5);",
        MEAN + "const T q = std::sqrt(sum([&](int i) { return x[i] * x[i]; }) / N - m * m + T(1e-5));"
        " for (int i = 0; i < N; ++i) y[i] = (x[i] - m) / q * T(1e-5);"]),
    "cosine": (NORMS + "y[0] = (d / (a * b) - 1) * T(1e-2);", [
        NORMS + "y[0] = (d / (a * b) - 1) * T(1e-2);",
        NORMS + "y[0] = (d / a / b - 1) * T(1e-2);",
        SQUARES + "y[0] = (d / std::sqrt(p * q) - 1) * T(1e-2);",
        SQUARES + "y[0] = (d * (1 / std::sqrt(p)) * (1 / std::sqrt(q)) - 1) * T(1e-2);"]),
    "product of norms": (SQUARES + "y[0] = (std::sqrt(p) * std::sqrt(q) - d) * T(1e-3);", [
        SQUARES + "y[0] = (std::sqrt(p) * std::sqrt(q) - d) * T(1e-3);",
        SQUARES + "y[0] = (std::sqrt(p * q) - d) * T(1e-3);"]),
    "mean and variance": (MEAN + VARIANCE + "y[0] = m / std::sqrt(v + T(1e-5)) * T(1e-3);", [
        MEAN + VARIANCE + "y[0] = m / std::sqrt(v + T(1e-5)) * T(1e-3);",
        MEAN + VARIANCE + "y[0] = m * (1 / std::sqrt(v + T(1e-5))) * T(1e-3);"]),
    "centred": (MEAN + "y[0] = (x[1] - m) * T(1e-3);", [
        MEAN + "y[0] = (x[1] - m) * T(1e-3);",
        "y[0] = (sum([&](int i) { return x[1] - x[i]; }) / N) * T(1e-3);",
        "y[0] = (x[1] * N - sum([&](int i) { return x[i]; })) / N * T(1e-3);"]),
}
WHOLE_ROWS = {"softmax of rows", "log-softmax", "layer norm"}
MOST_EXPONENT = 80  # exp of float32 overflows beyond 88; of what is subtracted first it does not
MOST_LOST = 1 / 8  # of an answer: beyond it nothing excuses an error
INPUTS = [(1, 1.003), (-1, 1), (1, 1.0001), (100, 100.1), (0.999, 1.001), (-1e-4, 1e-4)]
SIZES = [3, 12, 13, 64, 200]
ROWS = 64
FAULTS = [8e-2, -2e-2, 1e-3]
PROBLEM = """name = "{name}"
[host]
kernel = {{ file = "{name}.cc", function = "f", flags = ["-O2", "-std=c++17"] }}
baseline = {{ file = "{name}_double.cc", function = "f", flags = ["-O2", "-std=c++17"] }}
reference = {{ file = "{name}_right.cc", function = "right", flags = ["-std=c++17"] }}
cases = [{cases}]
[[host.argument]]
name = "x"
type = "{type}"
size = "N * {rows}"
low = {low}
high = {high}
[[host.argument]]
name = "y"
type = "{type}"
size = "{answers}"
access = "out"
[parameters]
WAY = {ways}
[measure]
samples = 3
precision = 0
warm_up_seconds = 0
[acceptance]
duels = false
"""


def source(name, number, order, row, kind):
    step = "N" if kind in WHOLE_ROWS else "1"
    return (f"#include <cmath>\nvoid {name}(const {number}* x, {number}* y) {{\n  using T = {number};\n"
            f"  for (int r = 0; r < {ROWS}; ++r, x += N, y += {step}) {{\n    {SUM % order}\n    {row}\n  }}\n}}\n")


def overflows(row, inputs):
    return "std::exp(x[i])" in row and inputs[1] > MOST_EXPONENT


def cancels(row, inputs, options):
    """Whether naive sums, which N roundings may be off by, may lose MOST_LOST of what is left where they cancel."""
    size, largest = max(options.sizes), max(map(abs, inputs))
    rounding = size * (2**-53 if options.type == "float64" else 2**-24)
    variance = (inputs[1] - inputs[0])**2 / 12
    scatter = (variance / size)**0.5
    for rows, whole, left in (
            (r"/ N - m \* m|q\) - d\)|- 1\)", largest**2, variance + (1e-5 if "1e-5" in row else 0)),
            (r"\}\) - sum\(|\(b - a\)", largest, scatter),
            (r"- std::log\(T\(N\)\)|\+ t\) \* T", 1, abs(sum(inputs)) / 2 + scatter)):
        if re.search(rows, row):
            return whole * rounding > MOST_LOST * left
    return False


def is_honest(row, inputs, options):
    return not overflows(row, inputs) and not cancels(row, inputs, options)


def ways_of(kind, inputs, options):
    """{number: (words, a row's order, its statements)}; the honest ones are below 1000."""
    ways = [(f"{order}, way {number}", ORDERS[order], row) for number, row in enumerate(KINDS[kind][1])
            if is_honest(row, inputs, options) for order in options.orders]
    found = dict(enumerate(ways))
    for number, fault in enumerate(FAULTS if options.faults and found else []):
        right = next(row for row in KINDS[kind][1] if is_honest(row, inputs, options))
        row = f"{right} for (int i = 0; i < {'N' if kind in WHOLE_ROWS else 1}; ++i) y[i] *= T({1 + fault});"
        found[1000 + number] = (f"a factor of {1 + fault}", ORDERS["forwards"], row)
    return found


def write(folder, kind, inputs, ways, options):
    low, high = inputs
    number = "double" if options.type == "float64" else "float"
    name = re.sub(r"[^a-z0-9]", "_", f"{kind}_{low}_{high}")
    kernel = "".join(f"#{'el' if at else ''}if WAY == {way}\n{source('f', number, order, row, kind)}"
                     for at, (way, (_, order, row)) in enumerate(ways.items()))
    (folder / f"{name}.cc").write_text(kernel + "#endif\n")
    right = KINDS[kind][0]
    (folder / f"{name}_right.cc").write_text(source("right", "double", ORDERS["forwards"], right, kind))
    # A baseline that rounds once: what is judged are the others.
    double = source("g", "double", ORDERS["forwards"], right, kind).replace("void g", "static void g")
    answers = f"{ROWS} * N" if kind in WHOLE_ROWS else f"{ROWS}"
    (folder / f"{name}_double.cc").write_text(
        f"#include <vector>\n{double}void f(const {number}* x, {number}* y) {{\n  std::vector<double> a(x, x + N * {ROWS}),"
        f" b({answers});\n  g(a.data(), b.data());\n  for (double one : b) *y++ = {number}(one);\n}}\n")
    cases = ", ".join(f"{{ N = {size} }}" for size in options.sizes)
    file = folder / f"{name}.toml"
    file.write_text(PROBLEM.format(name=name, cases=cases, rows=ROWS, low=low, high=high, ways=list(ways),
                                   answers=answers, type=options.type))
    return file


def judged(options, file, ways, study):
    """Rows (way, status, reason)."""
    command = [options.nightshift, "tune", file, "--study", study, "--devices", options.devices, "--budget",
               f"{len(ways)}t", "--seed", str(options.seed), "--searcher", "random", "--json"]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{file}: {done.stderr[-800:]}")
    rows = subprocess.run([options.nightshift, "export", study, "--format", "csv"], stdout=subprocess.PIPE, text=True)
    table = {row["trial"]: row for row in csv.DictReader(rows.stdout.splitlines()) if row["job"] == "explore"}
    spoken_for = {at: re.match("same artifact as trial ([0-9]+)$", row["reason"]) for at, row in table.items()}
    owners = {at: table[other[1]] if other else table[at] for at, other in spoken_for.items()}
    return [(int(row["WAY"]), owners[at]["status"], owners[at]["reason"]) for at, row in table.items()]


def ask(kind, inputs, options, folder, counts):
    ways = ways_of(kind, inputs, options)
    if not ways:
        return
    study = folder / f"{kind}-{INPUTS.index(inputs)}"
    for way, status, reason in judged(options, write(folder, kind, inputs, ways, options), ways, study):
        if way >= 1000:
            counts["faults"] += 1
            counts["passed"] += status == "measured"
            if status == "measured":
                print(f"{kind} of {inputs}, {ways[way][0]}: passed", flush=True)
            continue
        counts["honest"] += len(options.sizes)
        if status != "measured":
            counts["factors" if "draws of the inputs" in reason else "others"] += 1
            print(f"{kind} of {inputs}, {ways[way][0]}: {status}: {reason}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default="cpu:1")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--inputs", default=",".join(map(str, range(len(INPUTS)))), help="positions in INPUTS")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--orders", default=",".join(ORDERS))
    parser.add_argument("--type", default="float32", choices=["float32", "float64"])
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--nightshift", default=os.environ.get("NIGHTSHIFT", "nightshift"))
    options = parser.parse_args()
    options.sizes, options.orders = list(map(int, options.sizes.split(","))), options.orders.split(",")
    refused = 0
    print("| kind | honest answers | refused as a factor | for other reasons | wrong factors | passed |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="honest-") as made:
        for kind in options.kinds.split(","):
            counts = dict.fromkeys(("honest", "factors", "others", "faults", "passed"), 0)
            for at in map(int, options.inputs.split(",")):
                ask(kind, INPUTS[at], options, pathlib.Path(made), counts)
            print(f"| {kind} | " + " | ".join(map(str, counts.values())) + " |", flush=True)
            refused += counts["factors"] + counts["others"]
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
