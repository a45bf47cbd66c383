"""Compiles the kernels of Triton that a run launches, without a GPU.

The run is made and called with tensors that have no memory ("meta"). Each launch compiles instead,
by Triton's own code for a target that the request names; machine code lands in Triton's own cache,
where the measuring process finds it. The artifact is an identity: hashes of machine code, grids and
arguments, and every other operation of torch on the way."""

import contextlib
import json
import os
import sys

from . import candidates, factories, helion_kernels
from .errors import Failure, NotAhead, one_line, sentence_of
from .failures import failure_of
from .gpu_facts import SHARED, Facts
from .lines import tell
from .machine_code import identity_of, registers_of
from .problem import Case
from .pretended_gpu import Workshop, pretending
from .torch_arrays import name_of, torch


# Of code that torch does not see.
_OTHER_COMPILERS = {"torch.utils.cpp_extension", "tvm_ffi", "cupy", "numba", "cutlass", "tilelang"}


class Builder:
    """Serves the requests `build` of one process."""

    def __init__(self, problem, cases):
        self.problem, self.cases = problem, cases

    def build(self, request, say):
        """The answer's members, with the artifact's folder filled. Raises Failure and what the
        compiler raises."""
        candidates.choose(request)
        configuration = self.problem.space.asked(request)
        refusal = self.problem.space.refusal(configuration)
        if refusal:
            raise Failure("infeasible", f"infeasible: {refusal}")
        say("build")
        target = request.get("target") or {}
        if request.get("form") == "cubin":
            return self._hand_over(request, configuration, target)
        launches, identity, more = [], {"problem": self.problem.name}, {}
        try:
            for case in self.cases:
                launches += self.launches(case, configuration, target)
            identity["launches"] = [launch["identity"] for launch in launches]
        except Failure as failure:
            if not _may_work_elsewhere(failure):
                raise
            more["not_ahead"] = one_line(failure.words, 200)
            launches = []
        except Exception as error:
            if not isinstance(error, NotAhead) and \
                    failure_of(error, self.problem.file).kind == "build_failed":
                raise
            # Not the compiler: the run can't be made without a GPU. It is compiled when measured.
            tell(f"nightshift: not compiled ahead: {sentence_of(error)}\n")
            more["not_ahead"] = one_line(sentence_of(error), 200)
            launches = []
        if not launches:
            identity["configuration"] = self._labels(configuration)
        if candidates.told_apart() and (not launches or _OTHER_COMPILERS & set(sys.modules)):
            identity["candidate"] = candidates.told_apart()
        with open(os.path.join(request["artifact"], "launches.json"), "w") as out:
            json.dump(identity, out, indent=1, sort_keys=True)
        figures = [launch["shared"] for launch in launches if "shared" in launch]
        return {"built": True, **({"shared": max(figures)} if figures else {}), **more}

    def _hand_over(self, request, configuration, target):
        """Machine code and how it is launched, for an evaluator that is not Python."""
        made = [launch for launch in self.launches(self._case(request), configuration, target)
                if "kernel" in launch]
        if len(made) != 1:
            raise _by_its_own_launcher(f"the run launches {len(made)} kernels of Triton, and "
                                       "machine code is handed over where it launches one")
        [launch] = made
        name, members = handed_over(launch)
        with open(os.path.join(request["artifact"], "kernel.cubin"), "wb") as out:
            out.write(launch["kernel"].kernel)
        with open(os.path.join(request["artifact"], "launch.json"), "w") as out:
            json.dump({"launches": {name: members}}, out)
        return {"built": True, "shared": launch["shared"]}

    def _case(self, request):
        """The file's own case of the sizes that the request names, or one of these sizes alone."""
        asked = request.get("case") or {}
        for case in self.problem.cases:
            if all(getattr(case, name, None) == size for name, size in asked.items()):
                return case
        return Case(asked)

    def _labels(self, configuration):
        parameters = self.problem.space.parameters
        return {name: parameters[name].label_of(value) for name, value in dict(configuration).items()}

    def _told(self, run, configuration):
        """What tells runs of equal machine code apart: what figures are computed from beside the time.
        What the problem's own figures hang on is not known."""
        members = {"bandwidth": "bytes", "compute": "flops"}
        told = {member: getattr(run, member) for name, member in members.items()
                if name in self.problem.objectives}
        if run.figures is not None:
            told["configuration"] = self._labels(configuration)
        return told

    def launches(self, case, configuration, target):
        """What a case's run launches, compiled: see recording(). Raises what the compiler raises."""
        with recording(target) as launches, factories.use(Workshop(self.problem.dtype)):
            run = self.problem.run(case, configuration)
            run.call()
            told = self._told(run, configuration)
            if told:
                launches.append({"identity": told})
        if not any("shared" in launch for launch in launches):
            return []
        return launches


def _may_work_elsewhere(failure):
    """Whether a candidate's file failed in a way that may be for want of a GPU."""
    return candidates.are_declared() and failure.kind == "build_failed" and \
        failure.__cause__ is not None and \
        not isinstance(failure.__cause__, (SyntaxError, ImportError))


@contextlib.contextmanager
def recording(target):
    """A context in which kernels are compiled and not launched. Yields the list of what was called:
    {"identity": what tells it apart, "shared": bytes, of a kernel}."""
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction
    facts, launches, run, before = Facts(target), [], JITFunction.run, driver._active
    limit = SHARED.get(facts.architecture)

    def compile_only(self, *args, grid, warmup, **kwargs):
        kernel = run(self, *args, grid=grid, warmup=True, **kwargs)
        bound = _bound(self, args, kwargs)
        if callable(grid):
            grid = grid(bound)
        shared = kernel.metadata.shared
        if limit is not None and shared > limit:
            raise Failure("out_of_resources", f"{kernel.name} needs {shared} bytes of shared "
                                              f"memory; a block may have {limit}")
        _warm_launcher(kernel)
        if getattr(kernel, "module", self) is None:
            kernel._init_handles()  # some hosts ask a compiled kernel for its registers
        launches.append({"shared": shared, "identity": _identity(self, kernel, grid, bound),
                         "kernel": kernel, "jit": self, "bound": bound, "grid": grid})
        return kernel

    driver.set_active(HeadlessDriver(facts))
    driver._active.launches = launches
    JITFunction.run = compile_only
    try:
        with pretending(facts, launches), _other_tuners(launches), \
                helion_kernels.answering(facts.multiprocessors):
            yield launches
    finally:
        JITFunction.run = run
        driver._active = before


@contextlib.contextmanager
def _other_tuners(launches):
    """A context in which kernels under triton.autotune that no space names have all their configs
    compiled, as the process that measures tries them all; the first is what is recorded."""
    from triton.runtime.autotuner import Autotuner

    def run(self, *args, **kwargs):
        self.nargs, made, error = dict(zip(self.arg_names, args)), None, None
        for config in self.prune_configs(kwargs):
            mark, given = len(launches), {**kwargs, **config.all_kwargs()}
            try:
                if config.pre_hook is not None:
                    config.pre_hook({**self.nargs, **given})
                kernel = self.fn.run(*args, **given)
                self.best_config = config if made is None else self.best_config
            except Exception as raised:
                error = error or raised
                del launches[mark:]
                continue
            if made is not None:
                del launches[mark:]
            made = made or kernel
        self.nargs = None
        if made is None:
            raise error
        return made

    before, Autotuner.run = Autotuner.run, run
    try:
        yield
    finally:
        Autotuner.run = before


# Of Triton's types of scalars, those that a launch can pass as they are.
_SCALARS = {"i1": "uint32", "i8": "int32", "i16": "int32", "i32": "int32", "i64": "int64",
            "u1": "uint32", "u8": "uint32", "u16": "uint32", "u32": "uint32", "u64": "uint64",
            "fp32": "float32", "f32": "float32", "fp64": "float64", "f64": "float64"}


def _by_its_own_launcher(why):
    return Failure("build_failed", f"{why}: `nightshift tune FILE.py` measures it")


def handed_over(launch):
    """(the kernel's name, how it is launched) as launch.json has it. Tensors are called as the
    kernel's parameters are; numbers are passed as the run passed them. Raises Failure for what only
    Triton's own launcher can do."""
    kernel, metadata, name = launch["kernel"], launch["kernel"].metadata, launch["jit"].__name__
    for what, size in (("scratch memory", getattr(metadata, "global_scratch_size", 0)),
                       ("a profile's memory", getattr(metadata, "profile_scratch_size", 0)),
                       ("a cooperative grid", getattr(metadata, "launch_cooperative_grid", False))):
        if size:
            raise _by_its_own_launcher(f"{name} needs {what}, which Triton's launcher gives it")
    arguments = []
    for parameter, kind in kernel.src.signature.items():
        if kind == "constexpr":
            continue
        value = launch["bound"].get(parameter)
        if isinstance(value, torch().Tensor):
            if value.storage_offset():
                raise _by_its_own_launcher(f"{parameter} of {name} is a view that begins in the "
                                           "middle of a tensor")
            kind = name_of(value.dtype)
            arguments.append({"argument": parameter,
                              "type": {"float8_e4m3fn": "float8_e4m3"}.get(kind, kind)})
        elif kind in _SCALARS and isinstance(value, (bool, int, float)):
            arguments.append({_SCALARS[kind]: int(value) if isinstance(value, bool) else value})
        else:
            raise _by_its_own_launcher(f"{parameter} of {name} is {kind}, which only Triton's "
                                       "launcher passes")
    ctas = int(getattr(metadata, "num_ctas", 1) or 1)
    grid = [int(size) for size in launch["grid"]]
    grid[0] *= ctas
    return name, {"symbol": kernel.name, "grid": grid, "block": int(metadata.num_warps) * 32,
                  "cluster": ctas, "shared": int(metadata.shared),
                  "programmatic": bool(getattr(metadata, "launch_pdl", False)),
                  # Triton appends two pointers to scratch memory of its own.
                  "arguments": [*arguments, None, None]}


def _bound(jit, args, kwargs):
    bound = {p.name: p.default for p in jit.params if p.has_default}
    bound.update(zip(jit.arg_names, args))
    bound.update({name: value for name, value in kwargs.items() if name in jit.arg_names})
    return {name: bound[name] for name in jit.arg_names if name in bound}


def _identity(jit, kernel, grid, bound):
    metadata = kernel.metadata
    launch = {name: getattr(metadata, name, None) for name in (
        "num_warps", "num_ctas", "shared", "cluster_dims", "launch_cooperative_grid", "launch_pdl",
        "global_scratch_size")}
    constants = {jit.params[number].name for number in jit.constexprs}
    return {"kernel": kernel.name, "grid": [int(size) for size in grid],
            "code": identity_of(kernel.kernel), "launch": launch,
            "arguments": [_argument(value) for name, value in bound.items()
                          if name not in constants]}


def _argument(value):
    if isinstance(value, torch().Tensor):
        return [name_of(value.dtype), list(value.shape), list(value.stride()),
                value.storage_offset()]
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    base = getattr(value, "base", None)  # a tensor descriptor
    if base is not None:
        return [_argument(base), *(list(getattr(value, name, ())) for name in (
            "shape", "strides", "block_shape"))]
    return type(value).__name__


def _warm_launcher(kernel):
    # The host's launcher is compiled once a signature. Where it can't be without the driver's
    # library, the measuring process does it.
    with contextlib.suppress(Exception):
        from triton.backends.nvidia.driver import CudaLauncher
        CudaLauncher(kernel.src, kernel.metadata)


class _Properties(dict):
    """A GPU's, as Triton calls them. The machine is asked for those that the target does not say."""

    _ASKED = {"sm_clock_rate": "clock_rate", "mem_clock_rate": "memory_clock_rate",
              "mem_bus_width": "memory_bus_width"}

    def __init__(self, facts):
        super().__init__(multiprocessor_count=facts.multiprocessors, warpSize=32,
                         max_shared_mem=facts.shared, max_num_regs=65536)
        self.facts = facts

    def __missing__(self, name):
        return self.facts.all[self._ASKED[name]]


class HeadlessDriver:
    """What Triton asks a driver while it compiles."""

    def __init__(self, facts):
        from triton.backends.compiler import GPUTarget
        self.target, self.architecture = GPUTarget("cuda", facts.architecture, 32), facts.architecture
        self.utils, self.launches = self, []
        self.properties = _Properties(facts)

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return self.architecture  # caches of kernels are by device, and so never mixed

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch().device("meta")

    def get_device_properties(self, device):
        return self.properties

    def launcher_cls(self, *_):
        """Launches of a kernel that the host has compiled itself, kernel.warmup(...)[grid](...)."""
        return lambda *given: self.launches.append({"identity": ["launch", list(given[:3])]})

    def load_binary(self, name, code, shared, device):
        """(module, function, registers a thread, spilled bytes, threads that fit)."""
        registers = registers_of(code)
        return object(), 0, registers, 0, min(1024, 65536 // max(registers, 1) // 32 * 32)
