#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/problems/problem_text.h"

namespace nightshift::problems {

// A folder with the sources that the problem below names.
class CudaFolder : public ProblemFolder {
 public:
  CudaFolder() {
    write("scale.cu", "extern \"C\" __global__ void scale(const DTYPE*, float, DTYPE*);");
    // ANSWER is told by nothing that can be read, as tests change types and accesses.
    write("reference.cu", "extern \"C\" __global__ void reference(const ANSWER*, float, ANSWER*);");
  }
  // The problem below with some texts put in place of others.
  using Changes = std::vector<std::pair<std::string, std::string>>;
  static std::string changed(const Changes& changes);
};

// A small problem without mistakes.
inline std::string cuda_problem(const std::string& more = "") {
  return R"toml(name = "scale"
constraints = [
  "N % (THREADS * UNROLL) == 0",
  "BATCHES >= 2",
]
[cuda]
source = "scale.cu"
dtype = "bfloat16"
sizes = { M = 4, N = 1024 }
bytes = "2 * M * N * ELEMENT_BYTES"
flops = "M * N"
[cuda.derived]
BATCHES = "N // WORK"
WORK = "THREADS * UNROLL"
BLOCKS = "min(M * BATCHES, SM_COUNT)"
[cuda.reference]
source = "reference.cu"
flags = ["-lineinfo"]
[[cuda.reference.launch]]
kernel = "reference"
grid = "M"
block = 256
arguments = ["x", "factor", "y"]
[[cuda.argument]]
name = "x"
type = "dtype"
size = "M * N"
access = "in"
fill = "normal"
[[cuda.argument]]
name = "factor"
type = "float32"
value = 2
[[cuda.argument]]
name = "y"
type = "dtype"
size = "M * N"
access = "out"
[[cuda.argument]]
name = "counter"
type = "uint32"
size = 1
access = "work"
fill = "constant"
[[cuda.launch]]
kernel = "scale"
grid = ["BLOCKS", 2]
block = "THREADS"
shared_bytes = "THREADS * ELEMENT_BYTES if FINISH == 'kernel' else 0"
arguments = ["x", "factor", "y"]
[[cuda.launch]]
kernel = "finish<4>"
grid = 1
block = 32
cluster = "CLUSTER"
when = "FINISH == 'kernel'"
arguments = ["y", "counter"]
[parameters]
THREADS = [32, 64, 128]
UNROLL = [1, 2, 4]
CLUSTER = [1, 2]
FINISH = ["kernel", "block"]
[baseline]
THREADS = "64 if N * ELEMENT_BYTES > 1024 else 32"
FINISH = "block"
)toml" + more;
}

inline std::string CudaFolder::changed(const Changes& changes) {
  std::string text = cuda_problem();
  for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace nightshift::problems
