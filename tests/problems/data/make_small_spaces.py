#!/usr/bin/env python3
"""Writes the small recorded spaces of this folder: one made-up space in each of the formats.

Deterministic: figures come from a formula, so that running it again changes nothing.
"""
import gzip
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PARAMETERS = {
    "block": [32, 64, 128, 256, 16],
    "tile": [1, 2, 3, 4],
    "unroll": [0, 1],
    "order": ["rows", "columns"],
}
FAILURES = {  # configuration: (name in a cache, T4's invalidity)
    (256, 4, 1, "rows"): ("CompilationFailedConfig", "compile"),
    (256, 4, 1, "columns"): ("RuntimeFailedConfig", "runtime"),
    (128, 4, 1, "rows"): ("InvalidConfig", "constraints"),
    (32, 1, 0, "rows"): ("RuntimeFailedConfig", "runtime"),
}


def configurations():
    for block in PARAMETERS["block"]:
        for tile in PARAMETERS["tile"]:
            for unroll in PARAMETERS["unroll"]:
                for order in PARAMETERS["order"]:
                    if block * tile <= 1024 and (unroll == 0 or tile > 1):
                        yield (block, tile, unroll, order)


def milliseconds(configuration, repetition):
    block, tile, unroll, order = configuration
    best = abs(block - 128) / 64 + abs(tile - 3) + (0 if unroll else 0.5)
    slow = 1.25 if order == "columns" else 1.0
    return round((1 + best) * slow * (1 + 0.01 * ((7 * repetition + block + tile) % 5)), 6)


def write(name, text):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(HERE, name + ".gz"), "wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
            packed.write(text.encode("utf-8"))


def costs(configuration):
    block, tile, _, _ = configuration
    return {"compile": 100.0 + block, "verification": 2.0, "benchmark": 40.0 + tile,
            "strategy": 0.5, "framework": 1.5}


def cache():
    lines = []
    for c in configurations():
        entry = dict(zip(PARAMETERS, c))
        if c in FAILURES:
            entry["time"] = FAILURES[c][0]
        else:
            times = [milliseconds(c, i) for i in range(5)]
            entry["time"] = sum(times) / len(times)
            entry["times"] = times
        entry.update({part + "_time": cost for part, cost in costs(c).items()})
        lines.append('"%s": %s' % (",".join(map(str, c)), json.dumps(entry)))
    head = json.dumps({"device_name": "Made-up 9000", "kernel_name": "stencil", "problem_size": [1024],
                       "tune_params_keys": list(PARAMETERS), "tune_params": PARAMETERS,
                       "objective": "time"}, indent=0)
    return head[:-2] + ',\n"cache": {\n' + ",\n".join(lines) + "}\n}"


def t4():
    results = []
    for c in configurations():
        cost = costs(c)
        times = {"compilation": cost["compile"], "framework": cost["framework"],
                 "search_algorithm": cost["strategy"], "validation": cost["verification"],
                 "benchmark": cost["benchmark"]}
        result = {"configuration": dict(zip(PARAMETERS, c)), "times": times,
                  "invalidity": "correct", "correctness": 1, "objectives": ["time"]}
        if c in FAILURES:
            result["invalidity"] = FAILURES[c][1]
            result["correctness"] = 0
            value = FAILURES[c][0]
        else:
            times["runtimes"] = [milliseconds(c, i) for i in range(5)]
            value = sum(times["runtimes"]) / len(times["runtimes"])
        result["measurements"] = [{"name": "time", "value": value, "unit": ""}]
        results.append(result)
    return json.dumps({"metadata": {"timeunit": "miliseconds"}, "results": results,
                       "schema_version": "1.0.0"}, indent=1)


if __name__ == "__main__":
    write("stencil.json", cache())
    write("stencil.T4.json", t4())
