#pragma once

#include "search/expression/operand.h"

namespace nightshift::search {

// Functions of expressions that are no function of one number. All throw ExpressionError.

// len() of a list, or of a text in code points.
Operand length_of(const Operand& a, std::size_t position);
// Never negative. Results beyond 64 bits are doubles.
Operand greatest_divisor(std::int64_t a, std::int64_t b);
Operand least_multiple(std::int64_t a, std::int64_t b);
// round() to decimal digits, of the exact value of a double. An integer has none to lose.
Operand rounded_to(const Operand& a, std::int64_t digits, std::size_t position);

}  // namespace nightshift::search
