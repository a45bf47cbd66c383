# triton-lang/triton, python/tutorials/gluon/01-intro.py
from corpus import at, script
import nightshift as ns
at("triton-cpu/python/tutorials/gluon")
m = script("triton-cpu/python/tutorials/gluon/01-intro.py")

@ns.problem(space=ns.from_triton(m.memcpy_kernel_autotune, num_warps=[1, 2, 4, 8]), cases=[dict(N=1 << 26)])
def gluon_memcpy(case, config):
    x, y = ns.normal(case.N), ns.output(case.N)
    return ns.Run(lambda: m.memcpy_autotune(x, y), outputs=[y], reference=lambda: x)
