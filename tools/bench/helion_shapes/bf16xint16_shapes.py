# pytorch/helion 1.0.0, examples/bf16xint16_gemm.py
from shapes import Tensor, problems, script

m = script("bf16xint16_gemm.py")
first, second, third = problems(
    m._bf16xint16_gemm, lambda M, K, N: [Tensor(M, K), Tensor(K, N, dtype="int16")],
    lambda x, w: x.double() @ w.bfloat16().double(), [(65536, 1024, 1280), (512, 512, 512), (4096, 4096, 4096)])
