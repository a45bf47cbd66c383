#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression.h"

namespace nightshift::search {

// An expression as a program for a machine with a stack, so that a loader of a kernel works out a
// grid from the sizes of a call without a parser of expressions.
//
// A program is words with commas between them. A number or $NAME puts a value on the stack; an
// operator takes its operands from there and leaves its result:
//
//   of two    + - * / // % & < <= > >= == != min max and or
//   of one    neg not abs int ceil floor
//   of three  if: CONDITION,THEN,ELSE,if
//
// Values are doubles with Python's semantics: `//` and `%` floor, `and` and `or` leave an operand,
// a comparison leaves 1 or 0. All operands are worked out, also those that `if` does not take, so
// that a division by zero is no error there but NaN.
//
// What follows from `known` alone is a number; names of `free` stay. nullopt where the expression
// asks for more of the free names than programs can. Throws ExpressionError where it fails for the
// known ones, or has a name that is neither.
std::optional<std::string> size_program(const Expression& expression,
                                        const Expression::Lookup& known,
                                        const std::vector<std::string>& free);

// A number as a word of a program: every double and every whole number up to 2^53 exactly.
std::string program_word(double number);

}  // namespace nightshift::search
