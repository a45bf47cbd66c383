"""The programs of tools/bench/free_wins: their kernels compile as for an H100, and all that they launch is recorded. Those of
other libraries and of torch.compile need a real GPU."""

import capturing  # first: it pretends the GPU
import harness

from capturing import EMULATED, HOOK, captured, launches_of, run

PROGRAMS = harness.MODULE.parent / "tools" / "bench" / "free_wins"


class FreeWins(harness.Case):
    def collected(self, name, *words):
        """{kernel: the blocks that the studies of its launches would try}"""
        done = run(PROGRAMS / name, "--device", "cpu", "--steps", 3, *words, path=(HOOK, EMULATED),
                   NIGHTSHIFT_COLLECT=self.folder / "c", NIGHTSHIFT_COLLECT_SHARE="0.9")
        told = captured(self.folder / "c")
        self.assertEqual(told["faults"], {})
        found = launches_of(told)
        self.assertEqual([one["why"] for launches in found.values() for one in launches if not one["detail"]], [])
        self.assertRegex(done.stdout, r"^checksum \S+\nstep [0-9.]+ ms\n$")
        return {kernel: sorted(sorted(one["detail"]["space"]["blocks"]) for one in launches)
                for kernel, launches in found.items()}

    def test_a_decoding_step(self):
        found = self.collected("decode_step.py", "--layers", 1, "--width", 512, "--words", 96, "--batch", 2, "--context", 64)
        self.assertEqual(found, {
            "few_rows_matmul": [["BLOCK_N"]] * 5, "add_norm": [[]], "attend": [[]], "rotate_and_keep": [[]],
            "join_parts": [[]], "gated": [["BLOCK"]]})

    def test_the_planted_loser_has_a_block_to_lose_by(self):
        found = self.collected("neighbours.py", "--scale", 160)
        self.assertEqual(found, {"aside": [["BLOCK"]], "busy": [[]], "squared": [["BLOCK"]]})

    def test_kernels_that_are_best_already(self):
        found = self.collected("neighbours.py", "--scale", 16, "--only", "copies")
        self.assertEqual(found, {"copied": [["BLOCK"]], "summed": [["BLOCK"]]})


if __name__ == "__main__":
    capturing.harness.main()
