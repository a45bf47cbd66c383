#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::evaluator::cuda {

// The machine code of one case of a configuration.
struct PackedModule {
  std::vector<std::string> functions;  // as the problem calls them
  std::vector<std::string> symbols;    // as the machine code does, in the same order
  std::string cubin;
  std::string launches = {};  // what a served compiler says of them (made_launch.h), else empty
  std::string remarks = {};   // of the compiler that made it (compiler_remarks.h), or empty
};

// An artifact of a CUDA problem: a module for each case, in order.
struct ArtifactPack {
  double build_seconds = 0;  // of the compiler, when this was compiled
  std::vector<PackedModule> modules;
};

// "nightshift cubins 1", the seconds, the number of modules; for each module the number of
// functions and the bytes of its cubin, its functions and symbols a line each, then the cubin.
// Where a module has `launches`, "nightshift cubins 2": the bytes of these are a third number, and
// they follow the cubin. Where one has `remarks`, "nightshift cubins 3": theirs are a fourth, and
// they follow those. Behind the seconds " check " and the hash of all that is beside it: the name
// of an artifact is the hash of what it does, not of its bytes. Packs of earlier versions are
// without.
std::string pack(const ArtifactPack& artifact);
// Throws std::runtime_error when the bytes are no such artifact, whatever they are.
ArtifactPack unpack(std::string_view bytes);
// Of the artifact's file. Throws DamagedArtifact.
ArtifactPack load_pack(const std::filesystem::path& artifact);

// Hash of what a cubin does: its code and data sections, not its notes, which hold options and
// versions, nor what debuggers read, which holds names and lines of sources. Bytes that are no
// 64-bit ELF file are hashed as they are. 32 hex digits.
std::string hash_of_code(std::string_view cubin);

}  // namespace nightshift::evaluator::cuda
