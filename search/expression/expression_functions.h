#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nightshift::search {

// What an expression can call. pow() and log() of two arguments are written out by the parser.
enum class Function : std::uint8_t {
  kMin,
  kMax,
  kAbs,
  kInt,
  kFloat,
  kCeil,
  kFloor,
  kLog2,
  kLog,
  kLog10,
  kSqrt,
  kRound,
  kBool,
  kPow,
  kGcd,
  kLcm,
  kLen,
  kSum,
  kProd,
  kAny,
  kAll,
  kRange,
  kList,
  kTuple
};

struct FunctionEntry {
  std::string_view name;
  Function function;
  std::size_t least, most;  // arguments
};

// nullptr where there is none. Those of Python's module math are found without it, too.
const FunctionEntry* find_function(std::string_view name);
std::string function_names();  // "min, max, ..."

}  // namespace nightshift::search
