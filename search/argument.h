#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/element_type.h"
#include "search/expression.h"

namespace nightshift::search {

// What an answer may be off by: |got - expected| <= absolute + relative * |expected|. Nothing as it
// stands.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// One argument of a kernel: a scalar by value, or a vector by pointer.
struct Argument {
  // kWork, CUDA only: contents arbitrary, or, with a constant fill, that value before the first
  // launch, and left so by every launch.
  enum class Access : std::uint8_t { kIn, kOut, kInOut, kWork };
  // CUDA only: kBits are random bits (packed integers, masks); kComputed is written by the
  // problem's prepare launches. kFile: numbers of `file`, each as the nearest one of `type`.
  enum class Fill : std::uint8_t {
    kConstant,
    kUniform,
    kNormal,
    kSequence,
    kBits,
    kComputed,
    kFile
  };
  std::string name;
  ElementType type = ElementType::kFloat32;
  bool scalar = false;
  Access access = Access::kIn;
  std::optional<Expression> size;   // elements of a vector, over `sizes` and parameters
  std::optional<Expression> value;  // of a scalar, over `sizes` and parameters
  Fill fill = Fill::kUniform;
  double low = -1;  // constant: the value; uniform: lower bound; normal: mean
  double high = 1;  // uniform: upper bound; normal: standard deviation
  // CUDA only: the __constant__ array of the kernel's source that a vector is copied into, besides
  // being passed; empty = none.
  std::string constant_array = {};
  std::string file = {};  // of a kFile: an absolute path (problems/number_file.h)
  // Of an output of a [host] problem; absent: that of the problem for numbers of its kind.
  std::optional<Tolerance> tolerance = {};
};

// A parameter that becomes compiler options instead of a macro: each `{}` in `pattern` is replaced
// by the value and the result split at blanks; an empty value gives no option.
struct FlagParameter {
  std::string parameter;
  std::string pattern = "{}";
};

// The sizes of one case of a problem, by name, in the order of its file.
using CaseSizes = std::vector<std::pair<std::string, std::int64_t>>;

// "M=1024 N=1024"
inline std::string words_of(const CaseSizes& sizes) {
  std::string words;
  for (const auto& [name, value] : sizes) {
    words += (words.empty() ? "" : " ") + name + "=" + std::to_string(value);
  }
  return words;
}

}  // namespace nightshift::search
