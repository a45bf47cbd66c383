"""What the configs of triton.autotune say of a study: the first that runs is the baseline, the others
are its starts. Skipped aloud where torch or triton is missing."""

import sys
import unittest

import harness

try:
    import tomllib
    import torch  # noqa: F401
    import triton  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(harness.SKIPPED)

FILE = '''
import torch, triton
import triton.language as tl
import nightshift as ns

def config(block, warps=4, **more):
    return triton.Config({"BLOCK": block}, num_warps=warps, num_stages=3, **more)

@triton.autotune(configs=CONFIGS, key=["n"]MORE)
@triton.jit
def product(x, y, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 16)
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, BLOCK):
        tile = tl.load(x + at[:, None] * n + k + at[None, :])
        total = tl.dot(tile, tile, total)
    tl.store(y + at[:, None] * BLOCK + at[None, :], total)

@triton.autotune(configs=[triton.Config({"SIZE": s}) for s in (1, 32, 64)], key=["n"])
@triton.jit
def second(x, n, SIZE: tl.constexpr):
    tl.static_assert(SIZE > 1)
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(x + at, 1.0, mask=at < n)

@ns.problem(space=SPACE, cases=[dict(n=1024)]WHERE)
def p(case, config):
    x, y = ns.normal(case.n, case.n), ns.zeros(256, 256, dtype="float32")
    BEFORE
    def call():
        product[(1,)](x, y, case.n)
        second[(8,)](y, 256)
        return y
    return ns.Run(call)
'''
PRUNES = '''
def prune(configs, named, **_):
    assert "x" in named
    return [c for c in configs if c.kwargs["BLOCK"] != 32]
'''
MODEL = '''
def model(x, n, BLOCK, num_warps, **_):
    assert tuple(x.shape) == (n, n) and x.is_cuda
    return 1000 - BLOCK + num_warps
'''


class OwnConfigs(harness.Case):
    def described(self, configs, more="", space="ns.from_triton(product)", where="", before="pass",
                  prelude="", **environment):
        """(the problem file, what was told of its configs)."""
        text = FILE.replace("CONFIGS", configs).replace("MORE", more).replace("SPACE", space).replace(
            "WHERE", where).replace("BEFORE", before).replace(
            "import nightshift as ns\n", "import nightshift as ns\n" + prelude)
        done = self.module("describe", self.write("p.py", text), CUDA_VISIBLE_DEVICES="",
                           OPENBLAS_NUM_THREADS="1",
                           TRITON_CACHE_DIR=str(self.folder / "cache"), **environment)
        return tomllib.loads(done.stdout), done.stderr

    def starts(self, file):
        return [(one["BLOCK"], one["num_warps"]) for one in file["search"]["starts"]]

    def test_the_first_that_runs_is_the_baseline(self):
        pruned = dict(prelude=PRUNES, more=', prune_configs_by={"early_config_prune": prune}')
        for first, words, options in (("config(256)", "out_of_resources|shared memory", {}),
                                      ("config(16)", "CompileTimeAssertionFailure", {}),
                                      ("config(32)", "early_config_prune drops it", pruned)):
            with self.subTest(first):
                file, told = self.described(f"[{first}, {first.replace(')', ', 8)')}, config(64)]",
                                            **options)
                self.assertEqual(file["baseline"], {"BLOCK": 64, "num_warps": 4, "num_stages": 3})
                self.assertRegex(told, f"the first config of product cannot run .*({words})")
                self.assertIn("the baseline is number 3, BLOCK=64, num_warps=4", told)

    def test_a_first_that_runs_is_it_without_a_word(self):
        file, told = self.described("[config(64), config(256)]")
        self.assertNotIn("baseline", file)
        self.assertNotIn("cannot run", told)
        self.assertEqual(self.starts(file), [(256, 4)])

    def test_where_none_runs_the_first_one_stays(self):
        file, _ = self.described("[config(256), config(16)]")
        self.assertNotIn("baseline", file)

    def test_what_the_user_says_stays(self):
        for space, where in (("ns.from_triton(product, baseline=dict(BLOCK=256))", ""),
                             ("ns.from_triton(product)", ", baseline=dict(BLOCK=256)")):
            file, told = self.described("[config(256), config(64)]", space=space, where=where)
            self.assertNotIn("baseline", file)
            self.assertNotIn("cannot run", told)
            self.assertEqual(file["parameters"]["BLOCK"]["default"], 256)

    def test_what_cannot_be_followed_leaves_the_first(self):
        for before in ("x.sum().item()", "import os; os._exit(3)", "import signal; signal.pause()",
                       "raise ValueError"):
            with self.subTest(before):
                file, told = self.described("[config(256), config(64)]", before=before,
                                            prelude="from nightshift import own_configs\n"
                                                    "own_configs._SECONDS = 8\n")
                self.assertNotIn("baseline", file)
                self.assertNotIn("cannot run", told)
                self.assertEqual(self.starts(file), [(64, 4)])

    def test_of_several_kernels_each_has_its_own(self):
        file, told = self.described("[config(16), config(64)]", space="ns.from_triton(product, second)")
        self.assertEqual({name: file["baseline"][name] for name in ("product_BLOCK", "second_SIZE")},
                         {"product_BLOCK": 64, "second_SIZE": 32})
        for kernel in ("product", "second"):
            self.assertIn(f"the first config of {kernel} cannot run", told)
        self.assertEqual([(one["product_BLOCK"], one["second_SIZE"])
                          for one in file["search"]["starts"]],
                         [(16, 1), (64, 64)])

    def test_starts_are_what_the_space_allows(self):
        file, _ = self.described(
            "[config(64), config(64), config(128, 8), config(128), config(32)]",
            where=', where=["BLOCK >= n // 16", lambda c: c.num_warps < 8]')
        self.assertEqual(self.starts(file), [(128, 4)])

    def test_a_list_that_replaces_values_leaves_starts_with_the_rest(self):
        file, _ = self.described("[config(64), config(128, 8)]",
                                 space="ns.from_triton(product, BLOCK=[32, 64])")
        self.assertEqual(self.starts(file), [(64, 8)])
        self.assertEqual(file["parameters"]["BLOCK"]["default"], 64)

    def test_perf_model_orders_them_and_top_k_counts_them(self):
        options = dict(prelude=MODEL, configs="[config(32), config(64), config(64, 8), config(128)]")
        for top_k, expected in ((2, [(128, 4), (64, 4)]), (0.75, [(128, 4), (64, 4), (64, 8)])):
            file, _ = self.described(
                more=f', prune_configs_by={{"perf_model": model, "top_k": {top_k}}}', **options)
            self.assertEqual(self.starts(file), expected)
        file, told = self.described(more=', prune_configs_by={"perf_model": lambda **_: 1 / 0, '
                                         '"top_k": 2}', **options)
        self.assertIn("perf_model of product can't be asked without a GPU (ZeroDivisionError", told)
        self.assertEqual(len(self.starts(file)), 3)

    def test_settings_of_the_file_come_first(self):
        file, _ = self.described("[config(64), config(128)]",
                                 where=', settings={"search.starts": [{"BLOCK": 128}]}')
        self.assertEqual(file["search"]["starts"], [{"BLOCK": 128}])


if __name__ == "__main__":
    unittest.main()
