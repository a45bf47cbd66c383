"""Runs that do more than launch a kernel, built ahead without a GPU. Skipped aloud where torch or
triton is missing."""

import contextlib
import json
import os
import sys
import tempfile
import unittest

import harness

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(harness.SKIPPED)

import nightshift as ns
from nightshift import gpu_facts, import_gpu, pretended_gpu
from nightshift.errors import UserError
from nightshift.gpu_facts import Facts, target
from nightshift.machine_code import registers_of
from nightshift.triton_build import Builder, HeadlessDriver

TARGET = {"architecture": 90, "multiprocessors": 132}
FACTOR = tl.constexpr(2)
EMPTY = torch._C._dynamo.guards._empty_strided_cuda


@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, FACTOR * tl.load(x + at, mask=at < n), mask=at < n)


@triton.autotune([triton.Config({"BLOCK": block}) for block in (64, 128)], key=["n"])
@triton.jit
def other_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 3 * tl.load(x + at, mask=at < n), mask=at < n)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def scale(x):
    assert x.is_cuda and x.device.type == "cuda" and x.get_device() == 0
    with torch.cuda.device(x.device.index), torch.accelerator.device_index(x.device.index):
        y = torch.empty_like(x)
        scale_kernel[grid](x, y, x.numel(), BLOCK=256)
    return y


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return scale(x)

    @staticmethod
    def backward(ctx, dy):
        dx = torch.empty_like(dy)
        other_kernel[grid](dy, dx, dy.numel())
        return dx


@torch.library.custom_op("nightshift_test::scaled", mutates_args=(), device_types="cuda")
def scaled(x: torch.Tensor) -> torch.Tensor:
    return scale(x)


@scaled.register_fake
def _(x):
    return torch.empty_like(x)


LIBRARY = torch.library.Library("nightshift_test", "FRAGMENT")
LIBRARY.define("registered(Tensor x) -> Tensor")
LIBRARY.impl("registered", scale, "CUDA")
LIBRARY.define("of_the_cpu(Tensor x) -> Tensor")
LIBRARY.impl("of_the_cpu", lambda x: x, "CPU")


@torch.library.triton_op("nightshift_test::wrapped", mutates_args={})
def wrapped(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    torch.library.wrap_triton(scale_kernel)[grid](x, y, x.numel(), BLOCK=512)
    return y


def again(kernel):
    """Another kernel of the same code, that no space has taken hold of."""
    return triton.jit(kernel.fn if kernel is scale_kernel else kernel.fn.fn)


class Base(harness.Building):
    """made(call): what a builder makes of a run whose call gets a tensor of 1024 numbers."""

    def made(self, call, space=None, labels=None, inputs=lambda: ns.normal(1024)):
        @ns.problem(space={"way": [0]} if space is None else space)
        def run(case, config):
            x = inputs()
            return ns.Run(lambda: call(x))

        with tempfile.TemporaryDirectory() as folder:
            answer = Builder(run, run.cases).build(
                {"configuration": labels or {}, "target": TARGET, "artifact": folder}, lambda _: None)
            with open(os.path.join(folder, "launches.json")) as file:
                return answer, json.load(file).get("launches", [])

    def launched(self, call, **options):
        """(kernel, grid) of each launch; nothing is left to be compiled where it is measured."""
        answer, launches = self.made(call, **options)
        self.assertNotIn("not_ahead", answer)
        return [(one["kernel"], one["grid"]) for one in launches if isinstance(one, dict)]


class Runs(Base):
    def test_a_host_that_asks_whether_it_has_a_gpu(self):
        self.assertEqual(self.launched(scale), [("scale_kernel", [4])])

    def test_operators_of_libraries_are_called_as_the_functions_that_they_are(self):
        for call in (scaled, torch.ops.nightshift_test.scaled, torch.ops.nightshift_test.registered,
                     torch.ops.nightshift_test.registered.default):
            self.assertEqual(self.launched(call), [("scale_kernel", [4])])
        self.assertEqual(self.launched(wrapped), [("scale_kernel", [2])])

    def test_an_operator_that_no_gpu_has_is_told(self):
        answer, _ = self.made(torch.ops.nightshift_test.of_the_cpu)
        self.assertIn("of_the_cpu is not registered for CUDA", answer["not_ahead"])

    def test_backward_passes_are_followed(self):
        def step(x):
            x = x.detach().requires_grad_()
            Function.apply(x).sum().backward()
            return x.grad

        self.assertEqual(self.launched(step), [("scale_kernel", [4]), ("other_kernel", [16])])

    def test_gradients_are_followed(self):
        def step(x):
            x = x.detach().requires_grad_()
            return torch.autograd.grad(Function.apply(x).sum(), x)

        self.assertEqual(self.launched(step), [("scale_kernel", [4]), ("other_kernel", [16])])

    def test_small_integers_have_their_numbers(self):
        def call(lengths):
            ends = torch.cumsum(lengths, 0)
            table = torch.arange(4, device=lengths.device)[: len(ends.tolist())]
            return scale(torch.empty(int(ends[-1]), device="cuda")), table.cpu().numpy()

        self.assertEqual(self.launched(call, inputs=lambda: ns.full(3, value=500, dtype="int32")),
                         [("scale_kernel", [6])])

    def test_what_depends_on_numbers_that_nobody_knows_is_told(self):
        answer, _ = self.made(lambda x: scale(x[: int(x.sum())]))
        self.assertIn("meta", answer["not_ahead"])

    def test_known_and_unknown_numbers_are_on_one_device(self):
        def call(x):
            mask = torch.arange(1024, device="cuda") < 7
            return scale(torch.where(mask, x, x.new_zeros(1024)))

        self.assertEqual(self.launched(call), [("scale_kernel", [4])])

    def test_torchs_own_allocation(self):
        def call(x):
            y = EMPTY((1024,), (1,), x.dtype)
            scale_kernel[grid](x, y, 1024, BLOCK=1024)
            return y

        self.assertEqual(self.launched(call), [("scale_kernel", [1])])
        self.assertIs(EMPTY, torch._C._dynamo.guards._empty_strided_cuda)

    def test_a_kernel_that_its_host_compiles(self):
        def call(x):
            y = torch.empty_like(x)
            kernel = scale_kernel.warmup(x, y, 1024, BLOCK=128, grid=(1,))
            kernel._init_handles()
            kernel[(kernel.n_regs, 1, 1)](x, y, 1024, 128)
            return y

        answer, launches = self.made(call)
        self.assertNotIn("not_ahead", answer)
        [_, [size, *_]] = next(one for one in launches if isinstance(one, list) and one[0] == "launch")
        self.assertGreater(size, 4)

    def test_what_else_hosts_ask_of_torch(self):
        def call(x):
            dice = torch.Generator(device="cuda")
            dice.manual_seed(3)
            self.assertIsInstance(dice, torch.Generator)
            drawn = torch.randn(512, device=x.device, generator=dice)
            torch.cuda.Event(enable_timing=True).record()
            torch.cuda.current_stream().synchronize()
            self.assertGreater(torch.cuda.mem_get_info()[0], torch.cuda.memory_allocated())
            with torch.device("cuda"), torch.cuda.stream(torch.cuda.Stream()):
                return scale(drawn + torch.zeros(512))

        self.assertEqual(self.launched(call), [("scale_kernel", [2])])

    def test_what_torch_compile_would_write_is_left_to_who_measures(self):
        self.assertEqual(self.launched(lambda x: torch.compile(scale)(x)), [("scale_kernel", [4])])

    def test_other_tuners_have_all_their_configs_compiled_and_count_once(self):
        def call(x):
            y = torch.empty_like(x)
            other_kernel[grid](x, y, 1024)
            self.assertEqual(other_kernel.best_config.kwargs, {"BLOCK": 64})
            return scale(y)

        before = other_kernel.run
        self.assertEqual(self.launched(call), [("other_kernel", [16]), ("scale_kernel", [4])])
        self.assertEqual(other_kernel.run, before)

    def test_tensors_say_where_they_are_only_while_a_run_is_made(self):
        self.launched(scale)
        self.assertEqual(torch.empty(2).device.type, "cpu")
        self.assertIs(torch.cuda.device, sys.modules["torch.cuda"].device)


ALLOCATES = '''
import torch, triton
import triton.language as tl
import nightshift as ns

WORKSPACE = torch.zeros(1 << 20, device="cuda")
STREAM = torch._C._cuda_getCurrentRawStream(0)
assert WORKSPACE.is_cuda and torch.cuda.get_device_capability() >= (7, 0)

@triton.jit
def fill(y, BLOCK: tl.constexpr):
    tl.store(y + tl.arange(0, BLOCK), 1)

@ns.problem(space={"BLOCK": [64, 128]})
def p(case, config):
    return ns.Run(lambda: fill[(1,)](WORKSPACE, BLOCK=config.BLOCK), outputs=[WORKSPACE])
'''


class Importing(Base):
    def test_a_builder_imports_what_allocates_on_the_gpu(self):
        served = harness.Served(self, self.write("p.py", ALLOCATES), role="build",
                                CUDA_VISIBLE_DEVICES="")
        answer, files = self.build(served, TARGET, BLOCK=128)
        self.assertIs(answer.get("built"), True, answer)
        self.assertNotIn("not_ahead", answer)
        self.assertIn("fill", files["launches.json"])


class Answers(unittest.TestCase):
    """What is asked while a file is imported, of torch in a run and of Triton has one answer."""

    def asked(self, context):
        with context:
            return (vars(torch.cuda.get_device_properties(0)), torch.cuda.get_device_name(),
                    torch.cuda.get_device_capability())

    def test_one_gpu_answers_everywhere(self):
        facts = Facts(target())
        imports = import_gpu._Answers()
        imports.set(torch.cuda)
        try:
            told = self.asked(contextlib.nullcontext())
        finally:
            imports.mend()
        self.assertEqual(told, self.asked(pretended_gpu.answering(facts)))
        driver = HeadlessDriver(facts)
        properties = driver.get_device_properties(0)
        self.assertEqual(properties["multiprocessor_count"], facts.all["multi_processor_count"])
        self.assertEqual(properties["max_shared_mem"], facts.all["shared_memory_per_block_optin"])
        self.assertEqual((properties["mem_clock_rate"], properties["mem_bus_width"]),
                         (facts.all["memory_clock_rate"], facts.all["memory_bus_width"]))

    def test_a_target_that_is_not_here_has_its_own(self):
        for architecture, shared in ((80, 166912), (120, 101376)):
            facts = Facts({"architecture": architecture, "multiprocessors": 7})
            found, _, capability = self.asked(pretended_gpu.answering(facts))
            self.assertEqual((found["major"], found["minor"]), capability)
            self.assertEqual(capability, divmod(architecture, 10))
            self.assertEqual((found["multi_processor_count"],
                              found["shared_memory_per_block_optin"]), (7, shared))
            self.assertEqual(HeadlessDriver(facts).get_device_properties(0)["max_shared_mem"], shared)

    def test_who_compiles_asks_the_machine_nothing(self):
        gpu_facts.gpu_facts.cache_clear()
        with pretended_gpu.answering(Facts(TARGET)):
            torch.cuda.get_device_capability()
            HeadlessDriver(Facts(TARGET)).get_device_properties(0)["max_shared_mem"]
        self.assertEqual(gpu_facts.gpu_facts.cache_info().misses, 0)


class Several(Base):
    def setUp(self):
        super().setUp()
        self.one = triton.autotune(other_kernel.configs, key=["n"])(again(other_kernel))
        self.other = again(scale_kernel)

    def call(self, x):
        y, z = torch.empty_like(x), torch.empty_like(x)
        self.one[grid](x, y, 1024)
        self.other[grid](y, z, 1024, BLOCK=256)
        return z

    def test_kernels_of_one_call_are_one_space(self):
        space = ns.from_triton({"first": self.one, "then": self.other}, then_BLOCK=[256, 512],
                               where="first_BLOCK <= then_BLOCK", then_num_warps=[4, 8])
        self.assertEqual({name: p.values for name, p in space.parameters.items()}, {
            "first_BLOCK": [64, 128], "first_num_warps": [4], "first_num_stages": [3],
            "then_BLOCK": [256, 512], "then_num_warps": [4, 8]})

        labels = {"first_BLOCK": 128, "then_BLOCK": 512}
        self.assertEqual(self.launched(self.call, space=space, labels=labels),
                         [("other_kernel", [8]), ("scale_kernel", [2])])

    def test_names_are_told_apart(self):
        space = ns.from_triton(self.one, self.other, scale_kernel_BLOCK=[32])
        self.assertEqual(list(space.parameters)[0::3], ["other_kernel_BLOCK", "scale_kernel_BLOCK"])
        for words, wrong in (
                ("begins with no kernel's name: other_kernel_, scale_kernel_",
                 lambda: ns.from_triton(self.one, self.other, BLOCK=[1])),
                ("two of the kernels have one name", lambda: ns.from_triton(self.one, self.one)),
                ("scale_kernel is not decorated", lambda: ns.from_triton(self.one, self.other))):
            with self.assertRaisesRegex(UserError, words):
                wrong()

    def test_only_the_configs_own_combinations(self):
        kernel = triton.autotune([triton.Config({"BLOCK": 64}, num_warps=2),
                                  triton.Config({"BLOCK": 128}, num_warps=4)], key=[])(self.other)
        space = ns.from_triton(kernel, combine=False)
        self.assertEqual(space.expressions, [
            "(BLOCK == 64 and num_warps == 2) or (BLOCK == 128 and num_warps == 4)"])

    def test_a_launch_past_the_tuner_takes_the_present_configuration(self):
        space = ns.from_triton(self.one)

        def call(x):
            y = torch.empty_like(x)
            chosen = self.one.best_config.all_kwargs()
            self.one.fn[grid](x, y, 1024, **dict(chosen, BLOCK=999))
            return y

        self.assertEqual(self.launched(call, space=space, labels={"BLOCK": 128}),
                         [("other_kernel", [8])])

    def test_what_heuristics_compute_is_no_parameter(self):
        kernel = triton.heuristics({"BLOCK": lambda args: 64})(self.other)
        with self.assertRaisesRegex(UserError, "triton.heuristics computes BLOCK of scale_kernel"):
            ns.from_triton(kernel, BLOCK=[1, 2])

    def test_a_default_stands_for_what_a_config_leaves_out(self):
        @triton.jit
        def kernel(x, BLOCK: tl.constexpr, SPLIT: tl.constexpr = 1):
            pass

        configs = [triton.Config({"BLOCK": 1}), triton.Config({"BLOCK": 2, "SPLIT": 4})]
        space = ns.from_triton(triton.autotune(configs, key=[])(kernel))
        self.assertEqual(space.parameters["SPLIT"].values, [1, 4])


class Constants(Base):
    def test_a_constant_of_the_kernels_file_is_part_of_its_code(self):
        space = ns.replacing(f"{__name__}.FACTOR", [2, 5])
        self.assertEqual(space.parameters["FACTOR"].values, [2, 5])
        codes = [next(one["code"] for one in self.made(scale, space=space, labels={"FACTOR": n})[1]
                      if isinstance(one, dict)) for n in (2, 5, 2)]
        self.assertEqual(codes[0], codes[2])
        self.assertNotEqual(codes[0], codes[1])


class Registers(unittest.TestCase):
    def test_what_is_no_machine_code_has_none(self):
        for code in (b"", b"no file", b"\x7fELF" + bytes(200)):
            self.assertEqual(registers_of(code), 0)


if __name__ == "__main__":
    harness.main()
