# pytorch/helion 1.0.0, examples/geglu.py
import torch
from shapes import Tensor, problems, script

m = script("geglu.py")
first, second, third = problems(
    m.geglu, lambda *shape: [Tensor(*shape), Tensor(*shape)],
    lambda a, b: torch.nn.functional.gelu(a.double(), approximate="tanh") * b.double(),
    [(8, 2048, 4096), (8, 4096, 8192), (1, 2048, 4096)])
