"""Kernels of Helion: how a configuration reaches them, with a stand-in, and how they are built without
a GPU, with Helion itself where it is installed."""

import contextlib
import importlib.util
import json
import subprocess
import sys
import types
import unittest
import unittest.mock

import harness
from harness import Served

import nightshift as ns
from nightshift import helion_kernels
from nightshift.describing import builds, described
from nightshift.errors import NotAhead, UserError
from nightshift.helion_kernels import answering, config_of

TARGET = {"architecture": 90, "multiprocessors": 114}
KERNEL = '''
import helion
import helion.language as hl
import torch
import nightshift as ns

@helion.kernel(static_shapes=True)
def double(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile] = x[tile] * 2
    return out

FIRST = dict(block_sizes=[128], num_warps=4, num_stages=1, pid_type="flat", indexing="pointer")

@ns.problem(space=ns.from_helion([FIRST], block_sizes=[[128], [256], [100]], num_stages=[1, 2],
                                 num_warps=[4, 8], pid_type=["flat", "persistent_blocked"]),
            compile=ns.compiled_by(double, lambda: [torch.empty(1 << 20, device="cuda")]))
def p(case, config, compiled):
    x = ns.normal(1 << 20, dtype="float32")
    return ns.Run(lambda: compiled(x), reference=lambda: 2 * x.double())
'''


# What Helion itself searches for it.
SEARCHED = KERNEL.split("FIRST")[0] + '''
def arguments():
    return [torch.empty(1 << 20, device="cuda")]

@ns.problem(space=ns.from_helion(double, arguments=arguments, num_stages=[1, 2]),
            compile=ns.compiled_by(double, arguments))
def p(case, config, compiled):
    x = ns.normal(1 << 20, dtype="float32")
    return ns.Run(lambda: compiled(x), reference=lambda: 2 * x.double())

assert not double._bound_kernels
'''

# Helion's own lookups for a kernel `double` of kernels.py, told that there is a GPU of sm90.
LOOKUP = """
import importlib, json, types, torch
from helion.autotuner import aot_cache
gpu = aot_cache.HardwareInfo(device_kind="cuda", hardware_name="NVIDIA H200", runtime_version="13.0",
                             compute_capability="sm90")
aot_cache.get_hardware_info = lambda device=None: gpu
key = importlib.import_module("helion.experimental.aot_kernel").make_aot_key("kernels.py", "double")
Cache = aot_cache.AOTAutotuneCache
code = types.SimpleNamespace(co_filename="kernels.py")
kernel = types.SimpleNamespace(name="double", __code__=code)
me = types.SimpleNamespace(kernel=types.SimpleNamespace(kernel=kernel))
me._find_heuristic_file = lambda: aot_cache.find_heuristic_file("kernels.py", "double")
me._extract_shape_features = lambda args: Cache._extract_shape_features(me, args)
answers = []
for size in (1000, 100000):
    x = torch.empty(size, device="meta")
    answers.append([key(x), dict(Cache._get_heuristic_config(me, [x]))["block_sizes"]])
print(json.dumps(answers))
"""


class Kernel:
    """What helion.kernel makes, with a log of what is asked of it."""

    name = "double"

    def __init__(self, static_shapes=True, fails=None):
        self.settings = types.SimpleNamespace(static_shapes=static_shapes)
        self.fails, self.bound = fails, []

    def bind(self, arguments):
        self.bound.append(arguments)
        if self.fails:
            raise self.fails
        return self

    def compile_config(self, config):
        return config


class Tensor:
    is_meta = False


class Empty:
    """A tensor without memory."""

    is_meta, dtype = True, "float32"

    def size(self):
        return (3,)

    def stride(self):
        return (1,)


class StandIn(unittest.TestCase):
    def setUp(self):
        runtime = types.SimpleNamespace(get_num_sm=self.no_gpu)
        fake_tensor = types.SimpleNamespace(init_gpu_context=self.no_gpu,
                                            FakeTensorMode=contextlib.nullcontext)
        torch = types.SimpleNamespace(empty_strided=lambda *_, device, **__: device)
        stands = {"helion": types.SimpleNamespace(Config=dict, runtime=runtime),
                  "helion.runtime": runtime, "torch": torch,
                  "torch._subclasses": types.SimpleNamespace(fake_tensor=fake_tensor)}
        before = {name: sys.modules.get(name) for name in (*stands, "triton")}
        sys.modules.update(stands)
        self.addCleanup(self.restore, before)
        self.runtime, self.fake_tensor = runtime, fake_tensor

    @staticmethod
    def restore(before):
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    @staticmethod
    def no_gpu(*_, **__):
        raise RuntimeError("there is no GPU")

    def test_where_there_is_a_gpu_a_kernel_is_bound_once(self):
        kernel, made = Kernel(), []
        compile = ns.compiled_by(kernel, lambda: [made.append(Tensor()) or made[-1]])
        self.assertEqual(compile({"num_warps": 4}), {"num_warps": 4})
        self.assertEqual(compile({"num_warps": 8}), {"num_warps": 8})
        self.assertEqual((kernel.bound, len(made)), ([tuple(made)], 1))

    def test_members_of_a_list_are_parameters_and_a_list_again(self):
        first = {"num_warps": 4, "indexing": ["pointer", "pointer"], "block_sizes": [8]}
        space = ns.from_helion([first], num_warps=[4, 8],
                               each={"indexing": (2, ["pointer", "tensor_descriptor"]),
                                     "load_eviction_policies": (3, ["", "last"])})
        self.assertEqual(list(space.parameters), ["num_warps", "block_sizes", "indexing_0", "indexing_1",
                                                  *(f"load_eviction_policies_{i}" for i in range(3))])
        chosen = {"num_warps": 8, "block_sizes": [8], "indexing_1": "tensor_descriptor", "indexing_0": "pointer",
                  **{f"load_eviction_policies_{i}": policy for i, policy in enumerate(["", "last", ""])}}
        whole = {"num_warps": 8, "block_sizes": [8], "indexing": ["pointer", "tensor_descriptor"],
                 "load_eviction_policies": ["", "last", ""]}
        self.assertEqual(config_of(chosen), whole)
        self.assertEqual(ns.compiled_by(Kernel(), lambda: [Tensor()])(chosen), whole)
        with self.assertRaisesRegex(UserError, "no list of 3"):
            ns.from_helion([first], each={"indexing": (3, ["pointer"])})

    def test_a_kernel_itself_wants_arguments_and_configs_do_not(self):
        kernel = Kernel()
        with self.assertRaisesRegex(UserError, r"from_helion\(double\) wants arguments"):
            ns.from_helion(kernel)
        with self.assertRaisesRegex(UserError, "each is for configs"):
            ns.from_helion(kernel, arguments=list, each={"indexing": (2, ["pointer"])})
        with self.assertRaisesRegex(UserError, "`arguments` where it gets the kernel"):
            ns.from_helion([{"num_warps": 4}], arguments=list)

    def test_a_search_begins_near_helions_default_and_not_near_other_configs(self):
        with unittest.mock.patch.object(helion_kernels, "searched",
                                        lambda *_: ({"num_warps": [1, 2, 4]}, {"num_warps": 4}, [])):
            space = ns.from_helion(Kernel(), arguments=list)
        every = {"its own": space, "with more": space + ns.Space({"SPLIT": [1, 2]}),
                 "behind others": ns.Space({"SPLIT": [1, 2]}) + space}
        for name, one in every.items():
            for given in ({}, {"where": "num_warps > 1"}, {"settings": {"search.seed": 2}}):
                with self.subTest(name, **given):
                    problem = ns.problem(space=one, **given)(lambda case, config: 0)
                    self.assertIn('options = {"near_baseline" = 6}', described(problem, problem.cases))
        said = ns.problem(space=space, settings={"search.options.near_baseline": 3})(lambda case, config: 0)
        text = described(said, said.cases)
        self.assertIn("options.near_baseline = 3", text)
        self.assertNotIn("= 6", text)
        others = ns.problem(space=ns.from_helion([{"num_warps": 4}]))(lambda case, config: 0)
        self.assertNotIn("near_baseline", described(others, others.cases))

    def test_tensors_without_memory_are_bound_as_those_of_a_gpu(self):
        kernel = Kernel()
        compile = ns.compiled_by(kernel, lambda: [Empty(), [Empty(), 7]])
        self.assertEqual(compile({"num_warps": 4}), {"num_warps": 4})
        self.assertEqual(kernel.bound, [("cuda:0", ["cuda:0", 7])])
        self.assertEqual(self.fake_tensor.init_gpu_context, self.no_gpu)

    def test_what_cannot_be_bound_without_a_gpu_is_no_mistake_of_the_configuration(self):
        fails = Kernel(fails=ValueError("no driver"))
        with self.assertRaisesRegex(NotAhead, "ValueError: no driver"):
            ns.compiled_by(fails, lambda: [Empty()])({})
        with self.assertRaisesRegex(ValueError, "no driver"):
            ns.compiled_by(fails, lambda: [Tensor()])({})

    def test_dynamic_shapes_are_left_to_who_measures(self):
        dynamic = Kernel(static_shapes=False)
        with self.assertRaisesRegex(NotAhead, "static_shapes"):
            ns.compiled_by(dynamic, lambda: [Empty()])({})
        self.assertEqual(ns.compiled_by(dynamic, lambda: [Tensor()])({}), {})

    def test_the_targets_multiprocessors_are_answered_for_any_device(self):
        with answering(114):
            self.assertEqual(self.runtime.get_num_sm("meta"), 114)
            self.assertEqual(self.runtime.get_num_sm("meta", reserved_sms=4), 110)
            self.assertEqual(self.runtime.get_num_sm("meta", reserved_sms=200), 1)
        self.assertEqual(self.runtime.get_num_sm, self.no_gpu)

    def test_helions_kernels_are_built_and_other_functions_are_not(self):
        sys.modules["triton"] = types.ModuleType("triton")
        for compile, ahead in ((ns.compiled_by(Kernel(), list), True), (lambda config: 0, False)):
            problem = ns.problem(space={"a": [1]}, compile=compile)(lambda case, config, f: f)
            self.assertIs(builds(problem), ahead)


@unittest.skipUnless(importlib.util.find_spec("helion"), "helion is not installed")
class Building(harness.Building):
    def serve(self, text=KERNEL):
        return Served(self, self.write("p.py", text), role="build", CUDA_VISIBLE_DEVICES="",
                      OPENBLAS_NUM_THREADS="1", TRITON_CACHE_DIR=str(self.folder / "triton"),
                      TORCHINDUCTOR_CACHE_DIR=str(self.folder / "inductor"))

    def build(self, served, **configuration):
        return super().build(served, TARGET, **configuration)

    def kernels(self, files):
        return [one for one in json.loads(files["launches.json"])["launches"]
                if isinstance(one, dict)]

    def test_kernels_are_compiled_for_the_target_without_a_gpu(self):
        served = self.serve()
        self.assertEqual(served.hello["roles"], ["build", "measure"])
        self.assertIn("helion", served.hello["versions"])
        answer, files = self.build(served)
        self.assertIs(answer.get("built"), True, answer)
        self.assertNotIn("not_ahead", answer)
        [kernel] = self.kernels(files)
        self.assertEqual((kernel["kernel"], kernel["grid"]), ("_helion_double", [8192]))
        self.assertTrue(list((self.folder / "triton").rglob("*.cubin")))

    def test_the_grid_is_of_the_targets_multiprocessors(self):
        _, files = self.build(self.serve(), pid_type="persistent_blocked")
        self.assertEqual(self.kernels(files)[0]["grid"], [114])

    def test_equal_code_is_equal_content(self):
        served = self.serve()
        plain = self.build(served)[1]
        self.assertEqual(self.build(served)[1], plain)
        self.assertEqual(self.build(served, num_stages=2)[1], plain)  # no loop to be pipelined
        self.assertNotEqual(self.build(served, num_warps=8)[1], plain)

    def test_what_one_process_built_another_finds(self):
        self.build(self.serve())
        cubins = {file: file.stat().st_mtime_ns for file in (self.folder / "triton").rglob("*.cubin")}
        self.build(self.serve())
        self.assertEqual({file: file.stat().st_mtime_ns
                          for file in (self.folder / "triton").rglob("*.cubin")}, cubins)

    def test_exported_functions_are_found_by_helion(self):
        for name, block in (("a.json", 128), ("b.json", 256)):
            self.write(name, json.dumps({"problem": "double", "configuration": {
                "block_sizes": f"0: [{block}]", "num_warps": 4}}))
        self.module("export", "--format", "helion-aot", "--source", "kernels.py", "--architecture",
                    "sm90", "--output", "aot", "arg0_dim0=1024=a.json", "arg0_dim0=65536=b.json")
        done = subprocess.run([sys.executable, "-c", LOOKUP], cwd=self.folder, text=True, check=True,
                              env=harness.environment(HELION_HEURISTIC_DIR=str(self.folder / "aot")),
                              capture_output=True, timeout=harness.TIMEOUT)
        self.assertEqual(json.loads(done.stdout), [[0, [128]], [1, [256]]])

    def test_a_config_that_helion_refuses_is_a_failed_build(self):
        answer, _ = self.build(self.serve(), block_sizes="2: [100]")
        self.assertEqual(answer.get("failure"), "build_failed", answer)
        self.assertIn("100", answer["words"])

    def test_a_kernel_says_itself_what_there_is_to_search(self):
        described = self.module("describe", self.write("p.py", SEARCHED).name, CUDA_VISIBLE_DEVICES="").stdout
        for line in ["block_sizes_0 = ", '"near_baseline" = ', "num_stages = { values = [1, 2]",
                     "num_warps = { values = [1, 2, 4, 8, 16, 32]",
                     "range_multi_buffers_0 = ", '"pointer", "tensor_descriptor"',
                     "num_sm_multiplier == 1 or pid_type not in ['flat', 'xyz']",
                     "range_unroll_factors_0 == 0 or pid_type not in ['flat', 'xyz']",
                     "8192 * num_warps <= 65536",
                     "block_sizes_0 * max(1, range_unroll_factors_0) <= 16384 * num_warps"]:
            self.assertIn(line, described)
        served = self.serve(SEARCHED)
        answer, files = self.build(served)
        self.assertNotIn("not_ahead", answer)
        self.assertEqual(self.kernels(files)[0]["grid"], [32768])
        _, files = self.build(served, block_sizes_0=64, pid_type="persistent_blocked", maxnreg="2: 64",
                              range_multi_buffers_0="2: True")
        self.assertEqual(self.kernels(files)[0]["grid"], [114])

    def test_dynamic_shapes_are_not_built_and_it_says_so(self):
        served = self.serve(KERNEL.replace("static_shapes=True", "static_shapes=False"))
        answer, files = self.build(served)
        self.assertIn("static_shapes", answer.get("not_ahead", ""))
        other, others = self.build(served, num_warps=8)
        self.assertNotEqual(files, others)


if __name__ == "__main__":
    harness.main()
