#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// A configuration that was found before, maybe for other sizes.
struct FoundConfiguration {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // those that its file names
  std::string dtype;                                        // empty = not said
  search::Configuration configuration;                      // what its file says
};

// Reads what tools/bench/keep_measured.py writes, or a list of
//
//   {"shape": {"M": 4}, "dtype": "bfloat16", "configuration": {"THREADS": 32}}
//
// or an object whose member "found" it is; "sizes" stands for "shape", and other members are left
// alone. Throws std::runtime_error that says what is wrong with which entry. The bytes are not
// trusted.
std::vector<FoundConfiguration> read_found(std::string_view json);

// search.starts_file and search.starts_alike.
struct StartsFiles {
  // Absolute; the first is of the problem itself, the others of related ones.
  std::vector<LocatedString> files;
  std::vector<LocatedString> alike;
};
StartsFiles read_starts_files(TableReader& search, const std::string& problem_file);

// How many of a file are tried first: of the problem's own, and of each related one.
inline constexpr std::size_t kMostFoundStarts = 3;
inline constexpr std::size_t kMostRelatedStarts = 1;

// Adds to the problem's starts those configurations of each file that are nearest and valid,
// completed by the baseline and none that is there already. Nearer is what was found for the same
// type; then where expressions of `alike`, over sizes, come out as for this problem; then whose
// sizes double less often on the way from one to the other; then what comes first in the file. A
// size that an entry does not name is as here; sizes of a problem with several cases are those of
// its first. Entries of the problem's own file with values that it does not allow are passed over;
// it is a mistake where each has a parameter that the problem has not. Of entries of a related
// problem counts what they share with this one; it is a mistake where none shares a parameter.
void add_found_starts(search::Problem& problem, const StartsFiles& files,
                      const std::vector<Constants>& cases, Diagnostics& diagnostics);

}  // namespace nightshift::problems
