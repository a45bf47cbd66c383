# pytorch/helion 1.0.0, examples/welford.py
import torch
from shapes import Tensor, problems, script

m = script("welford.py")
first, second, third = problems(
    m.welford, lambda rows, columns: [Tensor(columns, dtype="float32"), Tensor(columns, dtype="float32"),
                                      Tensor(rows, columns, dtype="float32")],
    lambda weight, bias, x: torch.nn.functional.layer_norm(x.double(), x.shape[1:], weight.double(), bias.double()),
    [(262144, 1024), (262144, 1536), (262144, 2048)])
