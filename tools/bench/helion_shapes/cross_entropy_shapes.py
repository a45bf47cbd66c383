# pytorch/helion 1.0.0, examples/cross_entropy.py
import torch
from shapes import Tensor, problems, script

m = script("cross_entropy.py")
first, second, third = problems(
    m.cross_entropy, lambda rows, classes: [Tensor(rows, classes, dtype="float32"),
                                            Tensor(rows, dtype="int64", high=classes)],
    lambda logits, labels: torch.nn.functional.cross_entropy(logits.double(), labels),
    [(4096, 32768), (8192, 8192), (1024, 131072)])
