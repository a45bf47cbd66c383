#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

// What a problem file says of it. What it leaves out goes by the numbers (tolerance_of()).
struct GivenTolerance {
  std::optional<double> relative;
  std::optional<double> absolute;
  friend bool operator==(const GivenTolerance&, const GivenTolerance&) = default;
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
  // Of an output of a [host] problem; what is absent is the problem's.
  GivenTolerance tolerance = {};
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

// What counts where a problem gives no tolerance.
struct UsualTolerance {
  double relative = 0;
  double of_size = 0;  // beside it: share of the size of the whole answer
  double least = 0;    // of that: the smallest normal number, since kernels may flush to zero
};

// Integers are exact: a share of a large count would let wrong ones pass.
constexpr UsualTolerance usual_tolerance(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return {1e-11, 1e-12, std::numeric_limits<double>::min()};
    case ElementType::kFloat32:
      return {1e-5, 1e-6, std::numeric_limits<float>::min()};
    default:
      return {};
  }
}

// However large the answer is, and whatever rounding explains.
inline constexpr Tolerance kMostUsualTolerance = {1e-5, 1e-6};

// Of an output; a bound that neither it nor the problem has goes by its type and by `size`, the root
// mean square of what is expected of it.
inline Tolerance tolerance_of(const GivenTolerance& problem, const Argument& output, double size) {
  const UsualTolerance usual = usual_tolerance(output.type);
  const auto given = [&](std::optional<double> GivenTolerance::*bound) {
    return output.tolerance.*bound ? output.tolerance.*bound : problem.*bound;
  };
  return {
      given(&GivenTolerance::relative).value_or(usual.relative),
      given(&GivenTolerance::absolute)
          .value_or(std::clamp(usual.of_size * size, usual.least, kMostUsualTolerance.absolute))};
}

// Whether neither says anything of it.
inline bool is_usual(const GivenTolerance& problem, const Argument& output) {
  return problem == GivenTolerance{} && output.tolerance == GivenTolerance{};
}

}  // namespace nightshift::search
