#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problems/shapes/shape_list.h"

namespace nightshift::problems {

// As many studies as a batch file may make: those of the longest list of shapes.
inline constexpr std::size_t kMostStudies = kMostShapes;

// What an entry of a batch file makes: a study for each shape and each combination of values.
struct StudyProduct {
  std::string name;                // of the entry, for people
  std::size_t shapes = 1;          // of its list; 1 where it has none
  std::vector<std::size_t> lists;  // how many values each list of `each` has
};
// Why these and `so_far` other studies of the file are too many, with their number; empty where they
// are not. Nothing is made to find out.
std::string flaw_of_product(const StudyProduct& product, std::size_t so_far);

}  // namespace nightshift::problems
