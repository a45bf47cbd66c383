#pragma once

#include <string>
#include <vector>

namespace fake_gpu {

struct Kernel {
  std::string symbol;      // as a module calls it
  std::string expression;  // by which the end of the program can call it
};

// The extern "C" kernels of a preprocessed program; others have no name that a module could be
// asked for, unless NVRTC was given it as a name expression. Each __global__ in `text` is blanked
// out, so that lines and columns of messages stay right.
std::vector<Kernel> take_kernels(std::string& text);

}  // namespace fake_gpu
