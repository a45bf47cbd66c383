#include "search/table/expression_pieces.h"

#include <algorithm>

#include "base/text.h"

namespace nightshift::search {
namespace {

using Kind = ExpressionPiece::Kind;

bool is_of_word(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

// Behind what begins at `i`.
std::size_t end_of(std::string_view text, std::size_t i) {
  const char first = text[i];
  std::size_t end = i + 1;
  if (first == '"' || first == '\'') {
    while (end < text.size() && text[end] != first) end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  const bool is_number = base::is_digit(first) || first == '.';
  if (!is_number && !is_of_word(first)) return end;
  while (end < text.size() && (is_of_word(text[end]) || (is_number && text[end] == '.'))) ++end;
  return end;
}

Kind kind_of(std::string_view piece) {
  if (std::ranges::all_of(piece, base::is_digit)) return Kind::kWhole;
  const bool is_name = is_of_word(piece.front()) && !base::is_digit(piece.front());
  return is_name ? Kind::kName : Kind::kOther;
}

}  // namespace

std::vector<ExpressionPiece> expression_pieces(std::string_view text) {
  std::vector<ExpressionPiece> pieces;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of(text, i);
    const std::string_view piece = text.substr(i, end - i);
    pieces.push_back({kind_of(piece), std::string(piece)});
    i = end;
  }
  return pieces;
}

std::string with_other_names(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string& name)>& other) {
  std::string result;
  for (const ExpressionPiece& piece : expression_pieces(text)) {
    const auto name = piece.kind == Kind::kName ? other(piece.text) : std::nullopt;
    result += name.value_or(piece.text);
  }
  return result;
}

}  // namespace nightshift::search
