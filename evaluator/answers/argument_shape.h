#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "search/argument.h"
#include "search/expression.h"

namespace nightshift::evaluator {

// How large an argument is for one configuration, or what its value is.
struct ArgumentShape {
  std::size_t elements = 0;           // of a vector
  std::array<std::byte, 8> scalar{};  // in the argument's own type
  friend bool operator==(const ArgumentShape&, const ArgumentShape&) = default;
};

// "in", "out", "inout", "work": as problem files have it.
std::string_view word_of(search::Argument::Access access);

// Evaluates size or value of an argument. Throws std::runtime_error that names it.
ArgumentShape shape_of(const search::Argument& argument, const search::Expression::Lookup& lookup);

}  // namespace nightshift::evaluator
