#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::search {

// The text of an expression (search/expression.h) in pieces, which together are the text.
struct ExpressionPiece {
  enum class Kind : std::uint8_t {
    kWhole,  // 64
    kName,   // N, or a word of the language
    kOther,  // all else: marks, blanks, "texts", 1e5
  } kind = Kind::kOther;
  std::string text;
};
std::vector<ExpressionPiece> expression_pieces(std::string_view text);

// The same text with other names, where there is another one.
std::string with_other_names(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string& name)>& other);

}  // namespace nightshift::search
