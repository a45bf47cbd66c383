"""A softmax of rows in Triton, with lists of values in place of triton.autotune.

    nightshift tune python/examples/softmax_triton.py
"""

import torch
import triton
import triton.language as tl

import nightshift as ns


@triton.jit
def softmax_kernel(x, y, rows, columns, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    for row in range(tl.program_id(0), rows, PROGRAMS):
        at = tl.arange(0, BLOCK)
        mask = at < columns
        values = tl.load(x + row * columns + at, mask=mask, other=float("-inf")).to(tl.float32)
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(y + row * columns + at, (powers / tl.sum(powers, axis=0)).to(y.dtype.element_ty),
                 mask=mask)


softmax = ns.tune_call(
    softmax_kernel, grid=lambda meta: (meta["PROGRAMS"],),
    arguments=lambda case: (ns.normal(case.rows, case.columns), ns.output(case.rows, case.columns),
                            case.rows, case.columns),
    outputs="y", reference=lambda x, *_: torch.softmax(x.double(), dim=1),
    lists=dict(BLOCK=[4096, 8192], PROGRAMS=[132, 264, 528, 1056, 2112, 4096],
               num_warps=[2, 4, 8, 16], num_stages=[1, 2, 3]),
    cases=[dict(rows=4096, columns=4096)], where=["BLOCK >= columns"])
