// A linear layer in 8-bit integers, with the activations quantised on the way. How they are
// quantised is a parameter like any other, and the error of the result an objective beside time:
//
//   q[m][k] = clamp(round(x[m][k] / scale) + zero, -128, 127)
//   y[m][n] = scale * weight_scale[n] * (sum over k of q[m][k] * w[n][k] - zero * weight_sum[n])
//
// x: M x K of bfloat16; w: N x K of int8; weight_scale: N of float32; weight_sum: N of int32, the
// sums of the rows of w; y: M x N of bfloat16.
//
// Four kernels in a row: the three of common/activation_range.cuh, which quantise, and `int8_gemm`,
// which multiplies. int8_linear_wgmma.cu does the same faster on Hopper GPUs.
//
// Parameters: those of common/matrix_product.cuh and common/activation_range.cuh.
#define DTYPE signed char
#include "common/activation_range.cuh"
#include "common/matrix_product.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    int8_gemm(const signed char* __restrict__ q, const signed char* __restrict__ w,
              const Quantisation* __restrict__ quantisation, const float* __restrict__ weight_scale,
              const int* __restrict__ weight_sum, bfloat16* __restrict__ y) {
  extern __shared__ __align__(128) unsigned char slabs[];
  MatrixProduct<int> product(q, w, slabs);
  product.run();
  const Quantisation how = *quantisation;
  product.for_each_pair([&](int m, int n, int left, int right) {
    const float values[2] = {static_cast<float>(left - how.zero * weight_sum[n]),
                             static_cast<float>(right - how.zero * weight_sum[n + 1])};
    *reinterpret_cast<__nv_bfloat162*>(y + static_cast<long long>(m) * N + n) =
        __floats2bfloat162_rn(values[0] * how.scale * weight_scale[n],
                              values[1] * how.scale * weight_scale[n + 1]);
  });
}
