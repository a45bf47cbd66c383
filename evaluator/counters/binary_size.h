#pragma once

#include <cstdint>
#include <filesystem>

namespace nightshift::evaluator {

// Bytes of code and data that the file of a program or shared object holds for when it runs, as its
// ELF sections say: no symbols, no debug information, nothing that is zeros until it is written. Of
// a folder those of all programs and shared objects in it; of a folder without any, those of its
// object files. Throws std::runtime_error where there is none.
std::uint64_t binary_size(const std::filesystem::path& artifact);

}  // namespace nightshift::evaluator
