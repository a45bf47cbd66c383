#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// What a program's clock was too coarse for: a time of exactly 0 that is compared by its ratio. It
// says nothing but that the work took less than a tick, so it does not count and is measured again;
// it is an error only where nothing else comes.
class VoidSamples {
 public:
  explicit VoidSamples(const search::Problem& problem);

  // Takes such samples out of one run's figures. False: a figure has none left, the run is void.
  bool drop(std::vector<search::Samples>& figures);
  // For Measurement::conditions (search::kVoidCondition), where there were any.
  std::vector<std::pair<std::string, std::string>> conditions() const;
  // Why there is no figure, after so many runs.
  std::string complaint(int runs) const;

 private:
  bool is_time(std::string_view objective) const;

  std::vector<std::string> times_;  // objectives
  std::string last_;                // that had a void sample
  std::size_t void_ = 0, all_ = 0;  // samples of times
};

}  // namespace nightshift::evaluator
