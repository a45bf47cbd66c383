#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::problems {

// A parameter of a kernel or a template: `const float* x` is "const float *" and "x".
struct CudaParameter {
  std::string type;  // words with a space between them; of a template: "int", "typename", ...
  std::string name;  // empty: it has none
  // Of an array, whose type is that of a pointer to its elements: 2 of `float A[N][M]` and of
  // `float (*A)[M]`.
  int extents = 0;
};

// A function as the source declares it.
struct CudaKernel {
  std::string name;  // with its namespaces, but for unnamed ones
  int line = 0;
  bool extern_c = false;
  std::string returns;  // the words before its name: "static inline int", "__global__ void"
  std::vector<CudaParameter> template_parameters;  // empty: it is no template
  std::vector<CudaParameter> parameters;
};

// "gemm<int BM, typename T>(const float *a, T *b, int n)"
std::string signature_of(const CudaKernel& kernel);

// Bytes that device code cannot use: a function, a variable or a type at file or namespace scope,
// or what stands in the braces of a type or of a member function.
struct CudaHostPart {
  std::size_t begin = 0, end = 0;
  bool ends_declaration = false;  // without it a ';' is missing
  friend bool operator==(const CudaHostPart&, const CudaHostPart&) = default;
};

}  // namespace nightshift::problems
