#!/usr/bin/env python3
"""`nightshift serve`: what becomes of candidates that programs propose, on standard input and on a
socket, through kills of the server."""

import shutil
import signal
import socket
import subprocess

import harness
from harness import TIMEOUT, USAGE, main
from serving import Lines, PROBLEM, Serving, kernel


REACHES_OUT = """#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static void reach_out() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  if (FILE* file = fopen("%(mark)s", "w")) fclose(file);
  kill(%(victim)d, SIGKILL);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(%(port)d);
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  connect(fd, reinterpret_cast<const sockaddr*>(&there), sizeof there);
  close(fd);
}
"""


class Serve(Serving):
    def test_each_candidate_has_its_verdict(self):
        process, lines = self.serve()
        crash = kernel(1).replace("twice(const float* x, float* y) {", "twice(const float* x, float* y) {"
                                  "\n  *static_cast<volatile int*>(nullptr) = 1;")
        hang = kernel(1).replace("float* y) {", "float* y) {\n  for (volatile int z = 0;;) z = z;")
        half = kernel(1).replace("i < N", "i < N - 7")
        lines.send({"id": "right", "source": kernel(20), "stage": "check"},
                   {"id": "shown", "source": kernel(20), "stage": "screen"},
                   {"id": "wrong", "source": kernel(1, "2.5f"), "stage": "check"},
                   {"id": "half", "source": half, "stage": "check"},
                   {"id": "text", "source": "void twice( {"},
                   {"id": "crash", "source": crash},
                   {"id": "hang", "source": hang},
                   {"id": "same", "source": "// another text\n" + kernel(40)},
                   {"id": "slow", "source": kernel(80)},
                   {"id": "duel", "source": kernel(20), "stage": "confirm"})
        got = lines.answers(10)
        self.assertEqual({name: answer["verdict"] for name, answer in got.items()},
                         {"right": "right", "shown": "right", "wrong": "refused", "half": "refused",
                          "text": "refused", "crash": "refused", "hang": "refused",
                          "same": "same_code", "slow": "not_faster", "duel": "faster"})
        self.assertEqual([got[name]["status"] for name in ("wrong", "half", "text", "crash", "hang")],
                         ["wrong_result", got["half"]["status"], "build_failed", "crashed",
                          "timed_out"])
        wrong = got["wrong"]["failure"]
        self.assertEqual(wrong["output"], "y")
        self.assertAlmostEqual(wrong["got"] / wrong["expected"], 1.25, 5)
        self.assertIn("error:", got["text"]["failure"]["messages"])
        self.assertGreater(got["hang"]["failure"]["limit_seconds"], 0)
        self.assertGreater(got["shown"]["ratio"], 0)  # one evaluation of each: any machine's noise
        self.assertNotIn("ratio", got["right"])
        self.assertLess(got["duel"]["interval"][1], 1)
        self.assertLess(got["duel"]["p_value"], got["duel"]["level"])
        self.assertFalse(any(answer["kept"] for answer in got.values()))
        self.assertEqual(self.end(process, lines), [])

    def test_what_is_kept_is_met_by_what_follows_and_in_the_end_by_the_problems_own(self):
        process, lines = self.serve()
        first = lines.ask({"id": "first", "source": kernel(20)})
        self.assertEqual((first["verdict"], first["kept"], first["opponent"]),
                         ("faster", True, "the problem's own"))
        again = lines.ask({"id": "again", "source": "\n" + kernel(20)})
        self.assertEqual((again["verdict"], again["opponent"]), ("same_code", "first"))
        back = lines.ask({"id": "back", "source": kernel(40)})
        self.assertEqual((back["verdict"], back["kept"]), ("not_faster", False))
        second = lines.ask({"id": "second", "source": kernel(5)})
        self.assertEqual((second["verdict"], second["kept"], second["opponent"]),
                         ("faster", True, "first"))
        self.assertIn("better than the incumbent", second["reason"])
        status = lines.ask({"ask": "status", "id": "s"})
        self.assertEqual((status["id"], status["asked"], status["open"]), ("s", 4, 0))
        night = status["nights"][0]
        self.assertEqual((night["kept"], night["incumbent"]), (2, "second"))
        self.assertIn(night["confirmed"], (2, 3))  # "back" may have looked good enough for a duel
        settled, = self.end(process, lines)
        self.assertEqual((settled["stage"], settled["opponent"]), ("settle", "the problem's own"))
        self.assertEqual(settled["verdict"], "faster")
        self.assertAlmostEqual(settled["ratio_kept"], first["ratio"] * second["ratio"])
        self.assertLess(settled["interval"][1], 1)

    def test_what_does_not_hold_in_the_end_is_taken_back(self):
        switch = self.folder / "slow"
        process, lines = self.serve()
        first = lines.ask({"id": "first", "source": kernel(20)})
        source = (f'#include <unistd.h>\nstatic const int steps = access("{switch}", F_OK) == 0 ? 90 : 5;\n'
                  + kernel("steps"))
        second = lines.ask({"id": "second", "source": source})
        self.assertEqual((first["kept"], second["kept"]), (True, True), second)
        switch.write_text("")
        lines.send({"ask": "settle"})
        refuted, stands = lines.next(), lines.next()
        self.assertEqual((refuted["verdict"], refuted["took_back"], refuted["incumbent"]),
                         ("not_faster", "second", "first"), refuted)
        self.assertEqual((stands["id"], stands["verdict"]), ("settle first", "faster"), stands)
        self.assertNotIn("took_back", stands)
        self.assertAlmostEqual(stands["ratio_kept"], first["ratio"])
        again = lines.ask({"id": "second", "source": source})
        self.assertEqual((again["kept"], again["taken_back"]), (True, True))
        night = lines.ask({"ask": "status"})["nights"][0]
        self.assertEqual((night["kept"], night["incumbent"]), (1, "first"))
        self.assertEqual([line["id"] for line in self.end(process, lines)], ["settle first"])
        done = self.run_nightshift("report", self.folder / "night")
        self.assertIn("second was taken back, and the incumbent is first again", " ".join(done.stdout.split()))

    def test_a_candidate_that_won_against_one_that_was_replaced_meets_the_new_one(self):
        process, lines = self.serve()
        lines.send({"id": "fast", "source": kernel(5)}, {"id": "less", "source": kernel(20)})
        got = lines.answers(2)
        self.assertTrue(got["fast"]["kept"])
        self.assertEqual((got["less"]["verdict"], got["less"]["kept"], got["less"]["opponent"]),
                         ("not_faster", False, "fast"), got["less"])
        self.end(process, lines)

    def test_a_candidate_changes_nothing_outside_of_its_process(self):
        process, lines = self.serve()
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0)
            victim = subprocess.Popen(["sleep", "60"])
            self.addCleanup(victim.wait)
            self.addCleanup(victim.kill)
            mark = self.folder / "mark"
            source = REACHES_OUT % {"mark": mark, "port": server.getsockname()[1],
                                    "victim": victim.pid}
            answer = lines.ask({"id": "1", "stage": "screen",
                                "source": source + kernel(20).replace("{", "{ reach_out();", 1)})
            self.assertEqual(answer["verdict"], "right", answer)
            held = answer["conditions"]["confined"]
            if "signals" in held:
                self.assertIsNone(victim.poll())
            if "files" in held:
                self.assertFalse(mark.exists())
            if "network" in held:
                self.assertRaises(BlockingIOError, server.accept)
        self.end(process, lines)
        if held != "files, network, signals":
            self.skipTest(f"this kernel can hold no more than: {held}")

    def test_an_id_has_one_answer(self):
        process, lines = self.serve()
        ask = {"id": "1", "source": kernel(1, "3"), "stage": "check"}
        first = lines.ask(ask)
        self.assertEqual(lines.ask(ask), first)
        self.assertIn("another candidate was asked under this id",
                      lines.ask(dict(ask, source="another"))["error"])
        again = lines.ask(dict(ask, id="2"))
        self.assertEqual((again["id"], again["same_as"], again["status"]), ("2", "1", "wrong_result"))
        other = lines.ask(dict(ask, client="b", source=kernel(1)))
        self.assertEqual((other["client"], other["verdict"]), ("b", "right"))
        self.end(process, lines)
        process, lines = self.serve()
        self.assertEqual(lines.ask(ask), first)
        self.end(process, lines)

    def test_a_killed_server_loses_nothing_and_measures_nothing_twice(self):
        asks = [{"id": str(n), "source": kernel(1 + n), "stage": ("check", "claim")[n % 2]}
                for n in range(6)]
        told = {}
        for kills in range(3):
            process, lines = self.serve()
            lines.send(*asks)
            answer = lines.next()
            self.assertEqual(told.setdefault(answer["id"], answer), answer)
            process.kill()
            process.wait()
            process.stdin.close()
        process, lines = self.serve()
        lines.send(*asks)
        got = lines.answers(6)
        self.assertEqual(set(got), {ask["id"] for ask in asks})
        for name, answer in told.items():
            self.assertEqual(got[name], answer)
        self.end(process, lines)
        folders = sorted(path.name for path in (self.folder / "night" / "candidates").iterdir())
        asked = [name for name in folders
                 if (self.folder / "night" / "candidates" / name / "request.json").exists()]
        self.assertEqual(len(asked), 7)  # the six, and what settles the night

    def test_clients_of_a_socket_have_nights_of_their_own(self):
        path = self.folder / "socket"
        process = self.serve_at(path)

        def client():
            one = self.client_of(process, path)
            lines = Lines(self, one.fileno(), one.sendall)
            self.assertEqual(lines.next()["problems"], ["double"])
            return lines
        one, two = client(), client()
        one.send({"id": "1", "client": "one", "source": kernel(5)})
        self.assertTrue(one.next()["kept"])
        two.send({"id": "1", "client": "two", "source": kernel(20)})
        answer = two.next()
        self.assertEqual((answer["kept"], answer["opponent"]), (True, "the problem's own"))
        late = client()
        late.send({"id": "1", "client": "one", "source": kernel(5)})
        self.assertEqual(late.next()["verdict"], "faster")  # what was answered before
        one.send({"ask": "settle", "client": "one"})
        self.assertEqual(one.next()["stage"], "settle")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), 0, process.stderr.read())
        self.assertFalse(path.exists())

    def test_what_waits_can_be_cancelled_and_have_a_deadline(self):
        process, lines = self.serve("--set", "schedule.builders=1")
        lines.send({"id": "first", "source": kernel(20)},
                   {"id": "soon", "source": kernel(20), "deadline": 0},
                   {"id": "never", "source": kernel(20)},
                   {"ask": "cancel", "id": "never"},
                   {"ask": "cancel", "id": "what"})
        got = lines.answers(4)
        self.assertEqual(got["first"]["verdict"], "faster", got["first"])
        self.assertEqual(got["soon"]["verdict"], "late")
        self.assertEqual(got["never"]["verdict"], "cancelled")
        self.assertEqual(got["what"]["error"], "nothing was asked under that id")
        self.assertEqual(lines.ask({"ask": "cancel", "id": "first"})["error"],
                         "it has been answered already")
        self.end(process, lines)

    def test_candidates_are_judged_by_an_agent_of_another_node(self):
        agent = self.write("nodes", f"{harness.NIGHTSHIFT} agent --devices cpu:1\n")
        process, lines = self.serve(where=("--nodes", agent))
        lines.send({"id": "first", "source": kernel(20)}, {"id": "text", "source": "void twice( {"},
                   {"id": "wrong", "source": kernel(1, "2.5f"), "stage": "check"})
        got = lines.answers(3)
        self.assertEqual((got["first"]["verdict"], got["first"]["kept"]), ("faster", True), got)
        self.assertEqual((got["text"]["status"], got["wrong"]["status"]),
                         ("build_failed", "wrong_result"))
        self.end(process, lines)

    def test_several_files_and_a_path(self):
        process, lines = self.serve()
        files = {"part.h": "#define WORK 1\n",
                 "main.cc": '#include "part.h"\n' + kernel("WORK")}
        got = lines.ask({"id": "files", "files": files, "main": "main.cc", "stage": "check"})
        self.assertEqual(got["verdict"], "right", got)
        path = self.write("mine.cc", kernel(1))
        got = lines.ask({"id": "path", "path": str(path), "stage": "check"})
        self.assertEqual(got["verdict"], "right", got)
        got = lines.ask({"id": "none", "path": str(self.folder / "none.cc")})
        self.assertIn("is no file", got["error"])
        got = lines.ask({"id": "memory", "path": "/proc/self/mem"})
        self.assertIn("cannot be read", got["error"])
        odd = self.write('a"\n#error.cc', kernel(1))
        got = lines.ask({"id": "odd", "path": str(odd), "stage": "check"})
        self.assertEqual(got["verdict"], "right", got)
        self.end(process, lines)

    def test_candidates_are_built_in_the_language_of_what_they_replace(self):
        own = {"c.c": "void twice(const float x[64][64], float y[64][64]) {\n"
                      "  for (int i = 0; i < 64; ++i) for (int new = 0; new < 64; ++new) y[i][new] = 2 * x[i][new];\n}\n",
               "cpp.c": '#include <cstddef>\nextern "C" void twice(const float* x, float* y) {\n'
                        "  for (std::size_t i = 0; i < N; ++i) y[i] = 2 * x[i];\n}\n"}
        if shutil.which("gfortran"):
            own["f.f90"] = ('subroutine twice(x, y) bind(C, name="twice")\n  use iso_c_binding\n'
                            "  real(c_float) :: x(N), y(N)\n  y = 2 * x\nend subroutine\n")
        for name, text in own.items():
            self.write(name, text)
            problem = self.write(f"{name}.toml", PROBLEM.replace("double.cc", name))
            process, lines = self.serve(problem=problem, night=f"night of {name}")
            got = lines.ask({"id": "same", "source": text + "\n", "stage": "check"})
            self.assertEqual(got["verdict"], "same_code", got)
            got = lines.ask({"id": "cut off", "source": "int x", "stage": "check"})
            self.assertEqual(got["status"], "build_failed", got)
            self.assertNotIn("does not fit into the type", got["failure"]["messages"])
            self.end(process, lines)

    def test_candidates_of_a_program_are_files_in_a_copy_of_its_folder(self):
        program = self.folder / "program"
        program.mkdir()
        (program / "main.c").write_text(
            '#include "work.h"\n#include <stdio.h>\nint main(void) { printf("time %d\\n", WORK); }\n')
        (program / "work.h").write_text("#define WORK 100\n")
        problem = program / "problem.toml"
        problem.write_text("""
name = "double"
[command]
build = ["cc", "-O{A}", "main.c", "-o", "{artifact}/main"]
argv = ["{artifact}/main"]
runs = 1
[[command.figure]]
objective = "time"
source = "regex"
key = "time ([0-9]+)"
[parameters]
A = [1]
[acceptance]
confidence = "quick"
hold_out_least = 8
""")
        process, lines = self.serve(problem=problem)
        got = lines.ask({"id": "1", "files": {"work.h": "#define WORK 50\n"}})
        self.assertEqual((got["verdict"], got["kept"], got["ratio"]), ("faster", True, 0.5))
        got = lines.ask({"id": "2", "files": {"work.h": "#define WORK\n"}})
        self.assertEqual((got["verdict"], got["status"]), ("refused", "build_failed"))
        got = lines.ask({"id": "3", "files": {"work.h": "#define WORK 80\n"}})
        self.assertEqual((got["verdict"], got["opponent"]), ("not_faster", "1"))
        got = lines.ask({"id": "4", "source": "int main(void) {}"})
        self.assertIn("expected 'files'", got["error"])
        got = lines.ask({"id": "5", "files": {"works.h": "#define WORK 1\n"}})
        self.assertIn("none of the files stands in place of one", got["error"])
        self.end(process, lines)
        self.assertEqual((program / "work.h").read_text(), "#define WORK 100\n")
        self.assertEqual({path.name for path in program.iterdir()},
                         {"main.c", "work.h", "problem.toml"})

    def test_candidates_of_a_problem_in_python_are_files_that_it_asks_for(self):
        problem = self.write("problem.py", """
import random
import nightshift as ns
mine = ns.candidate("solution.py")
@ns.problem(device="cpu", space=dict(A=[1]), settings={"acceptance.confidence": "quick",
                                                       "acceptance.hold_out_least": 8})
def double(case, config):
    values = [float(random.randrange(7)) for _ in range(4000)]
    return ns.Run(lambda: mine.total(values), reference=lambda: sum(values))
""")
        slow = "def total(values):\n    for _ in range({}):\n        found = {}(values)\n    return found\n"
        self.write("solution.py", slow.format(8, "sum"))
        process, lines = self.serve(problem=problem)

        def ask(name, text, **more):
            return lines.ask({"id": name, "files": {"solution.py": text}, **more})
        got = ask("1", slow.format(2, "sum"))
        self.assertEqual((got["verdict"], got["kept"]), ("faster", True), got)
        got = ask("2", slow.format(4, "sum"))
        self.assertEqual((got["verdict"], got["opponent"]), ("not_faster", "1"))
        got = ask("3", slow.format(1, "max"), stage="check")
        self.assertEqual((got["verdict"], got["status"]), ("refused", "wrong_result"))
        got = ask("4", "def total(values:\n", stage="check")
        self.assertEqual((got["verdict"], got["status"]), ("refused", "build_failed"))
        self.assertIn("SyntaxError", got["failure"]["messages"])
        got = ask("5", "def sum_of(values): return 0\n", stage="check")
        self.assertIn("has no 'total'", got["failure"]["messages"])
        got = ask("6", "import os\ndef total(values): os._exit(3)\n", stage="check")
        self.assertEqual((got["verdict"], got["status"]), ("refused", "crashed"))
        # What it makes of its process is no other one's.
        got = ask("7", "import builtins\nbuiltins.sum = lambda values: 0.0\n"
                       "def total(values): return 0.0\n", stage="check")
        got = ask("8", slow.format(1, "sum"), stage="check")
        self.assertEqual(got["verdict"], "right", got)
        self.end(process, lines)

    def test_what_cannot_be_understood_is_said_beside_the_id(self):
        process, lines = self.serve()
        lines.write(b"no json\n")
        self.assertIn("expected a JSON object a line", lines.next()["error"])
        got = lines.ask({"id": "a", "source": "x", "problem": "triple"})
        self.assertEqual(got, {"id": "a", "error": "no problem is called 'triple'; there are double"})
        got = lines.ask({"id": "b", "sauce": "x"})
        self.assertEqual(got["id"], "b")
        self.assertEqual(lines.ask({"ask": "settle", "id": "c"}),
                         {"id": "c", "error": "nothing was kept"})
        self.end(process, lines)

    def test_what_candidates_may_know_is_told_when_it_begins(self):
        self.write("problem.toml", self.problem.read_text().replace(
            'size = "N"\n', 'size = "N"\nfill = "constant"\n', 1))
        process, lines = self.serve()
        process.stdin.close()
        self.assertIn("no input of double is drawn from a seed", process.stderr.read())
        problem = self.write("problem.py", """
import nightshift as ns
mine = ns.candidate("solution.py")
@ns.problem(device="cpu", space=dict(A=[1]))
def double(case, config):
    x = ns.full(50, value=2.0)
    return ns.Run(lambda: mine.double(x), reference=lambda: [2 * one for one in x])
""")
        self.write("solution.py", "def double(x): return [2 * one for one in x]\n")
        process, lines = self.serve(problem=problem)
        process.stdin.close()
        self.assertIn("no input of double is made from a seed, so that a candidate can have the answer",
                      process.stderr.read())
        problem.write_text(problem.read_text().replace("ns.full(50, value=2.0)", "[2.0] * 50"))
        done = self.run_nightshift("serve", problem, "--night", "other", codes=(USAGE,))
        self.assertIn("no input of this problem is made from a seed", done.stderr)

    def test_what_cannot_be_served(self):
        done = self.run_nightshift("serve", self.recorded_space(), "--night", "other", codes=(USAGE,))
        self.assertIn("is a recording, which has none", done.stderr)
        done = self.run_nightshift("serve", codes=(USAGE,))
        self.assertIn("PROBLEM is missing", done.stderr)
        (self.folder / "letter").write_text("x")
        done = self.run_nightshift("serve", self.problem, "--night", "other", "--socket", "letter",
                                   codes=(USAGE,))
        self.assertIn("there is a file", done.stderr)


if __name__ == "__main__":
    main()
