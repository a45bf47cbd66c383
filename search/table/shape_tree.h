#pragma once

#include <cstddef>
#include <vector>

#include "search/table/shape_feature.h"
#include "search/table/size_condition.h"
#include "search/table/table_shape.h"

namespace nightshift::search {

// A decision tree from sizes to a configuration, for calls that nobody measured.

struct TreeNode {
  bool is_leaf = true;
  ShapeFeature feature;           // of an inner node
  double threshold = 0;           // value <= threshold goes to `low`, else to `high`
  std::size_t low = 0, high = 0;  // positions in the tree
  std::size_t choice = 0;         // of a leaf: a candidate; 0: the default, also where it is unsure
  std::size_t shapes = 0;         // measured ones that come here
  // Of a leaf: positions of the lessons that it was learned from, of one between two sides those of
  // both.
  std::vector<std::size_t> rests_on = {};
};
using ShapeTree = std::vector<TreeNode>;  // the root first; never empty

// What it learns from. A cost is ln(candidate / default), as of ChoiceCosts.
struct TreeLessons {
  std::vector<TableShape> shapes;
  std::vector<std::vector<double>> costs;  // by shape, then by candidate
  std::vector<std::size_t> choices;        // candidates that a leaf may have, besides the default
  // By shape, then by candidate: it was not shown to be no worse than the default, so that no leaf of
  // this shape may have it. Empty: none.
  std::vector<std::vector<bool>> barred = {};
  std::vector<CandidateGuard> guards = {};  // by candidate; empty: none has any
};

// Splits are the ones that make the weighted cost of both sides smallest, greedily (Breiman et al.
// 1984 with costs in place of classes). Sizes that lie between both sides get what is good for all
// of them, or the default. A leaf has a candidate that costs least over its shapes, loses more than
// `margin` on none of them and is barred on none; else the default. Leaves have two shapes at least where there are
// four or more.
ShapeTree grown_tree(const TreeLessons& lessons, std::size_t depth, double margin);

// The leaf of a call.
std::size_t leaf_of(const ShapeTree& tree, const Sizes& sizes);

}  // namespace nightshift::search
