#include "search/table/expression_pieces.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(ExpressionPieces, TogetherAreTheText) {
  for (const std::string text :
       {"960 % V == 0", "A == 'it\\'s 960' and b1*1.5e3>=(2)", "'open", "", ".5+x.y"}) {
    std::string whole;
    for (const ExpressionPiece& piece : expression_pieces(text)) whole += piece.text;
    EXPECT_EQ(whole, text);
  }
}

TEST(ExpressionPieces, NamesAreReplacedAndNothingElse) {
  const auto other = [](const std::string& name) -> std::optional<std::string> {
    if (name != "N") return std::nullopt;
    return "ROWS";
  };
  EXPECT_EQ(with_other_names("N % NN == 0 and N1 != 'N'", other), "ROWS % NN == 0 and N1 != 'N'");
}

TEST(ExpressionPieces, WholeNumbersAreNoPartsOfOthers) {
  std::string wholes;
  for (const ExpressionPiece& piece : expression_pieces("64 < V1 * 1.5 + 2e3 - '7' + (8)")) {
    if (piece.kind == ExpressionPiece::Kind::kWhole) wholes += piece.text + " ";
  }
  EXPECT_EQ(wholes, "64 8 ");
}

}  // namespace
}  // namespace nightshift::search
