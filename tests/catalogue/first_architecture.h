#pragma once

#include <string_view>

namespace nightshift {

// The first architecture that the baseline of a problem of kernels/cuda runs on, as "Before Hopper"
// in kernels/cuda/README.md has it: with products of matrices by warps compute capability 8.0, by
// warpgroups 9.0, Turing's 7.5 for all others.
inline int first_architecture(std::string_view problem) {
  if (problem.ends_with("_wgmma") || problem == "fp8_gemm" || problem == "attention_forward")
    return 90;
  return problem.ends_with("_gemm") || problem == "int4_gemv" ? 80 : 75;
}

}  // namespace nightshift
