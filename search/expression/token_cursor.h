#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression_tokens.h"

namespace nightshift::search {

// More open brackets than this are refused: they would cost stack, and no constraint needs them.
inline constexpr int kMaxExpressionDepth = 100;

// A place among the words of an expression; it never moves beyond the kEnd that closes them.
class TokenCursor {
 public:
  explicit TokenCursor(std::string_view text) : tokens_(tokenize(text)) {}

  const Token& here() const { return ahead(0); }
  const Token& ahead(std::size_t n) const {
    return tokens_[std::min(next_ + n, tokens_.size() - 1)];
  }
  void skip(std::size_t n = 1) { next_ = std::min(next_ + n, tokens_.size() - 1); }

  static bool is(const Token& token, Token::Kind kind, std::string_view text) {
    return token.kind == kind && token.text == text;
  }
  bool is_symbol(std::string_view text) const { return is(here(), Token::Kind::kSymbol, text); }
  bool is_word(std::string_view text) const { return is(here(), Token::Kind::kName, text); }

  bool skip_symbol(std::string_view text) { return skip_if(is_symbol(text)); }
  bool skip_word(std::string_view text) { return skip_if(is_word(text)); }

  // Throw ExpressionError where it is not there.
  void expect_symbol(std::string_view text) {
    if (!skip_symbol(text)) fail("'" + std::string(text) + "'");
  }
  void expect_word(std::string_view text) {
    if (!skip_word(text)) fail("'" + std::string(text) + "'");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const bool at_end = here().kind == Token::Kind::kEnd;
    const std::string found = at_end ? "the end of the text" : "'" + std::string(here().text) + "'";
    fail_at(here().position, "expected " + expected + ", found " + found);
  }

 private:
  bool skip_if(bool matches) {
    if (matches) skip();
    return matches;
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace nightshift::search
