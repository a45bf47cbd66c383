"""Several compilers: `nightshift recheck --compilers` of host kernels with real g++ and clang++, of CUDA
kernels with two versions of the fake NVRTC; the compiler as a parameter."""

import json
import shutil
import xml.etree.ElementTree

from harness import (BUILD, Case, CUDA_SCALE, FEW_PAIRS, IMPROVED, IN_SHORT, NO_IMPROVEMENT, USAGE,
                     doubling_kernel, fake_gpus, host_scale, main, working_scale)

SAME, BROKEN, DEVICE, FASTER, WORSE, UNFINISHED = 0, 4, 6, 10, 11, 75


def problem_of(compiler, more=""):
    return host_scale("WORK = [4, 1, 2]\n" + more, IN_SHORT, host=f'compiler = "{compiler}"')


SCALE = working_scale("""
#ifdef COMPILER
#error the compiler is no macro
#endif
#ifndef REPEATS
#define REPEATS 8
#endif
#if REPEATS == 0 && WORK == 1
#error no such work
#endif""")
# The toolkit 12.9 makes slower code of it.
KERNEL = doubling_kernel("""
#if __CUDACC_VER_MINOR__ >= 9
  fake_spend_us(80000.0 / BLOCK);
#else
  fake_spend_us(40000.0 / BLOCK);
#endif""")
CUDA = CUDA_SCALE + FEW_PAIRS


class Toolchains(Case):
    def recheck(self, compilers, *more, codes, **options):
        done = self.run_nightshift("recheck", "study", "--compilers", compilers, "--json",
                                   "--confidence", "quick", "--min-difference", "10%", *more,
                                   codes=codes, **options)
        return json.loads(done.stdout)

    def verdicts(self, result):
        (winner,) = result["winners"]
        return [t["verdict"] for t in winner["toolchains"]]

    def upgrades(self, result):
        return [t["upgrade"] for t in result["toolchains"]]


class Host(Toolchains):
    def setUp(self):
        super().setUp()
        self.write("scale.cc", SCALE)
        for name, more in (("slow", "-DREPEATS=16"), ("fast", "-DREPEATS=4"),
                           ("none", "-DREPEATS=0"), ("level", "-DREPEATS=8 -fno-ident"),
                           ("lost", "'-DREPEATS=(WORK==4?1:8)'")):
            self.write(name, f'#!/bin/sh\nexec g++-12 "$@" {more}\n').chmod(0o755)

    def tuned(self, compiler="g++-12", more=""):
        problem = self.write("problem.toml", problem_of(compiler, more))
        return self.tune(problem, "--budget", "6t", "--devices", "cpu:1",
                         codes=(IMPROVED, NO_IMPROVEMENT))

    def recheck(self, compilers, *more, codes, **options):
        return super().recheck(compilers, "--devices", "cpu:1", *more, codes=codes, **options)

    @staticmethod
    def without(program):
        if shutil.which(program) is None:
            print(f"SKIPPED: there is no {program}")
            return True
        return False

    def stopping_compiler(self, times):
        """A compiler that is stopped, WORK being 2, as often as that."""
        self.write("left", "x" * times)
        self.write("cc", '''#!/bin/sh
case "$*" in *-DWORK=2*) if [ -s left_ ]; then
  tail -c +2 left_ > left_2; mv left_2 left_; kill -STOP $$; fi;; esac
exec g++ "$@"
'''.replace("left_", str(self.folder / "left"))).chmod(0o755)
        problem = self.write("problem.toml", problem_of(self.folder / "cc"))
        return self.tune(problem, "--budget", "6t", "--devices", "cpu:1", "--set",
                         "limits.build=3", codes=(IMPROVED, NO_IMPROVEMENT))

    def status_of_two(self):
        (row,) = [row for row in self.csv_rows("study")
                  if row["job"] == "explore" and row["WORK"] == "2"]
        return row

    def test_a_compiler_that_was_stopped_until_its_limit_is_tried_again(self):
        self.stopping_compiler(1)
        row = self.status_of_two()
        self.assertEqual(row["status"], "measured")
        told = self.run_nightshift("explain", "study", row["trial"]).stdout
        self.assertIn("hung: no sign of progress", told)
        self.assertIn("the compiler was stopped by a signal", " ".join(told.split()))

    def test_a_compiler_that_is_stopped_twice_is_given_up(self):
        self.stopping_compiler(9)
        self.assertEqual(self.status_of_two()["status"], "timed_out")

    def test_each_compiler_gets_its_verdict(self):
        if self.without("g++-12"):
            return
        self.assertTrue(self.tuned()["improvement"]["accepted"])
        with self.subTest("equal machine code is not measured"):
            self.write("same", '#!/bin/sh\nexec g++-12 "$@"\n').chmod(0o755)
            result = self.recheck("g++-12,./same", codes=(SAME,))
            self.assertEqual(self.verdicts(result), ["equal code", "equal code"])
            self.assertEqual(self.upgrades(result), ["yes", "yes"])
            self.assertEqual(result["evaluations"], 0)
        with self.subTest("slower, faster, broken, lost"):
            files = ("--html", "c.html", "--markdown", "c.md", "--junit", "c.xml")
            result = self.recheck("g++-12,./slow,./fast,./none,./lost", *files, codes=(BROKEN,))
            self.assertEqual(self.verdicts(result),
                             ["equal code", "slower", "faster", "broken", "lost"])
            self.assertEqual(self.upgrades(result), ["yes", "no", "yes", "no", "no"])
            (winner,) = result["winners"]
            self.assertEqual(winner["best"], ["./fast"])
            self.assertIn("no such work", winner["toolchains"][3]["reason"])
            self.assertGreater(winner["toolchains"][1]["speed"]["interval"][0], 1)
            self.assertLess(winner["toolchains"][2]["speed"]["interval"][1], 1)
            suite = xml.etree.ElementTree.parse(self.folder / "c.xml").getroot()
            self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                             ("5", "2", "1"))
            for name in ("c.html", "c.md"):
                text = (self.folder / name).read_text()
                self.assertIn("May we upgrade?", text)
                self.assertIn("slower", text)
        with self.subTest("the code that was kept is better than what compilers make today"):
            result = self.recheck("./slow,./none", codes=(BROKEN,))
            self.assertTrue(result["winners"][0]["kept_is_best"])
        with self.subTest("a budget"):
            result = self.recheck("g++-12,./slow", "--budget", "1ms", codes=(UNFINISHED,))
            self.assertEqual(self.verdicts(result), ["equal code", "not reached"])
            self.assertEqual(result["evaluations"], 0)

    def test_real_compilers_beside_each_other(self):
        if self.without("g++-12") or self.without("clang++"):
            return
        self.tuned()
        result = self.recheck("g++-12,clang++", codes=(SAME, FASTER, WORSE, UNFINISHED))
        (winner,) = result["winners"]
        first, second = winner["toolchains"]
        self.assertNotEqual(first["artifact"], second["artifact"])
        self.assertGreater(result["evaluations"], 0)
        self.assertIsNotNone(second["speed"])
        self.assertIn("clang", result["toolchains"][1]["version"])

    def test_the_compiler_is_a_parameter(self):
        if self.without("g++-12") or self.without("clang++"):
            return
        self.tuned(compiler="{COMPILER}", more='COMPILER = ["g++-12", "clang++"]')
        rows = [row for row in self.csv_rows() if row["job"] == "explore"]
        self.assertEqual({row["COMPILER"] for row in rows}, {"g++-12", "clang++"})
        self.assertLessEqual({row["status"] for row in rows}, {"measured", "skipped"})
        by = {(row["COMPILER"], row["WORK"]): row["artifact"] for row in rows}
        self.assertEqual(len(set(by.values())), len(by))
        result = self.run_nightshift("resume", "study", "--budget", "6t", "--json",
                                     codes=(IMPROVED, NO_IMPROVEMENT))
        made_of = json.loads(result.stdout)["made_of"]
        compilers = {part["name"] for part in made_of if part["kind"] == "compiler"}
        self.assertEqual(compilers, {"g++-12", "clang++"})
        text = (self.folder / "problem.toml").read_text().replace("{COMPILER}", "{COMPILE}")
        self.write("problem.toml", text)
        done = self.run_nightshift("check", "problem.toml", codes=(USAGE,))
        self.assertIn("{COMPILE} names no parameter", " ".join((done.stdout + done.stderr).split()))

    def test_two_compilers_are_compared(self):
        problem = self.write("problem.toml", problem_of("g++-12"))
        compare = ("compare", problem, "--json", "--devices", "cpu:1", "--confidence", "quick",
                   "--min-difference", "10%")
        if self.without("g++-12") or self.without("clang++"):
            return
        done = self.run_nightshift(*compare, "host.compiler=./gone", codes=(USAGE, 4))
        self.assertIn("gone", done.stderr)
        self.run_nightshift(*compare, "host.compiler=./slow", codes=(WORSE,))  # by the problem's folder
        slow = f"host.compiler={self.folder}/slow"
        done = self.run_nightshift(*compare, slow, codes=(WORSE,))
        result = json.loads(done.stdout)
        self.assertEqual((result["first"]["name"], result["second"]["name"]), ("baseline", slow))
        self.assertGreater(result["interval"][0], 1)
        done = self.run_nightshift(*compare, slow, "host.kernel.flags=['-DREPEATS=4'],WORK=1",
                                   "host.compiler=clang++", codes=(FASTER,))
        result = json.loads(done.stdout)
        self.assertEqual(len({c["artifact"] for c in result["ranking"]}), 3)
        second = next(c for c in result["ranking"] if c["contender"] == 1)
        self.assertEqual((second["configuration"], second["rank"]), ({"WORK": 1}, 1))
        for side, words in (("host.sizes.N=1", "nothing that the two may differ in"),
                            ("host.compilr=x", "nothing that the two may differ in"),
                            ("host.compiler=c++,WORK=9", "has no value 9")):
            done = self.run_nightshift(*compare, side, codes=(USAGE,))
            self.assertIn(words, " ".join(done.stderr.split()))

    def test_what_is_lost_is_repaired(self):
        if self.without("g++-12"):
            return
        self.tuned()
        repair = ("recheck", "study", "--devices", "cpu:1", "--confidence", "quick",
                  "--min-difference", "10%", "--repair", "8s", "--json")
        with self.subTest("the code that was kept still wins"):
            self.write("scale.cc", SCALE.replace("REPEATS 8", "REPEATS 16"))
            done = self.run_nightshift(*repair, codes=(WORSE,))
            (winner,) = json.loads(done.stdout)["winners"]
            self.assertEqual(winner["verdict"], "regressed")
            self.assertIn("study/artifacts/", winner["repair"]["kept"])
            self.assertLess(winner["repair"]["old_code"]["interval"][1], 1)
            self.assertIsNone(winner["repair"]["study"])
        with self.subTest("it does not: a study of its own"):
            # The old code has become slower than today's baseline; today WORK = 2 is the best.
            self.write("scale.cc", SCALE.replace(
                "REPEATS 8", "REPEATS (WORK == 4 ? 1 : WORK == 2 ? 0 : 16)").replace(
                "#if REPEATS == 0 && WORK == 1", "#if 0"))
            done = self.run_nightshift(*repair, codes=(WORSE,))
            (winner,) = json.loads(done.stdout)["winners"]
            self.assertEqual(winner["verdict"], "lost")
            made = winner["repair"]
            self.assertIsNone(made["kept"])
            self.assertTrue(made["study"].startswith("studies/scale-"), made)
            self.assertTrue(made["accepted"], made)
            self.assertLess(made["ratio"], 1)
            best = json.loads(self.export("json", study=made["study"]))
            self.assertEqual(best["configuration"], {"WORK": 2})
            self.assertTrue(best["accepted"])

    def test_what_one_compiler_spoils_is_repaired_for_it(self):
        if self.without("g++-12"):
            return
        self.tuned("g++-12")
        other = self.write("newer-g++", "#!/bin/sh\nexec g++-12 -DNEWER \"$@\"\n")
        other.chmod(0o755)
        compilers = f"g++-12,{other}"
        spoiled = SCALE.replace("#if REPEATS == 0 && WORK == 1", "#if defined(NEWER) && WORK == 1")
        repair = ("--repair", "8s", "--markdown", "r.md", "--junit", "r.xml")
        with self.subTest("the code that was kept is that of the first compiler"):
            self.write("scale.cc", spoiled)
            result = self.recheck(compilers, *repair, codes=(BROKEN,))
            of_old, of_new = result["winners"][0]["toolchains"]
            self.assertEqual((of_old["verdict"], of_new["verdict"]), ("equal code", "broken"))
            self.assertNotIn("repair", of_old)
            self.assertIn("study/artifacts/", of_new["repair"]["kept"])
            self.assertIn("1 kept", (self.folder / "r.md").read_text())
            self.assertIn("that was kept", (self.folder / "r.xml").read_text())
            self.assertEqual(result["notices"], [])  # no time is shared
        with self.subTest("none was kept: a study by each such compiler, in one budget"):
            newest = shutil.copy(other, self.folder / "newest-g++")
            shutil.rmtree(self.folder / "study/artifacts")
            result = self.recheck(f"{compilers},{newest}", *repair, codes=(BROKEN,))
            self.assertEqual(result["notices"], ["--repair: 8.0 s to tune 2 problems anew, 4.0 s "
                                                 "each; what one leaves is the next's"])
            for of, compiler in zip(result["winners"][0]["toolchains"][1:], ("newer", "newest")):
                made = of["repair"]
                self.assertTrue(made["accepted"], made)
                best = json.loads(self.export("json", study=made["study"]))
                self.assertEqual(best["configuration"], {"WORK": 2})
                self.assertIn(f"{compiler}-g++", json.dumps(best))
            self.assertIn("(repaired: 1 tuned anew)", (self.folder / "r.md").read_text())

    def test_a_compiler_that_is_a_parameter_is_rechecked_and_repaired(self):
        if self.without("g++-12"):
            return
        other = self.write("newer-g++", "#!/bin/sh\nexec g++-12 -DNEWER \"$@\"\n")
        other.chmod(0o755)
        self.tuned("{COMPILER}", more=f'COMPILER = ["g++-12", "{other}"]')
        self.write("scale.cc", SCALE.replace("#if REPEATS == 0 && WORK == 1", "#if defined(NEWER) && WORK == 1"))
        shutil.rmtree(self.folder / "study/artifacts")
        # One that the problem does not name is the parameter's value as well: it is no macro of the source.
        newest = shutil.copy(other, self.folder / "newest-g++")
        result = self.recheck(f"g++-12,{other},{newest}", "--repair", "8s", codes=(BROKEN,))
        self.assertEqual(self.verdicts(result), ["equal code", "broken", "broken"])
        for of, compiler in zip(result["winners"][0]["toolchains"][1:], (other, newest)):
            made = of["repair"]
            self.assertTrue(made["accepted"], made)
            best = json.loads(self.export("json", study=made["study"]))
            self.assertEqual(best["configuration"], {"WORK": 2, "COMPILER": str(compiler)})

    def test_mistakes_are_told_with_what_there_is(self):
        self.tuned("c++")
        for compilers, words in (
                ("c++,no-such-compiler", ("no-such-compiler: there is no such compiler", "c++")),
                ("c++", ("expected two compilers",)),
                ("c++,c++", ("c++ is there twice",)),
                ("c++,,", ("a name is empty",)),
                ("c++,nvrtc:", ("expected a version or a path",)),
                ("c++,nvrtc:./none.so", ("none.so is no file",)),
                ("c++,nvcc:99.9", ("there is no such nvcc; found:",))):
            done = self.run_nightshift("recheck", "study", "--compilers", compilers,
                                       codes=(USAGE,))
            said = " ".join(done.stderr.split())
            for word in words:
                self.assertIn(word, said)


class Cuda(Toolchains):
    def environment(self, **changes):
        fakes = BUILD / "fakes"
        both = f"{fakes}/libfakenvrtc.so:{fakes}/libfakenvrtc129.so"
        return super().environment(**dict(fake_gpus(NIGHTSHIFT_NVRTC=both), **changes))

    def setUp(self):
        super().setUp()
        self.write("scale.cu", KERNEL)
        self.problem = self.write("problem.toml", CUDA)

    def tuned(self, *more):
        return self.tune(self.problem, "--budget", "4t", *more, codes=(IMPROVED,))

    def test_two_versions_of_nvrtc(self):
        self.tuned()
        result = self.recheck("12.8,12.9", codes=(WORSE,))
        self.assertEqual(self.verdicts(result), ["equal code", "slower"])
        self.assertEqual(self.upgrades(result), ["yes", "no"])
        (winner,) = result["winners"]
        self.assertAlmostEqual(winner["toolchains"][1]["speed"]["ratio"], 2, delta=0.3)
        self.assertLess(winner["toolchains"][1]["gain"]["ratio"], 0.5)
        with self.subTest("by its path, and as it is found"):
            path = BUILD / "fakes" / "libfakenvrtc129.so"
            result = self.recheck(f"nvrtc:{path},nvrtc", codes=(FASTER,))
            self.assertEqual(self.verdicts(result), ["equal code", "faster"])
            self.assertEqual(result["toolchains"][1]["version"], "12.8")
        with self.subTest("the same code"):
            self.write("scale.cu", KERNEL.replace(">= 9", ">= 10"))
            result = self.recheck("12.8,12.9", codes=(SAME,))
            self.assertEqual(self.verdicts(result), ["equal code", "equal code"])
            self.assertEqual(result["evaluations"], 0)
        done = self.run_nightshift("recheck", "study", "--compilers", "12.8,13.1", codes=(USAGE,))
        said = " ".join(done.stderr.split())
        self.assertIn("13.1: there is no such nvrtc; found: 12.8 (", said)
        self.assertIn("12.9 (", said)
        done = self.run_nightshift("recheck", "study", "--compilers", "c++,clang++-14,g++-12",
                                   codes=(NO_IMPROVEMENT, USAGE))
        if done.returncode == NO_IMPROVEMENT:
            self.assertIn("compiled by none of these", " ".join(done.stdout.split()))

    def test_the_version_is_a_parameter(self):
        text = CUDA.replace('source = "scale.cu"', 'source = "scale.cu"\ncompiler = "nvrtc:{CUDA}"')
        self.problem = self.write("problem.toml", text.replace(
            "BLOCK = [32, 64, 128, 256]", 'BLOCK = [32, 64]\nCUDA = ["12.8", "12.9", "13.1"]'))
        self.tuned("--set", "budget.trials=6")
        rows = [row for row in self.csv_rows() if row["job"] == "explore"]
        status = {row["CUDA"]: row["status"] for row in rows}
        self.assertEqual(status, {"12.8": "measured", "12.9": "measured", "13.1": "build_failed"})
        failed = next(row for row in rows if row["CUDA"] == "13.1")
        self.assertIn("there is no NVRTC 13.1; found: 12.8", failed["reason"])


if __name__ == "__main__":
    main()
