# NVIDIA/apex, apex/contrib/openfold_triton/layer_norm.py
from corpus import hollow, without
import nightshift as ns
hollow("apex", "apex/apex")
without("apex.contrib.openfold_triton._layer_norm_config_ampere", "apex.contrib.openfold_triton._layer_norm_config_hopper")
from apex.contrib.openfold_triton._layer_norm_forward_kernels import _layer_norm_forward
from apex.contrib.openfold_triton.layer_norm import LayerNormSmallShapeOptImpl

@ns.problem(space=ns.from_triton(_layer_norm_forward), cases=[dict(M=131072, N=128)])
def apex_layer_norm(case, config):
    x, w, b = ns.normal(case.M, case.N), ns.normal(case.N), ns.normal(case.N)
    return ns.Run(lambda: LayerNormSmallShapeOptImpl.apply(x, (case.N,), w, b))
