"""Pages of docs/ that need a GPU, walked as docs_test.py does: on the fake one, or where NIGHTSHIFT_TEST_GPU=1 on
a real one."""

import importlib.util
import shutil
import subprocess
import unittest

import docs_test
import harness
from harness import SOURCE


@unittest.skipUnless(shutil.which("c++"), "no c++")
class GpuDocs(docs_test.Walker):
    def test_a_winner_in_a_program(self):
        """On the fake GPU, whose driver stands where programs look for CUDA's."""
        headers = str(SOURCE / "packaging/include")
        toolkit = SOURCE.anchor + "usr/local/cuda"
        self.more = {"CPATH": f"{headers}:{toolkit}/include", "LIBRARY_PATH": f"{toolkit}/lib64/stubs"}
        self.is_fake = not docs_test.ON_GPU
        if self.is_fake:
            (self.folder / "lib").mkdir()
            (self.folder / "lib/libcuda.so").symlink_to(harness.BUILD / "fakes/libfakecuda.so")
            lib = str(self.folder / "lib")
            self.more = harness.fake_gpus(
                CPATH=f"{headers}:{SOURCE / 'tests/fakes/gpu/driver_api'}",
                LIBRARY_PATH=lib, LD_LIBRARY_PATH=f"{lib}:{harness.BUILD / 'fakes'}")
        self.walk("morning.md")
        if self.is_fake:
            self.assertEqual(subprocess.run(["./use"], cwd=self.folder, env=self.environment(), check=True,
                                            capture_output=True, text=True).stdout, "6\n")

    @unittest.skipUnless(docs_test.ON_GPU and importlib.util.find_spec("triton"), "no GPU, or no Triton")
    def test_free_wins(self):
        self.walk("free_wins.md")


if __name__ == "__main__":
    harness.main()
