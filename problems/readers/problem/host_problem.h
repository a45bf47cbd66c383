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

// What is wrong with a vector of "sequence", whose size comes out as a number: it reaches further than its
// type. Empty: nothing, or it is none.
std::string sequence_complaint(const search::Argument& argument,
                               const search::Expression::Lookup& lookup);

// Why a vector that the kernel and what it is compared with both have is larger for some values of a
// parameter than for others, which makes them solve two problems; empty: it is not. Scratch memory of
// one's own may be, and so may what `prepare` launches compute.
std::string size_complaint(const search::Problem& problem, const search::Argument& argument,
                           const search::CaseSizes& sizes);

// Checks the arguments together: sizes and values must come out as numbers for the baseline of
// `problem`, and there must be an output. `one_size`: size_complaint() is a mistake; files of others
// (T1) have their own ways.
void check_arguments(const search::Problem& problem, const PlacedHost& host,
                     Diagnostics& diagnostics, bool one_size = false);

// A C++ name, perhaps in namespaces.
bool is_function_name(std::string_view text);

}  // namespace nightshift::problems
