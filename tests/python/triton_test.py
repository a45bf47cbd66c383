"""Tensors of torch on the CPU, and kernels of Triton compiled without a GPU. Skipped aloud where
torch or triton is missing."""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import harness
from harness import Served

try:
    import torch
    import triton
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(harness.SKIPPED)

import nightshift as ns
from triton.runtime.driver import driver

from nightshift import torch_arrays, triton_import
from nightshift.benches import bench_for
from nightshift.errors import Failure
from nightshift.evaluation import Evaluator
from nightshift.restoring import restoring

TENSORS = [{"argument": name, "type": "bfloat16"} for name in ("x", "y")]
TARGET = {"architecture": 90, "multiprocessors": 132}
KERNEL = '''
import torch, triton
import triton.language as tl
import nightshift as ns

def prune(configs, named, **others):
    assert "x" in named
    return [c for c in configs if c.kwargs["BLOCK"] <= 512]

@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=4) for b in (128, 256, 1024)],
                 key=["n"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

def double(x):
    y = torch.empty(x.shape, dtype=x.dtype, device="cuda")
    double_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y

@ns.problem(space=ns.from_triton(double_kernel, BLOCK=[128, 256, 1024], num_warps=[4, 8],
                                 num_stages=[1, 2]))
def p(case, config):
    x = ns.normal(1 << 20)
    return ns.Run(lambda: double(x), reference=lambda: 2 * x.double())
'''


class Tensors(unittest.TestCase):
    def workshop(self, **options):
        return torch_arrays.TorchWorkshop(5, "cpu", **options)

    def test_equal_seeds_are_equal_numbers_of_every_type(self):
        for kind, options in [("normal", dict(mean=0.0, std=1.0)),
                              ("uniform", dict(low=0, high=1))]:
            for dtype in ("float32", "float64", "bfloat16", "float16", "float8_e4m3fn"):
                with self.subTest(kind, dtype=dtype):
                    one, other = self.workshop(), self.workshop(moved=True)
                    a, b = (w.make(kind, (33, 3), dtype, options) for w in (one, other))
                    self.assertTrue(torch_arrays.same_bits(a, b))
                    one.refill(6)
                    self.assertFalse(torch_arrays.same_bits(a, b))
                    one.refill(5)
                    self.assertTrue(torch_arrays.same_bits(a, b))

    def test_integers_keep_their_bounds(self):
        made = self.workshop().make("integers", (1000,), "int32", dict(low=3, high=7))
        self.assertEqual((int(made.min()), int(made.max())), (3, 6))

    def test_outputs_are_poisoned(self):
        for dtype in ("float32", "bfloat16", "float8_e4m3fn"):
            self.assertTrue(bool(self.workshop().make("output", (9,), dtype, {}).double().isnan(
                ).all()))

    def test_guards_notice_a_byte_on_either_side(self):
        for where, offset in (("before", -1), ("behind", 12)):
            workshop = self.workshop()
            workshop.make("output", (3,), "float32", {})
            [made] = workshop.arrays
            self.assertEqual(made.torn_guard(), "")
            made.memory[(64 << 10) + offset] = 0
            self.assertEqual(made.torn_guard(), where)

    def test_views_are_found(self):
        workshop = self.workshop()
        made = workshop.make("zeros", (4, 4), "float32", {})
        self.assertIs(workshop.of(made[1:]), workshop.arrays[0])
        self.assertIsNone(workshop.of(torch.zeros(3)))

    def test_answers_are_held_to_their_gates(self):
        right = torch.linspace(1, 2, 100, dtype=torch.float64)
        self.assertLess(torch_arrays.check("y", right.bfloat16(), right), 4e-3)
        got = right.float()
        got[17] = float("nan")
        with self.assertRaises(Failure) as caught:
            torch_arrays.check("y", got, right, tolerance=1e6)
        self.assertEqual(caught.exception.members["element"], 17)
        with self.assertRaises(Failure):
            torch_arrays.check("y", right.float() * 1.001, right)
        with self.assertRaises(Failure):
            torch_arrays.check("y", torch.tensor([1, 2]), torch.tensor([1, 3]))
        infinite = torch.tensor([float("inf"), 1.0])
        self.assertEqual(torch_arrays.check("y", infinite, infinite.double()), 0)


class Evaluating(unittest.TestCase):
    def measure(self, **options):
        @ns.problem(device="cpu", space={"way": ["mm", "wrong", "writes", "in place"]}, **options)
        def product(case, config):
            a, b, c = ns.normal(32, 32), ns.normal(32, 32), ns.output(32, 32)

            def call():
                torch.mm(a, b, out=c)
                if config.way == "wrong":
                    c[3, 4] += 1
                if config.way == "writes":
                    a[0, 0] = 1
                if config.way == "in place":
                    return c + 0

            return ns.Run(call, outputs=None if config.way == "in place" else [c],
                          reference=lambda: a.double() @ b.double())

        evaluator = Evaluator(product, product.cases, bench_for(product))
        return lambda way: evaluator.measure(dict(harness.ORDER, configuration={"way": way}),
                                             lambda phase: None)

    def test_a_product_is_measured(self):
        measure = self.measure()
        self.assertEqual(len(measure("mm")["time"]), 3)
        self.assertIs(measure("in place")["conditions"]["same_bits"], True)

    def test_what_is_wrong_is_found(self):
        measure = self.measure()
        for way, words in (("wrong", r"output 0\[100\]"), ("writes", "array 0 is an input")):
            with self.assertRaisesRegex(Failure, words):
                measure(way)

    def test_without_a_reference_the_baseline_is_right(self):
        @ns.problem(device="cpu", space={"more": [0, 1]})
        def sums(case, config):
            x = ns.uniform(100)
            return ns.Run(lambda: x.sum().reshape(1) + config.more)

        evaluator = Evaluator(sums, sums.cases, bench_for(sums))
        answer = evaluator.measure(dict(harness.ORDER, configuration={}), lambda phase: None)
        self.assertEqual(answer["conditions"]["reference"], "baseline")
        with self.assertRaises(Failure):
            evaluator.measure(dict(harness.ORDER, configuration={"more": 1}), lambda phase: None)


class Launching(unittest.TestCase):
    """What stands in for the run() of an autotuned kernel, with a launch that is noted only."""

    def setUp(self):
        configs = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 128)
                   for warps in (4, 8)]

        @triton.autotune(configs, key=["n"], restore_value=["x"], reset_to_zero=["y"])
        @triton.jit
        def kernel(x, y, n, BLOCK):
            pass

        self.kernel, self.launched = kernel, []
        kernel.fn.run = lambda *args, grid, warmup, **kwargs: self.launched.append(kwargs)
        self.space = ns.from_triton(kernel)

    def test_values_and_baseline_are_those_of_the_configs(self):
        self.assertEqual({name: p.values for name, p in self.space.parameters.items()},
                         {"BLOCK": [64, 128], "num_warps": [4, 8], "num_stages": [3]})
        self.assertEqual(self.space.baseline(), {"BLOCK": 64, "num_warps": 4, "num_stages": 3})

    def test_a_launch_takes_what_was_prepared_last(self):
        x, y = torch.ones(2), torch.ones(2)
        for block in (128, 64):
            self.space.prepare(dict(self.space.baseline(), BLOCK=block))
            self.kernel[(1,)](x, y, 2)
            self.assertEqual(self.launched[-1], {"BLOCK": block, "num_warps": 4, "num_stages": 3})

    def test_what_it_changes_is_put_back_outside_of_the_launch(self):
        x, y = torch.ones(2), torch.ones(2)
        self.space.prepare(self.space.baseline())
        with restoring() as restorer:
            self.kernel[(1,)](x, y, 2)
        x.fill_(7)
        restorer.restore()
        self.assertEqual((x.tolist(), y.tolist()), ([1, 1], [0, 0]))

    def test_a_parameter_may_be_passed_by_position(self):
        x, y = torch.ones(2), torch.ones(2)
        self.space.prepare(dict(self.space.baseline(), BLOCK=128))
        self.kernel[(1,)](x, y, 2, 64)
        self.assertEqual({name: value for name, value in self.launched[-1].items()
                          if name not in ("x", "y")},
                         {"n": 2, "BLOCK": 128, "num_warps": 4, "num_stages": 3})

    def test_heuristics_may_stand_above_or_below(self):
        inner = self.kernel.fn
        even = triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
        configs = self.kernel.configs
        for kernel in (even(self.kernel), triton.autotune(configs, key=["n"])(even(inner))):
            space = ns.from_triton(kernel)
            self.assertEqual(space.parameters["BLOCK"].values, [64, 128])
            space.prepare(dict(space.baseline(), BLOCK=128))
            kernel[(1,)](None, None, 2)
            self.assertEqual(self.launched[-1], {"EVEN": True, "BLOCK": 128, "num_warps": 4,
                                                 "num_stages": 3})

    def test_hooks_of_one_definition_are_one(self):
        def zeroing(*names):
            return lambda arguments: called.append(names)

        def space(names_of):
            kernel = triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps,
                                                    pre_hook=zeroing(*names_of(block)))
                                      for block, warps in ((64, 4), (128, 8))], key=[])(self.kernel.fn)
            made = ns.from_triton(kernel)
            made.prepare(dict(made.baseline(), num_warps=8))  # no config's own combination
            return kernel

        called = []
        space(lambda block: ["y"])[(1,)](None, torch.ones(2), 2)
        self.assertEqual(called, [("y",)])
        with self.assertRaisesRegex(Failure, "pre_hooks of their own"):
            space(lambda block: [block])[(1,)](None, torch.ones(2), 2)

    def test_mistakes_are_told(self):
        for words, given, lists in (
                ("kernel has no argument 'BLOK'; did you mean 'BLOCK'?", self.kernel, {"BLOK": [1]}),
                ("kernel has no argument 'zzz'; it has x, y, n, BLOCK", self.kernel, {"zzz": [1]}),
                ("the values of BLOCK must be a list, not 4", self.kernel, {"BLOCK": 4}),
                ("not decorated by triton.autotune: give lists", self.kernel.fn, {}),
                ("setUp is no kernel of Triton", Launching.setUp, {})):
            with self.subTest(words), self.assertRaises(ns.UserError) as caught:
                ns.from_triton(given, **lists)
            self.assertIn(words, str(caught.exception))


class Building(harness.Building):
    def setUp(self):
        super().setUp()
        self.file = self.write("p.py", KERNEL)

    def build(self, served, **configuration):
        return super().build(served, TARGET, **configuration)

    def serve(self):
        return Served(self, self.file, role="build", CUDA_VISIBLE_DEVICES="",
                      TRITON_CACHE_DIR=str(self.folder / "cache"))

    def test_kernels_are_compiled_without_a_gpu(self):
        served = self.serve()
        self.assertEqual(served.hello["roles"], ["build", "measure"])
        answer, files = self.build(served)
        self.assertIs(answer.get("built"), True, answer)
        launches = [one for one in json.loads(files["launches.json"])["launches"]
                    if isinstance(one, dict)]
        self.assertEqual([(one["kernel"], one["grid"]) for one in launches],
                         [("double_kernel", [8192])])
        self.assertTrue(list((self.folder / "cache").rglob("*.cubin")))

    def test_the_file_need_not_import_torch(self):
        text = KERNEL.replace("import torch, triton", "import triton").replace(
            "torch.empty(x.shape, dtype=x.dtype, device=\"cuda\")", "ns.output(1 << 20)")
        self.assertNotIn("torch", text)
        served = Served(self, self.write("t.py", text), role="build", CUDA_VISIBLE_DEVICES="")
        answer, _ = self.hand_over(served)
        self.assertIs(answer.get("built"), True, answer)

    def test_equal_code_is_equal_content(self):
        served = self.serve()
        plain = self.build(served)[1]
        self.assertEqual(self.build(served)[1], plain)
        # There is no loop to be pipelined.
        self.assertEqual(self.build(served, num_stages=2)[1], plain)
        self.assertNotEqual(self.build(served, num_warps=8)[1], plain)
        self.assertNotEqual(self.build(served, BLOCK=256)[1], plain)

    def test_equal_code_with_other_figures_is_no_equal_content(self):
        run = "return ns.Run(lambda: double(x), "
        for given, settings, same in (
                ("bytes=4 * config.num_stages, ", 'objectives=["bandwidth"], ', False),
                ("flops=4 * config.num_stages, ", 'objectives=["compute"], ', False),
                ("bytes=4, ", 'objectives=["bandwidth"], ', True),
                ('figures={"cost": config.num_stages}, ', 'objectives=["cost"], ', False)):
            text = KERNEL.replace(run, run + given).replace("@ns.problem(", "@ns.problem(" + settings)
            served = Served(self, self.write("f.py", text), role="build", CUDA_VISIBLE_DEVICES="",
                            TRITON_CACHE_DIR=str(self.folder / "cache"))
            built = [self.build(served, num_stages=stages)[1] for stages in (1, 2)]
            self.assertEqual(built[0] == built[1], same, given)

    def test_a_file_may_ask_for_the_gpu_when_it_is_imported(self):
        # As the tutorials of Triton begin.
        asks = ("DEVICE = triton.runtime.driver.active.get_active_torch_device()\n"
                "FACTS = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)\n"
                "assert FACTS['multiprocessor_count'] > 0\n"
                "assert triton.runtime.driver.active.get_current_target().backend == 'cuda'\n"
                "@triton.autotune")
        text = KERNEL.replace("@triton.autotune", asks).replace('device="cuda"', "device=DEVICE")
        served = Served(self, self.write("s.py", text), role="build", CUDA_VISIBLE_DEVICES="")
        answer, files = self.build(served)
        self.assertIs(answer.get("built"), True, answer)
        launches = [one for one in json.loads(files["launches.json"])["launches"]
                    if isinstance(one, dict)]
        self.assertEqual([one["kernel"] for one in launches], ["double_kernel"])

    def test_triton_is_hashed_before_it_is_forked(self):
        from triton.runtime.cache import triton_key
        triton_key.cache_clear()
        triton_import.hash_triton()
        self.assertEqual(triton_key.cache_info().currsize, 1)

    def test_who_launches_has_the_driver_of_triton(self):
        before = driver._active
        self.addCleanup(driver.set_active, before)
        driver.set_active(triton_import._ImportDriver())
        triton_import.use_real_driver()
        self.assertIsNone(driver._active)  # made when it is needed next
        other = object()
        driver.set_active(other)
        triton_import.use_real_driver()
        self.assertIs(driver._active, other)

    def test_who_launches_has_it_whoever_imports_triton_later(self):
        # A problem's function, or a candidate: in a process of its own, which has not imported it.
        text = ("from nightshift import triton_import\n"
                "triton_import.install()\n"
                "{}triton_import.use_real_driver()\n"
                "triton_import.install()\n"
                "from triton.runtime.driver import driver\n"
                "print(type(driver._active).__name__)\n")
        for uses, active in (("", "NoneType"), ("# ", "_ImportDriver")):
            said = subprocess.run([sys.executable, "-c", text.format(uses)], capture_output=True, text=True,
                                  env=harness.environment(), check=True)
            self.assertEqual(said.stdout.strip(), active)

    def hand_over(self, served, case=None, **configuration):
        return self.ask_to_build(served, TARGET, configuration=configuration, form="cubin",
                                 case=case or {})

    def test_machine_code_is_handed_over_with_its_launch(self):
        served = self.serve()
        for warps, block in ((4, 128), (8, 256)):
            answer, folder = self.hand_over(served, num_warps=warps, BLOCK=block)
            self.assertIs(answer.get("built"), True, answer)
            self.assertEqual((folder / "kernel.cubin").read_bytes()[:4], b"\x7fELF")
            launch = json.loads((folder / "launch.json").read_text())["launches"]["double_kernel"]
            self.assertIn(launch.pop("symbol").encode(), (folder / "kernel.cubin").read_bytes())
            self.assertEqual(launch, {"grid": [(1 << 20) // block], "block": warps * 32,
                                      "cluster": 1, "shared": 0, "programmatic": False,
                                      "arguments": [*TENSORS, {"int32": 1 << 20}, None, None]})

    def test_a_number_that_is_one_is_part_of_the_code(self):
        text = KERNEL.replace("ns.normal(1 << 20)", "ns.normal(case.N)")
        served = Served(self, self.write("one.py", text), role="build", CUDA_VISIBLE_DEVICES="")
        for size, passed in ((1, []), (7, [{"int32": 7}])):
            answer, folder = self.hand_over(served, case={"N": size})
            self.assertIs(answer.get("built"), True, answer)
            launch = json.loads((folder / "launch.json").read_text())["launches"]["double_kernel"]
            self.assertEqual(launch["arguments"], [*TENSORS, *passed, None, None])

    def test_what_only_tritons_launcher_can_do_is_told(self):
        twice = KERNEL.replace("    return y\n", "    double_kernel[(1,)](y, x, 5)\n    return y\n")
        none = KERNEL.replace("lambda: double(x)", "lambda: 2 * x")
        part = KERNEL.replace("](x, y, x.numel())", "](x[4:], y, 4)")
        for number, (text, words) in enumerate(((twice, "launches 2 kernels"),
                                                (none, "launches 0 kernels"),
                                                (part, "x of double_kernel is a view"))):
            served = Served(self, self.write(f"f{number}.py", text), role="build",
                            CUDA_VISIBLE_DEVICES="")
            answer, _ = self.hand_over(served)
            self.assertEqual(answer.get("failure"), "build_failed", answer)
            self.assertIn(words, answer["words"])
            self.assertIn("`nightshift tune FILE.py` measures it", answer["words"])

    def test_what_is_pruned_is_infeasible(self):
        answer, _ = self.build(self.serve(), BLOCK=1024)
        self.assertEqual(answer["failure"], "infeasible")

    def test_what_pruning_returns_is_launched(self):
        # A kernel whose configs lack an argument, which pruning adds, with other blocks.
        text = KERNEL.replace("    return [c for c in configs if c.kwargs[\"BLOCK\"] <= 512]",
                              "    for c in configs:\n        yield triton.Config({**c.kwargs, 'BLOCK': "
                              "min(c.kwargs['BLOCK'], 512), 'TWICE': 2}, num_warps=c.num_warps)")
        text = text.replace("BLOCK: tl.constexpr):", "BLOCK: tl.constexpr, TWICE: tl.constexpr):")
        text = text.replace("2 * tl.load", "TWICE * tl.load")
        served = Served(self, self.write("p.py", text), role="build", CUDA_VISIBLE_DEVICES="")
        answer, files = self.build(served, BLOCK=1024)
        self.assertIs(answer.get("built"), True, answer)
        grids = [one["grid"] for one in json.loads(files["launches.json"])["launches"] if "grid" in one]
        self.assertEqual(grids, [[2048]])
        self.assertIs(self.build(served, BLOCK=128)[0].get("built"), True)

    def test_what_does_not_compile_is_told(self):
        served = Served(self, self.write("q.py", KERNEL.replace("2 * tl", "nothing * tl")),
                        role="build", CUDA_VISIBLE_DEVICES="")
        answer, _ = self.build(served)
        self.assertEqual(answer["failure"], "build_failed")
        self.assertIn("nothing", answer["words"])

    def assembler(self):
        """In place of Triton's: dies of kernels of 8 warps, never ends with those of 2."""
        real = pathlib.Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
        script = self.write("ptxas", f"""#!/bin/sh
            for file; do case "$file" in *.ptx)
              grep -q "reqntid 256" "$file" && kill -SEGV $$
              if grep -q "reqntid 64" "$file"; then echo $$ >> {self.folder}/hangs; exec sleep 9999; fi
            esac; done
            exec {real} "$@"
            """)
        script.chmod(0o755)
        return str(script)

    def test_an_assembler_that_dies_or_never_ends_costs_one_build(self):
        served = Served(self, self.write("w.py", KERNEL.replace("num_warps=[4, 8]",
                                                                "num_warps=[4, 8, 2]")),
                        role="build", CUDA_VISIBLE_DEVICES="", TRITON_PTXAS_PATH=self.assembler(),
                        TRITON_CACHE_DIR=str(self.folder / "cache"))
        answer, _ = self.build(served, num_warps=8)
        self.assertEqual(answer.get("failure"), "build_failed", answer)
        (self.folder / "hung").mkdir()
        served.send(id=100, do="build", target=TARGET, artifact=str(self.folder / "hung"),
                    configuration={"num_warps": 2})
        deadline = time.monotonic() + harness.TIMEOUT
        while not (self.folder / "hangs").exists() or not (self.folder / "hangs").read_text():
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()
        served.send(do="drop", id=100)
        self.assertEqual(served.frame(), {"id": 100, "phase": "build"})
        self.assertEqual(served.frame(), {"dropped": 100})
        self.assertFalse(harness.is_alive(int((self.folder / "hangs").read_text())))
        answer, _ = self.build(served)
        self.assertIs(answer.get("built"), True, answer)

    def test_what_torch_does_besides_tells_builds_apart(self):
        text = KERNEL.replace(
            "    return y\n",
            "    return y + 0 if double.more else y\n\ndouble.more = False\n").replace(
            "    x = ns.normal", "    double.more = config.num_stages == 2\n    x = ns.normal")
        served = Served(self, self.write("r.py", text), role="build", CUDA_VISIBLE_DEVICES="")
        self.assertNotEqual(self.build(served)[1], self.build(served, num_stages=2)[1])


if __name__ == "__main__":
    harness.main()
