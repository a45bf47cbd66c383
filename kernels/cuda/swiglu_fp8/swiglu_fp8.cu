// SwiGLU quantised to float8_e4m3: common/swiglu_quantised.cuh.
#define QUANTISED Float8
#include "common/swiglu_quantised.cuh"
