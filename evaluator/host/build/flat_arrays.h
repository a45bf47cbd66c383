#pragma once

#include <string>
#include <vector>

#include "search/argument.h"

namespace nightshift::evaluator {

// Which vectors a function of a C source takes as arrays of arrays, `float A[NI][NJ]` or
// `float (*A)[NJ]`, by its text: they are handed on as the memory that they are, since C has no
// other pointer that all of them take. One for each argument; none where nothing is told. What they
// are arrays of is checked by c_type_clash().
std::vector<bool> flat_arrays(const std::string& source, const std::string& function,
                              const std::vector<search::Argument>& arguments);

// What to do where the first error of `complaint` is that a C function takes a vector in a way that
// its source does not show; empty otherwise.
std::string pointer_clash(const std::string& function, const std::string& complaint);

}  // namespace nightshift::evaluator
