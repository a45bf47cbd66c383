// SwiGLU quantised to int8: common/swiglu_quantised.cuh.
#define QUANTISED signed char
#include "common/swiglu_quantised.cuh"
