#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator {

// Machine code of a configuration for one case of a CUDA problem, and how another program launches
// it: what the evaluator measured, without the evaluator. Numbers that follow from the sizes of a
// call and from SM_COUNT are programs (search/table/size_program.h).
struct KernelPlan {
  struct Argument {
    std::string name, type, access;  // access of a vector
    bool scalar = false;
    std::string extent;  // program: elements of a vector, the value of a scalar
    std::string fill;    // bytes of an element that a work vector begins with; empty: anything
  };
  struct Map {
    std::size_t argument = 0;
    int type = 0;                                   // CUtensorMapDataType
    std::string swizzle, l2_promotion;              // programs: bytes
    std::vector<std::string> extent, pitch, boxes;  // programs: elements, bytes, elements
  };
  struct Taken {
    enum class Kind : std::uint8_t { kArgument, kMap, kLiteral } kind = Kind::kArgument;
    std::uint64_t value = 0;  // a position, or the bits of a literal
  };
  struct Launch {
    std::string symbol;  // of the machine code
    std::array<std::string, 3> grid, block, cluster;
    std::string shared_bytes, when, programmatic;
    std::vector<Taken> takes;
  };

  std::vector<std::pair<std::string, std::int64_t>> sizes;  // of the case
  // Code and programs serve other sizes as well.
  bool for_any_sizes = false;
  std::string cubin;
  std::vector<Argument> arguments;
  std::vector<Map> maps;
  std::vector<Launch> launches;
};

}  // namespace nightshift::evaluator
