#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::evaluator::cuda {

// Where the compilers of CUDA toolkits lie on this machine.

// CUDA_HOME, CUDA_PATH, /usr/local/cuda, in the order in which they are looked through for the
// compiler that a problem does not name.
std::vector<std::string> toolkit_roots();
// Those, and the toolkits of other versions beside them: /usr/local/cuda-*, the newest first.
std::vector<std::string> all_toolkit_roots();

// Files and names that may be NVRTC. NIGHTSHIFT_NVRTC (paths, separated by colons) replaces what
// else is looked through: libnvrtc.so.13, .12 and .so where the system finds them, and the
// toolkits. The first that can be opened is the compiler where none is named.
std::vector<std::string> nvrtc_candidates();
// A program that toolkits have, as it is found first: on PATH, else in a toolkit. Empty: there is
// none.
std::string toolkit_program(const std::string& name);
// Programs nvcc that are there: on PATH, and of the toolkits. Each file once.
std::vector<std::string> nvcc_programs();

// "12.8" of what `nvcc --version` prints; empty where it says none.
std::string version_of_nvcc(std::string_view text);
// Whether a compiler of version `have` is what "12" or "12.8" asks for.
bool is_version(std::string_view have, std::string_view asked);

}  // namespace nightshift::evaluator::cuda
