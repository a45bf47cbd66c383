#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/expression/bounds.h"
#include "search/expression/scalar_table.h"

namespace nightshift::search {

using TermId = std::uint32_t;

// A node of the constraints' common graph: equal sub-expressions are one term.
//
// Sums and products of integers that cannot leave 53 bits have any number of operands, and nested
// ones are flattened into them: integer addition and multiplication may be regrouped, so whatever
// part of the operands is set folds into one number. With doubles, or where overflow is possible,
// the order is part of the meaning, and the operator stays binary.
struct Term {
  enum class Kind : std::uint8_t {
    kConstant,
    kParameter,
    kNot,
    kNegate,
    kNumber,  // unary plus
    kArithmetic,
    kSum,
    kProduct,
    kCompare,
    kAnd,
    kOr,
    kConditional,  // condition, then, otherwise
    kOneOf,        // the first equals one of the others
    kMinimum,
    kMaximum,
    kApply,
    kOpaque,  // left to the interpreter; operands: the parameters
  };
  Kind kind = Kind::kConstant;
  std::uint8_t op = 0;          // ArithmeticOperator, Comparator or Function; kOpaque: 1 = truth
  std::uint32_t parameter = 0;  // kParameter: position
  Scalar constant = {};         // kConstant
  std::vector<TermId> operands = {};
  const Expression::Node* node = nullptr;  // kOpaque
  std::vector<std::size_t> slots = {};     // kOpaque: the name slot of each operand
  Bounds bounds = {};                      // over all values of its parameters
  std::uint32_t depth = 0;                 // the longest way down

  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_folded() const { return kind == Kind::kSum || kind == Kind::kProduct; }
};

}  // namespace nightshift::search
