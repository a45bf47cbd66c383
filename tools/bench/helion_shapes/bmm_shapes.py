# pytorch/helion 1.0.0, examples/bmm.py
from shapes import Tensor, problems, script

m = script("bmm.py")
first, second, third = problems(
    m.bmm, lambda B, M, K, N: [Tensor(B, M, K), Tensor(B, K, N)],
    lambda a, b: a.double() @ b.double(), [(16, 512, 768, 1024), (64, 512, 128, 512), (8, 2048, 1024, 2048)])
