#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/problem.h"

namespace nightshift::problems {

// A host backend together with where its parts stand in the file.
struct PlacedHost {
  search::HostBackend backend;
  SourceLocation location;
  std::vector<SourceLocation> arguments;  // of each
};

// What is filled in where a file does not say: floats from [-1, 1], integers from 0 to 100, a
// constant 0, a normal distribution of mean 0 and deviation 1.
void set_default_fill(search::Argument& argument);

// What is wrong with the file of a vector that is filled from one, whose size comes out as a
// number; empty: nothing, or it has none.
std::string file_complaint(const search::Argument& argument,
                           const search::Expression::Lookup& lookup);

// Checks the arguments together: sizes and values must come out as numbers for the baseline of
// `problem`, and there must be an output.
void check_arguments(const search::Problem& problem, const PlacedHost& host,
                     Diagnostics& diagnostics);

// A C++ name, perhaps in namespaces.
bool is_function_name(std::string_view text);

}  // namespace nightshift::problems
