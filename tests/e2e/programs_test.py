"""Programs of the user's that are tuned: started per trial, served configurations, compiled."""

import json
import shutil
import sys

import harness
from harness import Case, DEVICE, IMPROVED, NO_IMPROVEMENT, STUDY_FAILED

SERVER = """
import json, sys
for line in sys.stdin:
    c = json.loads(line)
    tile = c.get("TILE", 1)
    if tile == 16:
        sys.exit(3)
    if tile == 32:
        print("this is no JSON", flush=True)
        continue
    time = 10.0 / tile
    print(json.dumps({"time": [time, time * 1.001, time * 0.999]}), flush=True)
"""

SERVED = """
name = "served"
[command]
mode = "server"
argv = ["{python}", "server.py"]
[parameters]
TILE = [1, 2, 4, 8, 16, 32]
[schedule]
rebaseline_trials = 2
[limits]
measure = 2
"""

PER_TRIAL = """
name = "per-trial"
constraints = ["A * B <= 12"]
[command]
argv = ["{python}", "bench.py", "--a={{A}}"]
environment = {{ B = "{{B}}" }}
runs = 3
[[command.figure]]
objective = "time"
source = "json"
key = "ms"
[[command.figure]]
objective = "rate"
source = "regex"
key = "rate=([0-9.]+)"
[[objective]]
name = "time"
unit = "ms"
[[objective]]
name = "rate"
unit = "GB/s"
direction = "maximise"
[parameters]
A = [1, 2, 3, 4]
B = [1, 2, 4, 8]
"""

BENCH = """
import os, sys
a, b = int(sys.argv[1].split("=")[1]), int(os.environ["B"])
print(f"rate={a * b}.5")
print('{"ms": %r}' % (12.0 / (a * b)))
"""

KERNEL = """
#include <cstdint>
#if WRONG
constexpr float kFactor = 3;
#else
constexpr float kFactor = 2;
#endif
#if WIDTH == 3
#error three is not supported
#endif
#if WIDTH == 5
#include <cstdlib>
#endif
extern "C" void scale(const float* in, float* out, std::int64_t n) {
#if WIDTH == 5
  std::abort();
#endif
  for (std::int64_t i = 0; i < n; i += WIDTH)
    for (std::int64_t j = i; j < i + WIDTH && j < n; ++j) out[j] = kFactor * in[j];
}
"""

HOST = """
name = "scale"
[host]
kernel = { file = "scale.cc", function = "scale", flags = ["-std=c++20"] }
reference = { file = "reference.cc", function = "reference" }
sizes = { N = 4096 }
[[host.argument]]
name = "from"
type = "float32"
size = "N"
access = "in"
[[host.argument]]
name = "to"
type = "float32"
size = "N"
access = "out"
[[host.argument]]
name = "n"
type = "int64"
value = "N"
[parameters]
WIDTH = [1, 3, 5, 8]
WRONG = [0, 1]
OPT = { values = ["-O1", "-O2"], flag = "{}" }
[measure]
samples = 5
warm_up_seconds = 0.001
max_seconds = 1
"""

REFERENCE = """
#include <cstdint>
extern "C" void reference(const double* in, double* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = 2 * in[i];
}
"""


# One line of a structured log before the answer to every sixteenth request.
CHATTY = """
while read -r line; do
  u=${line//[^0-9]/}; u=${u:-1}
  if [ $((u % 16)) = 9 ]; then echo '{"level": "info", "msg": "slow"}'; fi
  echo "{\\"time\\": $((10 + u))}"
done
"""

CHATTY_PROBLEM = """
name = "chatty"
[command]
mode = "server"
argv = ["bash", "server.sh"]
[parameters]
u = { range = [1, 64] }
[[objective]]
name = "time"
unit = "ms"
[acceptance]
confidence = "quick"
"""

MAIN = """
#include <stdio.h>
int time_of(void);
int main(int count, char** words) {
  (void)count;
  printf("%s{\\"time\\": %d}\\n", words[1], time_of());
  return 0;
}
"""
PART = """
#if WIDTH == 3
#error three is not supported
#endif
int time_of(void) { return missing_function_of(WIDTH) 100 / WIDTH; }
"""

BUILT = """
name = "built"
[command]
build = ["cc", "-DWIDTH={WIDTH}", "{OPT}", "main.c", "part.c", "-o", "{artifact}/program"]
inputs = ["main.c", "part.c"]
argv = ["{artifact}/program", "{WORD}"]
runs = 1
cores = 1
[parameters]
WIDTH = [1, 2, 3, 4]
OPT = ["-DUNUSED=1", "-DUNUSED=2"]
WORD = ["", "a\\n"]
"""


PRINTED = """
name = "printed"
[command]
argv = ["{python}", "-S", "printed.py", "{{X}}"]
runs = 1
[[command.figure]]
{figure}
[parameters]
X = [1, 2]
[search]
searcher = "exhaustive"
"""

# Written over several lines, with text around it.
NESTED = """
import json, sys
print("begins")
print(json.dumps({"results": [{"command": "x", "mean": 9.0 + int(sys.argv[1])}]}, indent=2))
print("ends")
"""

# The first is faster: 900 us against 1.2 ms.
IN_UNITS = """
import sys
print("took", "900 us" if sys.argv[1] == "1" else "1.2 ms")
"""

IN_JSON_UNITS = """
import json, sys
first = sys.argv[1] == "1"
print(json.dumps({"real_time": 5e5 if first else 1.2, "time_unit": "ns" if first else "ms"}))
"""


GOES_ON = """
import sys
print("took", "10 ms" if sys.argv[1] == "1" else "{figure}")
"""

LONG_LINE = """
import sys
print("took 10 ms" if sys.argv[1] == "1" else "a" * 5000 + " took 9 ms")
"""

TINY = """
import sys
print('{"ms": %s}' % ("10" if sys.argv[1] == "1" else "1e-310"))
"""


class Figures(Case):
    def values(self, program, figure, study="study"):
        self.write("printed.py", program)
        problem = self.write("printed.toml", PRINTED.format(python=sys.executable, figure=figure))
        self.tune(problem, "--budget", "2t", study=study, codes=(0, NO_IMPROVEMENT))
        rows = [row for row in self.csv_rows(study) if row["job"] == "explore"]
        return {row["X"]: float(row["time"]) for row in rows if row["time"]}

    def test_json_over_several_lines_and_paths_into_it(self):
        self.assertEqual(self.values(NESTED, 'source = "json"\nkey = "results.0.mean"'),
                         {"1": 10.0, "2": 11.0})

    def test_figures_are_converted_from_the_units_that_they_name(self):
        self.assertEqual(self.values(IN_UNITS, 'source = "regex"\nkey = "took ([0-9.]+)"'),
                         {"1": 0.9, "2": 1.2})
        self.assertEqual(self.values(IN_JSON_UNITS, 'source = "json"\nkey = "real_time"', "json"),
                         {"1": 0.5, "2": 1.2})

    def test_figures_have_the_unit_that_their_program_names(self):
        self.write("lat.sh", 'echo "{\\"lat\\": 9${1}50, \\"time_unit\\": \\"ns\\"}"\n')
        problem = self.write("p.toml", 'name = "p"\n[command]\nargv = ["sh", "lat.sh", "{A}"]\n'
                             'runs = 1\n[[objective]]\nname = "lat"\n[parameters]\nA = [60, 30]\n')
        told = self.run_nightshift("tune", problem, "--study", "study", "--budget", "2t",
                                   codes=(IMPROVED, NO_IMPROVEMENT)).stdout
        self.assertRegex(told, r"baseline on \S+: lat 0\.09605 ms")
        self.assertRegex(told, r"baseline  lat 0\.09605 ms")
        for words in (["report", "study"], ["explain", "study", "2"]):
            told = self.run_nightshift(*words, codes=(0,)).stdout
            self.assertIn("0.09605 ms", told)
            self.assertNotRegex(told, r"0\.09\d+(?! ms|\d)")

    def test_json_that_breaks_is_told_with_its_place(self):
        for number, (text, words) in enumerate([
                ('{\n "time": 1,\n}\n', "breaks in line 3, column 1: a comma stands before"),
                ('{\n "time": 1 // ms\n}\n', "breaks in line 2, column 12: JSON has no comments"),
                ('{\n "time": [1,\n', "is not closed before the output ends")]):
            self.write("out.json", text)
            problem = self.write("p.toml", 'name = "p"\n[command]\nargv = ["sh", "-c", '
                                 '"cat out.json; : {A}"]\n[parameters]\nA = [1, 2]\n')
            done = self.run_nightshift("tune", problem, "--study", f"broken-{number}",
                                       codes=(STUDY_FAILED,))
            self.assertIn(words, " ".join(done.stderr.split()))

    def test_a_figure_that_goes_on_fails_its_configuration_and_names_the_text(self):
        for number, (figure, words) in enumerate([
                ("9 to 11 us", "'900' of '900 to 1100 us', where the figure goes on"),
                ("12 500 us", "thousands set apart"), ("1 s 500 ms", "first part of a time")]):
            program = GOES_ON.format(figure=figure.replace("9 to 11", "900 to 1100"))
            study = f"goes-on-{number}"
            self.assertEqual(self.values(program, 'source = "regex"\nkey = "took ([0-9.]+)"', study),
                             {"1": 10.0})
            failed = [row for row in self.csv_rows(study) if row["X"] == "2"][-1]
            self.assertIn(words, failed["reason"])

    def test_an_expression_that_takes_too_long_is_an_error_not_a_hang(self):
        self.assertEqual(self.values(LONG_LINE, 'source = "regex"\nkey = "(?:a+)+c|took ([0-9]+)"'),
                         {"1": 10.0})
        failed = [row for row in self.csv_rows("study") if row["X"] == "2"][-1]
        self.assertIn("takes too long", failed["reason"])

    def test_a_figure_of_which_no_ratio_can_be_taken_is_no_improvement(self):
        self.assertEqual(self.values(TINY, 'source = "json"\nkey = "ms"'), {"1": 10.0})
        failed = [row for row in self.csv_rows("study") if row["X"] == "2"][-1]
        self.assertIn("of which no ratio", failed["reason"])


CHECKED = """
name = "checked"
constraints = ["{condition}"]
[command]
argv = ["true", "{{A}}"]
[parameters]
A = {values}
"""


class Checked(Case):
    def check(self, values, condition, *options):
        problem = self.write("checked.toml", CHECKED.format(values=values, condition=condition))
        done = self.run_nightshift("check", problem, "--json", *options, codes=(0,))
        report = json.loads(done.stdout)
        return report["space"]["configurations"], [c["configuration"]["A"]
                                                   for c in report["configurations"]]

    def test_conditions_have_bit_operators(self):
        values = "{{ values = [1, 2, 3, 4, 6, 8], default = {} }}"
        for condition in ("A & (A - 1) == 0", "A << 1 <= 8", "~A & 1", "A ^ 1 | 2 == 3",
                          "A >> 1 in {1, 3}", "A | 1 == A and A & 2", "-A >> 1 < ~A + 3"):
            python = [a for a in [1, 2, 3, 4, 6, 8] if eval(condition, {"A": a})]
            self.assertIn(len(python), range(1, 6), condition)
            self.assertEqual(self.check(values.format(python[0]), condition)[1], python, condition)

    def test_no_configuration_is_drawn_twice(self):
        values = "{ range = [1, 12] }"
        for wanted, shown in ((3, 3), (10, 10), (11, 11), (12, 12), (100, 12)):
            count, drawn = self.check(values, "A < 99", "--configurations", str(wanted))
            self.assertEqual(int(count), 12)
            self.assertEqual(len(drawn), shown)
            self.assertEqual(len(set(drawn)), shown)


class Programs(Case):
    def test_no_figure_of_a_server_that_says_more_than_it_is_asked_is_anothers(self):
        self.write("server.sh", CHATTY)
        problem = self.write("chatty.toml", CHATTY_PROBLEM)
        result = self.tune(problem, "--budget", "64t", "--searcher", "random")
        self.assertEqual(result["evaluations"], 64)
        for row in self.csv_rows():
            u = int(row["u"] or 1)
            if u % 16 == 9:
                self.assertEqual(row["status"], "crashed", row)
                self.assertIn("it has no 'time'", row["reason"])
            else:
                self.assertEqual(row["status"], "measured", row)
                self.assertEqual(float(row["time"]), 10 + u, row)

    def test_a_program_has_all_cores_or_as_many_as_it_says(self):
        self.write("bench.py", "import os\n"
                               "print('{\"time\": %d}' % len(os.sched_getaffinity(0)))\n")
        text = f"""
name = "cores"
[command]
argv = ["{sys.executable}", "bench.py", "{{A}}"]
runs = 1
[parameters]
A = [1, 2]
"""
        problem = self.write("cores.toml", text)
        cores = json.loads(self.run_nightshift("devices", "--json").stdout)["cores"]
        done = self.run_nightshift("tune", problem, "--study", "all", "--budget", "2t")
        self.assertIn(f", on cpu:{cores[0]}", done.stderr + done.stdout)
        for row in self.csv_rows("all"):
            self.assertEqual(float(row["time"]), len(cores), row)
        self.tune(problem, "--budget", "2t", "--set", "command.cores=1", study="one")
        devices = set()
        for row in self.csv_rows("one"):
            self.assertEqual(float(row["time"]), 1, row)
            if row["status"] == "measured":
                devices.add(row["device"])
        self.assertLessEqual(len(devices), max(1, len(cores) - 1))
        compared = json.loads(self.run_nightshift(
            "compare", "--json", "--pairs", "8", "--figure", "time", "--",
            sys.executable, "bench.py", "--", sys.executable, "bench.py", codes=(0,)).stdout)
        self.assertIn(f'"value": {float(len(cores))}', json.dumps(compared))

    def test_a_program_is_built_ahead_and_what_is_equal_is_measured_once(self):
        self.write("main.c", MAIN)
        self.write("part.c", PART.replace("missing_function_of(WIDTH)", ""))
        problem = self.write("built.toml", BUILT)
        result = self.tune(problem, "--budget", "100t")
        self.assertEqual(result["evaluations"], 16)
        self.assertEqual(result["best"]["configuration"]["WIDTH"], 4)
        statuses = {}
        for row in self.csv_rows():
            if row["job"] == "explore":
                statuses.setdefault(row["WIDTH"], []).append(row["status"])
        # The same program with two words: two are measured, the others' code is equal. One of the
        # first width is the baseline's.
        for width, measured in (("1", 1), ("2", 2), ("4", 2)):
            self.assertEqual(sorted(statuses[width]),
                             ["measured"] * measured + ["skipped"] * (4 - measured))
        self.assertEqual(statuses["3"], ["build_failed"] * 4)
        failed = next(row for row in self.csv_rows() if row["status"] == "build_failed")
        self.assertIn("three is not supported", failed["reason"])

    def test_a_makefile_and_a_script_that_opens_its_output_anew_are_as_in_a_shell(self):
        if shutil.which("make") is None:
            self.skipTest("there is no make")
        self.write("Makefile", "$(BUILD)/time:\n\t@echo making\n\techo $(WORK) > $@\n")
        self.write("run.sh", "echo began > /dev/stderr\necho '{\"time\":' $(cat $1)'}' >> /dev/stdout\n")
        problem = self.write("made.toml", """
name = "made"
[command]
build = ["make", "BUILD={artifact}", "WORK={WORK}"]
inputs = ["Makefile"]
argv = ["sh", "run.sh", "{artifact}/time"]
[[objective]]
name = "time"
unit = "ms"
[parameters]
WORK = [8, 4, 2]
""")
        result = self.tune(problem, "--budget", "3t", codes=(0, NO_IMPROVEMENT))
        self.assertEqual(result["best"]["configuration"], {"WORK": 2})
        self.assertEqual({row["status"] for row in self.csv_rows()}, {"measured", "skipped"})
        self.write("Makefile", "$(BUILD)/time:\n\t@echo making\n\t@echo 'time.c:1: error: no' >&2; exit 1\n")
        done = self.run_nightshift("tune", problem, "--study", "broken", codes=(STUDY_FAILED,))
        self.assertIn("time.c:1: error: no", done.stderr)

    def test_a_build_that_fails_shows_the_first_error(self):
        self.write("main.c", MAIN)
        self.write("part.c", PART.replace("missing_function_of(WIDTH)", "f() + g() +")
                   .replace("int time_of", "int f(void), g(void);\nint time_of"))
        problem = self.write("built.toml", BUILT)
        done = self.run_nightshift("tune", problem, "--study", "study", codes=(STUDY_FAILED,))
        self.assertIn("undefined reference to `f'", done.stderr)
        self.assertNotIn("collect2", done.stderr)

    def test_a_server_that_does_not_flush_is_told_so(self):
        self.write("server.py", "import sys\nout = open(1, 'w', buffering=4096)\n"
                                "for line in sys.stdin: out.write('{\"time\": 1}\\n')\n")
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        done = self.run_nightshift("tune", problem, "--study", "study", "--set",
                                   "limits.measure=1", codes=(STUDY_FAILED,))
        self.assertIn("it printed nothing; does it flush", " ".join(done.stderr.split()))

    def test_a_server_without_an_end_of_line_is_told_so_whatever_ends_the_wait(self):
        self.write("server.py", "import sys\nfor line in sys.stdin:\n"
                                "    sys.stdout.write('{\"time\": 1}')\n    sys.stdout.flush()\n")
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        ends = {"the limit is limits.trial": ["--set", "limits.trial=8"],
                "the budget of time was used up": ["--budget", "9s"]}
        for study, (end, options) in enumerate(ends.items()):
            with self.subTest(end=end):
                done = self.run_nightshift("tune", problem, "--study", f"study{study}", "--set",
                                           "limits.measure=60", *options, codes=(STUDY_FAILED,))
                words = " ".join(done.stderr.split())
                self.assertIn("no end of line came after '{\"time\": 1}'; does it flush", words)
                self.assertIn(end, words)
                self.assertNotIn("making progress", words)

    def test_a_server_whose_answers_have_several_lines_is_told_so(self):
        self.write("server.py", "import json, sys\nfor line in sys.stdin:\n"
                                "    print(json.dumps({'time': 1}, indent=1), flush=True)\n")
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        done = self.run_nightshift("tune", problem, "--study", "study", codes=(STUDY_FAILED,))
        self.assertIn("print each answer in one line", " ".join(done.stderr.split()))

    def test_a_wrong_result_says_its_own_words(self):
        self.write("server.py", SERVER.replace("tile == 16", "False").replace(
            "time = 10.0 / tile", "time = 10.0 / tile\n"
            "    if tile == 4:\n"
            "        print(json.dumps({'error': '4 does not divide N', 'kind': 'wrong_result'}),\n"
            "              flush=True)\n"
            "        continue"))
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        self.tune(problem, "--budget", "6t")
        row = next(row for row in self.csv_rows() if row["TILE"] == "4")
        self.assertEqual((row["status"], row["reason"]),
                         ("wrong_result", "wrong result: 4 does not divide N"))

    def test_a_device_that_fails_the_baseline_is_named_in_the_result(self):
        cores = json.loads(self.run_nightshift("devices", "--json").stdout)["cores"]
        if len(cores) < 2:
            self.skipTest("a device must be left when one is lost: two cores are needed")
        good, bad = cores[:2]
        self.write("server.py", f"import os, sys\nif os.sched_getaffinity(0) == {{{bad}}}:\n"
                                "    sys.exit(9)\n" + SERVER)
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        result = self.tune(problem, "--budget", "3t", "--devices", f"cpu:{good},cpu:{bad}")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(len(result["notices"]), 2, result["notices"])
        self.assertRegex(result["notices"][1], f"^1 of the 2 devices .* not .*/cpu:{bad}$")
        self.assertTrue(result["improvement"]["accepted"])
        lost = "a device left the study: the baseline failed on"
        self.assertIn(lost, result["notices"][0])
        self.assertIn(f"/cpu:{bad}:", result["notices"][0])
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn(lost, " ".join(report.split()))
        summary = self.run_nightshift("resume", "study", "--budget", "3t",
                                      codes=(IMPROVED, NO_IMPROVEMENT)).stdout
        self.assertIn("Notice: " + lost, " ".join(summary.split()))
        strict = self.run_nightshift(
            "tune", problem, "--budget", "3t", "--devices", f"cpu:{good},cpu:{bad}", "--set",
            "acceptance.devices_least=2", "--study", "strict", codes=(STUDY_FAILED,))
        self.assertIn("acceptance.devices_least = 2 needs 2 devices, not 1", strict.stderr)
        self.assertIn(f"/cpu:{bad}", strict.stderr)

    def test_a_script_is_served_configurations(self):
        self.write("server.py", SERVER)
        problem = self.write("served.toml", SERVED.format(python=sys.executable))
        result = self.tune(problem, "--budget", "6t")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["evaluations"], 6)
        self.assertEqual(result["best"]["configuration"], {"TILE": 8})
        self.assertTrue(result["improvement"]["accepted"], result["improvement"])
        self.assertAlmostEqual(result["improvement"]["ratio"], 1 / 8, delta=0.01)
        self.assertEqual(sum(result["trials"]["failed"].values()), 2)
        rows = {row["TILE"]: row for row in self.csv_rows() if row["job"] == "explore"}
        self.assertNotEqual(rows["16"]["status"], "measured")
        self.assertNotEqual(rows["32"]["status"], "measured")

    def test_a_program_is_started_per_trial(self):
        self.write("bench.py", BENCH)
        problem = self.write("per_trial.toml", PER_TRIAL.format(python=sys.executable))
        result = self.tune(problem, "--budget", "100t")
        self.assertEqual(result["evaluations"], 12)
        best = result["best"]
        self.assertEqual(best["configuration"]["A"] * best["configuration"]["B"], 12)
        self.assertEqual(best["objectives"]["time"]["unit"], "ms")
        self.assertAlmostEqual(best["objectives"]["time"]["value"], 1.0)
        self.assertEqual(best["objectives"]["rate"]["unit"], "GB/s")
        self.assertAlmostEqual(best["objectives"]["rate"]["value"], 12.5)
        self.assertEqual(result["trials"]["failed"], {})

    def test_a_kernel_is_compiled_checked_and_measured(self):
        self.write("scale.cc", KERNEL)
        self.write("reference.cc", REFERENCE)
        problem = self.write("scale.toml", HOST)
        result = self.tune(problem, "--budget", "100t")
        self.assertEqual(result["status"], "completed")
        self.assertEqual(result["evaluations"], 16)
        for row in self.csv_rows():
            if row["job"] != "explore":
                continue
            if row["WIDTH"] == "3":
                self.assertEqual(row["status"], "build_failed", row)
            elif row["WIDTH"] == "5":
                self.assertIn(row["status"], ("crashed", "skipped"), row)
            elif row["WRONG"] == "1":
                self.assertIn(row["status"], ("wrong_result", "skipped"), row)
            else:
                self.assertIn(row["status"], ("measured", "skipped"), row)
        self.assertEqual(result["best"]["configuration"]["WRONG"], 0)
        failed = next(row for row in self.csv_rows() if row["status"] == "build_failed")
        story = self.run_nightshift("explain", "study", failed["trial"], codes=(0,)).stdout
        self.assertIn("three is not supported", story)

    def test_a_study_in_which_nothing_builds_ends_early(self):
        self.write("plain.cc", 'extern "C" void f(float* x) { x[0] = 1; }\n')
        self.write("broken.cc", '#include "nowhere.h"\n' "void f(float* x) { x[0] = A + B; }\n")
        problem = self.write("broken.toml", """
name = "broken"
[host]
kernel = { file = "broken.cc", function = "f" }
baseline = { file = "plain.cc", function = "f" }
[[host.argument]]
name = "x"
type = "float32"
size = 1
access = "out"
[parameters]
A = { range = [1, 40] }
B = { range = [1, 40] }
""")
        done = self.run_nightshift("tune", problem, "--study", "study", "--budget", "300s",
                                   codes=(NO_IMPROVEMENT,))
        words = " ".join(done.stdout.split())
        self.assertRegex(words, "completed: none of the first 20[0-9] configurations builds, all "
                                "for one reason")
        self.assertRegex(words, "alike: did not build: .*nowhere.h")
        self.assertNotIn("larger budget", words)
        explain = words[words.index("nightshift explain study "):].split()[3]
        self.assertIn("nowhere.h", self.run_nightshift("explain", "study", explain).stdout)

    def printing(self, name, script, parameters="A = { range = [1, 8] }", more="", words='"{A}"'):
        self.write(f"{name}.sh", script)
        return self.write(f"{name}.toml", f"""
name = "{name}"
[command]
argv = ["sh", "{name}.sh", {words}]
runs = 2
[parameters]
{parameters}
{more}""")

    def test_a_program_that_prints_a_constant_is_told_so(self):
        problem = self.printing("constant", "echo '{\"time\": 12.5}'")
        done = self.run_nightshift("tune", problem, "--study", "study", codes=(NO_IMPROVEMENT,))
        words = " ".join(done.stdout.split())
        said = "'time' is 12.5 ms in the baseline and in all"
        live, summary = words.split("Study of constant")
        self.assertIn(said + " 5 configurations", live)
        self.assertIn("Why: " + said + " 8 configurations", summary)
        report = self.run_nightshift("report", "study", codes=(0,)).stdout
        self.assertIn(said, " ".join(report.split()))

    def test_a_parameter_that_changes_nothing_is_told(self):
        problem = self.printing("idle", "echo '{\"time\": '$(( 10 + $1 ))'}'",
                                "A = { range = [1, 4] }\nUNREAD = { range = [1, 4] }",
                                "[baseline]\nA = 3\n", '"{A}", "{UNREAD}"')
        result = self.tune(problem, codes=(IMPROVED,))
        self.assertEqual([n for n in result["notices"] if "changed nothing" in n],
                         ["'UNREAD' changed nothing: 12 configurations that differ from "
                          "others in it alone have their figures to the last digit"])

    def test_a_coarse_clock_that_says_0_now_and_then_ends_no_study(self):
        script = ("echo x >> calls; n=$(wc -l < calls); "
                  "echo '{\"time\": '$(( n % 3 ? 10 + $1 : 0 ))'}'")
        result = self.tune(self.printing("coarse", script), codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual((result["status"], result["trials"]["measured"],
                          result["trials"]["skipped"]), ("completed", 7, 1), "one is the baseline")
        self.assertRegex(" ".join(result["notices"]), "some times were 0 and did not count")
        problem = self.printing("zero", "echo '{\"time\": 0}'")
        done = self.run_nightshift("tune", problem, "--study", "none", codes=(STUDY_FAILED,))
        self.assertIn("'time' was 0 in each of 8 runs", done.stderr)

    def test_a_limit_that_follows_from_the_baseline_ends_a_hang_and_names_its_key(self):
        problem = self.printing("hang", "[ $1 = 4 ] && sleep 1000; echo '{\"time\": '$1'}'",
                                "A = { range = [1, 4] }")
        result = self.tune(problem, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(result["trials"]["failed"], {"timed_out": 1})
        reason = next(row["reason"] for row in self.csv_rows() if row["status"] == "timed_out")
        self.assertRegex(reason, r"exceeded 3 s while measuring .*limits\.times_baseline is 20")

    def test_the_best_and_the_baseline_are_explained_by_name(self):
        problem = self.printing("named", "echo '{\"time\": '$(( 10 + $1 ))'}'", "A = [4, 1, 2]")
        result = self.tune(problem, codes=(IMPROVED,))
        best = self.run_nightshift("explain", "study", "best", codes=(0,)).stdout
        self.assertIn(f"Trial {result['best']['trial']}", best)
        self.assertIn("baseline", self.run_nightshift("explain", "study", "baseline",
                                                     codes=(0,)).stdout)

    def test_a_failed_baseline_ends_the_study(self):
        problem = self.write("broken.toml", """
name = "broken"
[command]
argv = ["/bin/sh", "-c", "echo the disk is on fire >&2; exit 9", "{A}"]
[parameters]
A = [1, 2]
""")
        done = self.run_nightshift("tune", problem, "--study", "study", "--json",
                                   codes=(STUDY_FAILED,))
        self.assertIn("baseline", done.stderr)
        self.assertIn("cpu:", done.stderr)
        self.assertIn("9", done.stderr)
        self.assertIn('"status": "failed"', done.stdout)
        resumed = self.run_nightshift("resume", "study", codes=(STUDY_FAILED,))
        self.assertIn("baseline", resumed.stderr)

    def test_a_device_must_exist(self):
        self.write("bench.py", BENCH)
        problem = self.write("per_trial.toml", PER_TRIAL.format(python=sys.executable))
        done = self.run_nightshift("tune", problem, "--devices", "cpu:4095", codes=(DEVICE,))
        self.assertIn("cpu:4095", done.stderr)
        self.assertFalse((self.folder / "studies").exists())

    def test_an_exported_header_quotes_strings(self):
        self.write("server.py", SERVER.replace("10.0 / tile", "len(c.get('MODE', 'xxxx'))"))
        problem = self.write("modes.toml", SERVED.format(python=sys.executable).replace(
            "TILE = [1, 2, 4, 8, 16, 32]", 'MODE = ["slow", "a b", "x"]'))
        result = self.tune(problem, "--budget", "3t", codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(result["best"]["configuration"], {"MODE": "x"})
        self.assertIn('#define MODE "x"\n', self.export("header"))


if __name__ == "__main__":
    harness.main()
