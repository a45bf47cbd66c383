#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nightshift::search {

// A value from which on a series has another distribution.
struct ChangePoint {
  std::size_t first = 0;         // position of that value
  double before = 0, after = 0;  // medians of the segments on both sides
  double p_value = 1;
};

struct ChangeSearch {
  double level = 0.05;  // of finding any in a series that has none
  int permutations = 499;
  std::size_t shortest = 3;   // values of a segment; 2 at least
  std::size_t longest = 400;  // of a longer series the last so many are looked at
  std::uint64_t seed = 1;
};

// The steps of a series of few values with outliers and no known distribution, in their order:
// E-divisive of Matteson and James (2014, "A nonparametric approach for multiple change point
// analysis of multivariate data"), as MongoDB (2020) and Apache Otava find regressions in the
// history of benchmarks. A segment is divided where the energy distance of its two sides, weighted
// by mn / (m + n), is largest; of all segments the largest counts. It is a step where at most
// `level` of the permutations within the segments reach as much; then its sides are divided on,
// until one is none. Values are to be independent where there is no step. The time is that of
// permutations * values squared for each step. Values must be finite.
std::vector<ChangePoint> change_points(const std::vector<double>& values,
                                       const ChangeSearch& search = {});

}  // namespace nightshift::search
