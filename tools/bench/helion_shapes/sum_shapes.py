# pytorch/helion 1.0.0, examples/sum.py
from shapes import Tensor, problems, script

m = script("sum.py")
first, second, third = problems(
    m.sum_kernel, lambda rows, columns: [Tensor(rows, columns, dtype="float32")],
    lambda x: x.double().sum(1), [(5120, 2560), (10240, 10240), (1024, 131072)])
