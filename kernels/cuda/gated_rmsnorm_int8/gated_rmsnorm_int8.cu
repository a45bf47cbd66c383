// Gated RMSNorm quantised to int8: common/gated_rmsnorm_quantised.cuh.
#define QUANTISED signed char
#include "common/gated_rmsnorm_quantised.cuh"
