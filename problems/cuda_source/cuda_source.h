#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/cuda_source/cuda_function.h"

namespace nightshift::problems {

// `#define BM 128`, `const int BM = 128`, `constexpr uint BM = 128`, at file scope or in a
// function.
struct CudaDefinition {
  std::string name;
  int line = 0;
  std::size_t begin = 0, end = 0;  // of the value, in bytes
  std::string value;
};

// What a CUDA C++ source has, as far as it is told without a compiler: all branches of conditions
// but `#if 0`, and no macro expanded. Whoever can ask a compiler does.
struct CudaSourceScan {
  std::vector<CudaKernel> kernels;
  std::vector<CudaKernel> functions;  // with a body, for hosts; main() is none of them
  std::vector<CudaDefinition> definitions;
  // `typedef A B`, `using B = A` and `#define B A`: B and the words of A.
  std::vector<std::pair<std::string, std::string>> aliases;
  // Functions and variables without __device__, __global__, __constant__ or constexpr, instances
  // that the source asks for, and types that need the standard library of a host. Lines of the
  // preprocessor are not among them.
  std::vector<CudaHostPart> host_parts;
  std::set<std::string, std::less<>> device_macros;  // its macros that mark what is for the device
  int dynamic_shared_line = 0;  // of the first `extern __shared__ T name[]`; 0: there is none
  // Why it ends before the source does: "line 12: ..."; empty: all was read.
  std::string unread;
};

// `device_macros` are those of other files.
CudaSourceScan scan_cuda_source(std::string_view text,
                                std::set<std::string, std::less<>> device_macros = {});

// The kernels that `name` may mean: that of a launch, `ns::gemm<64>` or `::gemm` or `gemm`.
std::vector<const CudaKernel*> kernels_called(const CudaSourceScan& scan, std::string_view name);

}  // namespace nightshift::problems
