"""What a launch is told apart by, what a kernel's source needs, what it writes, what could be tried, and the problem
that comes of it. Without a GPU."""

import json
import unittest

import capturing  # first: it pretends the GPU
import harness
import torch
import triton
import triton.language as tl

from nightshift import factories
from nightshift.capture import arguments, spaces
from nightshift.capture.arguments import value_of
from nightshift.capture.guarded import fault, faults, guarded
from nightshift.capture.joining import join, studies_of
from nightshift.capture.keys import Shape
from nightshift.capture.problems import Replay, captured_in, problems_in
from nightshift.capture.recorder import Kernel
from nightshift.capture.sources import Unrecordable, sources_of
from nightshift.capture.written import written_by
from nightshift.errors import Failure, UserError
from nightshift.torch_arrays import TorchWorkshop
from nightshift.triton_build import recording

TARGET = {"architecture": 90, "multiprocessors": 132}
THREE = tl.constexpr(3)
SHAPES = {"a": 1}


@triton.jit
def helper(x):
    return x * THREE


@triton.jit
def stores(x, y, index, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    where = tl.load(index + at, mask=at < n)
    total = tl.zeros((BLOCK,), tl.float32)
    ahead, behind = x + where, y + at
    for _ in range(0, n):
        total += tl.load(ahead)
        ahead += 4
        if total.sum() > 0:
            tl.store(behind, helper(total))
        behind += 1
    tl.atomic_add(out + at, total)


@triton.jit
def reads_a_dict(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), SHAPES["a"])


class Keys(unittest.TestCase):
    def setUp(self):
        self.shape = Shape(["x", "n", "eps", "BLOCK"], ["BLOCK"])
        self.x = torch.zeros(64, 32)

    def key(self, *args, **kwargs):
        return self.shape.quick(args, kwargs), self.shape.text(args, kwargs)

    def test_what_a_launch_depends_on_tells_it_apart(self):
        base = self.key(self.x, 32, 1e-5, BLOCK=64)
        unaligned = torch.zeros(64 * 32 + 1)[1:].view(64, 32)
        for other in (self.key(self.x.half(), 32, 1e-5, BLOCK=64), self.key(self.x[:32], 32, 1e-5, BLOCK=64),
                      self.key(self.x.t().contiguous().t(), 32, 1e-5, BLOCK=64),
                      self.key(unaligned, 32, 1e-5, BLOCK=64), self.key(self.x, 33, 1e-5, BLOCK=64),
                      self.key(self.x, True, 1e-5, BLOCK=64), self.key(self.x, 32, 1e-5, BLOCK=128),
                      self.key(self.x, 32, None, BLOCK=64), self.key(self.x, 32, 1e-5, BLOCK=64, num_warps=8)):
            for mine, its in zip(base, other):
                self.assertNotEqual(mine, its)

    def test_numbers_with_a_point_and_other_memory_do_not(self):
        self.assertEqual(self.key(self.x, 32, 1e-5, BLOCK=64), self.key(self.x.clone(), 32, 0.5, BLOCK=64))
        self.assertNotEqual(self.key(self.x, 32, 1e-5, BLOCK=0.5), self.key(self.x, 32, 1e-5, BLOCK=0.25))

    def test_the_text_knows_no_order_of_the_call(self):
        self.assertEqual(self.shape.text((self.x, 32), {"eps": 1.0, "BLOCK": 64}),
                         self.shape.text((self.x,), {"BLOCK": 64, "n": 32, "eps": 2.0}))

    def test_of_a_counter_only_what_triton_compiles_for_is_known(self):
        self.shape.varying.add("n")
        self.assertEqual(self.key(self.x, 17, 0.0), self.key(self.x, 19, 0.0))
        for other in (1, 32, 1 << 40):
            self.assertNotEqual(self.key(self.x, 17, 0.0), self.key(self.x, other, 0.0))

    def test_a_kernel_with_a_counter_keeps_few_launches(self):
        kernel = Kernel(stores, Shape(["x", "n"], []), "triton")
        for step in range(5000):
            launch = kernel.launch((self.x, step), {})
            if launch is not None:
                launch.count += 1
        self.assertEqual(kernel.shape.varying, {"n"})
        self.assertLess(len(kernel.launches), 100)
        counted = {id(one): one.count for one in kernel.launches.values()}
        self.assertEqual(sum(counted.values()) + kernel.others, 5000)


class Sources(unittest.TestCase):
    def test_kernels_and_constants_come_along(self):
        found = sources_of(stores)
        [text] = found.files.values()
        self.assertEqual(found.name, "stores")
        self.assertIn("THREE = tl.constexpr(3)", text)
        self.assertLess(text.index("def helper"), text.index("def stores"))
        compile(text, "kernel", "exec")

    def test_the_hash_is_of_the_texts_and_not_of_the_place(self):
        self.assertEqual(sources_of(stores).hash, sources_of(stores).hash)
        self.assertNotEqual(sources_of(stores).hash, sources_of(helper).hash)
        moved = triton.jit(stores.fn)
        moved.starting_line_number = 9999
        self.assertEqual(sources_of(stores).hash, sources_of(moved).hash)

    def test_another_constant_is_another_kernel(self):
        before = sources_of(stores).hash
        globals()["THREE"] = tl.constexpr(4)
        try:
            self.assertNotEqual(sources_of(stores).hash, before)
        finally:
            globals()["THREE"] = tl.constexpr(3)

    def test_a_module_that_torch_has_written_comes_along(self):
        name = "torch._inductor.runtime.compile_tasks.cabc"
        before, helper.fn.__module__ = helper.fn.__module__, name
        try:
            found = sources_of(stores)
        finally:
            helper.fn.__module__ = before
        self.assertEqual(len(found.files), 2)
        self.assertNotIn(name, "".join(found.files.values()))
        self.assertIn("from .m1 import helper as helper", found.files["m0"])

    def test_what_no_text_can_say_is_refused_with_its_name(self):
        with self.assertRaisesRegex(Unrecordable, "SHAPES, a dict"):
            sources_of(reads_a_dict)


class Written(unittest.TestCase):
    def ir(self, kernel, *args, **kwargs):
        with recording(TARGET) as made:
            kernel[(4,)](*args, **kwargs)
        return next(one["kernel"] for one in made if "kernel" in one).asm["ttir"]

    def test_stores_are_followed_through_loops_branches_and_loads(self):
        x, index = torch.empty(1024, device="meta"), torch.empty(1024, dtype=torch.int32, device="meta")
        text = self.ir(stores, x, x, index, x, 1024, BLOCK=128)
        self.assertEqual(written_by(text), [1, 3])

    def test_what_is_not_followed_is_not_known(self):
        self.assertIsNone(written_by("module {}"))
        self.assertIsNone(written_by(
            "tt.func public @k(%x: !tt.ptr<f32>, %n: i64) {\n"
            "%0 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>\ntt.store %0, %c : !tt.ptr<f32>\n}"))

    def test_both_values_of_a_choice_are_written(self):
        text = ("tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {\n"
                "%0 = scf.if %c -> (!tt.ptr<f32>) {\nscf.yield %x : !tt.ptr<f32>\n} else {\n"
                "scf.yield %y : !tt.ptr<f32>\n}\ntt.store %0, %v : !tt.ptr<f32>\n"
                "%1 = tt.load %z : !tt.ptr<f32>\n}")
        self.assertEqual(written_by(text), [0, 1])


class Spaces(unittest.TestCase):
    def test_blocks_are_halved_and_doubled(self):
        self.assertEqual(spaces.widened(256, [], 2), [64, 128, 256, 512, 1024])
        self.assertEqual(spaces.widened(16, [64], 1), [16, 64, 128])
        self.assertEqual(spaces.widened(48, [96], 2), [48, 96])

    def test_the_grid_is_asked_for_each_combination(self):
        def grid(meta):
            return (triton.cdiv(meta["n"], meta["BLOCK"]), meta["heads"])

        table, present = spaces.space_of(grid, {"n": 1000, "BLOCK": 256, "heads": 3},
                                         {"BLOCK": [128, 256]}, {"EVEN": lambda m: m["n"] % m["BLOCK"] == 0})
        self.assertEqual(present, [4, 3, 1])
        self.assertEqual(table["rows"], [
            {"of": [128], "grid": [8, 3, 1], "computed": {"EVEN": False}},
            {"of": [256], "grid": [4, 3, 1], "computed": {"EVEN": False}}])

    def test_a_combination_that_the_program_refuses_is_none(self):
        def grid(meta):
            assert meta["BLOCK"] < 512
            return (1,)

        table, _ = spaces.space_of(grid, {"BLOCK": 256}, {"BLOCK": [128, 256, 512]}, {})
        self.assertEqual([row["of"] for row in table["rows"]], [[128], [256]])

    def test_values_that_no_file_can_hold_are_refused_by_name(self):
        with self.assertRaisesRegex(Unrecordable, "values of MODE that are neither"):
            spaces.space_of((1,), {"MODE": None}, {"MODE": [None, object()]}, {})
        table, _ = spaces.space_of((1,), {"B": 16}, {"B": [16]}, {"TYPE": lambda m: tl.float32})
        self.assertEqual(value_of(json.loads(json.dumps(table))["rows"][0]["computed"]["TYPE"]), tl.float32)

    def test_tables_are_bounded_and_keep_what_the_program_has(self):
        blocks = {name: [1 << power for power in range(4, 12)] for name in "ABCDE"}
        table, _ = spaces.space_of((1,), dict.fromkeys("ABCDE", 64), blocks, {})
        self.assertLessEqual(len(table["rows"]), 2048)
        self.assertIn([64] * 5, [row["of"] for row in table["rows"]])

    def test_options_keep_those_of_the_launch(self):
        found = spaces.option_values({"num_warps": 32, "num_stages": 7}, {})
        self.assertEqual((found["num_warps"][0], found["num_stages"][0], found["maxnreg"][0]), (32, 7, None))


class Arguments(harness.Case):
    def described(self, **named):
        members, spans = arguments.described(named, set())
        arguments.keep_values(spans, str(self.folder), "k", False, 1 << 20)
        json.dumps([members, spans])
        return members, spans

    def test_views_of_one_memory_stay_views_of_one(self):
        memory = torch.arange(64, dtype=torch.float32)
        members, spans = self.described(a=memory[:40], b=memory[20:60], c=torch.zeros(3))
        self.assertEqual([members[name]["storage"] for name in "abc"], [0, 0, 1])
        self.assertEqual((members["b"]["start"], spans[0]["bytes"]), (80, 240))

    def test_parts_that_do_not_overlap_are_two(self):
        memory = torch.zeros(64)
        members, _ = self.described(a=memory[:16], b=memory[32:48])
        self.assertEqual([members[name]["storage"] for name in "ab"], [0, 1])

    def test_integers_are_kept_and_of_others_the_spread(self):
        _, spans = self.described(i=torch.tensor([5, 1, 3]), x=torch.full((100,), 2.5))
        self.assertEqual((self.folder / spans[0]["file"]).stat().st_size, 24)
        self.assertEqual((spans[1]["mean"], spans[1]["std"]), (2.5, 0.0))

    def test_where_the_disk_has_no_room_the_range_is_kept(self):
        members, spans = arguments.described({"i": torch.tensor([5, 1, 3])}, set())
        arguments.keep_values(spans, str(self.folder), "k", False, 0)
        self.assertEqual((spans[0]["low"], spans[0]["high"]), (1, 5))

    def test_strange_arguments_are_refused_by_name(self):
        for value, words in ((object(), "x is a object"), ({}, "x is a dict")):
            with self.assertRaisesRegex(Unrecordable, words):
                arguments.plain("x", value)

    def test_values_travel(self):
        for value in (True, 3, 2.5, float("inf"), "text", None, tl.bfloat16, (1, (2.0, None))):
            told = json.loads(json.dumps(arguments.plain("x", value)))
            self.assertEqual(value_of(told), value)


class Replays(harness.Case):
    """A launch made again has tensors like those of the program."""

    def replay(self, **named):
        members, spans = arguments.described({**named, "BLOCK": 64}, {"BLOCK"})
        arguments.keep_values(spans, str(self.folder / "values"), "k", False, 1 << 20)
        table, _ = spaces.space_of(lambda m: (4096 // m["BLOCK"],), {"BLOCK": 64}, {"BLOCK": [32, 64]}, {})
        return Replay(str(self.folder), None, json.loads(json.dumps({
            "arguments": members, "storages": spans, "space": table, "options": {"num_warps": 4},
            "option_values": {"num_warps": [4, 8]}, "written": sorted(named), "device": "cpu"})))

    def test_tensors_have_shape_stride_alignment_and_memory(self):
        memory = torch.randn(4096)
        given = {"a": memory[:4096].view(64, 64).t(), "b": memory[5:69], "i": torch.arange(7),
                 "h": torch.randn(9).half()[1:]}
        replay = self.replay(**given)
        with factories.use(TorchWorkshop(3, "cpu")) as workshop:
            made = replay._tensors()
        for name, tensor in given.items():
            self.assertEqual((made[name].shape, made[name].stride(), made[name].dtype,
                              made[name].data_ptr() % 16 == 0),
                             (tensor.shape, tensor.stride(), tensor.dtype, tensor.data_ptr() % 16 == 0), name)
            self.assertIsNotNone(workshop.of(made[name]))
        made["a"].zero_()
        self.assertEqual(float(made["b"].abs().sum()), 0.0)
        self.assertTrue(torch.equal(made["i"], given["i"]))

    def test_a_block_without_a_grid_is_infeasible(self):
        replay = self.replay(a=torch.zeros(8))
        self.assertEqual(replay.row({"BLOCK": 32, "num_warps": 8})["grid"], [128, 1, 1])
        with self.assertRaisesRegex(Failure, "no grid"):
            replay.row({"BLOCK": 16, "num_warps": 8})

    def test_a_folder_of_something_else_is_a_sentence(self):
        with self.assertRaisesRegex(UserError, "nightshift collect"):
            captured_in(str(self.folder))
        (self.folder / "captured.json").write_text("[")
        with self.assertRaisesRegex(UserError, "not what this version"):
            captured_in(str(self.folder))

    def test_nothing_that_can_be_launched_is_a_sentence(self):
        join(str(self.folder))
        with self.assertRaisesRegex(UserError, "nothing that was captured"):
            problems_in(str(self.folder))


class Joining(harness.Case):
    def test_studies_are_those_that_have_nearly_all_of_the_time(self):
        def launch(share, time=1.0):
            return {"detail": {}, "share": share, "time": time, "count": 1, "case": "s"}

        told = {"kernels": [{"id": f"k{n}", "launches": [launch(share)]} for n, share in enumerate(
            [0.6, 0.395, 0.004, 0.001])]}
        self.assertEqual([kernel["id"] for kernel, _ in studies_of(told)], ["k0", "k1"])
        for kernel in told["kernels"]:
            kernel["launches"][0].update(share=0, time=None)
        self.assertEqual(len(studies_of(told)), 4)

    def test_a_broken_file_of_a_process_is_left_out(self):
        (self.folder / "processes").mkdir()
        (self.folder / "processes" / "a.json").write_text('{"version": 1, "ker')
        self.assertEqual(join(str(self.folder))["kernels"], [])


class Guards(unittest.TestCase):
    def test_what_a_hook_raises_is_counted_and_never_raised(self):
        @guarded("a test", otherwise=7)
        def broken():
            raise RuntimeError("no")

        self.assertEqual((broken(), broken()), (7, 7))
        self.assertEqual(faults.pop("a test: RuntimeError: no"), 2)

    def test_sentences_are_bounded(self):
        for number in range(200):
            fault("a flood", ValueError(number))
        kept = [words for words in faults if words.startswith("a flood")]
        self.assertLessEqual(len(kept), 50)
        for words in kept:
            faults.pop(words)


if __name__ == "__main__":
    capturing.harness.main()
