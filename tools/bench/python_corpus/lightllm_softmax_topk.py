# ModelTC/lightllm, lightllm/common/fused_moe/softmax_topk.py
from corpus import hollow
import nightshift as ns
hollow("lightllm", "lightllm/lightllm")
from lightllm.common.fused_moe.softmax_topk import softmax_topk

@ns.problem(space=ns.replacing(softmax_topk, num_warps=[1, 2, 4, 8]), cases=[dict(M=16384, E=256)])
def lightllm_softmax_topk(case, config):
    x = ns.normal(case.M, case.E, dtype="float32")
    return ns.Run(lambda: softmax_topk(x, 8, True)[0])
