# ModelTC/lightllm, lightllm/models/llama/triton_kernel/rmsnorm.py
from corpus import hollow
import nightshift as ns
hollow("lightllm", "lightllm/lightllm")
from lightllm.models.llama.triton_kernel.rmsnorm import rmsnorm_forward

@ns.problem(space=ns.replacing(rmsnorm_forward, num_warps=[1, 2, 4, 8, 16], BLOCK_SIZE=[4096, 8192]), cases=[dict(M=8192, N=4096)])
def lightllm_rms_norm(case, config):
    x, w = ns.normal(case.M, case.N), ns.normal(case.N)
    return ns.Run(lambda: rmsnorm_forward(x, w, 1e-6))
