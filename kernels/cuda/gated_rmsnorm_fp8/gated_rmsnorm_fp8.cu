// Gated RMSNorm quantised to float8_e4m3: common/gated_rmsnorm_quantised.cuh.
#define QUANTISED Float8
#include "common/gated_rmsnorm_quantised.cuh"
