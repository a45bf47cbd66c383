"""A program that nobody edits is recorded, whatever it does, and computes what it computes. On a GPU that
tests/python/emulated pretends; programs are real processes."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from unittest import mock

import capturing  # first: it pretends the GPU
import harness
import torch
import triton

from capturing import EMULATED, HOOK, captured, launches_of, run
from nightshift.capture import collecting, guarded, joining, recorder, summary
from nightshift.benches import bench_for
from nightshift.capture.problems import problems_in
from nightshift.errors import Failure
from nightshift.evaluation import Evaluator

program, launched = capturing.program, capturing.emulated.launched
PROGRAM = EMULATED / "program.py"
HALF = {"NIGHTSHIFT_COLLECT_SHARE": "0.5"}  # these programs are short
PREAMBLE = f"""
import os, sys
sys.path.insert(0, {str(EMULATED)!r})
import torch, triton
import program
x, index = torch.randn(program.N), torch.randperm(program.N, dtype=torch.int32)
"""


class Programs(harness.Case):
    def collected(self, script=PROGRAM, *arguments, **more):
        """(what the program printed, what captured.json has)"""
        variables = {**HALF, **more}
        done = run(script, *arguments, NIGHTSHIFT_COLLECT=self.folder / "captured", **variables)
        return done.stdout, captured(self.folder / "captured")

    def script(self, text):
        return self.write("script.py", PREAMBLE + textwrap.dedent(text))

    def test_the_program_prints_what_it_prints_and_all_launches_are_there(self):
        plain = run(PROGRAM, 6, path=(EMULATED,)).stdout
        printed, told = self.collected(PROGRAM, 6)
        self.assertEqual(printed, plain)
        found = launches_of(told)
        self.assertEqual({name: [one["count"] for one in launches] for name, launches in found.items()},
                         {"scale": [6], "tuned_scale": [6], "add_into": [6], "gather": [6]})
        self.assertEqual(told["faults"], {})
        self.assertLessEqual(sum(launch["share"] for launches in found.values() for launch in launches), 1.001)
        [scale] = found["scale"]
        self.assertEqual(scale["detail"]["written"], ["y"])
        self.assertEqual(scale["detail"]["space"]["blocks"], {"BLOCK": [64, 128, 256, 512, 1024]})
        [tuned] = found["tuned_scale"]
        self.assertEqual((tuned["detail"]["tuned_by"], len(tuned["detail"]["space"]["rows"])),
                         ("triton.autotune", 4))
        [add_into] = found["add_into"]  # whose grid is a number: no block may change
        self.assertEqual(add_into["detail"]["space"]["blocks"], {})

    def test_a_program_of_seconds_gives_all_of_its_kernels(self):
        _, told = self.collected(PROGRAM, 6, NIGHTSHIFT_COLLECT_SHARE="0.02")
        self.assertEqual({name: [bool(one["detail"]) for one in launches] for name, launches in launches_of(told).items()},
                         dict.fromkeys(("scale", "tuned_scale", "add_into", "gather"), [True]))
        self.assertGreater(told["hook_seconds"], told["describing_seconds"])
        self.assertGreater(told["describing_seconds"], 0)

    def test_the_folder_is_a_batch_and_its_problems_can_be_read(self):
        self.collected(PROGRAM, 6)
        folder = self.folder / "captured"
        text = (folder / "batch.toml").read_text()
        self.assertEqual(text.count("[[study]]"), 4)
        described = run("-m", "nightshift", "describe", folder / "problems.py", "--problem",
                        problem_named(folder, "scale"), path=(harness.MODULE, EMULATED)).stdout
        self.assertIn('num_warps = { values = [8, 1, 2, 4, 16], default = 8 }', described)

    def test_the_same_program_again_is_the_same_kernels(self):
        _, first = self.collected(PROGRAM, 6)
        _, second = self.collected(PROGRAM, 6)
        self.assertEqual(sorted(one["id"] for one in first["kernels"]),
                         sorted(one["id"] for one in second["kernels"]))
        self.assertEqual((second["processes"], launches_of(second)["scale"][0]["count"]), (2, 12))

    def test_a_kernel_that_torch_compile_has_written(self):
        plain = run(EMULATED / "inductor_program.py", 6, path=(EMULATED,)).stdout
        printed, told = self.collected(EMULATED / "inductor_program.py", 6)
        self.assertEqual(printed, plain)
        [[launch]] = launches_of(told).values()
        detail = launch["detail"]
        self.assertEqual((launch["count"], detail["tuned_by"], detail["written"], sorted(detail["option_values"])),
                         (6, "torch.compile", ["out_ptr0"], ["num_stages", "num_warps"]))

    def test_children_that_are_started_are_recorded_as_well(self):
        script = self.script("""
        import subprocess
        for _ in range(2):
            subprocess.run([sys.executable, program.__file__, "3"], check=True)
        """)
        _, told = self.collected(script)
        self.assertEqual((told["processes"], launches_of(told)["scale"][0]["count"]), (2, 6))

    def test_a_forked_child_tells_its_own(self):
        script = self.script("""
        import multiprocessing
        def work():
            program.step(x, index, 0)
        program.step(x, index, 0)
        child = multiprocessing.get_context("fork").Process(target=work)
        child.start(); child.join(); assert child.exitcode == 0
        """)
        _, told = self.collected(script)
        self.assertEqual((told["processes"], launches_of(told)["scale"][0]["count"]), (2, 2))

    def test_threads_launch_beside_each_other(self):
        script = self.script("""
        import threading
        program.step(x, index, 0)
        threads = [threading.Thread(target=program.step, args=(x, index, 0)) for _ in range(8)]
        [t.start() for t in threads]; [t.join() for t in threads]
        """)
        _, told = self.collected(script)
        self.assertEqual((told["faults"], launches_of(told)["scale"][0]["count"]), ({}, 9))

    def test_what_the_program_raises_is_its_own(self):
        script = self.script("""
        try:
            program.scale[(1,)](x, nonsense=1)
        except Exception as error:
            print(type(error).__name__)
        sys.exit(7)
        """)
        plain = run(script, path=(EMULATED,), code=7).stdout
        done = run(script, code=7, NIGHTSHIFT_COLLECT=self.folder / "c", **HALF)
        self.assertEqual(done.stdout, plain)

    def test_a_folder_that_cannot_be_written_is_told_and_changes_nothing(self):
        plain = run(PROGRAM, 3, path=(EMULATED,)).stdout
        self.write("file", "")
        for place in (self.folder / "file", "/dev/full", "/proc/nothing"):
            done = run(PROGRAM, 3, NIGHTSHIFT_COLLECT=place, **HALF)
            self.assertEqual(done.stdout, plain)
            self.assertIn("what this program launches is not kept", done.stderr)

    def test_a_full_disk(self):
        plain = run(PROGRAM, 3, path=(EMULATED,)).stdout
        script = self.script("""
        import resource
        program.main(0)  # all is imported and compiled
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        program.main(3)
        """)
        done = run(script, NIGHTSHIFT_COLLECT=self.folder / "c", TRITON_CACHE_DIR=self.cache_of(PROGRAM), **HALF)
        self.assertEqual(done.stdout.splitlines()[-1:], plain.splitlines())
        self.assertIn("is not kept", done.stderr)

    def cache_of(self, script):
        """Where Triton has all that it compiles for the script."""
        place = self.folder / "cache"
        run(script, 3, path=(EMULATED,), TRITON_CACHE_DIR=place)
        return place

    def test_another_sitecustomize_is_heeded(self):
        self.write("sitecustomize.py", "import sys\nsys.heeded = True\n")
        script = self.write("script.py", "import sys\nprint(sys.heeded, 'nightshift' in sys.modules, sys.path[-1])\n")
        own = run(script, path=(self.folder,)).stdout
        done = run(script, path=(HOOK, self.folder), NIGHTSHIFT_COLLECT=self.folder / "c")
        self.assertEqual(done.stdout, own)

    def test_a_sitecustomize_that_raises_raises_as_before(self):
        self.write("sitecustomize.py", "raise ValueError('mine')\n")
        script = self.write("script.py", "print('on')\n")
        for path in ((self.folder,), (HOOK, self.folder)):
            done = run(script, path=path, NIGHTSHIFT_COLLECT=self.folder / "c")
            self.assertEqual(done.stdout, "on\n")
            self.assertIn("ValueError: mine", done.stderr)

    def test_a_module_of_the_program_called_nightshift_is_its_own(self):
        self.write("nightshift.py", "MINE = 1\n")
        script = self.script("""
        import nightshift
        assert nightshift.MINE
        program.step(x, index, 0)
        """)
        _, told = self.collected(script)
        self.assertEqual(launches_of(told)["scale"][0]["count"], 1)

    def test_what_measures_kernels_is_neither_recorded_nor_answered(self):
        self.collected(PROGRAM, 6)
        words = ("-m", "nightshift", "describe", self.folder / "captured" / "problems.py", "--problem",
                 problem_named(self.folder / "captured", "scale"))
        path = (HOOK, harness.MODULE, EMULATED)
        plain = run(*words, path=path).stdout
        done = run(*words, path=path, NIGHTSHIFT_COLLECT=self.folder / "c", NIGHTSHIFT_APPLY="/nowhere", **HALF)
        self.assertEqual((done.stdout, (self.folder / "c").exists()), (plain, False))
        self.assertNotIn("/nowhere", done.stderr)

    def test_a_program_without_triton_leaves_nothing(self):
        script = self.write("script.py", "print(1)\n")
        run(script, NIGHTSHIFT_COLLECT=self.folder / "c")
        self.assertFalse((self.folder / "c").exists())

    def test_python_without_site_is_the_program_alone(self):
        script = self.write("script.py", "print(1)\n")
        for flag in ("-S", "-I", "-E"):
            self.assertEqual(run(script, flags=(flag,), NIGHTSHIFT_COLLECT=self.folder / "c").stdout, "1\n")

    def test_a_killed_program_leaves_what_was_written_last(self):
        script = self.script("""
        import gc
        program.step(x, index, 0)
        recorders = [one for one in gc.get_objects() if type(one).__name__ == "Recorder"]
        recorders[0].flush_at = 0  # as if the last time were long ago
        program.step(x, index, 0)
        print("ready", flush=True)
        sys.stdin.read()
        """)
        process = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, PYTHONPATH=f"{HOOK}{os.pathsep}{EMULATED}", EMULATED_SECONDS="0",
                     NIGHTSHIFT_COLLECT=str(self.folder / "c"), **HALF))
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=harness.TIMEOUT)
        told = joining.join(str(self.folder / "c"))
        self.assertEqual({one["name"] for one in told["kernels"] if one["launches"][0]["detail"]},
                         {"scale", "tuned_scale", "add_into", "gather"})

    def test_two_programs_that_end_at_once_join_both(self):
        processes = [subprocess.Popen(
            [sys.executable, PROGRAM, "3"], stdout=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=f"{HOOK}{os.pathsep}{EMULATED}", EMULATED_SECONDS="0",
                     NIGHTSHIFT_COLLECT=str(self.folder / "c"), **HALF)) for _ in range(2)]
        outputs = {process.communicate(timeout=harness.TIMEOUT)[0] for process in processes}
        self.assertEqual(len(outputs), 1)
        self.assertEqual(captured(self.folder / "c")["processes"], 2)


def problem_named(folder, name):
    return next(one["id"] for one in captured(folder)["kernels"] if one["name"] == name)


class Recording(harness.Case):
    """In the test's own process."""

    def setUp(self):
        super().setUp()
        launched.clear()
        guarded.faults.clear()
        context = capturing.as_before()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.recorder = recorder.Recorder(str(self.folder / "c"), share=0.9)
        self.recorder.room, self.recorder.began = 10**12, self.recorder.began - 10**12
        collecting._jit(triton.runtime.jit, self.recorder)
        collecting._autotuner(triton.runtime.autotuner)
        self.x = torch.randn(program.N)

    def scale(self, n=program.N, **options):
        y = torch.empty(program.N)
        program.scale[program.grid](self.x, y, n, 0.5, **{"BLOCK": 256, **options})
        return y

    def problem(self, **options):
        """That of the one kernel, from files that are read anew."""
        for name in [name for name in sys.modules if name.startswith("nightshift_captured_")]:
            sys.modules.pop(name)
        [problem] = problems_in(str(self.folder / "c"), **options).values()
        return problem

    def known(self):
        [kernel] = [one for one in self.recorder.kernels.values() if one.name == "scale"]
        return kernel

    def test_without_time_launches_are_counted_and_not_looked_at(self):
        self.recorder.share = self.recorder.room = 0
        for _ in range(5):
            self.scale()
        self.assertEqual((self.recorder.kernels, sum(self.recorder.missed.values())), ({}, 5))
        self.recorder.room = 10**12
        self.scale()
        [launch] = self.known().launches.values()
        self.assertEqual(launch.count, 6)

    def test_a_kernel_of_which_nothing_is_known_is_looked_at_all_the_same(self):
        self.recorder.room = -10**12
        self.scale()
        for _ in range(3):
            self.scale()
        [launch] = self.known().launches.values()
        self.assertEqual((launch.count, launch.detail is None, launch.timed), (2, False, 1))
        self.assertEqual(list(self.recorder.missed.values()), [2])

    def test_first_times_have_an_end_too(self):
        self.recorder.room, self.recorder.on_first_times = -10**12, recorder._FIRST_TIMES
        for _ in range(3):
            self.scale()
        [launch] = self.known().launches.values()
        self.assertEqual((launch.count, launch.timed), (1, 0))
        self.assertEqual(list(self.recorder.missed.values()), [2])

    def test_the_hooks_own_time_is_counted(self):
        before = self.recorder.spent, self.recorder.room
        self.scale()
        self.assertGreater(self.recorder.spent, before[0])
        self.assertLess(self.recorder.room, before[1])

    def test_descriptions_have_an_allowance_of_their_own(self):
        self.recorder.began, self.recorder.room, self.recorder.share = time.perf_counter_ns(), 1, 0.02
        self.scale()
        [launch] = self.known().launches.values()
        self.assertIsNotNone(launch.detail)
        self.assertGreater(self.recorder.described, 0)
        before, self.recorder.just_described = self.recorder.room, 10**15
        self.recorder.spend(time.perf_counter_ns())  # what it took to describe is no part of the share
        self.assertGreater(self.recorder.room, before)
        self.recorder.described, self.recorder.room = recorder._DESCRIBING, 10**12
        self.scale(num_warps=8)
        self.assertIsNone([one for one in self.known().launches.values() if one is not launch][0].detail)
        [kernel] = self.recorder.told()["kernels"]
        self.assertEqual([bool(one["detail"]) for one in kernel["launches"]], [True, False])

    def test_configs_that_are_being_timed_are_no_launches(self):
        y = torch.empty(program.N)
        tuner = triton.autotune([triton.Config({"BLOCK": block}) for block in (256, 512)], key=["n"])(program.scale)
        tuner[program.grid](self.x, y, program.N, 0.5)
        [launch] = self.known().launches.values()
        self.assertEqual((launch.count, launch.detail["tuned_by"]), (1, "triton.autotune"))
        self.assertGreater(len(launched), 2)

    def test_nothing_is_asked_of_the_device_while_a_graph_is_captured(self):
        self.scale()
        with mock.patch.object(capturing.emulated.Interface, "is_current_stream_capturing",
                               staticmethod(lambda: True)), \
                mock.patch.object(capturing.emulated.Event, "query", side_effect=AssertionError), \
                mock.patch.object(capturing.emulated.Event, "record", side_effect=AssertionError):
            self.scale()
            self.scale(num_warps=8)
        self.assertEqual(guarded.faults, {})

    def test_replays_of_a_graph_count_its_launches(self):
        class CUDAGraph:
            def capture_begin(self):
                pass

            def capture_end(self):
                pass

            def replay(self):
                pass

        module = mock.Mock(CUDAGraph=CUDAGraph)
        collecting._graphs(module, self.recorder)
        self.scale()
        graph = CUDAGraph()
        graph.capture_begin()
        self.scale()
        self.scale()
        graph.capture_end()
        for _ in range(10):
            graph.replay()
        [kernel] = self.recorder.told()["kernels"]
        [launch] = kernel["launches"]
        self.assertEqual((launch["count"], launch["in_graphs"]), (21, True))

    def test_what_cannot_be_recorded_is_named_with_its_reason(self):
        hooks = [triton.Config({"BLOCK": 256}, pre_hook=lambda _: None)]
        tuner = triton.autotune(hooks, key=[])(program.scale)
        tuner[program.grid](self.x, torch.empty(program.N), program.N, 0.5)
        [kernel] = self.recorder.told()["kernels"]
        self.assertIn("pre_hook", kernel["launches"][0]["why"])
        self.recorder.flush()
        told = joining.join(str(self.folder / "c"))
        self.assertIn("scale: its configs have hooks of their own", summary.text_of(told, "c"))

    def test_an_exception_while_describing_is_the_hooks_own(self):
        with mock.patch.object(recorder, "sources_of", side_effect=RuntimeError("broken")):
            self.assertTrue(torch.equal(self.scale(), self.x * 0.5))
        self.assertTrue(any("RuntimeError: broken" in words for words in guarded.faults))

    def test_an_exception_at_the_end_of_a_launch_too(self):
        with mock.patch.object(recorder, "written_by", side_effect=RuntimeError("broken")):
            self.assertTrue(torch.equal(self.scale(), self.x * 0.5))
        self.assertTrue(any("noting the end" in words for words in guarded.faults))

    def test_early_config_prune_leaves_its_own_rows(self):
        configs = [triton.Config({"BLOCK": block}) for block in (128, 256, 512)]
        tuner = triton.autotune(configs, key=["n"], prune_configs_by={
            "early_config_prune": lambda given, named, **_: [one for one in given if one.kwargs["BLOCK"] > 128]})(
                program.scale)
        tuner[program.grid](self.x, torch.empty(program.N), program.N, 0.5)
        [launch] = self.known().launches.values()
        self.assertEqual(sorted(row["of"] for row in launch.detail["space"]["rows"]), [[256], [512]])

    def test_values_are_kept_where_they_are_asked_for(self):
        self.recorder.values = True
        self.scale()
        [launch] = self.known().launches.values()
        file = self.folder / "c" / "values" / launch.detail["storages"][0]["file"]
        self.assertEqual(file.read_bytes(), self.x.numpy().tobytes())

    def test_a_kernel_that_cannot_be_told_leaves_the_others(self):
        self.scale()
        y = torch.empty(program.N)
        program.add_into[(16,)](self.x, y, program.N, BLOCK=256)
        [launch] = self.known().launches.values()
        launch.detail["options"]["strange"] = object()
        self.assertEqual([one["name"] for one in self.recorder.told()["kernels"]], ["add_into"])
        self.assertTrue(any("telling a kernel" in words for words in guarded.faults))

    def test_kernels_and_launches_are_bounded(self):
        with mock.patch.object(recorder, "_MOST_KERNELS", 0):
            self.scale()
        self.assertEqual(self.recorder.kernels, {})
        for n in range(1, 400):
            self.scale(n=n)
        self.assertLess(len(self.known().launches), 100)

    def test_a_problem_of_it_measures_as_the_program_ran(self):
        self.scale()
        self.recorder.flush()
        joining.join(str(self.folder / "c"))
        problem = self.problem()
        self.assertEqual(problem.space.baseline()["BLOCK"], 256)
        [case] = problem.pick(None)
        evaluator = Evaluator(problem, [case], bench_for(problem))
        found = evaluator.measure(dict(harness.ORDER, configuration={}), lambda phase: None)
        self.assertIs(found["conditions"]["same_bits"], True)
        launched.clear()
        evaluator.measure(dict(harness.ORDER, configuration={"BLOCK": 512, "num_warps": 2}), lambda phase: None)
        self.assertIn(("scale", 2, 512), launched)
        self.assertIsNone(problem.tolerance)
        exact = self.problem(same_bits=True)
        self.assertEqual((exact.tolerance, exact.element_tolerance), (0.0, 0.0))


    def test_a_change_of_one_bit_is_wrong_where_bits_count(self):
        self.scale()
        self.recorder.flush()
        joining.join(str(self.folder / "c"))
        for same_bits, is_wrong in ((False, False), (True, True)):
            problem = self.problem(same_bits=same_bits)
            evaluator = Evaluator(problem, problem.pick(None), bench_for(problem))
            evaluator.measure(dict(harness.ORDER, configuration={}), lambda phase: None)
            kernels = capturing.emulated.kernels_of()

            def scale(grid, y, **named):
                kernels["scale"](grid, y=y, **named)
                y[0] *= 1 + 1e-6

            with mock.patch.object(capturing.emulated, "kernels_of", lambda: {"scale": scale}):
                request = dict(harness.ORDER, configuration={"num_warps": 2})
                if is_wrong:
                    self.assertRaisesRegex(Failure, "output 0", evaluator.measure, request, lambda phase: None)
                else:
                    evaluator.measure(request, lambda phase: None)

    def test_an_edited_problem_file_stays(self):
        self.scale()
        self.recorder.flush()
        joining.join(str(self.folder / "c"))
        file = self.folder / "c" / "problems.py"
        file.write_text(file.read_text().replace("SAME_BITS = False", "SAME_BITS = True"))
        joining.join(str(self.folder / "c"))
        self.assertIn("SAME_BITS = True", file.read_text())


class Words(harness.Case):
    def test_a_program_without_launches_is_told_why_that_may_be(self):
        told = joining._joined([])
        self.assertIn("-S, -I or -E", summary.text_of(told, "c"))

    def test_a_kernel_that_one_process_had_no_time_for_is_that_of_another(self):
        def process(**kernel):
            return {"machine": {}, "program": "p", "seconds": 1, "hook_seconds": 0, "faults": {}, "kernels": [
                {"name": "k", "kind": "triton", "why": "", "varying": [], "others": 0, "launches": [], **kernel}]}

        told = joining._joined([process(hash="a" * 64), process(others=7)])
        self.assertEqual([(one["name"], one["others"]) for one in told["kernels"]], [("k", 7)])

    def test_captured_prints_json_without_what_launches_are_made_of(self):
        def launch(**more):
            return {"key": "k", "count": 2, "seconds": [0.5, 0.25], "in_graphs": False, "why": "", "detail": {
                "written": []}, **more}

        (self.folder / "processes").mkdir()
        (self.folder / "processes" / "p.json").write_text(json.dumps({
            "machine": {}, "program": "p", "seconds": 1, "hook_seconds": 0, "faults": {}, "kernels": [
                {"name": "k", "kind": "triton", "why": "", "varying": [], "others": 0, "hash": "a" * 64, "files": {},
                 "module": "m0", "function": "k", "launches": [launch()]}]}))
        told = json.loads(self.module("captured", self.folder, "--json").stdout)
        [[one]] = launches_of(told).values()
        self.assertEqual((one["each"], one["time"], one["share"], "detail" in one), (0.25, 0.5, 1.0, False))
        self.assertIn("1 kernels, 1 launches", self.module("captured", self.folder).stdout)

    def test_a_folder_of_nothing_is_told(self):
        self.assertIn("No launch", self.module("captured", self.folder, code=3).stdout)


if __name__ == "__main__":
    capturing.harness.main()
