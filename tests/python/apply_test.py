"""Ways in which a tuned launch must not be applied, or must be applied right: in each the program's own results. On a GPU
that tests/python/emulated pretends."""

import contextlib
import json
import os
import tempfile
import textwrap
import threading
import unittest
from unittest import mock

import capturing  # first: it pretends the GPU
import harness
import torch
import triton
import triton.language as tl

from nightshift.capture import applying, begun, guarded, recorder, tuned
from nightshift.capture.keys import Shape
from nightshift.capture.sources import sources_of
from nightshift.errors import UserError

program, launched = capturing.program, capturing.emulated.launched
N = program.N
CONFIGS = [triton.Config({"BLOCK": block}, num_warps=8) for block in (256, 512)]


@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):  # another text than the program's
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, factor * tl.load(x + at, mask=at < n), mask=at < n)


def row(kernel, args, kwargs, config, tuned_by="", **more):
    constants = [kernel.arg_names[at] for at in kernel.constexprs]
    return {"key": Shape(kernel.arg_names, constants).text(args, kwargs), "study": f"{kernel.__name__}-s",
            "tuned_by": tuned_by, "config": config, "baseline": {}, "ratio": 0.5, "share": 1.0, **more}


def told(kernel, *rows, machine=None, **more):
    return {"version": 1, "machine": machine or {}, "kernels": [{
        "hash": sources_of(kernel).hash, "function": kernel.__name__, "varying": [], "rows": list(rows), **more}]}


class Applying(harness.Case):
    """self.x scaled by the program's own kernel with 8 warps; tuned: one warp."""

    def setUp(self):
        super().setUp()
        self.x = torch.randn(N)
        launched.clear()
        guarded.faults.clear()
        guarded._told.clear()
        quiet = contextlib.redirect_stderr(open(self.folder / "errors", "w+"))
        self.errors = quiet.__enter__()
        self.addCleanup(self.errors.close)
        self.addCleanup(quiet.__exit__, None, None, None)

    def args(self, y, x=None, n=N, factor=0.5):
        return (self.x if x is None else x, y, n, factor)

    def applied(self, what):
        """A context in which launches are answered from `what`; yields the Answers."""
        path = self.folder / "tuned.json"
        path.write_text(json.dumps(what))
        answers = applying.Answers(str(path), str(self.folder / "report"))
        context = contextlib.ExitStack()
        context.enter_context(capturing.as_before())
        applying._jit(triton.runtime.jit, answers)
        applying._autotuner(triton.runtime.autotuner, answers)
        self.addCleanup(context.close)
        return answers

    def tuned(self, config=None, **more):
        y = torch.empty(N)
        return told(program.scale, row(program.scale, self.args(y), {"BLOCK": 256, "num_warps": 8},
                                       config or {"num_warps": 1}, **more))

    def launch(self, kernel=None, x=None, y=None, n=N, factor=0.5, **kwargs):
        y = torch.empty(N) if y is None else y
        options = {"BLOCK": 256, "num_warps": 8, **kwargs}
        (kernel or program.scale)[program.grid](*self.args(y, x, n, factor), **options)
        return y

    def said(self):
        self.errors.flush()
        return (self.folder / "errors").read_text()

    def assert_launched(self, warps, block=256):
        self.assertEqual(launched[-1][1:], (warps, block))

    # What is applied.

    def test_the_launch_that_was_tuned_has_what_was_tuned(self):
        answers = self.applied(self.tuned())
        y = self.launch()
        self.assert_launched(1)
        self.assertTrue(torch.equal(y, self.x * 0.5))
        answers.end()
        [line] = (self.folder / "report").read_text().splitlines()
        self.assertEqual(json.loads(line)["applied"], {"scale-s": 1})

    def test_a_block_takes_its_grid_along(self):
        self.applied(self.tuned({"BLOCK": 1024, "num_warps": 2}))
        self.assertTrue(torch.equal(self.launch(), self.x * 0.5))
        self.assert_launched(2, 1024)

    def test_a_block_that_is_given_by_position_is_replaced(self):
        y = torch.empty(N)
        self.applied(told(program.scale, row(program.scale, (*self.args(y), 256), {"num_warps": 8},
                                             {"BLOCK": 512})))
        program.scale[program.grid](*self.args(y), 256, num_warps=8)
        self.assert_launched(8, 512)
        self.assertTrue(torch.equal(y, self.x * 0.5))

    def test_another_number_with_a_point_is_the_same_launch(self):
        self.applied(self.tuned())
        self.assertTrue(torch.equal(self.launch(factor=3.0), self.x * 3.0))
        self.assert_launched(1)

    def test_autotune_is_not_asked_where_its_answer_is_known(self):
        y, tuner = torch.empty(N), triton.autotune(CONFIGS, key=["n"])(program.scale)
        self.applied(told(program.scale, row(program.scale, self.args(y), {}, {"BLOCK": 512, "num_warps": 2},
                                             "triton.autotune")))
        tuner[program.grid](*self.args(y))
        self.assertEqual(launched, [("scale", 2, 512)])
        self.assertEqual(tuner.best_config.num_warps, 2)
        self.assertTrue(torch.equal(y, self.x * 0.5))

    def test_below_autotune_nothing_is_replaced_otherwise(self):
        y, tuner = torch.empty(N), triton.autotune(CONFIGS, key=["n"])(program.scale)
        self.applied(told(program.scale, row(program.scale, self.args(y), {"BLOCK": 256, "num_warps": 8,
                          "num_ctas": 1, "num_stages": 3}, {"num_warps": 1})))
        tuner[program.grid](*self.args(y))
        self.assertEqual({warps for _, warps, _ in launched}, {8})

    def test_what_heuristics_compute_follows_the_block(self):
        kernel = triton.heuristics({"BLOCK": lambda args: 256})(program.scale)
        y = torch.empty(N)
        self.applied(told(program.scale, row(program.scale, self.args(y), {"num_warps": 8, "BLOCK": 256},
                                             {"num_warps": 2}, computed={"BLOCK": 1024})))
        kernel[program.grid](*self.args(y), num_warps=8)
        self.assert_launched(2, 1024)
        self.assertTrue(torch.equal(y, self.x * 0.5))

    # Any doubt, and the launch is the program's.

    def test_another_shape(self):
        self.applied(self.tuned())
        x = torch.randn(N // 2)
        y = self.launch(x=x, y=torch.empty(N // 2), n=N // 2)
        self.assert_launched(8)
        self.assertTrue(torch.equal(y, x * 0.5))

    def test_another_type(self):
        self.applied(self.tuned())
        self.launch(x=self.x.half(), y=torch.empty(N).half())
        self.assert_launched(8)

    def test_a_tensor_that_is_not_aligned(self):
        self.applied(self.tuned())
        x = torch.randn(N + 1)[1:]
        self.assertTrue(torch.equal(self.launch(x=x), x * 0.5))
        self.assert_launched(8)

    def test_other_strides(self):
        self.applied(self.tuned())
        self.launch(x=torch.randn(2 * N)[::2])
        self.assert_launched(8)

    def test_another_option_of_the_program(self):
        self.applied(self.tuned())
        self.launch(num_warps=4)
        self.assert_launched(4)

    def test_another_block_of_the_program(self):
        self.applied(self.tuned())
        self.launch(BLOCK=512)
        self.assert_launched(8, 512)

    def test_changed_source_under_the_same_name(self):
        self.applied(self.tuned())
        self.launch(kernel=scale)
        self.assert_launched(8)
        self.assertIn("scale is not the kernel that was tuned", self.said())

    def test_a_changed_source_is_told_once(self):
        self.applied(self.tuned())
        for _ in range(3):
            self.launch(kernel=scale)
        self.assertEqual(self.said().count("\n"), 1)

    def test_another_driver_gpu_or_version(self):
        for name in ("driver", "gpu", "triton", "torch", "capability"):
            with self.subTest(name), capturing.as_before():
                launched.clear()
                guarded._told.clear()
                self.applied({**self.tuned(), "machine": {name: "another"}})
                self.launch()
                self.assert_launched(8)
                self.assertIn(f"nothing is applied: {name} ", self.said())

    def test_another_python_is_no_doubt(self):
        self.applied({**self.tuned(), "machine": {"python": "2.7"}})
        self.launch()
        self.assert_launched(1)

    def test_a_driver_that_cannot_be_read_is_none(self):
        with mock.patch("builtins.open", side_effect=OSError):
            self.assertEqual(recorder._driver(), "")

    def test_what_was_taken_back(self):
        self.applied(self.tuned(taken_back=True))
        self.launch()
        self.assert_launched(8)

    def test_one_that_is_not_among_those_asked_for(self):
        with mock.patch.dict(os.environ, NIGHTSHIFT_APPLY_ONLY="others,more"):
            self.applied(self.tuned())
        self.launch()
        self.assert_launched(8)

    def test_a_configuration_that_does_not_compile(self):
        self.applied(self.tuned({"num_warps": 3}))  # no power of two
        for _ in range(2):
            self.assertTrue(torch.equal(self.launch(), self.x * 0.5))
            self.assert_launched(8)
        self.assertEqual(self.said().count("scale-s is not applied"), 1)

    def test_a_parameter_that_the_kernel_does_not_have(self):
        self.applied(self.tuned({"BLOCKS": 3}))
        self.assertTrue(torch.equal(self.launch(), self.x * 0.5))
        self.assert_launched(8)

    def test_a_warmup_of_the_program_compiles_its_own(self):
        self.applied(self.tuned())
        made = program.scale.warmup(*self.args(torch.empty(N)), BLOCK=256, num_warps=8, grid=(1,))
        self.assertEqual((made.metadata.num_warps, launched), (8, []))

    def test_the_programs_own_exception_is_its_own(self):
        self.applied(self.tuned())
        with self.assertRaises(Exception) as mine:
            program.scale[(1,)](self.x, nonsense=3)
        with capturing.as_before(), self.assertRaises(Exception) as own:
            program.scale[(1,)](self.x, nonsense=3)
        self.assertEqual(type(mine.exception), type(own.exception))

    def test_an_argument_that_cannot_be_looked_at(self):
        class Strange:
            dtype = torch.float32

            def data_ptr(self):
                raise RuntimeError("no memory")

        self.applied(self.tuned())
        with self.assertRaises(Exception):
            self.launch(x=Strange())
        self.assertTrue(any("looking a launch up" in words for words in guarded.faults))
        self.assertTrue(torch.equal(self.launch(), self.x * 0.5))

    def test_many_shapes_are_bounded(self):
        answers = self.applied(self.tuned())
        self.launch()
        [known] = [one for one in answers.known.values() if one]
        with mock.patch.object(applying, "_MOST_KEYS", 4):
            for n in range(1, 20):
                self.launch(n=n)
        self.assertLessEqual(len(known.quick), 4)

    def test_threads(self):
        self.applied(self.tuned())
        results = {}

        def work(number):
            x = torch.full((N,), float(number))
            results[number] = bool(torch.equal(self.launch(x=x), x * 0.5))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(harness.TIMEOUT)
        self.assertEqual(results, dict.fromkeys(range(8), True))

    def test_a_counter_is_the_same_launch_whatever_it_counts(self):
        y = torch.empty(N)
        shape = Shape(program.scale.arg_names, ("BLOCK",), ("n",))
        key = shape.text(self.args(y, n=N), {"BLOCK": 256, "num_warps": 8})
        self.applied(told(program.scale, row(program.scale, self.args(y), {}, {"num_warps": 1}) | {"key": key},
                          varying=["n"]))
        for n in (N, N - 16):
            self.launch(n=n)
            self.assert_launched(1)
        self.launch(n=N - 1)  # Triton compiles another kernel for it
        self.assert_launched(8)

    def test_a_launch_that_the_device_refuses(self):
        self.applied(self.tuned())
        real = capturing.emulated._launch

        def refused(src, metadata, grid, values):
            if metadata.num_warps == 1:
                raise triton.runtime.errors.OutOfResources(300000, 232448, "shared memory")
            real(src, metadata, grid, values)

        with mock.patch.object(capturing.emulated, "_launch", refused):
            for _ in range(2):
                self.assertTrue(torch.equal(self.launch(), self.x * 0.5))
        self.assertEqual(launched, [("scale", 8, 256)] * 2)
        self.assertEqual(self.said().count("scale-s is not applied: OutOfResources"), 1)

    def test_autotune_chooses_itself_where_its_answer_is_refused(self):
        y, tuner = torch.empty(N), triton.autotune(CONFIGS, key=["n"])(program.scale)
        self.applied(told(program.scale, row(program.scale, self.args(y), {}, {"BLOCK": 512, "num_warps": 3},
                                             "triton.autotune")))
        for _ in range(2):
            tuner[program.grid](*self.args(y))
            self.assert_launched(8, launched[-1][2])
            self.assertTrue(torch.equal(y, self.x * 0.5))
        self.assertEqual(self.said().count("is not applied"), 1)

    def test_an_interrupt_within_a_tuned_launch_is_the_programs(self):
        self.applied(self.tuned())
        with mock.patch.object(capturing.emulated, "_launch", side_effect=KeyboardInterrupt), \
                self.assertRaises(KeyboardInterrupt):
            self.launch()
        self.launch()
        self.assert_launched(1)

    def test_tensors_that_overlap_or_alias_are_the_programs(self):
        self.applied(self.tuned())
        y = self.x
        expected = self.x * 0.5
        self.assertTrue(torch.equal(self.launch(x=self.x, y=y), expected))
        self.assert_launched(1)  # the same types, shapes and strides, and each element is read before it is written

    def test_a_report_that_cannot_be_written(self):
        answers = self.applied(self.tuned())
        answers.report = "/dev/full"
        self.launch()
        answers.end()
        self.assertTrue(any("reporting what was applied" in words for words in guarded.faults))

    # The file.

    def test_files_that_are_none(self):
        for text in ("", "[]", "{", '{"version": 2}', '{"version": 1}', '{"version": 1, "machine": {}, "kernels": 3}'):
            with self.subTest(text):
                guarded._told.clear()
                (self.folder / "f").write_text(text)
                applying.begin(str(self.folder / "f"))
                self.assertIn("nothing is applied", self.said())
        applying.begin(str(self.folder / "missing"))
        self.assertIn("missing", self.said())
        os.mkfifo(self.folder / "fifo")
        guarded._told.clear()
        applying.begin(str(self.folder / "fifo"))
        self.assertIn("it is no regular file", self.said())

    def test_nothing_asked_for_changes_nothing(self):
        before = triton.runtime.jit.JITFunction.run
        with mock.patch.dict(os.environ):
            for name in ("NIGHTSHIFT_APPLY", "NIGHTSHIFT_COLLECT"):
                os.environ.pop(name, None)
            begun.begin()
        self.assertIs(triton.runtime.jit.JITFunction.run, before)

    def test_a_share_that_is_no_number_is_the_usual_one(self):
        with mock.patch.dict(os.environ, NIGHTSHIFT_COLLECT_SHARE="much"):
            self.assertEqual(begun._share(), recorder.SHARE)


class Processes(harness.Case):
    """Programs of several processes, each of which tells what it was answered."""

    PREAMBLE = f"""
import os, sys
sys.path.insert(0, {str(capturing.EMULATED)!r})
import torch, program
x, index = torch.randn(program.N), torch.randperm(program.N, dtype=torch.int32)
def work():
    y = torch.empty_like(x)
    program.scale[program.grid](x, y, program.N, 0.5, BLOCK=256, num_warps=8)
    assert torch.equal(y, x * 0.5)
"""

    def applied(self, text, **more):
        """(the program's process, [what each process of it reported])"""
        y, args = torch.empty(N), {"BLOCK": 256, "num_warps": 8}
        (self.folder / "tuned.json").write_text(json.dumps(told(program.scale, row(
            program.scale, (y, y, N, 0.5), args, {"num_warps": 1}))))
        script = self.write("script.py", self.PREAMBLE + textwrap.dedent(text))
        report = self.folder / "report"
        done = capturing.run(script, NIGHTSHIFT_APPLY=self.folder / "tuned.json", NIGHTSHIFT_APPLY_REPORT=report, **more)
        return done, [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []

    def test_children_that_are_forked_or_spawned_tell_their_own(self):
        _, lines = self.applied("""
        import multiprocessing
        if __name__ == "__main__":
            work()
            for way in ("fork", "spawn"):
                child = multiprocessing.get_context(way).Process(target=work)
                child.start(); child.join(); assert child.exitcode == 0
        """)
        self.assertEqual([one["applied"] for one in lines], [{"scale-s": 1}] * 3)
        self.assertEqual(len({one["process"] for one in lines}), 3)

    def test_a_program_that_goes_elsewhere_and_launches_from_threads(self):
        _, lines = self.applied("""
        import threading
        os.chdir("/")
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]; [t.join() for t in threads]
        """)
        self.assertEqual([one["applied"] for one in lines], [{"scale-s": 4}])

    def test_a_program_that_launches_nothing_of_it_reports_nothing(self):
        _, lines = self.applied("program.gather[program.grid](x, index, x.clone(), program.N, BLOCK=256)")
        self.assertEqual(lines, [])
        self.assertIn("Nothing was applied", self.module("applied", self.folder / "report").stdout)

    def test_where_launches_are_noted_as_well_they_are_the_programs_own(self):
        done, lines = self.applied("work()", NIGHTSHIFT_COLLECT=self.folder / "c", NIGHTSHIFT_COLLECT_SHARE="0.5")
        self.assertIn("nothing is applied while launches are noted", done.stderr)
        self.assertEqual(lines, [])
        [[launch]] = capturing.launches_of(capturing.captured(self.folder / "c")).values()
        self.assertEqual((launch["count"], launch["detail"]["options"]["num_warps"]), (1, 8))


class Inductor(harness.Case):
    """What torch.compile writes is launched by its own launcher, of another configuration."""

    def applied(self, config, **more):
        script, log = capturing.EMULATED / "inductor_program.py", self.folder / "log"
        capturing.run(script, 4, NIGHTSHIFT_COLLECT=self.folder / "c", NIGHTSHIFT_COLLECT_SHARE="0.5")
        [kernel] = capturing.captured(self.folder / "c")["kernels"]
        [launch] = kernel["launches"]
        (self.folder / "tuned.json").write_text(json.dumps({"version": 1, "machine": {}, "kernels": [
            {"hash": kernel["hash"], "function": kernel["function"], "varying": [], "rows": [
                {"key": launch["key"], "study": "s", "tuned_by": "torch.compile", "config": config,
                 "baseline": {}, "ratio": 0.5, "share": 1.0}]}]}))
        plain = capturing.run(script, 4, path=(capturing.EMULATED,))
        done = capturing.run(script, 4, NIGHTSHIFT_APPLY=self.folder / "tuned.json", EMULATED_LOG=log,
                             NIGHTSHIFT_APPLY_REPORT=self.folder / "report", **more)
        self.assertEqual(done.stdout, plain.stdout)
        return done, log.read_text().splitlines()

    def test_it_is_applied(self):
        _, lines = self.applied({"XBLOCK": 64, "num_warps": 2, "num_stages": 1})
        self.assertEqual(lines, ["triton_poi_fused_mul_0 warps=2 block=64"] * 4)
        self.assertEqual(json.loads((self.folder / "report").read_text())["applied"], {"s": 4})

    def test_one_that_does_not_compile_is_torchs_own(self):
        done, lines = self.applied({"XBLOCK": 63, "num_warps": 2, "num_stages": 1})
        self.assertEqual(len(set(lines)), 1)
        self.assertNotIn("block=63", lines[0])
        self.assertIn("s is not applied", done.stderr)


class Tuned(unittest.TestCase):
    def test_labels_become_values_again(self):
        self.assertEqual(tuned._values({"maxnreg": "0: None", "a": "3: 168", "BLOCK": 64, "MODE": "wide"}),
                         {"maxnreg": None, "a": 168, "BLOCK": 64, "MODE": "wide"})

    def test_what_was_taken_back_stays_so_until_another_is_found(self):
        def one(config, **more):
            return {"kernels": [{"rows": [{"study": "a", "config": config, **more}]}]}

        for config, expected in (({"w": 1}, True), ({"w": 2}, False)):
            now = one(config)
            tuned.keep_marks(now, one({"w": 1}, taken_back=True))
            self.assertEqual(tuned.rows_of(now)[0]["taken_back"], expected)

    def test_a_batch_that_has_shown_nothing_says_so(self):
        self.assertIn("every launch stays as it is", tuned.text_of({"kernels": []}, "t"))

    def test_a_file_that_cannot_be_written_is_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, tuned.NAME)
            before = json.dumps({"kernels": [{"rows": [{"study": "a", "config": {}}]}]})
            with open(path, "w") as out:
                out.write(before)
            with mock.patch.object(tuned.os, "replace", side_effect=OSError(28, "No space left on device")), \
                    self.assertRaisesRegex(UserError, "tuned.json can't be written: No space left"):
                tuned.main(mock.Mock(batch=path, take_back="a"))
            with open(path) as file:
                self.assertEqual(file.read(), before)

    def test_a_file_that_says_it_already_is_not_written_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, tuned.NAME)
            one = {"study": "a", "config": {"w": 1}, "baseline": {"w": 2}, "ratio": 0.5, "share": 1.0}
            with open(path, "w") as out:
                json.dump({"kernels": [{"rows": [one]}]}, out)
            asked = mock.Mock(batch=path, take_back="a")
            self.assertEqual(tuned.main(asked), 0)
            full = mock.patch.object(tuned, "write_whole", side_effect=OSError(30, "Read-only file system"))
            with full as written:
                self.assertEqual(tuned.main(asked), 0)
                written.assert_not_called()
            with full, self.assertRaisesRegex(UserError, "tuned.json can't be written: Read-only"):
                tuned.main(mock.Mock(batch=path, take_back=""))
            self.assertFalse(tuned.says(os.path.join(folder, "none"), ""))
            self.assertFalse(tuned.says(folder, ""))

    def test_a_program_that_answers_nothing_is_a_sentence(self):
        for program_ in ("/bin/true", "/bin/false"):
            with self.assertRaises(UserError):
                tuned._asked(program_, "status")


if __name__ == "__main__":
    capturing.harness.main()
