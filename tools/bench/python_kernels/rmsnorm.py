"""RMSNorm in Triton. A row is held by a program where BLOCK covers it, else read twice."""

import triton
import triton.language as tl

import nightshift as ns


@triton.jit
def rmsnorm_kernel(x, weight, y, rows, columns, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr,
                   WHOLE: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, PROGRAMS):
        start = row.to(tl.int64) * columns
        if WHOLE:
            mask = at < columns
            values = tl.load(x + start + at, mask=mask, other=0.0).to(tl.float32)
            scale = tl.rsqrt(tl.sum(values * values, axis=0) / columns + 1e-5)
            factor = tl.load(weight + at, mask=mask, other=0.0).to(tl.float32)
            tl.store(y + start + at, (values * scale * factor).to(y.dtype.element_ty), mask=mask)
        else:
            squares = tl.zeros((BLOCK,), dtype=tl.float32)
            for first in range(0, columns, BLOCK):
                values = tl.load(x + start + first + at, mask=first + at < columns,
                                 other=0.0).to(tl.float32)
                squares += values * values
            scale = tl.rsqrt(tl.sum(squares, axis=0) / columns + 1e-5)
            for first in range(0, columns, BLOCK):
                mask = first + at < columns
                values = tl.load(x + start + first + at, mask=mask, other=0.0).to(tl.float32)
                factor = tl.load(weight + first + at, mask=mask, other=0.0).to(tl.float32)
                tl.store(y + start + first + at,
                         (values * scale * factor).to(y.dtype.element_ty), mask=mask)


def rmsnorm(x, weight, y, rows, columns, config):
    # Triton's own launch, as an application has it.
    options = {name: config[name] for name in ("num_warps", "num_stages")}
    rmsnorm_kernel[(min(config["PROGRAMS"], rows),)](
        x, weight, y, rows, columns, BLOCK=config["BLOCK"], PROGRAMS=config["PROGRAMS"],
        WHOLE=config["BLOCK"] >= columns, **options)


SPACE = dict(BLOCK=[1024, 2048, 4096, 8192], PROGRAMS=[132, 264, 528, 1056, 2112, 4224, 8192],
             num_warps=[1, 2, 4, 8, 16, 32], num_stages=[1, 2, 3, 4])


@ns.problem(space=SPACE, cases=[dict(M=8192, N=7168)],
            baseline=dict(BLOCK=8192, PROGRAMS=8192, num_warps=8, num_stages=1))
def norm(case, config):
    x, weight = ns.normal(case.M, case.N), ns.normal(case.N)
    y = ns.output(case.M, case.N)

    def reference():
        wide = x.double()
        return wide * (wide.pow(2).mean(1, keepdim=True) + 1e-5).rsqrt() * weight.double()

    return ns.Run(lambda: rmsnorm(x, weight, y, case.M, case.N, config), outputs=[y],
                  reference=reference, bytes=4 * case.M * case.N)
