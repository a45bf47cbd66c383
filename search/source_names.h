#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/configuration.h"

namespace nightshift::search {

// How the sources of [host] and [cuda] are told of sizes and parameters. In every way but kMacros,
// names among the template arguments of a function are replaced by their values.
enum class SourceNames : std::uint8_t {
  kMacros,     // -DNAME=VALUE: conditions of the preprocessor see them, and nothing else may be
               // called so
  kConstants,  // a constant at file scope each, which parameters of functions and templates may
               // shadow; texts are none
  kNone,       // nothing but template arguments
  // The values of constants and macros that the source itself defines; other names are as in kNone.
  kDefinitions,
};

// What a source is told, in order.
using ToldNames = std::vector<std::pair<std::string, Value>>;

// The definitions of kConstants, a line each. C has no constexpr: there whole numbers are
// enumerators, as array bounds need.
enum class ConstantsOf : std::uint8_t { kCpp, kC };
std::string constant_definitions(const ToldNames& told, ConstantsOf language = ConstantsOf::kCpp);

// "gemm<BM, BN * 2>" with BM = 64 and BN = 32 is "gemm<64, 32 * 2>"; of a function without template
// arguments the text itself. A negative number gets parentheses.
std::string with_values(std::string_view function, const ToldNames& told);

// The identifiers among the template arguments of `function`.
std::vector<std::string> names_among_arguments(std::string_view function);

}  // namespace nightshift::search
