# pytorch/helion 1.0.0, examples/matmul.py
from shapes import Tensor, problems, script

m = script("matmul.py")
first, second, third = problems(
    m.matmul, lambda M, K, N: [Tensor(M, K), Tensor(K, N)],
    lambda a, b: a.double() @ b.double(), [(1024, 1024, 1024), (4096, 4096, 4096), (2048, 8192, 2048)])
