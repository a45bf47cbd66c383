# vllm-project/vllm, vllm/model_executor/layers/quantization/awq_triton.py
from corpus import hollow, without
import nightshift as ns
hollow("vllm", "vllm/vllm")
without("vllm.triton_utils", tl=__import__("triton").language, triton=__import__("triton"))
from vllm.model_executor.layers.quantization.awq_triton import awq_gemm_kernel, awq_gemm_triton

@ns.problem(space=ns.replacing(awq_gemm_triton, block_size_m=[32, 16, 64], block_size_n=[32, 64, 128], block_size_k=[32, 64],
                               baseline=dict(block_size_m=32, block_size_n=32, block_size_k=32)) +
            ns.from_triton(awq_gemm_kernel, num_warps=[4, 8]), cases=[dict(M=16, N=4096, K=4096)], dtype="float16",
            tolerance=4e-3)
def vllm_awq_gemm(case, config):
    x = ns.normal(case.M, case.K)
    weights, zeros = ns.bits(case.K, case.N // 8), ns.bits(case.K // 128, case.N // 8)
    scales = ns.uniform(case.K // 128, case.N)
    return ns.Run(lambda: awq_gemm_triton(x, weights, scales, zeros, 8))
