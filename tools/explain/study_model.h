#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "search/importance/space_model.h"
#include "search/parameter_space.h"
#include "search/problem.h"

namespace nightshift::tools {

// What a random forest learns from the scores of a study (search/importance/space_model.h). Scores
// are over the baseline, lower is better; the model has their logarithms, so that means of scores
// are geometric.
struct StudyModel {
  std::size_t scored = 0;  // configurations that it could learn from, the baseline's too
  std::size_t fitted = 0;  // of these, where they are too many
  std::size_t failed = 0;  // left out: they failed, or were beyond a limit
  std::string doubt;       // why little or nothing is to be made of it; empty: it can be used
  bool has_shares = false;
  search::ModelQuality quality;

  struct ValueScore {
    std::string label;                    // the value, or "first .. last" of neighbouring ones
    double score = 1, low = 1, high = 1;  // expected; the middle half of the trees
  };
  struct Part {
    std::string parameter;
    double share = 0;
    std::vector<ValueScore> values;
  };
  struct Pair {
    std::string first, second;
    double share = 0;
  };
  std::vector<Part> parts;  // largest share first
  std::vector<Pair> pairs;  // likewise
  double rest = 0;          // share of what more than two parameters do together

  struct Advice {
    search::Configuration configuration;
    double score = 1;  // expected
    double works = 1;  // the chance that it does
  };
  bool was_advised = false;  // whether `advice` was asked for
  std::optional<Advice> advice;
  double best = 1;  // the lowest score that was measured
};

inline constexpr std::size_t kLeastScored = 16;  // fewer configurations are no model
inline constexpr double kLeastExplained = 0.3;   // by a model that can be used

// The best configuration to expect is looked for where `space` is given.
StudyModel study_model(const scheduler::History& history, const search::Problem& problem,
                       const search::ParameterSpace* space = nullptr);

}  // namespace nightshift::tools
