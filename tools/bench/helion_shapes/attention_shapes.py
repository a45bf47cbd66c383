# pytorch/helion 1.0.0, examples/attention.py
import torch
from shapes import Tensor, problems, script

m = script("attention.py")
first, second, third = problems(
    m.attention, lambda *shape: [Tensor(*shape), Tensor(*shape), Tensor(*shape)],
    lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float()),
    [(2, 32, 1024, 64), (1, 32, 4096, 128), (4, 16, 2048, 64)],
    tolerance=1e-2)  # its weights are bfloat16
