"""`serve` with real processes: what misbehaves costs one trial and never the program."""

import os
import signal
import time
import unittest

import harness
from harness import Case, Served

from nightshift.processes import children_of

PUZZLES = '''
import ctypes, os, signal, sys, threading
import nightshift as ns

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = ["well", "raise", "exit", "os_exit", "segfault", "spin", "flood", "thread", "forks",
        "memory", "wrong", "nothing", "refused", "halves", "closes", "guard", "input", "nan",
        "again", "session"]


def note(name):
    with open(os.path.join(HERE, name), "a") as out:
        out.write(f"{os.getpid()}\\n")


def fork_three():
    for _ in range(3):
        if os.fork() == 0:
            note("forked")
            while True:
                signal.pause()


@ns.problem(device="cpu", space={"way": WAYS},
            where=[lambda c: c.way != "refused" or "not this one"])
def puzzle(case, config):
    x, y = ns.normal(100), ns.output(100)
    way = config.way
    calls = [0]

    def call():
        calls[0] += 1
        if way == "raise":
            raise ValueError("as it was told")
        if way == "exit":
            sys.exit(7)
        if way == "os_exit":
            os._exit(9)
        if way == "segfault":
            ctypes.string_at(0)
        if way == "spin":
            note("spinning")
            ctypes.PyDLL(None).pause()  # holds the lock of the interpreter
        if way == "flood":
            for _ in range(2000):
                print("x" * 1000)
                sys.stderr.write("y" * 100 + "\\n")
        if way == "thread":
            def shout():
                for _ in range(100):
                    os.write(1, b'{"id": 1, "time": [1.0]}\\n')
            thread = threading.Thread(target=shout)
            thread.start()
            thread.join()
        if way == "forks":
            fork_three()
            os._exit(4)
        if way == "session":
            if os.fork() == 0:
                os.setsid()
                fork_three()
                os._exit(0)
            os.wait()
            note("spinning")
            signal.pause()
        if way == "memory":
            bytearray(1 << 62)
        if way in ("halves", "closes"):
            for name in os.listdir("/proc/self/fd"):
                try:
                    target = os.readlink("/proc/self/fd/" + name)
                except OSError:
                    continue
                if target.startswith("pipe:") and int(name) > 2:
                    try:
                        if way == "halves":
                            os.write(int(name), b'{"id": 1, "ti')
                        else:
                            os.close(int(name))
                    except OSError:
                        pass  # the end that is read from
            if way == "halves":
                os._exit(5)
            signal.pause()
        if way == "nothing":
            return
        for i in range(100):
            y[i] = x[i] * (3 if way == "wrong" else 2)
        if way == "nan":
            y[17] = float("nan")
        if way == "input":
            x[3] = 0.5
        if way == "guard":
            import gc
            for one in gc.get_objects():
                if type(one).__name__ == "PlainArray" and one.view is y:
                    one.memory[(64 << 10) + one.size] = 1
        if way == "again" and calls[0] > 2:
            y[0] = 7  # right as long as it is looked at, wrong when it is timed

    return ns.Run(call, outputs=[y], reference=lambda: [2 * v for v in x])
'''


def ended(process):
    return not harness.is_alive(process)


class Serve(Case):
    def setUp(self):
        super().setUp()
        self.served = Served(self, self.write("puzzle.py", PUZZLES))

    def expect_well(self, number=99):
        answer = self.served.measured(number)
        self.assertEqual(len(answer.get("time", [])), 3, answer)
        self.assertTrue(all(t > 0 for t in answer["time"]))

    def wait_for_note(self, name, lines=1):
        path = self.folder / name
        deadline = time.monotonic() + harness.TIMEOUT
        while not (path.exists() and len(path.read_text().splitlines()) >= lines):
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()
        return [int(line) for line in path.read_text().splitlines()]

    def test_says_what_it_is(self):
        self.assertEqual(self.served.hello["hello"], 2)
        self.assertEqual(self.served.hello["roles"], ["measure"])
        self.assertIn("python", self.served.hello["versions"])

    def test_a_baseline_is_measured_in_its_phases(self):
        answer = self.served.measured(1)
        self.assertEqual(self.served.phases,
                         ["load", "prepare", "verify", "warm_up", "measure", "verify"])
        self.assertIs(answer["given_up"], False)
        self.assertIs(answer["conditions"]["same_bits"], True)
        self.assertEqual(answer["conditions"]["reference"], "own")

    def test_what_fails_is_typed_and_the_process_goes_on(self):
        for number, (way, kind, words) in enumerate([
                ("raise", "launch_failed", "ValueError: as it was told"),
                ("memory", "out_of_memory", "MemoryError"),
                ("wrong", "wrong_result", "instead of"),
                ("nothing", "wrong_result", "is nan"),
                ("nan", "wrong_result", "output 0[17] is nan"),
                ("guard", "wrong_result", "memory behind array 1"),
                ("input", "wrong_result", "array 0 is an input"),
                ("again", "wrong_result", "output 0[0] is 7"),
                ("refused", "infeasible", "infeasible: not this one"),
                ("unknown", "launch_failed", "no value of way")], start=1):
            with self.subTest(way):
                answer = self.served.measured(number, way=way)
                self.assertEqual(answer.get("failure"), kind, answer)
                self.assertIn(words, answer["words"])
        self.expect_well()

    def test_the_place_of_an_exception_is_named(self):
        self.assertRegex(self.served.measured(1, way="raise")["words"], r"puzzle\.py:\d+")

    def test_deaths_are_told_and_a_new_process_serves(self):
        for number, (way, how) in enumerate([
                ("exit", {"exit": 7}), ("os_exit", {"exit": 9}),
                ("segfault", {"signal": signal.SIGSEGV}), ("halves", {"exit": 5}),
                ("closes", {"signal": signal.SIGKILL})], start=1):
            with self.subTest(way):
                self.assertEqual(self.served.measured(number, way=way).get("died"), how)
                self.expect_well()

    def workers(self):
        return set(children_of(self.served.process.pid))

    def test_who_serves_after_a_death_was_there_before(self):
        self.expect_well(1)
        [first] = self.workers()
        self.served.measured(2, way="segfault")
        self.expect_well(3)
        # The new one and, as it has begun, a spare.
        second = self.workers()
        self.assertEqual(len(second), 2)
        self.assertNotIn(first, second)
        self.served.measured(4, way="segfault")
        self.expect_well(5)
        third = self.workers()
        self.assertEqual(len(third), 2)
        self.assertEqual(len(second & third), 1, "the spare serves, and another one is spare")

    def test_on_a_gpu_the_first_death_of_an_exploration_finds_a_spare(self):
        file = self.write("gpu.py", """
            import os
            import nightshift as ns
            from nightshift import benches

            benches.bench_for = benches.PlainBench  # whose context is nothing, on any machine

            @ns.problem(device="gpu", dtype="float32", space={"way": ["well", "dies"]})
            def gpu(case, config):
                x = ns.output(4)
                return ns.Run(lambda: os._exit(3) if config.way == "dies" else x.__setitem__(0, 1.0),
                              reference=lambda: None)
            """)
        # What gives nothing up is a baseline's or confirms: processes of hold-outs have no spares.
        explores = {"give_up_above": 1e9}
        for role, more, count in (("measure", explores, 2), ("measure", {}, 1), ("build", {}, 1)):
            with self.subTest(role, **more):
                self.served = Served(self, file, role=role)
                self.served.send(id=1, do=role, configuration={"way": "well"}, **more)
                self.served.answer(1)
                self.assertEqual(len(self.workers()), count)
        self.served = Served(self, file)
        self.served.measured(1, way="well")
        self.served.send(id=2, do="measure", configuration={"way": "well"}, **explores)
        self.served.answer(2)
        before = self.workers()
        self.assertEqual(len(before), 2)
        self.assertIn("died", self.served.measured(3, way="dies"))
        self.served.measured(4, way="well")
        self.assertEqual(len(before & self.workers()), 1, "who serves now was the spare")

    def test_a_spare_that_has_died_costs_nothing(self):
        self.expect_well(1)
        self.served.measured(2, way="segfault")
        self.served.measure(3, way="spin")
        self.served.until_phase(3, "prepare")
        [spinning] = self.wait_for_note("spinning")
        [spare] = self.workers() - {spinning}
        os.kill(spare, signal.SIGKILL)
        while not ended(spare):
            os.sched_yield()
        self.served.send(do="drop", id=3)
        self.assertEqual(self.served.frame(), {"dropped": 3})
        self.assertEqual(self.served.measured(4, way="segfault")["died"], {"signal": signal.SIGSEGV})
        self.expect_well(5)

    def test_last_words_name_the_crash(self):
        self.assertIn("Segmentation fault", self.served.measured(1, way="segfault")["words"])

    def test_last_words_are_of_the_trial_that_died(self):
        self.served.measured(1, way="raise")
        self.assertNotIn("as it was told", self.served.measured(2, way="os_exit")["words"])

    def test_floods_do_not_reach_standard_output(self):
        for number, way in enumerate(["flood", "thread"], start=5):
            self.assertIn("time", self.served.measured(number, way=way))
        self.expect_well()

    def test_what_holds_the_interpreter_is_dropped(self):
        self.served.measure(1, way="spin")
        self.served.until_phase(1, "prepare")
        [spinning] = self.wait_for_note("spinning")
        self.served.send(do="drop", id=1)
        self.assertEqual(self.served.frame(), {"dropped": 1})
        self.assertTrue(ended(spinning))
        self.expect_well()

    def test_children_of_a_dead_one_are_killed(self):
        self.assertEqual(self.served.measured(1, way="forks").get("died"), {"exit": 4})
        self.expect_well()  # a new process serves once the old one's children are gone
        notes = self.folder / "forked"  # of those that came so far before they were killed
        for process in notes.read_text().split() if notes.exists() else []:
            self.assertTrue(ended(int(process)))

    def test_children_that_left_the_session_are_killed(self):
        self.served.measure(1, way="session")
        self.served.until_phase(1, "prepare")
        self.wait_for_note("spinning")
        forked = self.wait_for_note("forked", 3)
        self.served.send(do="drop", id=1)
        self.assertEqual(self.served.frame(), {"dropped": 1})
        self.assertTrue(all(map(ended, forked)))

    def test_a_drop_of_what_is_answered_changes_nothing(self):
        self.expect_well(1)
        self.served.send(do="drop", id=1)
        self.assertEqual(self.served.frame(), {"dropped": 1})
        self.expect_well(2)

    def test_requests_wait_for_their_turn(self):
        self.served.measure(1)
        self.served.measure(2)
        self.served.measure(3)
        self.served.send(do="drop", id=3)
        frames = []
        while not any(frame.get("id") == 2 and "time" in frame for frame in frames):
            frames.append(self.served.frame())
        self.assertIn({"dropped": 3}, frames)
        self.assertFalse(any(frame.get("id") == 3 for frame in frames))

    def test_all_end_with_standard_input(self):
        self.served.measure(1, way="session")
        self.served.until_phase(1, "prepare")
        forked = self.wait_for_note("forked", 3) + self.wait_for_note("spinning")
        self.served.process.stdin.close()
        self.assertEqual(self.served.process.wait(harness.TIMEOUT), 0)
        self.assertTrue(all(map(ended, forked)))

    def test_a_worker_ends_with_a_killed_zygote(self):
        self.served.measure(1, way="spin")
        [spinning] = self.wait_for_note("spinning")
        self.served.process.kill()
        self.served.process.wait()
        deadline = time.monotonic() + harness.TIMEOUT
        while not ended(spinning):
            self.assertLess(time.monotonic(), deadline)
            os.sched_yield()

    def test_lines_that_are_no_requests_are_skipped(self):
        self.served.process.stdin.write(
            b'\nnoise\n{"id": \n[1]\n{"id": 4}\n{"do": "fly", "id": 5}\n')
        self.expect_well()


BROKEN = '''
import os
import nightshift as ns
from nightshift import benches

state = {"broken": False, "later": False, "dies": False}


def settle(self):
    if state["broken"]:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")


def tidy(self):  # what is called after an answer
    state["broken"] = state["later"]
    if state["dies"]:
        os._exit(6)


benches.PlainBench.settle, benches.PlainBench.tidy = settle, tidy


@ns.problem(device="cpu", space={"way": ["well", "now", "later", "dies"]})
def broken(case, config):
    y = ns.output(4, dtype="int32")

    def call():
        y[0] = y[1] = y[2] = y[3] = 1
        state["later"] = config.way == "later"
        state["broken"] = config.way == "now"
        state["dies"] = config.way == "dies"

    return ns.Run(call, outputs=[y], reference=lambda: [1] * 4)
'''


class BrokenContext(Case):
    def test_it_costs_the_trial_that_broke_it_alone(self):
        served = Served(self, self.write("broken.py", BROKEN))
        self.assertIn("time", served.measured(1))
        answer = served.measured(2, way="now")
        self.assertEqual((answer["failure"], answer["code"]), ("device_error", 700))
        self.assertIn("time", served.measured(3))

    def test_what_breaks_after_a_good_answer_does_not_cost_the_next_trial(self):
        served = Served(self, self.write("broken.py", BROKEN))
        self.assertIn("time", served.measured(1, way="later"))
        answer = served.measured(2)
        self.assertIn("time", answer)
        self.assertEqual(served.phases[0], "load")

    def test_a_death_between_two_trials_costs_neither(self):
        served = Served(self, self.write("broken.py", BROKEN))
        served.measure(1, way="dies")
        served.measure(2)  # waits, and is sent to whoever is dying by then
        self.assertIn("time", served.answer(1))
        self.assertIn("time", served.answer(2))

    def test_what_can_not_start_is_told_once_a_request(self):
        text = BROKEN + "\n\nstate['broken'] = True\n"
        served = Served(self, self.write("broken.py", text))
        for number in (1, 2):
            answer = served.measured(number)
            self.assertEqual(answer["died"], {"exit": 1})
            self.assertIn("illegal memory access", answer["words"])
        # Three at most for each: the idle one, the one it was sent to, and the second one.
        self.assertLessEqual(served.printed().count("Traceback"), 6)


class Elsewhere(Case):
    def test_threads_at_import_are_answered_by_a_new_interpreter(self):
        file = self.write("threads.py", '''
            import threading
            import nightshift as ns
            forever = threading.Event()
            threading.Thread(target=forever.wait, daemon=True).start()
            @ns.problem(device="cpu", space={"a": [1, 2]})
            def p(case, config):
                y = ns.output(4, dtype="int32")
                def call():
                    if config.a == 2:
                        import os
                        os._exit(3)
                    y[0] = y[1] = y[2] = y[3] = 1
                return ns.Run(call, outputs=[y], reference=lambda: [1] * 4)
            ''')
        served = Served(self, file)
        self.assertIn("time", served.measured(1))
        self.assertIn("started 1 threads", served.printed())
        self.assertEqual(served.measured(2, a=2)["died"], {"exit": 3})
        self.assertIn("time", served.measured(3))

    def test_a_files_streams_are_none_of_the_protocols(self):
        problem = """
import nightshift as ns
@ns.problem(device="cpu", space={"a": [1, 2]})
def p(case, config):
    y = ns.output(1, dtype="int32")
    def call():
        print('{"id": 1, "time": [1.0]}')
        y[0] = 1
    return ns.Run(call, outputs=[y], reference=lambda: [1])
"""
        threads = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
        for number, head in enumerate([
                "import os\nprint('{\"id\": 1}')\nos.write(1, b'{\"hello\": 3}\\n')",
                "import os, subprocess\nsubprocess.run(['cat'])\nsubprocess.run(['echo', 'x'])",
                "import sys\nassert sys.stdin.read() == ''",
                "import os\nassert os.read(0, 9) == b''",
                "import os\nfor one in range(3): os.close(one)",
                "import sys\nsys.stdin.close(); sys.stdout.close()",
                "import io, sys\nsys.stdout = sys.stderr = io.StringIO()",
                "import atexit\natexit.register(print, '{\"id\": 1}')",
                "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)"]):
            for more in ("", threads):
                with self.subTest(head + more):
                    file = self.write(f"p{number}.py", head + "\n" + more + problem)
                    served = Served(self, file)
                    if "stdout.close" in head:  # what prints there raises, and the worker lives on
                        self.assertIn("closed file", served.measured(1)["words"])
                        self.assertIn("closed file", served.measured(2, a=2)["words"])
                    else:
                        self.assertIn("time", served.measured(1))
                        self.assertIn("time", served.measured(2, a=2))
                    served.process.stdin.close()
                    self.assertEqual(served.process.wait(harness.TIMEOUT), 0)
                    self.assertEqual(served.process.stdout.read(), b"")

    def test_each_process_imports_a_file_as_if_it_were_run_in_its_folder(self):
        (self.folder / "data.txt").write_text("3")
        text = """
import os, sys
import json, nightshift as ns
assert sys.argv == [__file__] and os.getcwd() == os.path.dirname(__file__) == sys.path[0]
assert "PYTHONSAFEPATH" not in os.environ and hasattr(json, "loads")
@ns.problem(device="cpu", space={"a": [1]}, cases=[dict(n=4)])
def p(case, config):
    argv = sys.argv
    def call():
        return 10 * int(open("data.txt").read()) + len(argv)
    return ns.Run(call, reference=lambda: 31)
"""
        threads = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
        for name in ("my-kernel.py", "nightshift.py", "json.py"):
            for more in ("", threads):
                with self.subTest(name + more):
                    served = Served(self, self.write(name, more + text), "--case", "0")
                    self.assertIn("time", served.measured(1))
                    (self.folder / name).unlink()

    def test_serve_says_who_starts_it(self):
        file = self.write("p.py", PUZZLES)
        self.assertIn("NIGHTSHIFT_PROTOCOL=2", self.module("serve", file, code=2).stderr)


if __name__ == "__main__":
    harness.main()
