#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

using Dimensions = std::array<std::uint32_t, 3>;

// Bounds of a launch, whoever says it: along one axis, and bytes of dynamic shared memory.
inline constexpr std::uint32_t kMostGridBlocks = 2147483647;
inline constexpr std::uint32_t kMostBlockThreads = 1024;
inline constexpr std::uint32_t kMostClusterBlocks = 16;
inline constexpr std::uint32_t kMostDynamicShared = 1 << 20;

// A value that a launch passes which is no argument of the problem.
using Literal = std::array<std::byte, 8>;
// Positions of arguments from here on are those of the launch's literals.
constexpr std::uint32_t kFirstLiteral = std::uint32_t{1} << 31;

// How a kernel is launched as a served compiler says that made it (CudaBackend::kServed). What it
// does not say is the problem's.
struct MadeLaunch {
  std::string symbol;  // of the machine code
  std::optional<Dimensions> grid, block, cluster;
  std::optional<std::uint32_t> shared_bytes;            // dynamic
  std::optional<bool> programmatic;                     // as in CudaLaunch
  std::optional<std::vector<std::uint32_t>> arguments;  // as in CudaLaunch, and literals
  std::vector<Literal> literals;
};
using MadeLaunches = std::map<std::string, MadeLaunch, std::less<>>;  // by CudaLaunch::kernel

// Reads what the compiler wrote beside its cubin: an object
//
//   {"launches": {"KERNEL": {"symbol": "k_0d1d", "grid": [8, 4], "block": 128,
//                            "cluster": [1, 1, 1], "shared": 4096, "programmatic": false,
//                            "arguments": ["x", {"int32": 7}, null]}}}
//
// with every kernel that `cuda` launches. `symbol` is its name in the machine code, KERNEL where
// absent. grid and block (blocks, threads) are a number or up to three. An argument is the name of
// one of the problem's or of a tensor map; {"argument": "x", "type": "float32"}, which holds the
// problem's type against the kernel's; a number of a type (int32, int64, uint32, uint64, float32,
// float64); or null: a pointer that is null. Throws std::runtime_error for all else, which
// says what is wrong where. The bytes are not trusted.
MadeLaunches read_made_launches(std::string_view text, const search::CudaBackend& cuda);

}  // namespace nightshift::evaluator::cuda
