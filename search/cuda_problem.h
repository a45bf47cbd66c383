#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/argument.h"
#include "search/expression.h"
#include "search/figures/own_figure.h"
#include "search/source_names.h"

namespace nightshift::search {

// Multiprocessors of the device, in expressions.
inline constexpr const char* kMultiprocessors = "SM_COUNT";

// A CUDA C++ source. CudaBackend::names says how it is told of sizes and parameters.
struct CudaSource {
  std::string file;  // absolute path; empty = not given
  std::vector<std::string> flags;
  friend bool operator==(const CudaSource&, const CudaSource&) = default;
};

// One kernel of a pipeline. Expressions are over sizes, parameters, SM_COUNT (multiprocessors of
// the device) and ELEMENT_BYTES (of DTYPE).
struct CudaLaunch {
  // An extern "C" function, or a C++ name such as "scale<BM>" or "::scale".
  std::string kernel;
  std::array<Expression, 3> grid;     // blocks
  std::array<Expression, 3> block;    // threads
  std::array<Expression, 3> cluster;  // blocks; 1, 1, 1 = no cluster
  Expression shared_bytes;            // dynamic shared memory
  std::optional<Expression> when;     // false: this launch is left out
  // True: a programmatic dependent launch, which begins before the launch before it has ended. Only
  // CudaBackend::launches have it.
  std::optional<Expression> programmatic;
  // Positions in CudaBackend::arguments; from their number on, in CudaBackend::tensor_maps. Only
  // CudaBackend::launches have maps among them.
  std::vector<std::uint32_t> arguments;
};

// In place of a launch's grid or block: what a served compiler says, which nobody else knows.
inline std::array<Expression, 3> left_to_compiler() {
  const Expression nothing = Expression::parse("0");
  return {nothing, nothing, nothing};
}
inline bool is_left_to_compiler(const std::array<Expression, 3>& extent) {
  return extent[0].text() == "0";
}

// A vector seen as a tensor of which the tensor memory accelerator copies boxes to and from shared
// memory, made anew for each configuration and passed to a kernel by value. Dimension 0 is the
// innermost, whose elements are contiguous; reads outside of the extent give zeros.
struct TensorMap {
  std::string name;
  std::uint32_t argument = 0;      // position in CudaBackend::arguments, of a vector
  std::vector<Expression> extent;  // elements of each dimension, 1 to 5
  std::vector<Expression> pitch;   // elements from one index of dimension 1, 2 ... to the next;
                                   // empty: dense
  std::vector<Expression> box;     // elements of each dimension that one copy moves
  Expression swizzle;              // bytes: 0, 32, 64 or 128
  Expression l2_promotion;         // bytes: 0, 64, 128 or 256
};

// What is allowed of an output. With r = root mean square of the expected answer:
// norm(got - expected) <= norm_gate * norm(expected), and for each element
// |got - expected| <= element_gate * (|expected| + r). 0 and 0: equal to the bit.
struct CudaGate {
  std::uint32_t argument = 0;
  double norm = 0;
  double element = 0;
};

// Kernels compiled at run time for the present device, checked and timed there.
//
// With several cases each configuration is built, checked and measured for all of them
// (Problem::cases). The reference is CUDA C++ as well and is launched on the same device:
// its floating outputs are double, everything else is as the kernel sees it. `prepare` launches, of
// the same source, compute the inputs whose fill is kComputed.
struct CudaBackend {
  // kServed: a program of the user's makes the kernel's machine code, and says how it is launched
  // (evaluator/cuda/launch/made_launch.h); the reference is NVRTC's. kAny: NVRTC and, where that
  // does not compile the source, nvcc.
  enum class Compiler : std::uint8_t { kNvrtc, kNvcc, kServed, kAny };
  enum class Timing : std::uint8_t { kAuto, kGraph, kEvents };
  using Sizes = CaseSizes;

  Compiler compiler = Compiler::kAny;
  std::string compiler_word;  // of kNvrtc and kNvcc: a version or a path; see compilers()
  std::vector<std::string> compiler_argv;  // of kServed
  // Where that is started, and what relative folders of options go by.
  std::string compiler_directory;
  CudaSource kernel;
  CudaSource reference;                      // file empty: compared with what the baseline computes
  std::vector<std::string> include_folders;  // absolute
  std::optional<ElementType> dtype;          // becomes the macro DTYPE
  std::vector<Sizes> cases;                  // at least one
  Timing timing = Timing::kAuto;
  std::vector<FlagParameter> flag_parameters;
  std::vector<Argument> arguments;
  std::vector<TensorMap> tensor_maps;
  std::vector<CudaLaunch> launches;
  std::vector<CudaLaunch> prepare;
  std::vector<CudaLaunch> reference_launches;
  std::vector<CudaGate> gates;      // of each output
  std::vector<OwnFigure> figures;   // of each objective
  std::optional<Expression> bytes;  // that one execution moves at least
  std::optional<Expression> flops;  // and computes
  bool deterministic = false;       // outputs of two runs are to be equal to the bit
  SourceNames names = SourceNames::kMacros;
};

}  // namespace nightshift::search
