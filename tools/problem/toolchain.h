#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/override.h"
#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::tools {

// A compiler as reports have it.
struct ShownToolchain {
  std::string name;     // as --compilers has it
  std::string path;     // of the program or the library
  std::string version;  // its first line, or "12.8"; empty: not known
};

// A compiler of this machine, as --compilers names it:
//
//   g++-12, /opt/llvm/bin/clang++     a C++ compiler, by its name on PATH or its path
//   12.9, nvrtc:12.9                  NVRTC of that version, of those that are found (toolkits.h)
//   nvrtc:/opt/nvrtc/libnvrtc.so.12   that file; nvrtc: the one that problems have which name none
//   nvcc, nvcc:12.8, nvcc:/opt/cuda/bin/nvcc
struct Toolchain {
  enum class Kind : std::uint8_t { kProgram, kNvrtc, kNvcc };
  Kind kind = Kind::kProgram;
  ShownToolchain shown;
  std::string compiler;  // what the problem's backend names it
};

// Of words separated by commas. Throws UsageError with all that are missing, and what is there.
std::vector<Toolchain> toolchains_of(const std::string& list);

// The word for a compiler as an identity has it (scheduler/devices/machine_identity.h), of the
// version that it had then; empty: this machine has none.
std::string word_for(const search::IdentityPart& compiler);
// Words for what else this machine has of its kind, one for each other version.
std::vector<std::string> words_beside(const search::IdentityPart& compiler);

// Whether it compiles problems of this kind.
bool concerns(const Toolchain& toolchain, const search::Problem& problem);

// The problem with its baseline compiled by it, and a configuration as it is where it is the
// compiler of that problem. Where the compiler is a parameter ("{COMPILER}") that parameter has it
// as value and default, and stays no macro; where it is made of parameters and text they are macros
// like others.
search::Problem with_toolchain(search::Problem problem, const Toolchain& toolchain);
search::Configuration with_toolchain(search::Configuration configuration,
                                     const search::Problem& problem, const Toolchain& toolchain);
// The same from outside, for a problem that is read anew and has no other compiler then.
std::vector<problems::Override> overrides_of(const Toolchain& toolchain,
                                             const search::Problem& problem);
// Whether the compiler's name is made of parameters and text, so that no overrides name one.
bool has_patched_compiler(const search::Problem& problem);

}  // namespace nightshift::tools
