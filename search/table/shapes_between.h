#pragma once

#include <cstddef>
#include <vector>

#include "search/table/table_shape.h"

namespace nightshift::search {

// Shapes that nobody measured, to judge a table by: of each measured shape and its nearest
// neighbour, in logarithms, the geometric middle of their sizes, rounded to a multiple of the power of
// two that divides both. `most` of them, those farthest from every measured shape first; none twice,
// and none that was measured.
std::vector<Sizes> shapes_between(const std::vector<TableShape>& shapes, std::size_t most);

}  // namespace nightshift::search
