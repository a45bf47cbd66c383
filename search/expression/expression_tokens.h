#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/value.h"

namespace nightshift::search {

// One word of an expression.
struct Token {
  enum class Kind { kLiteral, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // as it stands in the expression
  std::size_t position = 0;
  Value literal;           // kLiteral: the number, or the text between the quotes
  bool is_beyond = false;  // a whole number beyond 64 bits, whose literal is the same double
};

// The words of `text`, which outlives them; the last is kEnd. Keywords are names here.
// Throws ExpressionError.
std::vector<Token> tokenize(std::string_view text);

// Throws ExpressionError: `token` is a whole number that 64 bits do not hold.
[[noreturn]] void fail_beyond(const Token& token);

// Throws ExpressionError with "character N: expected ..., found ..." (N from 1).
[[noreturn]] void fail_at(std::size_t position, const std::string& message);

}  // namespace nightshift::search
