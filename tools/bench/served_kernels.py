#!/usr/bin/env python3
"""Kernels of Triton measured by the evaluator of CUDA kernels, beside the same kernels measured in
Python, on a real GPU.

    tools/bench/served_kernels.py [--nightshift PROGRAM] [--seconds 30] [--only bits,rates,deaths]

bits: each kernel's outputs as Triton's own launch leaves them are the reference, and must be met to
    the bit; a reference of which one bit is turned must be refused.
rates: studies with random search of `python_kernels/`, by both ways; configurations a minute, and
    the ratio of the times of configurations that both measured.
deaths: from the end of a trial that died to the start of the next.
Exit code 1 where a bit differs, or a turned one passes. Needs torch and triton.
"""

import argparse
import csv
import importlib.util
import io
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import gpu_study
from gpu_tuning import figures

KERNELS = gpu_study.ROOT / "tools/bench/python_kernels"
EXAMPLES = gpu_study.ROOT / "python/examples"
MODULE = gpu_study.ROOT / "python"
sys.path.insert(0, str(MODULE))

# (file, kernel, outputs, sizes, configurations)
SMALL = [
    (EXAMPLES / "softmax_triton.py", "y", {"rows": 16, "columns": 4096},
     [dict(BLOCK=4096, PROGRAMS=132, num_warps=4, num_stages=1),
      dict(BLOCK=8192, PROGRAMS=264, num_warps=16, num_stages=2)]),
    (KERNELS / "rmsnorm.py", "y", {"M": 16, "N": 2048},
     [dict(BLOCK=2048, PROGRAMS=264, num_warps=8, num_stages=2),
      dict(BLOCK=1024, PROGRAMS=132, num_warps=2, num_stages=3)]),
    (KERNELS / "product.py", "c", {"M": 128, "N": 192, "K": 256},
     [dict(BLOCK_M=64, BLOCK_N=128, BLOCK_K=64, GROUP_M=4, num_warps=4, num_stages=3),
      dict(BLOCK_M=128, BLOCK_N=64, BLOCK_K=32, GROUP_M=8, num_warps=8, num_stages=4)]),
]


# --- To the bit ---

def launched(file, sizes, configuration):
    """What Triton's own launch of a configuration was given and left: (kernel's name, {argument:
    bits as a list, in the order of the arguments})."""
    import torch
    from triton.runtime.jit import JITFunction
    from nightshift import factories
    from nightshift.loading import load
    from nightshift.problem import Case
    from nightshift.torch_arrays import TorchWorkshop
    from nightshift.triton_import import use_real_driver
    problem, seen = load(file), {}
    use_real_driver()
    run = JITFunction.run

    def watched(self, *args, **kwargs):
        seen["name"], seen["tensors"] = self.__name__, {
            name: value for name, value in zip(self.arg_names, args)
            if isinstance(value, torch.Tensor)}
        return run(self, *args, **kwargs)

    with factories.use(TorchWorkshop(11, "cuda")):
        made = problem.run(Case(sizes), problem.space.decode(configuration))
        JITFunction.run = watched
        try:
            made.call()
        finally:
            JITFunction.run = run
    torch.cuda.synchronize()
    return seen["name"], {name: tensor.view(torch.int16).flatten().tolist()
                          for name, tensor in seen["tensors"].items()}


def frozen_problem(folder, file, output, sizes, configuration, turned):
    """A problem of one configuration whose inputs and right answer are tables of bits."""
    kernel, tensors = launched(file, sizes, configuration)
    tables = {name: list(bits) for name, bits in tensors.items()}
    if turned:
        tables[output][7] ^= 1
    source = "#include <cuda_bf16.h>\n"
    for name, bits in tables.items():
        source += f"__device__ const short {name}_bits[] = {{{','.join(map(str, bits))}}};\n"
    inputs = [name for name in tables if name != output]
    heads = ", ".join(f"short* {name}" for name in inputs)
    source += f'extern "C" __global__ void fill({heads}) {{\n'
    for name in inputs:
        source += (f"  for (int i = threadIdx.x; i < {len(tables[name])}; i += blockDim.x) "
                   f"{name}[i] = {name}_bits[i];\n")
    source += '}\nextern "C" __global__ void reference(double* right) {\n' + (
        f"  for (int i = threadIdx.x; i < {len(tables[output])}; i += blockDim.x) {{\n"
        f"    right[i] = __bfloat162float(__ushort_as_bfloat16({output}_bits[i]));\n  }}\n}}\n")
    (folder / "reference.cu").write_text(source)
    argv = ["env", f"PYTHONPATH={MODULE}", "python3", "-m", "nightshift", "serve", str(file)]
    text = f'name = "bits"\n[cuda]\nsource = {json.dumps(str(file))}\ncompiler = "served"\n'
    text += f"compiler_argv = {json.dumps(argv)}\nsizes = {{ " + ", ".join(
        f"{name} = {size}" for name, size in sizes.items()) + " }\n"
    text += '[cuda.reference]\nsource = "reference.cu"\n[[cuda.reference.launch]]\n'
    text += f'kernel = "reference"\ngrid = 1\nblock = 1024\narguments = ["{output}"]\n'
    text += '[[cuda.prepare]]\nkernel = "fill"\ngrid = 1\nblock = 1024\n'
    text += f"arguments = {json.dumps(inputs)}\n"
    for name, bits in tables.items():
        text += f'[[cuda.argument]]\nname = "{name}"\ntype = "bfloat16"\nsize = {len(bits)}\n'
        text += ('access = "out"\ngate = 0\nelement_gate = 0\n' if name == output
                 else 'fill = "computed"\n')
    text += f'[[cuda.launch]]\nkernel = "{kernel}"\n[parameters]\n'
    text += "".join(f"{name} = [{value}]\n" for name, value in configuration.items())
    text += "[baseline]\n" + "".join(f"{n} = {v}\n" for n, v in configuration.items())
    (folder / "problem.toml").write_text(text)
    return folder / "problem.toml"


def passes(nightshift, folder, *what):
    """Whether the evaluator finds Triton's own answer to the bit; and what it says."""
    folder.mkdir()
    problem = frozen_problem(folder, *what)
    done = subprocess.run([nightshift, "tune", str(problem), "--study", str(folder / "study"),
                           "--budget", "1t", "--json"], capture_output=True, text=True)
    if done.returncode in (0, 3):
        return True, ""
    return False, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""


def bits(nightshift, folder):
    right = True
    for file, output, sizes, configurations in SMALL:
        for number, configuration in enumerate(configurations):
            where = folder / f"{file.stem}-{number}"
            same, words = passes(nightshift, where, file, output, sizes, configuration, False)
            print(f"bits  {file.stem:15} {configuration}: {'equal' if same else words}", flush=True)
            right = right and same
        same, words = passes(nightshift, folder / f"{file.stem}-turned", file, output, sizes,
                             configurations[0], True)
        print(f"bits  {file.stem:15} one turned: {'NOT SEEN' if same else words}", flush=True)
        right = right and not same
    return right


# --- Rates and times ---

def times(nightshift, study):
    """{configuration: microseconds} of the trials that were measured."""
    done = subprocess.run([nightshift, "export", str(study), "--format", "csv"], check=True,
                          capture_output=True, text=True)
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["status"] == "measured" and row["job"] == "explore":
            key = tuple(sorted((n, v) for n, v in row.items()
                               if n in PARAMETERS))
            found[key] = float(row["time"])
    return found


PARAMETERS = {"BLOCK", "PROGRAMS", "num_warps", "num_stages", "BLOCK_M", "BLOCK_N", "BLOCK_K",
              "GROUP_M"}


def agreement(served, in_python):
    both = sorted(served[key] / in_python[key] for key in served.keys() & in_python.keys())
    if not both:
        return "no configuration in both"
    within = sum(abs(ratio - 1) <= 0.01 for ratio in both) / len(both)
    return (f"{len(both)} configurations by both ways: time by [cuda] over time in Python "
            f"{statistics.median(both):.4f} in the median, {both[len(both) // 20]:.4f} to "
            f"{both[-1 - len(both) // 20]:.4f} for nine of ten, {within:.0%} within 1 %")


def rates(nightshift, folder, seconds):
    for name, served, in_python in (
            ("softmax", EXAMPLES / "softmax_served/problem.toml", EXAMPLES / "softmax_triton.py"),
            ("rmsnorm", KERNELS / "rmsnorm_served.toml", KERNELS / "rmsnorm.py"),
            ("product", KERNELS / "product_served.toml", KERNELS / "product.py")):
        found = []
        for way, problem in (("[cuda]", served), ("Python", in_python)):
            study = folder / f"{name}-{way.strip('[]')}"
            result = gpu_study.tune(nightshift, study, problem, "--budget", f"{seconds}s",
                                    "--searcher", "random", "--seed", "1", "--devices", "gpu:0")
            rows = gpu_study.trials(study)
            f = figures(rows)
            found.append(times(nightshift, study))
            kinds = {}
            for row in rows:
                if row["job"] == "explore":
                    kinds[row["status"]] = kinds.get(row["status"], 0) + 1
            ratio = (result.get("improvement") or {}).get("ratio")
            print(f"rates {name:8} {way:7} {f['per_minute']:6.0f} a minute, device busy "
                  f"{f['busy']:.0%}, measuring {f['measuring']:.0%}, best "
                  f"{min(found[-1].values()):.2f} us, improvement {ratio}, {kinds}", flush=True)
        print(f"rates {name:8} {agreement(*found)}", flush=True)


# --- Deaths ---

DYING = '''
import triton
import triton.language as tl
import nightshift as ns

@triton.jit
def kernel(x, y, n, AT: tl.constexpr, SALT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at + AT, 2 * tl.load(x + at, mask=at < n - SALT), mask=at < n - SALT)

@ns.problem(space={"AT": [0, 1 << 44], "SALT": list(range(40))}, cases=[dict(N=1 << 20)])
def dying(case, config):
    x, y = ns.normal(case.N), ns.output(case.N)
    return ns.Run(lambda: kernel[(1024,)](x, y, case.N + config.SALT, AT=config.AT,
                                          SALT=config.SALT, BLOCK=1024),
                  outputs=[y], reference=lambda: 2 * x.double())
'''
DYING_SERVED = '''
name = "dying"
[cuda]
source = "dying.py"
compiler = "served"
compiler_argv = ["env", "PYTHONPATH={module}", "python3", "-m", "nightshift", "serve", "dying.py"]
sizes = {{ N = 1048576 }}
[[cuda.argument]]
name = "x"
type = "bfloat16"
size = "N"
fill = "normal"
[[cuda.argument]]
name = "y"
type = "bfloat16"
size = "N"
access = "out"
[[cuda.launch]]
kernel = "kernel"
[parameters]
AT = [0, 17592186044416]
SALT = {{ range = [0, 39] }}
[baseline]
AT = 0
SALT = 0
'''


def deaths(nightshift, folder):
    (folder / "dying.py").write_text(DYING)
    (folder / "dying.toml").write_text(DYING_SERVED.format(module=MODULE))
    for way, problem in (("[cuda]", "dying.toml"), ("Python", "dying.py")):
        study = folder / f"deaths-{way.strip('[]')}"
        result = gpu_study.tune(nightshift, study, folder / problem, "--budget", "60t",
                                "--searcher", "random", "--seed", "3", "--devices", "gpu:0")
        print(f"deaths {way} {result['trials']}", flush=True)
        gpu_study.show_recovery(gpu_study.trials(study))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nightshift", default=gpu_study.NIGHTSHIFT)
    parser.add_argument("--seconds", type=int, default=30, help="of each study of rates")
    parser.add_argument("--only", default="bits,rates,deaths")
    options = parser.parse_args()
    for module in ("torch", "triton"):
        if importlib.util.find_spec(module) is None:
            sys.exit(f"needs {module}")
    only, right = options.only.split(","), True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "bits" in only:
            right = bits(options.nightshift, folder)
        if "rates" in only:
            rates(options.nightshift, folder, options.seconds)
        if "deaths" in only:
            deaths(options.nightshift, folder)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
