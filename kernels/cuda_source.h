#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::kernels {

// A parameter of a kernel or a template: `const float* x` is "const float *" and "x".
struct CudaParameter {
  std::string type;  // words with a space between them; of a template: "int", "typename", ...
  std::string name;  // empty: it has none
};

// A __global__ function as the source declares it.
struct CudaKernel {
  std::string name;  // with its namespaces, but for unnamed ones
  int line = 0;
  bool extern_c = false;
  std::vector<CudaParameter> template_parameters;  // empty: it is no template
  std::vector<CudaParameter> parameters;
};

// `#define BM 128`, `const int BM = 128`, `constexpr uint BM = 128`, at file scope or in a function.
struct CudaDefinition {
  std::string name;
  int line = 0;
  std::size_t begin = 0, end = 0;  // of the value, in bytes
};

// Bytes that device code cannot use: a function, a variable or a type at file or namespace scope, or
// what stands in the braces of a type or of a member function.
struct CudaHostPart {
  std::size_t begin = 0, end = 0;
  bool ends_declaration = false;  // without it a ';' is missing
  friend bool operator==(const CudaHostPart&, const CudaHostPart&) = default;
};

// What a CUDA C++ source has, as far as it is told without a compiler: all branches of conditions
// but `#if 0`, and no macro expanded. Whoever can ask a compiler does.
struct CudaSourceScan {
  std::vector<CudaKernel> kernels;
  std::vector<CudaDefinition> definitions;
  // `typedef A B`, `using B = A` and `#define B A`: B and the words of A.
  std::vector<std::pair<std::string, std::string>> aliases;
  // Functions and variables without __device__, __global__, __constant__ or constexpr, instances that
  // the source asks for, and types
  // that need the standard library of a host. Lines of the preprocessor are not among them.
  std::vector<CudaHostPart> host_parts;
  // Why it ends before the source does: "line 12: ..."; empty: all was read.
  std::string unread;
};

CudaSourceScan scan_cuda_source(std::string_view text);

// "gemm<int BM, typename T>(const float *a, T *b, int n)"
std::string signature_of(const CudaKernel& kernel);

// The kernels that `name` may mean: that of a launch, `ns::gemm<64>` or `::gemm` or `gemm`.
std::vector<const CudaKernel*> kernels_called(const CudaSourceScan& scan, std::string_view name);

}  // namespace nightshift::kernels
