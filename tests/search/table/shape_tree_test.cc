#include "search/table/shape_tree.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TreeLessons lessons(const std::vector<std::int64_t>& sizes,
                    const std::vector<std::vector<double>>& costs) {
  TreeLessons all;
  for (const std::int64_t n : sizes) all.shapes.push_back({{{"N", n}}, 1});
  all.costs = costs;
  for (std::size_t c = 1; c < costs.front().size(); ++c) all.choices.push_back(c);
  return all;
}
std::size_t choice_at(const ShapeTree& tree, std::int64_t n) {
  return tree[leaf_of(tree, {{"N", n}})].choice;
}

TEST(ShapeTree, SplitsWhereTheBestChanges) {
  const TreeLessons all = lessons({10, 20, 1000, 2000},
                                  {{0, -0.3, 0.2}, {0, -0.3, 0.2}, {0, 0.2, -0.3}, {0, 0.2, -0.3}});
  const ShapeTree tree = grown_tree(all, 3, 0.03);
  ASSERT_EQ(tree.size(), 5U);
  EXPECT_EQ(choice_at(tree, 15), 1U);
  EXPECT_EQ(choice_at(tree, 20), 1U);
  EXPECT_EQ(choice_at(tree, 21), 0U) << "between both sides nothing is known";
  EXPECT_EQ(choice_at(tree, 999), 0U);
  EXPECT_EQ(choice_at(tree, 1000), 2U);
  EXPECT_EQ(tree[0].shapes, 4U);
  EXPECT_EQ(grown_tree(all, 0, 0.03).size(), 1U);
}

TEST(ShapeTree, BetweenTwoSidesStandsWhatIsGoodForBoth) {
  const TreeLessons all = lessons(
      {10, 20, 1000, 2000}, {{0, -0.3, -0.1}, {0, -0.3, -0.1}, {0, 0.2, -0.3}, {0, 0.2, -0.3}});
  const ShapeTree tree = grown_tree(all, 3, 0.03);
  EXPECT_EQ(choice_at(tree, 20), 1U);
  EXPECT_EQ(choice_at(tree, 21), 2U);
}

TEST(ShapeTree, DivisibilityIsAQuestionToo) {
  const TreeLessons all = lessons({96, 100, 160, 164, 224, 228},
                                  {{0, -0.3}, {0, 0.3}, {0, -0.3}, {0, 0.3}, {0, -0.3}, {0, 0.3}});
  const ShapeTree tree = grown_tree(all, 2, 0.03);
  EXPECT_EQ(choice_at(tree, 128), 1U);
  EXPECT_EQ(choice_at(tree, 132), 0U);
}

TEST(ShapeTree, ALeafThatLosesSomewhereIsUnsure) {
  const TreeLessons all = lessons({10, 11}, {{0, -0.5}, {0, 0.1}});
  EXPECT_EQ(choice_at(grown_tree(all, 0, 0.03), 10), 0U);
  EXPECT_EQ(choice_at(grown_tree(all, 0, 0.2), 10), 1U);
}

TEST(ShapeTree, NoLeafHasWhatIsBarredOnOneOfItsShapes) {
  TreeLessons all = lessons({10, 11, 12, 13},
                            {{0, -0.5, -0.1}, {0, -0.5, -0.1}, {0, -0.5, -0.1}, {0, -0.5, -0.1}});
  EXPECT_EQ(choice_at(grown_tree(all, 0, 0.01), 10), 1U);
  all.barred.assign(4, std::vector<bool>(3, false));
  all.barred[2][1] = true;
  const ShapeTree one = grown_tree(all, 0, 0.01);
  EXPECT_EQ(choice_at(one, 10), 2U);
  EXPECT_EQ(one[0].rests_on.size(), 4U);
  const ShapeTree two = grown_tree(all, 3, 0.01);
  EXPECT_EQ(choice_at(two, 10), 1U);
  EXPECT_EQ(choice_at(two, 12), 2U);
}

TEST(ShapeTree, ALeafOfOneShapeIsNoneWhereThereAreMany) {
  const TreeLessons all = lessons({1, 2, 4, 64}, {{0, 0.1}, {0, 0.1}, {0, 0.1}, {0, -0.5}});
  EXPECT_EQ(choice_at(grown_tree(all, 3, 0.03), 64), 0U);
}

TEST(ShapeTree, NothingIsLearnedOfNothing) {
  EXPECT_EQ(grown_tree({}, 4, 0.03).size(), 1U);
  EXPECT_EQ(choice_at(grown_tree({}, 4, 0.03), 5), 0U);
}

}  // namespace
}  // namespace nightshift::search
