# pytorch/helion 1.0.0, examples/layer_norm.py
import torch
from shapes import Tensor, problems, script

m = script("layer_norm.py")
first, second, third = problems(
    m.layer_norm_fwd, lambda rows, columns: [Tensor(rows, columns), [columns], Tensor(columns), Tensor(columns), 1e-4],
    lambda x, shape, weight, bias, eps: torch.nn.functional.layer_norm(
        x.double(), shape, weight.double(), bias.double(), eps), [(4096, 10240), (8192, 4096), (16384, 1024)])
