#include "search/expression/expression_functions.h"

#include <algorithm>
#include <array>

namespace nightshift::search {

namespace {

constexpr std::size_t kAnyNumber = 1000;
constexpr std::array kFunctions = {FunctionEntry{"min", Function::kMin, 1, kAnyNumber},
                                   FunctionEntry{"max", Function::kMax, 1, kAnyNumber},
                                   FunctionEntry{"abs", Function::kAbs, 1, 1},
                                   FunctionEntry{"int", Function::kInt, 1, 1},
                                   FunctionEntry{"float", Function::kFloat, 1, 1},
                                   FunctionEntry{"bool", Function::kBool, 1, 1},
                                   FunctionEntry{"round", Function::kRound, 1, 2},
                                   FunctionEntry{"ceil", Function::kCeil, 1, 1},
                                   FunctionEntry{"floor", Function::kFloor, 1, 1},
                                   FunctionEntry{"trunc", Function::kInt, 1, 1},
                                   FunctionEntry{"log2", Function::kLog2, 1, 1},
                                   FunctionEntry{"log10", Function::kLog10, 1, 1},
                                   FunctionEntry{"log", Function::kLog, 1, 2},
                                   FunctionEntry{"sqrt", Function::kSqrt, 1, 1},
                                   FunctionEntry{"pow", Function::kPow, 2, 2},
                                   FunctionEntry{"gcd", Function::kGcd, 0, kAnyNumber},
                                   FunctionEntry{"lcm", Function::kLcm, 0, kAnyNumber},
                                   FunctionEntry{"len", Function::kLen, 1, 1},
                                   FunctionEntry{"sum", Function::kSum, 1, 2},
                                   FunctionEntry{"prod", Function::kProd, 1, 1},
                                   FunctionEntry{"any", Function::kAny, 1, 1},
                                   FunctionEntry{"all", Function::kAll, 1, 1},
                                   FunctionEntry{"range", Function::kRange, 1, 3},
                                   FunctionEntry{"list", Function::kList, 1, 1},
                                   FunctionEntry{"tuple", Function::kTuple, 1, 1}};

}  // namespace

const FunctionEntry* find_function(std::string_view name) {
  const auto* entry = std::ranges::find(kFunctions, name, &FunctionEntry::name);
  return entry == kFunctions.end() ? nullptr : entry;
}

std::string function_names() {
  std::string known;
  for (const FunctionEntry& f : kFunctions)
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  return known;
}

}  // namespace nightshift::search
