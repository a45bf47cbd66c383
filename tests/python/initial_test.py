"""Problem files to begin with, from files with kernels of Triton."""

import harness
from nightshift import initial
from nightshift.errors import UserError

TUNED = '''
@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def _add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    pass

def add(x: torch.Tensor, y: "Tensor", n: int, how="plain"):
    _add_kernel[grid](x, y, out, n)
'''
SETTINGS = '''
@triton.heuristics({"EVEN": lambda args: True})
@triton.jit
def kernel(x, n, EVEN: tl.constexpr, BLOCK: tl.constexpr, BLOCK_H: tl.constexpr):
    pass

@triton.jit
def helper(x):
    return x

class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        BLOCK, num_warps = settings(x.shape[-1])
        torch.library.wrap_triton(kernel)[(1,)](x, 5, BLOCK=BLOCK, BLOCK_H=2, num_warps=num_warps)
'''
# As packages have them: sizes that follow others, defaults, kernels in classes, one of several.
PACKAGED = '''
class Ops:
    @staticmethod
    @triton.autotune(configs=CONFIGS, key=["n"])
    @triton.jit
    def forward(x, n, BLOCK: tl.constexpr):
        pass

@triton.jit
def scan(x, n, *, BLOCK: tl.constexpr = 2048, EVEN: tl.constexpr = True):
    pass

@triton.jit
def blocks(x, BLOCK: tl.constexpr, NUM_BLOCK: tl.constexpr):
    pass

@triton.jit
def other(x, BLOCK: tl.constexpr):
    pass

def run_scan(x):
    scan[(1,)](x, x.shape[0])

def run_blocks(x):
    BLOCK = 64
    NUM_BLOCK = triton.cdiv(x.shape[0], BLOCK)
    kernel = blocks if x.is_cuda else other
    kernel[(NUM_BLOCK,)](x, BLOCK=BLOCK, NUM_BLOCK=NUM_BLOCK)

def run(x):
    kernels.Ops.forward[(1,)](x, x.shape[0])
'''


class Drafts(harness.Case):
    def draft(self, text, name="kernels.py", **options):
        made = initial.initial(str(self.write(name, text)), **options)
        compile(made, name, "exec")
        return made

    def test_an_autotuned_kernel_with_who_launches_it(self):
        made = self.draft(TUNED)
        for line in ("from kernels import _add_kernel, add", "@ns.problem(space=ns.from_triton(_add_kernel),",
                     "def add_kernel_problem(case, config):", "    x = ns.normal(", "    y = ns.normal(",
                     "    n = 1  # FILL", "    return ns.Run(lambda: add(x, y, n))"):
            self.assertIn(line, made)
        self.assertNotIn("how", made)

    def test_settings_of_the_host_are_replaced_and_the_rest_are_lists(self):
        made = self.draft(SETTINGS)
        self.assertIn("ns.replacing(Function.forward, BLOCK=[64, 128, 256], num_warps=[4, 8])", made)
        self.assertIn("ns.from_triton(kernel, BLOCK_H=[2, 1, 4], num_stages=[3, 2, 4])", made)
        self.assertIn("Function.apply(x, scale)", made)
        self.assertNotIn("EVEN", made)

    def test_a_default_of_the_kernel_is_a_list(self):
        self.assertIn("ns.from_triton(scan, BLOCK=[2048, 1024, 4096], num_warps=[4, 8], num_stages=[3, 2, 4])",
                      self.draft(PACKAGED, wanted="scan"))

    def test_what_follows_a_setting_is_none(self):
        made = self.draft(PACKAGED, wanted="blocks")
        self.assertIn("ns.replacing(run_blocks, BLOCK=[64, 32, 128]) +", made)
        self.assertIn("ns.from_triton(blocks, num_warps=[4, 8], num_stages=[3, 2, 4])", made)

    def test_a_kernel_that_a_variable_is(self):
        self.assertIn("ns.Run(lambda: run_blocks(x))", self.draft(PACKAGED, wanted="other"))

    def test_a_kernel_in_a_class_of_a_package(self):
        for name in ("pack/__init__.py", "pack/inner/__init__.py"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            self.write(name, "")
        made = self.draft(PACKAGED, name="pack/inner/kernels.py")
        for line in (f"# Belongs into {self.folder}, where pack lies", "from pack.inner.kernels import Ops, run",
                     "ns.from_triton(Ops.forward)", "def Ops_forward_problem(", "ns.Run(lambda: run(x))"):
            self.assertIn(line, made)
        alone = self.draft(PACKAGED.replace("kernels.Ops.forward[(1,)]", "print"), wanted="Ops.forward",
                           name="pack/inner/kernels.py")
        self.assertIn("from pack.inner.kernels import Ops\n", alone)

    def test_a_name_that_is_no_identifier(self):
        made = self.draft(TUNED, name="02-add.py")
        self.assertIn("module = importlib.import_module('02-add')", made)
        self.assertIn("add = module.add", made)

    def test_which_kernel(self):
        two = TUNED + SETTINGS
        self.assertIn("from_triton(_add_kernel)", self.draft(two))
        self.assertIn("kernels.py also launches: kernel", self.draft(two))
        self.assertIn("replacing(Function.forward", self.draft(two, wanted="kernel"))
        with self.assertRaisesRegex(UserError, "no kernel 'kernels'; it has _add_kernel, kernel, helper"):
            self.draft(two, wanted="kernels")

    def test_what_is_no_such_file_is_told(self):
        for text, words in (("import torch\n", "no kernel of Triton"), ("def f(:\n", "no Python")):
            with self.assertRaisesRegex(UserError, words):
                self.draft(text)
        with self.assertRaisesRegex(UserError, "can't be read"):
            initial.initial(str(self.folder / "nothing.py"))

    def test_the_command(self):
        done = self.module("init", self.write("k.py", TUNED + SETTINGS), "--function", "kernel")
        self.assertIn("from k import kernel, Function", done.stdout)


if __name__ == "__main__":
    harness.main()
