#pragma once

#include <span>
#include <vector>

namespace nightshift::search {

// Several hypotheses that are judged together: adjusted p-values, in the order given. A hypothesis
// is rejected where its adjusted p is at most alpha. Then the chance of one false rejection or more
// among all of them is at most alpha, however the hypotheses depend on each other (Holm, "A simple
// sequentially rejective multiple test procedure", 1979). The i-th smallest of k values is
// multiplied by k - i + 1, and is at least as large as the one before; none exceeds 1.
//
// A p outside [0, 1], or NaN, counts as 1: it is no evidence, yet it counts among the k. An empty
// span gives an empty vector.
std::vector<double> holm(std::span<const double> p);

}  // namespace nightshift::search
