# pytorch/helion 1.0.0, examples/rms_norm.py
from shapes import Tensor, problems, script

m = script("rms_norm.py")
first, second, third = problems(
    m.rms_norm_fwd, lambda rows, columns: [Tensor(rows, columns), Tensor(columns), 1e-5],
    lambda x, weight, eps: x.double() * (x.double().pow(2).mean(1, True) + eps).rsqrt() * weight.double(),
    [(2048, 4096), (2048, 8192), (32768, 2048)])
