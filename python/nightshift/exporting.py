"""Winners as files that others load: python3 -m nightshift export.

It reads what `nightshift export STUDY --format json` prints. Formats as vLLM, SGLang, Triton,
Helion and Megatron core read them; python/README.md has examples."""

import json
import os
import re
import sys
import typing

from .errors import Unwritten, UserError
from .helion_functions import file_name, functions_of
from .helion_kernels import config_of
from .whole_files import write_whole

_MOE = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def add_arguments(parser):
    parser.add_argument("winners", nargs="*", metavar="[KEY=]FILE.json",
                        help="output of nightshift export --format json; KEY: the row's number of "
                             "tokens, the shape key of a Megatron table, or sizes as Helion has; or "
                             "a table.json, with {SIZE} in KEY for the size of each row")
    parser.add_argument("--format", required=True, choices=sorted(_FORMATS))
    parser.add_argument("--output",
                        help="folder (vllm, sglang, megatron, helion-aot) or file; standard output "
                             "where absent")
    parser.add_argument("--device", default="",
                        help='name of the GPU, such as "NVIDIA H200"; the winners\' where absent')
    for name, what in (("experts", "E"), ("n", "N"), ("k", "K")):
        parser.add_argument(f"--{name}", type=int, help=f"{what} of the file's name")
    parser.add_argument("--dtype", default="", help="such as fp8_w8a8; none for 16 bits")
    parser.add_argument("--block-shape", default="", help="such as 128,128")
    parser.add_argument("--triton", default="", help="version of Triton")
    parser.add_argument("--architecture", default="",
                        help="such as sm90, for Megatron or Helion; the winners' where absent")
    parser.add_argument("--kernel", default="", help="its name; the problem's where absent")
    parser.add_argument("--source", default="", metavar="FILE.py", help="of a kernel of Helion")
    parser.add_argument("--down", action="store_true", help="the second product of SGLang's MoE")
    parser.add_argument("--check", type=int, metavar="M",
                        help="says which row of the file a call with M tokens gets; writes nothing")


def main(arguments):
    """The subcommand. Returns the exit code; raises UserError."""
    if arguments.check is not None:
        return _check(arguments)
    if not arguments.winners:
        raise UserError("export needs files that nightshift export --format json has written")
    winners = [winner for text in arguments.winners for winner in read_winners(text)]
    name, text = _FORMATS[arguments.format](arguments, winners)
    return _put(arguments.output, name, text)


class Winner(typing.NamedTuple):
    key: str
    problem: str
    configuration: dict
    gpus: frozenset  # (name, architecture) of those that measured it; empty where it does not say


def _of_gpu(arguments, option, such_as, winners=()):
    """--device or --architecture; else that of the GPU that all winners were measured on."""
    given = getattr(arguments, option)
    if given:
        return given
    place = ("device", "architecture").index(option)
    found = sorted({gpu[place] for winner in winners for gpu in winner.gpus})
    if len(found) == 1:
        return found[0]
    more = f"; the winners were measured on {' and '.join(found)}" if found else ""
    raise UserError(f"--format {arguments.format} needs --{option}, {such_as}{more}")


_TABLE = "nightshift-table/1"
_KIND = re.compile(r"(.+), compute capability (\d+)")


def read_winners(text):
    """The Winners of "KEY=FILE" or "FILE": one, or of a table one for each row. Raises UserError."""
    key, file = _key_and_file(text)
    found = read_json(file)
    if isinstance(found, dict) and found.get("format") == _TABLE:
        return _rows_of_table(found, key, file)
    return [_winner_of(found, key, file)]


def _rows_of_table(table, key, file):
    """A row with the default has its values: no call is slower than it was. A key names sizes in
    braces; absent: "M=64,N=4096"."""
    gpus = (_KIND.fullmatch(kind) for kind in table.get("kinds", ()))
    gpus = frozenset((gpu.group(1), "sm" + gpu.group(2)) for gpu in gpus if gpu)
    rows = []
    for row in table["rows"]:
        sizes = row["sizes"]
        configuration = table["configurations"][row["choice"]] or table["default"]
        if not configuration:
            raise UserError(f"the row of {sizes} has the default, which is another program", file)
        plain = {name: _plain(value) for name, value in configuration.items()}
        try:
            own = key.format(**sizes) if key else ",".join(f"{n}={v}" for n, v in sizes.items())
        except (KeyError, IndexError, ValueError) as error:
            raise UserError(f"the key {key!r} names {error}, and the table has the sizes "
                            f"{', '.join(sizes)}", file) from None
        rows.append(Winner(own, table["problem"], plain, gpus))
    return rows


def _key_and_file(text):
    key, file = "", text
    if not os.path.exists(text) and "=" in text:
        # Neither a shape key nor a file's name is free of "=".
        splits = [(text[:i], text[i + 1:]) for i, letter in enumerate(text) if letter == "="]
        key, file = next((pair for pair in splits if os.path.exists(pair[1])), splits[0])
    return key, file


def _winner_of(found, key, file):
    """What was not accepted as an improvement stands for its baseline: no row is slower than what
    there was. Raises UserError."""
    if not isinstance(found, dict) or "configuration" not in found:
        raise UserError("it has no configuration; nightshift export --format json writes one", file)
    configuration = found["configuration"]
    if not found.get("accepted", True):
        configuration = (found.get("baseline") or {}).get("configuration") or configuration
        print(f"{file}: no improvement was accepted; its baseline is written", file=sys.stderr)
    plain = {name: _plain(value) for name, value in configuration.items()}
    gpus = (_KIND.fullmatch(str(part.get("value")))
            for part in found.get("made_of", ()) if part.get("kind") == "device")
    return Winner(key, found.get("problem", ""), plain,
                  frozenset((gpu.group(1), "sm" + gpu.group(2)) for gpu in gpus if gpu))


def _plain(value):
    # Labels of values that are none of TOML's, "INDEX: TEXT", where the text is Python.
    match = re.match(r"\d+: (.*)", value) if isinstance(value, str) else None
    if match is None:
        return value
    import ast
    try:
        return ast.literal_eval(match.group(1))
    except (ValueError, SyntaxError):
        return value


def read_json(file):
    """What a file has. Raises UserError that names it."""
    try:
        with open(file, encoding="utf-8") as opened:
            return json.load(opened)
    except OSError as error:
        raise UserError(f"it can't be read: {error.strerror}", file) from None
    except ValueError as error:
        raise UserError(f"it is no JSON: {error}", file) from None


class _Lookup(typing.NamedTuple):
    """How a file is named that vLLM or SGLang looks for."""
    sizes: tuple            # (option, letter) of each size in the name
    comma: str              # between the numbers of a block shape
    one_h200: bool = False  # every H200 is "NVIDIA_H200"
    by_triton: bool = False  # a folder for each version of Triton, which is always looked into
    dtype: str = ""         # where none is given
    block_shape: str = ""


_EXPERTS, _DENSE = (("experts", "E"), ("n", "N")), (("n", "N"), ("k", "K"))
_LOOKUPS = {
    "vllm-moe": _Lookup(_EXPERTS, ",", one_h200=True),
    "vllm-block-fp8": _Lookup(_DENSE, ",", dtype="fp8_w8a8", block_shape="128,128"),
    "sglang-moe": _Lookup(_EXPERTS, ", ", by_triton=True),
    "sglang-block-fp8": _Lookup(_DENSE, ", ", dtype="fp8_w8a8", block_shape="128,128")}


def device_name(name, one_h200=False):
    """A GPU's name in the names of such files: blanks are underscores."""
    name = name.strip().replace(" ", "_")
    return "NVIDIA_H200" if one_h200 and "H200" in name.split("_") else name


def _path(arguments, winners=()):
    """The file that the format's user looks for, in the folder that it looks into."""
    kind, lookup = arguments.format, _LOOKUPS[arguments.format]
    parts = []
    for option, letter in lookup.sizes:
        if getattr(arguments, option) is None:
            raise UserError(f"--format {kind} needs --{option}, which the file's name has")
        parts.append(f"{letter}={getattr(arguments, option)}")
    device = _of_gpu(arguments, "device", "as nvidia-smi names it", winners)
    parts.append(f"device_name={device_name(device, lookup.one_h200)}")
    dtype = arguments.dtype or lookup.dtype
    shape = arguments.block_shape or lookup.block_shape
    if dtype:
        parts.append(f"dtype={dtype}")
    if shape:
        sizes = [size.strip() for size in shape.strip("[]").split(",")]
        if len(sizes) != 2 or not all(size.isdigit() for size in sizes):
            raise UserError(f"--block-shape is two numbers, such as 128,128, not {shape!r}")
        parts.append(f"block_shape=[{lookup.comma.join(sizes)}]")
    if arguments.down and kind != "sglang-moe":
        raise UserError(f"--down is of sglang-moe; --format {kind} has one file for both products")
    name = ",".join(parts) + ("_down" if arguments.down else "") + ".json"
    if not lookup.by_triton:
        return name
    if not arguments.triton:
        raise UserError(f"--format {kind} needs --triton, whose version names the folder that is looked into")
    return os.path.join("triton_" + arguments.triton.replace(".", "_"), name)


def _rows(winners):
    rows = {}
    for key, _, configuration, _ in winners:
        if not key.isdigit() or int(key) < 1:
            raise UserError(f"each file needs its number of tokens, M=FILE, and not {key!r}")
        missing = [name for name in _MOE if name not in configuration and name != "GROUP_SIZE_M"]
        if missing:
            raise UserError(f"the configuration of row {key} has no {missing[0]}; it has "
                            f"{', '.join(configuration)}")
        if int(key) in rows:
            raise UserError(f"row {key} is given twice")
        rows[int(key)] = {name: configuration[name] for name in (
            *(n for n in _MOE if n in configuration),
            *(n for n in configuration if n not in _MOE))}
    return {str(key): rows[key] for key in sorted(rows)}


def _vllm(arguments, winners):
    head = {"triton_version": arguments.triton} if arguments.triton else {}
    return _path(arguments, winners), json.dumps({**head, **_rows(winners)}, indent=4) + "\n"


def _sglang(arguments, winners):
    name, rows = _path(arguments, winners), _rows(winners)
    if arguments.format == "sglang-moe":
        _hold_against_the_other_product(arguments, name, rows)
    return name, json.dumps(rows, indent=4) + "\n"


def _hold_against_the_other_product(arguments, name, rows):
    """SGLang sorts tokens into blocks once for both products, and refuses a call whose rows differ
    in BLOCK_SIZE_M. Raises UserError where the other file lies there and has such a row."""
    down = name.endswith("_down.json")
    other = name[:-len("_down.json")] + ".json" if down else name[:-len(".json")] + "_down.json"
    path = os.path.join(arguments.output or ".", other)
    if not os.path.exists(path):
        if down:
            print(f"the rows of {other} need the same BLOCK_SIZE_M; it is not there",
                  file=sys.stderr)
        return
    theirs = read_json(path)
    if nearest_row(theirs, 1) is None:
        return
    for tokens in sorted(_changes(rows) | _changes(theirs)):
        mine, its = rows[str(nearest_row(rows, tokens))], theirs[str(nearest_row(theirs, tokens))]
        if mine["BLOCK_SIZE_M"] != its.get("BLOCK_SIZE_M"):
            raise UserError(f"a call with {tokens} tokens would get BLOCK_SIZE_M="
                            f"{mine['BLOCK_SIZE_M']} here and {its.get('BLOCK_SIZE_M')} there; "
                            "SGLang needs both products of a layer to have the same", path)


def _changes(table):
    """Numbers of tokens, some of each range in which a table has one nearest row."""
    keys = sorted(int(key) for key in table if key.isdigit())
    between = {(a + b) // 2 + more for a, b in zip(keys, keys[1:]) for more in (0, 1)}
    return set(keys) | between


def _of_kernel(configuration, kernel):
    """What a configuration says of one kernel, of several whose names stand before their
    parameters'."""
    prefix = f"{kernel}_"
    found = {name[len(prefix):]: value for name, value in configuration.items()
             if name.startswith(prefix)} if kernel else {}
    if found:
        return found
    several = [name[:-len("_num_warps")] for name in configuration if name.endswith("_num_warps")]
    if several:
        raise UserError(f"the configuration is of several kernels: --kernel {several[0]} takes what "
                        f"is of one of {', '.join(several)}")
    return configuration


def _triton(arguments, winners):
    lines = []
    for configuration in (_of_kernel(winner.configuration, arguments.kernel) for winner in winners):
        own = {name: value for name, value in configuration.items() if name not in _OPTIONS}
        rest = "".join(f", {name}={configuration[name]!r}" for name in _OPTIONS
                       if name in configuration)
        line = f"    triton.Config({own!r}{rest}),"
        if line not in lines:
            lines.append(line)
    return "", "configs=[\n" + "\n".join(lines) + "\n]\n"


def _helion(arguments, winners):
    if len(winners) != 1:
        raise UserError("--format helion writes one config; give one file")
    return "", json.dumps(config_of(winners[0].configuration), indent=2) + "\n"


def _helion_aot(arguments, winners):
    if not arguments.source:
        raise UserError("--format helion-aot needs --source, the file of the kernel: Helion looks "
                        "for a file that is named after it")
    kernels = {}
    for key, problem, configuration, _ in winners:
        kernels.setdefault(arguments.kernel or problem, []).append((key, configuration))
    architecture = _of_gpu(arguments, "architecture", "such as sm90", winners)
    return file_name(arguments.source, architecture), functions_of(kernels)


def _megatron(arguments, winners):
    architecture = _of_gpu(arguments, "architecture", "such as sm90", winners)
    table = {}
    for key, problem, configuration, _ in winners:
        if not key:
            raise UserError("a Megatron table needs the shape key of each row, KEY=FILE")
        own = {name: value for name, value in configuration.items() if name not in _OPTIONS}
        # An entry is found where it equals a config of the kernel, which has both of these.
        entry = {"kwargs": own, "num_warps": 4, "num_stages": 3,
                 **{name: configuration[name] for name in _OPTIONS if name in configuration}}
        table.setdefault(arguments.kernel or problem, {})[key] = entry
    whole = {"arch": architecture, "triton": arguments.triton, "packages": {},
             "source": "nightshift", "kernels": table}
    return architecture + ".json", json.dumps(whole, indent=2) + "\n"


_FORMATS = {"vllm-moe": _vllm, "vllm-block-fp8": _vllm, "sglang-moe": _sglang,
            "sglang-block-fp8": _sglang, "triton-config": _triton, "helion": _helion,
            "helion-aot": _helion_aot, "megatron": _megatron}


def _put(output, name, text):
    if not output:
        if name:
            print(f"the file's name: {name}", file=sys.stderr)
        sys.stdout.write(text)
        return 0
    path = os.path.join(output, name) if name else output
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write_whole(os.path.realpath(path), text)
    except OSError as error:
        raise Unwritten(f"it can't be written: {error.strerror}", path) from None
    print(path)
    return 0


def nearest_row(table, tokens):
    """The key that vLLM and SGLang take for a number of tokens: the nearest, of two the one that
    stands first."""
    keys = [int(key) for key in table if key.isdigit()]
    return min(keys, key=lambda key: abs(key - tokens)) if keys else None


def _check(arguments):
    if arguments.format not in _LOOKUPS:
        raise UserError(f"--check looks rows up in {', '.join(_LOOKUPS)}")
    path = os.path.join(arguments.output or ".", _path(arguments))
    if not os.path.exists(path):
        print(f"none: a call looks for {path}, which does not exist, and takes a default")
        return 3
    table = read_json(path)
    row = nearest_row(table, arguments.check)
    if row is None:
        print(f"none: {path} has no rows")
        return 3
    print(f"row {row} of {path}: {json.dumps(table[str(row)])}")
    return 0
