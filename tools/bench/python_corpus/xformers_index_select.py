# facebookresearch/xformers, xformers/ops/_triton/k_index_select_cat.py
from corpus import hollow
import nightshift as ns
hollow("xformers", "xformers/xformers")
from xformers.ops._triton.k_index_select_cat import index_select_cat_fwd, index_select_cat_fwd_kernel

@ns.problem(space=ns.from_triton(index_select_cat_fwd_kernel, BLOCK_SIZE_INDEX=[1, 2, 4], BLOCK_SIZE_COL=[512, 1024, 2048, 4096],
                               num_warps=[4, 2, 8]),
            cases=[dict(M=32768, N=4096, K=8192)])
def xformers_index_select(case, config):
    source, out = ns.normal(case.M, case.N), ns.output(case.K, case.N)
    index = ns.integers(case.K, low=0, high=case.M, dtype="int64")
    return ns.Run(lambda: index_select_cat_fwd(out, source, index), outputs=[out],
                  reference=lambda: source[index].double())
