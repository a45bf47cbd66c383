# vllm-project/vllm, vllm/model_executor/layers/quantization/compressed_tensors/triton_scaled_mm.py
from corpus import hollow, without
import nightshift as ns
hollow("vllm", "vllm/vllm")
without("vllm.triton_utils", use_tensor_descriptor=lambda *_: False,
        tl=__import__("triton").language, triton=__import__("triton"))
from vllm.model_executor.layers.quantization.compressed_tensors import triton_scaled_mm as m
import torch

@ns.problem(space=ns.replacing(m.triton_scaled_mm, block_size_m=[64, 128], block_size_n=[64, 128, 256], block_size_k=[64, 128, 256]) +
            ns.from_triton(m.scaled_mm_kernel, num_warps=[4, 8], num_stages=[3, 4]), cases=[dict(M=512, N=4096, K=4096)])
def vllm_scaled_mm(case, config):
    a, b = (ns.integers(size, case.K, low=-9, high=9, dtype="int8") for size in (case.M, case.N))
    sa, sb = ns.uniform(case.M, 1, dtype="float32"), ns.uniform(case.N, 1, dtype="float32")
    return ns.Run(lambda: m.triton_scaled_mm(a, b.T, sa, sb, torch.bfloat16, use_td=False))
