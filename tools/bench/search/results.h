#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/search/figures.h"
#include "tools/bench/search/options.h"
#include "tools/bench/search/replay_space.h"

namespace nightshift::bench {

struct SearcherResult {
  std::string name;
  std::vector<std::optional<Figures>> spaces;  // nullopt where a peer did not run
  // Growth of the process by the end of one run on the largest space, in bytes.
  std::optional<std::size_t> memory;
};

// Whether what was measured of random search agrees with what is expected of it.
struct Calibration {
  Estimate score;                      // of the random searcher by evaluations, over all spaces
  std::optional<Estimate> score_time;  // the same by time
  double expected = 0;                 // score of uniform drawing, calculated exactly
  double error = 0;                    // standard error of the measured score
  double worst = 0;                    // deviation of a space, in its standard errors
  std::string worst_space;
  bool good() const;
};

// Spaces that are averaged: each space, each kernel, all.
struct Group {
  enum class Kind { kSpace, kKernel, kAll };
  Kind kind = Kind::kAll;
  std::string name;
  std::vector<std::size_t> members;
};

struct Results {
  std::vector<ReplaySpace> spaces;
  std::vector<SearcherResult> searchers;  // in the order of the command line, then peers
  Calibration calibration;
};

// Runs everything. Throws problems::RecordedSpaceError, UsageError.
Results measure(const Options& options);

std::vector<Group> groups_of(const std::vector<ReplaySpace>& spaces);
// nullopt where the searcher ran on none of them.
std::optional<Figures> figures_in(const SearcherResult& searcher, const Group& group);
// How many of the group's spaces the searcher ran on.
std::size_t coverage(const SearcherResult& searcher, const Group& group);

}  // namespace nightshift::bench
