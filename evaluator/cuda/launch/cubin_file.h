#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::evaluator::cuda {

// A section of a 64-bit ELF file.
struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, size = 0;
  std::uint32_t link = 0, info = 0;
  std::string_view contents;  // empty where it takes no room in the file
};

// In their order; nullopt where the bytes are no 64-bit ELF file that makes sense.
std::optional<std::vector<ElfSection>> sections_of(std::string_view elf);

// A __global__ function of machine code.
struct CubinKernel {
  std::string symbol;
  std::string signature;  // demangled, "void scale<4>(float*)"; of extern "C" the symbol
  // Bytes of each parameter, in order; nullopt where the file does not say.
  std::optional<std::vector<std::uint32_t>> parameters;
};
// Those of a cubin; empty where the bytes are none.
std::vector<CubinKernel> kernels_of(std::string_view cubin);

// The name in a signature without its result, template arguments and parameters: "ns::scale".
std::string plain_name(std::string_view signature);

}  // namespace nightshift::evaluator::cuda
