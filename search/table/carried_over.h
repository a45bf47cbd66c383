#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/table/shape_matrix.h"

namespace nightshift::search {

// What the choices of a table of another kind of device cost here.

// A choice that costs less than this more than another one is as good.
inline constexpr double kAsGood = 0.02;

struct CarriedOver {
  std::size_t shapes = 0;     // that both tables have
  std::size_t ran = 0;        // of these, on which the other's choice ran and was right
  std::size_t as_good = 0;    // of these, where it is as good as the own choice
  double of_default = 1;      // other's choice / default, weighted geometric mean of those that ran
  double own_of_default = 1;  // own choice / default, of the same shapes
  double worst = 1;           // other's choice / own choice, where that is largest
};

// `own`: the candidate of each shape in the table of this kind; `other`: that in the other table,
// nullopt where it has no such shape. Costs are the estimates of the matrix of this kind.
CarriedOver carried_over(const std::vector<MatrixColumn>& columns, const MatrixEstimates& estimates,
                         const std::vector<std::size_t>& own,
                         const std::vector<std::optional<std::size_t>>& other);

}  // namespace nightshift::search
