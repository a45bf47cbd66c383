#include "tests/fakes/gpu/tokens.h"

#include <algorithm>
#include <cctype>

namespace fake_gpu {
namespace {

// The end of a literal that begins at `i` with its quote; raw strings are not known.
std::size_t end_of_literal(std::string_view text, std::size_t i) {
  const char quote = text[i];
  for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return std::min(i + 1, text.size());
}

}  // namespace

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (c == '\n') {
      line_start = true;
      i = end;
      continue;
    }
    if (line_start && c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      line_start = false;
      if (is_name(c)) {
        // A quote between digits belongs to the number.
        while (end < text.size() &&
               (is_name(text[end]) || (std::isdigit(c) != 0 && text[end] == '\''))) {
          ++end;
        }
      } else if (c == '"' || c == '\'') {
        end = end_of_literal(text, i);
      }
      tokens.push_back({text.substr(i, end - i), i});
    }
    i = end;
  }
  return tokens;
}

}  // namespace fake_gpu
