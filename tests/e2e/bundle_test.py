#!/usr/bin/env python3
"""`nightshift export --format bundle` and `nightshift verify`: bundles are made, moved, stripped of what they
were made from, and verified; bundles that were tampered with are refused, one by one."""

import json
import os
import shutil
import signal
import socket
import time

from harness import (Case, CUDA_SCALE, FEW_PAIRS, IN_SHORT, INTERRUPTED, TIMEOUT, USAGE, doubling_kernel,
                     fake_gpus, host_scale, main, working_scale)

HOLDS, BROKEN, LARGER, WORSE, UNFINISHED = 0, 4, 10, 11, 75

PROBLEM = host_scale(
    "WORK = [4, 1, 2]", IN_SHORT,
    flags='"-std=c++20", "-I{folder}/lib/include", "-isystem", "{folder}/lib/more"',
    host='reference = { file = "reference.cc", function = "scale" }')
SCALE = working_scale("""
#include "../common/where.h"
#include <repeats.h>
#include <more.h>""", "  where = __FILE__;")
REFERENCE = "void scale(double* x) { for (int i = 0; i < N; ++i) x[i] *= 2; }\n"
KERNEL = doubling_kernel("  fake_spend_us(40000.0 / BLOCK);")
COMMAND = """
name = "sleepy"
[command]
argv = ["./run.sh", "{artifact}/amount"]
build = ["sh", "build.sh", "{A}", "{artifact}"]
inputs = ["data"]
cores = 1
runs = 1
[[command.figure]]
objective = "time"
source = "regex"
key = "time: ([0-9.]+)"
[parameters]
A = [9, 3, 5]
""" + FEW_PAIRS + "hold_out_most = 8\n"
RUN = """#!/bin/sh
if [ -n "$MEASURING" ]; then : > "$MEASURING"; exec sleep 100; fi
test -f data/more/factor || exit 3
echo "time: $(cat "$1").$(($$ % 9))"
"""


PYTHON = """
import nightshift as ns
from helper import summed

@ns.problem(device="cpu", space={"steps": [40, 1, 20]})
def total(case, config):
    out = ns.output(1, dtype="float64")

    def run():
        out[0] = summed(config.steps)
    return ns.Run(run, outputs=[out], reference=lambda: [1.0])
"""
HELPER = """
def summed(steps):
    for _ in range(1000 * steps):
        pass
    return 1.0
"""


class Bundles(Case):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.addCleanup(self.expect_nothing_left)

    def expect_nothing_left(self):
        if self.temporary.exists():
            self.assertEqual(list(self.temporary.iterdir()), [])

    def environment(self, **changes):
        return super().environment(**dict({"TMPDIR": str(self.temporary)}, **changes))

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def host_study(self):
        self.put("src/k/scale.cc", SCALE)
        self.put("src/k/reference.cc", REFERENCE)
        self.put("src/common/where.h", "inline const char* volatile where;\n")
        self.put("lib/include/repeats.h", "#define REPEATS 8\n")
        self.put("lib/more/more.h", "#define MORE 1\n")
        problem = self.put("src/k/problem.toml", PROBLEM.replace("{folder}", str(self.folder)))
        result = self.tune(problem, "--budget", "3t", "--devices", "cpu:1")
        self.assertEqual(result["best"]["configuration"], {"WORK": 1})
        return result

    def bundle(self, *words, codes=(0,)):
        return self.run_nightshift("export", "study", "--format", "bundle", "--output",
                                   "made.bundle", *words, codes=codes)

    def moved(self):
        """The bundle elsewhere, and nothing left of what it was made from."""
        bundle = self.folder / "elsewhere" / "made.bundle"
        bundle.parent.mkdir()
        (self.folder / "made.bundle").rename(bundle)
        for name in ("src", "lib", "shared", "study"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return bundle

    def verify(self, bundle, *words, codes, **more):
        done = self.run_nightshift("verify", bundle, "--json", "--confidence", "quick", *words,
                                   codes=codes, **more)
        return json.loads(done.stdout)

    def manifest(self, bundle, change):
        path = bundle / "manifest.json"
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest))


class Host(Bundles):
    def verify(self, bundle, *words, codes, **more):
        return super().verify(bundle, "--devices", "cpu:1", "--min-difference", "20%", *words,
                              codes=codes, **more)

    def test_one_that_was_moved_holds(self):
        claimed = self.host_study()
        told = self.bundle().stdout
        self.assertIn("made.bundle: 10 files", told)
        bundle = self.moved()
        before = sorted((p, p.stat().st_mtime_ns) for p in bundle.rglob("*"))
        with self.subTest("what would run is said, and nothing runs"):
            outline = json.loads(self.run_nightshift("verify", bundle, "--dry-run", "--json",
                                                     codes=(0,)).stdout)
            self.assertEqual([run["of"] for run in outline["runs"]],
                             ["the winner", "the baseline"])
            self.assertTrue(outline["folder"].startswith(str(self.temporary)))
            self.assertIn("-DWORK=1", outline["runs"][0]["compile"][0])
        with self.subTest("built here"):
            result = self.verify(bundle, codes=(HOLDS,))
            self.assertEqual(result["verdict"], "holds")
            self.assertEqual(result["claim"]["ratio"], claimed["improvement"]["ratio"])
            self.assertFalse(result["other_device"])
            # Also of code that keeps the name of its file.
            self.assertTrue(result["machine_code"]["equal"])
            self.assertTrue(result["machine_code"]["built"])
            self.assertEqual(result["changes"], [])
        with self.subTest("the machine code that was kept"):
            result = self.verify(bundle, "--kept", codes=(HOLDS,))
            self.assertEqual(result["verdict"], "holds")
            self.assertFalse(result["machine_code"]["built"])
        with self.subTest("no time"):
            result = self.verify(bundle, "--budget", "1ms", codes=(UNFINISHED,))
            self.assertEqual(result["verdict"], "not reached")
            self.assertEqual(result["evaluations"], 0)
        with self.subTest("another compiler"):
            self.put("compiler", """#!/bin/sh
if [ "$*" = --version ]; then echo "another compiler 1.0"; exit; fi
exec c++ "$@" -fno-inline -O1
""").chmod(0o755)
            result = self.verify(bundle, "--set", f"host.compiler={self.folder}/compiler",
                                 codes=(HOLDS, LARGER, WORSE))
            self.assertFalse(result["machine_code"]["equal"])
            self.assertIn("here by another compiler 1.0", " ".join(result["changes"]))
        with self.subTest("for people"):
            done = self.run_nightshift("verify", bundle, "--devices", "cpu:1", "--confidence",
                                       "quick", "--min-difference", "20%", codes=(HOLDS,))
            self.assertIn("It runs as you", done.stderr)
            self.assertIn("compile  the winner: c++", done.stderr)
            self.assertTrue(done.stdout.startswith("Holds: time "), done.stdout)
            self.assertIn("builds to the machine code of the claim here", done.stdout)
        self.assertEqual(before, sorted((p, p.stat().st_mtime_ns) for p in bundle.rglob("*")))

    def test_verdicts(self):
        self.host_study()
        self.bundle()
        bundle = self.moved()
        for ratio, verdict, code in ((0.9, "larger", LARGER), (0.02, "smaller", WORSE)):
            with self.subTest(verdict):
                changed = self.claimed(bundle, ratio)
                result = self.verify(changed, codes=(code,))
                self.assertEqual(result["verdict"], verdict, result)
        with self.subTest("another device"):
            changed = self.claimed(bundle, None, device="A processor of long ago")
            result = self.verify(changed, codes=(HOLDS,))
            self.assertTrue(result["other_device"])
            done = self.run_nightshift("verify", changed, "--devices", "cpu:1", "--confidence",
                                       "quick", "--min-difference", "20%", codes=(HOLDS,))
            self.assertIn("Holds on another device:", done.stdout)
            self.assertIn("A processor of long ago", done.stdout)
        with self.subTest("lost: the baseline does less than the winner"):
            text = (bundle / "files/src/k/scale.cc").read_text()
            changed = self.replaced(bundle, "files/src/k/scale.cc",
                                    text.replace("WORK * REPEATS", "(5 - WORK) * REPEATS"))
            result = self.verify(changed, codes=(WORSE,))
            self.assertEqual(result["verdict"], "lost")
            self.assertFalse(result["machine_code"]["equal"])
        with self.subTest("broken: wrong answers"):
            changed = self.replaced(bundle, "files/src/k/scale.cc",
                                    text.replace("x[i] *= 2", "x[i] *= WORK == 1 ? 3 : 2"))
            result = self.verify(changed, codes=(BROKEN,))
            self.assertEqual(result["verdict"], "broken")
            self.assertIn("the winner", result["reason"])
        with self.subTest("broken: does not build"):
            changed = self.replaced(bundle, "files/src/k/scale.cc", "#error no kernel\n")
            self.assertIn("no kernel", self.verify(changed, codes=(BROKEN,))["reason"])
            result = self.verify(changed, "--kept", codes=(HOLDS,))  # builds the reference alone
            self.assertEqual(result["verdict"], "holds")
        with self.subTest("broken: the machine code was not kept"):
            changed = self.without(bundle, "artifacts/")
            self.assertIn("not kept", self.verify(changed, "--kept", codes=(BROKEN,))["reason"])
            self.verify(changed, codes=(HOLDS,))

    # Copies of a bundle whose manifest agrees with a change of it.

    def replaced(self, bundle, name, text):
        """Hashes are XXH3, which Python has not: verify itself says what it found."""
        copy = self.copy(bundle)
        (copy / name).write_text(text)

        def note(manifest):
            (entry,) = [e for e in manifest["files"] if e["path"] == name]
            entry["bytes"] = len(text.encode())
        self.manifest(copy, note)
        told = self.run_nightshift("verify", copy, codes=(USAGE,)).stderr
        found = told.split("has the hash ")[1].split(",")[0]

        def settle(manifest):
            (entry,) = [e for e in manifest["files"] if e["path"] == name]
            entry["hash"] = found
        self.manifest(copy, settle)
        return copy

    def claimed(self, bundle, ratio, device=None):
        claim = json.loads((bundle / "claim.json").read_text())
        if ratio:
            claim["improvement"].update(ratio=ratio, interval=[ratio * 0.999, ratio * 1.001])
        for part in claim["made_of"]:
            if device and part["kind"] == "device":
                part["value"] = device
        return self.replaced(bundle, "claim.json", json.dumps(claim))

    def without(self, bundle, start):
        copy = self.copy(bundle)
        shutil.rmtree(copy / start)

        def drop(manifest):
            manifest["files"] = [e for e in manifest["files"] if not e["path"].startswith(start)]
        self.manifest(copy, drop)
        return copy

    def copy(self, bundle):
        copy = bundle.with_name("copy.bundle")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(bundle, copy, symlinks=True)
        return copy

    def test_tampered_ones_are_refused(self):
        self.host_study()
        self.bundle()
        bundle = self.moved()
        kernel = "files/src/k/scale.cc"

        def entry(manifest, path=kernel):
            return [e for e in manifest["files"] if e["path"] == path][0]

        def link(copy):
            (copy / kernel).rename(copy.parent / "scale.cc")
            (copy / kernel).symlink_to(copy.parent / "scale.cc")

        def folder_link(copy):
            (copy / "files/src").rename(copy.parent / "src")
            (copy / "files/src").symlink_to(copy.parent / "src")

        def pipe(copy):
            (copy / kernel).unlink()
            os.mkfifo(copy / kernel)

        def listening(copy):
            (copy / "claim.json").unlink()
            with socket.socket(socket.AF_UNIX) as server:
                here = os.getcwd()
                os.chdir(copy)  # names of sockets are short
                try:
                    server.bind("claim.json")
                finally:
                    os.chdir(here)

        def path(to):
            return lambda m: entry(m).update(path=to)

        files = {
            "is not in the manifest": lambda c: (c / "files/more.h").write_text("int x;\n"),
            "'files/empty', a folder, is not in": lambda c: (c / "files/empty").mkdir(),
            "cannot be read: No such file": lambda c: (c / kernel).unlink(),
            "'files/src/k/scale.cc' is a symbolic link": link,
            "'files/src' is a symbolic link": folder_link,
            "'files/src/k/scale.cc' is a pipe": pipe,
            "'claim.json' is a socket": listening,
            "has the hash": lambda c: (c / kernel).write_text(
                (c / kernel).read_text().replace("2;", "3;")),
            "bytes, and the manifest says": lambda c: (c / kernel).write_text("int x;\n"),
            "there is no manifest.json": lambda c: (c / "manifest.json").unlink(),
        }
        manifests = {
            "has an absolute path": path("/etc/passwd"),
            "has '..' in its path": path("files/../../../etc/passwd"),
            "has '.' in its path": path("files/./scale.cc"),
            "has an empty name in its path": path("files//scale.cc"),
            "has an empty path": path(""),
            "has a control character in its path": path("files/a\nb"),
            "has a name of more than 255 bytes": path("files/" + "a" * 256),
            "names 'claim.json' twice": path("claim.json"),
            "inside of it": path("claim.json/scale.cc"),
            "is larger than 512 MiB": lambda m: entry(m).update(bytes=1 << 40),
            "more than 4 GiB of files": lambda m: m["files"].extend(
                dict(entry(m), path=f"files/{i}", bytes=1 << 29) for i in range(9)),
            "has 'bytes' that are no whole number": lambda m: entry(m).update(bytes=-1),
            "has a 'hash' that is none": lambda m: entry(m).update(hash="../../x"),
            "'root' is '/tmp/../etc'": lambda m: m.update(root="/tmp/../etc"),
            "'root' is 'tmp'": lambda m: m.update(root="tmp"),
            "'problem_file', '../p.toml', has '..'": lambda m: m.update(problem_file="../p.toml"),
            "lacks 'files/none', which is the problem": lambda m: m.update(
                problem_text="files/none"),
            "is of version 2": lambda m: m.update(version=2),
            "is no manifest": lambda m: m.update(format="other"),
            "has no 'files'": lambda m: m.pop("files"),
        }
        for words, change in files.items():
            with self.subTest(words):
                copy = self.copy(bundle)
                change(copy)
                self.refused(copy, words)
                shutil.rmtree(copy.parent / "src", ignore_errors=True)
        for words, change in manifests.items():
            with self.subTest(words):
                copy = self.copy(bundle)
                self.manifest(copy, change)
                self.refused(copy, words)
        with self.subTest("a claim that names machine code outside"):
            claim = json.loads((bundle / "claim.json").read_text())
            claim["artifact"] = "../../../../escaped"
            copy = self.replaced(bundle, "claim.json", json.dumps(claim))
            result = self.verify(copy, "--kept", codes=(BROKEN,))
            self.assertIn("machine code of then is not known", result["reason"])
        with self.subTest("a problem that reaches outside"):
            text = (bundle / "files/src/k/problem.toml").read_text()
            outside = self.put("outside.cc", SCALE)
            copy = self.replaced(bundle, "files/src/k/problem.toml",
                                 text.replace('file = "scale.cc"', f'file = "{outside}"'))
            self.refused(copy, "outside.cc, which is not in the bundle")
        self.refused(self.folder / "nowhere", "expected a folder that")
        self.refused(bundle / "claim.json", "is a file, and a bundle is a folder: unpack it first")
        self.assertEqual(list(self.folder.glob("escaped*")), [])

    def refused(self, bundle, words):
        done = self.run_nightshift("verify", bundle, codes=(USAGE,))
        told = " ".join(done.stderr.split())
        self.assertIn(words, told)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_signal_ends_it_and_nothing_is_left(self):
        self.host_study()
        self.bundle()
        bundle = self.moved()
        self.put("compiler", """#!/bin/sh
case "$*" in *-shared*) ;; *) exec c++ "$@" ;; esac
: > {0}/building
exec sleep 100
""".format(self.folder)).chmod(0o755)
        for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)):
            with self.subTest(number.name):
                process = self.start("verify", bundle, "--json", "--devices", "cpu:1", "--set",
                                     f"host.compiler={self.folder}/compiler")
                self.wait_for(lambda: (self.folder / "building").exists())
                process.send_signal(number)
                out, err = process.communicate(timeout=TIMEOUT)
                self.assertEqual(process.returncode, code, err)
                if number == signal.SIGINT:
                    self.assertEqual(json.loads(out)["verdict"], "not reached")
                self.wait_for(lambda: not list(self.temporary.iterdir()))  # the warden's turn
                (self.folder / "building").unlink()

    def test_what_cannot_be_bundled_is_said(self):
        self.host_study()
        with self.subTest("no folder is named"):
            done = self.run_nightshift("export", "study", "--format", "bundle", codes=(USAGE,))
            self.assertIn("expected the folder to write as --output", done.stderr)
        with self.subTest("it is there already"):
            (self.folder / "made.bundle").mkdir()
            self.assertIn("is there already", self.bundle(codes=(USAGE,)).stderr)
            (self.folder / "made.bundle").rmdir()
        with self.subTest("a source has changed"):
            self.put("lib/include/repeats.h", "#define REPEATS 9\n")
            told = self.bundle(codes=(USAGE,)).stderr
            self.assertIn("repeats.h has changed", told)
            self.assertIn("its claim is not that of the files of today", told)
            self.put("lib/include/repeats.h", "#define REPEATS 8\n")
        with self.subTest("machine code that is not what was built"):
            artifacts = [one for one in (self.folder / "study/artifacts").iterdir() if one.is_file()]
            for spoil in (lambda one: one.write_bytes(b"other"), lambda one: (one.unlink(), os.mkfifo(one))):
                for one in artifacts:
                    spoil(one)
                self.assertIn("the machine code of the winner is not what was built", self.bundle().stderr)
                self.assertEqual(list((self.folder / "made.bundle").glob("artifacts/*")), [])
                shutil.rmtree(self.folder / "made.bundle")
        with self.subTest("machine code that is not kept"):
            shutil.rmtree(self.folder / "study/artifacts")
            self.assertIn("the machine code of the winner is not kept", self.bundle().stderr)
        self.assertEqual(sorted(p.name for p in self.folder.glob("made*")), ["made.bundle"])
        self.put("other.toml", PROBLEM.replace("{folder}", str(self.folder)).replace("[4, 1, 2]", "[4]")
                 .replace('"scale.cc"', '"src/k/scale.cc"')
                 .replace('"reference.cc"', '"src/k/reference.cc"'))
        self.tune("other.toml", "--budget", "1t", "--devices", "cpu:1", study="none")
        done = self.run_nightshift("export", "none", "--format", "bundle", "--output", "none.bundle",
                                   codes=(USAGE,))
        self.assertIn("accepted no improvement", done.stderr)

    def test_recheck_takes_a_bundle_as_an_export(self):
        self.host_study()
        self.bundle()
        bundle = self.moved()
        done = self.run_nightshift("recheck", bundle, "--json", "--devices", "cpu:1", codes=(0,))
        self.assertEqual(json.loads(done.stdout)["verdicts"], {"unchanged": 1})


class Others(Bundles):
    def test_a_recorded_one(self):
        self.put("src/space.json", (self.recorded_space()).read_text())
        self.tune("src/space.json", "--budget", "60t")
        self.bundle()
        result = self.verify(self.moved(), codes=(HOLDS, LARGER, WORSE))
        self.assertIn(result["verdict"], ("holds", "larger", "smaller"))
        self.assertIsNone(result["machine_code"]["equal"])
        self.assertGreater(result["measured"]["pairs"], 7)

    def test_a_program_runs_from_the_bundle(self):
        self.put("src/run.sh", RUN).chmod(0o755)
        self.put("src/build.sh", "mkdir -p $2\necho $1 > $2/amount\n")
        self.put("src/data/more/factor", "1\n")
        problem = self.put("src/problem.toml", COMMAND)
        result = self.tune(problem, "--budget", "3t", "--devices", "cpu:1")
        self.assertEqual(result["best"]["configuration"], {"A": 3})
        self.bundle()
        bundle = self.moved()
        done = self.run_nightshift("verify", bundle, "--dry-run", codes=(0,))
        self.assertIn("./run.sh", done.stdout)
        self.assertIn("sh build.sh 3", done.stdout)
        for words in ((), ("--kept",)):
            # Numbers of processes are no coin: by a third of a ratio runs may differ.
            result = self.verify(bundle, "--devices", "cpu:1", "--min-difference", "40%", *words,
                                 codes=(HOLDS,))
            self.assertEqual(result["verdict"], "holds")
            self.assertTrue(result["machine_code"]["equal"])
        with self.subTest("killed while it measures"):
            measuring = self.folder / "measuring"
            process = self.start("verify", bundle, "--devices", "cpu:1",
                                 env={"MEASURING": str(measuring)})
            self.wait_for(measuring.exists)
            process.kill()
            process.communicate(timeout=TIMEOUT)
            self.wait_for(lambda: not list(self.temporary.iterdir()))  # the warden's turn

    def test_a_python_file_is_served_by_the_python_of_this_machine(self):
        self.put("src/helper.py", HELPER)
        problem = self.put("src/total.py", PYTHON)
        settings = ("acceptance.confidence=quick", "acceptance.self_test_pairs=0",
                    "acceptance.hold_out_least=8")
        words = [word for setting in settings for word in ("--set", setting)]
        result = self.tune(problem, "--budget", "3t", "--devices", "cpu:1", *words)
        self.assertEqual(result["best"]["configuration"], {"steps": 1})
        self.bundle()
        bundle = self.moved()
        self.assertEqual(sorted(p.name for p in bundle.rglob("*.py")), ["helper.py", "total.py"])
        done = self.run_nightshift("verify", bundle, "--dry-run", codes=(0,))
        self.assertIn("-m nightshift serve total.py", done.stdout)
        result = self.verify(bundle, "--devices", "cpu:1", "--min-difference", "50%",
                             codes=(HOLDS,))
        self.assertEqual(result["verdict"], "holds")
        result = self.verify(bundle, "--devices", "cpu:1", "--kept", codes=(BROKEN,))
        self.assertIn("nothing is built", result["reason"])

    def test_kernels_of_a_gpu(self):
        def environment(**changes):
            return Bundles.environment(self, **dict(fake_gpus(), **changes))
        self.environment = environment
        self.put("src/scale.cu", KERNEL)
        # What it includes is in the text that the study kept.
        self.put("shared/few.toml", FEW_PAIRS + '[cuda.derived]\nBLOCKS = "(N + BLOCK - 1) // BLOCK"\n')
        problem = self.put("src/problem.toml", 'include = ["../shared/few.toml"]' + CUDA_SCALE.replace(
            '"(N + BLOCK - 1) // BLOCK"', '"BLOCKS"'))
        result = self.tune(problem, "--budget", "4t")
        self.assertTrue(result["improvement"]["accepted"], result["improvement"])
        self.bundle()
        bundle = self.moved()
        cache = self.folder / "cache"
        for words in ((), ("--kept",)):
            result = self.verify(bundle, "--min-difference", "20%", *words, codes=(HOLDS,),
                                 env={"XDG_CACHE_HOME": str(cache), "HOME": str(cache)})
            self.assertEqual(result["verdict"], "holds")
            self.assertTrue(result["machine_code"]["equal"])
            self.assertFalse(cache.exists(), "what is built of a bundle is kept nowhere")


if __name__ == "__main__":
    main()
