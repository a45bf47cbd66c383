"""The install target makes a folder that runs wherever it is put, with nothing but a base system."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import harness
from harness import Case, IMPROVED, NO_IMPROVEMENT, SOURCE

# What every system has; see cmake/RelocatableInstall.cmake.
BASE_SYSTEM = re.compile(r"^(linux-vdso|/lib64/ld-linux|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s)\.so)")
LIMIT = 60 << 20  # bytes


class Install(Case):
    def setUp(self):
        super().setUp()
        first = self.folder / "first"
        subprocess.run(["cmake", "--install", harness.BUILD, "--prefix", first, "--strip"],
                       check=True, capture_output=True)
        self.root = self.folder / "moved" / "nightshift"
        self.root.parent.mkdir()
        first.rename(self.root)
        self.programs = [self.root / "bin" / name for name in ("nightshift", "nightshift-evaluator")]

    def test_it_is_small_and_complete(self):
        size = sum(p.stat().st_size for p in self.root.rglob("*") if p.is_file() and not p.is_symlink())
        print(f"installed: {size / (1 << 20):.1f} MiB")
        self.assertLessEqual(size, LIMIT)
        self.assertTrue(list(self.root.glob("share/nightshift/kernels/host/*/problem.toml")))

    def test_libraries_come_from_the_folder_or_the_base_system(self):
        binaries = self.programs + [p for p in (self.root / "lib").iterdir() if p.is_file() and not p.is_symlink()]
        for binary in binaries:
            out = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True,
                                 env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH":
                                      str(self.root / "lib") if binary.parent.name == "lib" else ""}
                                 ).stdout
            for line in out.splitlines():
                name, _, target = line.strip().partition(" => ")
                self.assertNotIn("not found", target, f"{binary}: {line}")
                inside = target.startswith(str(self.root))
                self.assertTrue(inside or BASE_SYSTEM.match(name), f"{binary}: {line}")

    def test_no_path_of_the_build_is_left(self):
        for program in self.programs:
            out = subprocess.run(["readelf", "-d", program], check=True, capture_output=True,
                                 text=True).stdout
            paths = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", out)
            self.assertEqual(paths, ["$ORIGIN/../lib"], out)

    def test_it_has_completions_and_a_page_for_each_command(self):
        share = self.root / "share"
        commands = self.run_nightshift("commands", program=self.programs[0], codes=(0,)).stdout.split()
        self.assertIn("tune", commands)
        for page in ["nightshift", *(f"nightshift-{command}" for command in commands)]:
            text = (share / f"man/man1/{page}.1").read_text()
            self.assertTrue(text.startswith(f".TH {page.upper()} 1 "), page)
        self.assertIn("\\-\\-budget", (share / "man/man1/nightshift-tune.1").read_text())
        self.assertTrue((share / "zsh/site-functions/_nightshift").read_text().startswith("#compdef"))
        script = share / "bash-completion/completions/nightshift"
        asked = ("COMP_WORDS=(nightshift batch ru); COMP_CWORD=2; _nightshift; echo ${COMPREPLY[@]}; "
                 "COMP_WORDS=(nightshift tune --bud); COMP_CWORD=2; _nightshift; echo ${COMPREPLY[@]}; "
                 "COMP_WORDS=(nightshift tu); COMP_CWORD=1; _nightshift; echo ${COMPREPLY[@]}")
        done = subprocess.run(["bash", "-c", f"source '{script}'; {asked}"], check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), ["run", "--budget", "tune"])
        self.assertEqual(done.stderr, "")

    def test_its_pages_lead_to_what_is_there(self):
        share = self.root / "share"
        page = share / "doc/nightshift/README.md"
        links = re.findall(r"\]\(([^)#]+)\)", page.read_text())
        self.assertGreater(len(links), 2)
        for link in links:
            self.assertTrue((page.parent / link).exists(), link)
        name = (share / "man/man1/nightshift.1").read_text().split(".SH NAME\n")[1].splitlines()[0]
        self.assertTrue(name.endswith("programs in batch"), name)

    def test_both_forms_of_version_say_the_same(self):
        short, long = (self.run_nightshift(flag, program=self.programs[0], codes=(0,)).stdout
                       for flag in ("-V", "--version"))
        self.assertEqual(short, long)

    def test_the_links_of_the_package_come_and_go(self):
        """postinst and prerm in a root of their own; nothing that is not theirs is touched."""
        root = self.folder / "root"
        (root / "usr/lib").mkdir(parents=True)
        shutil.copytree(self.root, root / "usr/lib/nightshift", symlinks=True)
        (root / "usr/share/man/man1").mkdir(parents=True)
        (root / "usr/share/man/man1/nightshift-own.1").write_text("somebody's")

        def script(name, word):
            text = (SOURCE / "packaging/debian" / name).read_text()
            moved = re.sub(r"(?<![\w.$])/usr/", f"{root}/usr/", text)
            subprocess.run(["sh", "-c", moved, name, word], check=True)

        script("postinst", "configure")
        self.assertTrue((root / "usr/bin/nightshift").samefile(root / "usr/lib/nightshift/bin/nightshift"))
        links = [path for path in root.rglob("usr/share/**/*") if path.is_symlink()]
        self.assertGreater(len(links), 10)
        self.assertTrue(all(link.exists() for link in links))
        script("prerm", "upgrade")
        self.assertTrue((root / "usr/bin/nightshift").is_symlink())
        script("prerm", "remove")
        self.assertEqual([p for p in root.rglob("*") if p.is_symlink() and "lib/nightshift" not in str(p)], [])
        self.assertTrue((root / "usr/share/man/man1/nightshift-own.1").exists())

    def test_it_tunes(self):
        bare = {"LD_LIBRARY_PATH": ""}
        nightshift = self.programs[0]
        version = self.run_nightshift("--version", program=nightshift, env=bare, codes=(0,))
        self.assertTrue(version.stdout.startswith("nightshift "))
        done = self.run_nightshift("tune", self.recorded_space(), "--budget", "60t", "--json",
                                   program=nightshift, env=bare, codes=(IMPROVED, NO_IMPROVEMENT))
        self.assertEqual(json.loads(done.stdout)["evaluations"], 60)

    def test_its_python_module_describes_a_file_and_can_be_installed(self):
        module = self.root / "share/nightshift/python"
        before = sorted(module.rglob("*"))
        made = subprocess.run([sys.executable, "-c", "import sys, wheel_backend; "
                               "print(wheel_backend.build_wheel(sys.argv[1]))", str(self.folder)],
                              cwd=module, check=True, capture_output=True, text=True)
        self.assertEqual(sorted(module.rglob("*")), before)
        wheel = self.folder / made.stdout.strip()
        packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        self.assertEqual(packed, {str(file.relative_to(module))
                                  for file in (module / "nightshift").rglob("*") if file.is_file()})
        self.assertTrue((module / "nightshift/__main__.py").exists())
        example = SOURCE / "python/examples/cpu_blocks.py"
        done = self.run_nightshift("check", example, program=self.programs[0], codes=(0,))
        self.assertIn(f"PYTHONPATH={module}", done.stdout)

    def test_its_catalogue_has_what_problems_include(self):
        for name in ("layernorm", "fp8_gemm"):
            problem = self.root / "share/nightshift/kernels/cuda" / name / "problem.toml"
            done = self.run_nightshift("check", problem, "--json", program=self.programs[0], codes=(0,))
            self.assertGreater(json.loads(done.stdout)["space"]["constraints"], 15)

    def test_it_compiles_kernels(self):
        problem = self.root / "share/nightshift/kernels/host/rmsnorm/problem.toml"
        if shutil.which("c++") is None:
            self.skipTest("there is no C++ compiler here")
        done = self.run_nightshift("tune", problem, "--budget", "2t", "--json", "--set",
                                   "measure.samples=3", program=self.programs[0],
                                   codes=(IMPROVED, NO_IMPROVEMENT))
        result = json.loads(done.stdout)
        self.assertEqual((result["status"], result["evaluations"]), ("completed", 2))


if __name__ == "__main__":
    harness.main()
