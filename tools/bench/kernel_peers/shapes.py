"""What words of the command line stand for: shapes, cells, values, files of configurations."""

import json
import pathlib
import re

from . import drawing
from .problem import BYTES, Cell, Problem

LARGE_BYTES = 1e9
MODEL_SHAPES = pathlib.Path(__file__).resolve().parent / "model_shapes.json"


def shapes_of(problem, given):
    """Sizes of the shapes that the words of `--shapes` ask for, in their order, each once."""
    found = []
    for word in given:
        found += [s for s in shapes_of_word(problem, word) if s not in found]
    return found


def shapes_of_word(problem, word):
    if word == "all":
        return problem.published
    if word == "odd":
        return [s for s in problem.published
                if any(n & (n - 1) for n in list(s.values())[1 if len(s) > 1 else 0:])]
    if word == "large":
        return [s for s in problem.published
                if Cell(problem, s, problem.dtype).figure("bytes") >= LARGE_BYTES]
    listed = re.fullmatch(r"(models|@.+?)(?::(\d+)-(\d+))?", word)
    if listed:
        file = MODEL_SHAPES if listed[1] == "models" else pathlib.Path(listed[1][1:])
        first, last = (int(listed[2]), int(listed[3])) if listed[2] else (1, None)
        return listed_shapes(problem, file)[max(0, first - 1):last]
    drawn = re.fullmatch(r"drawn:(\d+)(?::([1-9]\d*))?", word)
    if drawn:
        return drawn_shapes(problem, int(drawn[1]), int(drawn[2] or 1))
    try:
        return [{name: int(value) for name, value in
                 (pair.split("=") for pair in word.split(","))}]
    except ValueError:
        raise SystemExit("--shapes are all, odd, large, models, @FILE.json, each of the last two "
                         "with :FIRST-LAST or without, drawn:SEED:COUNT, or shapes such as "
                         "M=32768,N=4096") from None


def drawn_shapes(problem, seed, count):
    def cell(shape):
        return Cell(problem, shape, problem.dtype)

    def is_usable(shape):
        return cell(shape).is_valid(cell(shape).baseline())
    try:
        return drawing.shapes(problem.name, problem.cuda["sizes"],
                              lambda shape: cell(shape).figure("bytes"), is_usable, seed, count)
    except ValueError as e:
        raise SystemExit(f"--shapes drawn: {e}") from None


def listed_shapes(problem, file):
    """Those of {problem: [{size: value, ..., "of": remark}] or the name of another problem}."""
    try:
        content = json.loads(file.read_text())
    except (OSError, json.JSONDecodeError) as e:
        raise SystemExit(f"--shapes: {file}: {e}") from None
    entries = content.get(problem.name, [])
    if isinstance(entries, str):
        entries = content.get(entries, [])
    return [{name: value for name, value in entry.items() if name != "of"} for entry in entries]


def cells_of(kernels, shapes, dtypes="", peers=()):
    """A cell for each kernel, type and shape; the kernels and types, words with commas between them."""
    found = []
    for name in kernels.split(","):
        problem = Problem(name)
        for dtype in dtypes.split(",") if dtypes and problem.dtype else [problem.dtype]:
            if dtype and dtype not in BYTES:
                raise SystemExit(f"--dtypes: there is no type {dtype}")
            found += [Cell(problem, s, dtype, peers) for s in shapes_of(problem, shapes)]
    if not found:
        raise SystemExit("no kernel has such a shape")
    return found


def named_values(words):
    """{name: its values as text} of words NAME=VALUE,VALUE, as --only has them."""
    found = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not values:
            raise SystemExit(f"--only {word}: NAME=VALUE,VALUE is expected")
        found[name] = values.split(",")
    return found


def require_parameters(only, cells):
    """Ends the program where --only names what none of the cells' kernels has."""
    known = {name for cell in cells for name in cell.problem.toml["parameters"]}
    unknown = sorted(set(only) - known)
    if unknown:
        raise SystemExit(f"--only: no kernel here has a parameter {', '.join(unknown)}")


def given_configurations(file):
    """The entries {problem, sizes, dtype, configuration} of a file; none where there is no file."""
    if not file:
        return []
    try:
        entries = json.loads(pathlib.Path(file).read_text())
    except (OSError, json.JSONDecodeError) as e:
        raise SystemExit(f"{file}: {e}") from None
    for entry in entries if isinstance(entries, list) else [entries]:
        if not isinstance(entry, dict) or not {"problem", "sizes", "configuration"} <= set(entry):
            raise SystemExit(f"{file}: an entry needs problem, sizes, dtype and configuration: "
                             f"{json.dumps(entry)[:200]}")
    return entries
