#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/configuration.h"
#include "search/problem.h"
#include "search/scoring.h"
#include "search/trial.h"

namespace nightshift::search {

// Why nothing is to be found where so many configurations are one machine code.
std::string one_code_words(std::size_t configurations);

// Figures that nothing moves, and parameters that move nothing: a program that prints a constant or
// an option that nobody reads looks like a search without luck otherwise. A fold over what was
// explored. What it says is an observation and no verdict.
//
//   a figure      that is sought and is the same, to the last digit, in the baseline and in kFew
//                 configurations or more; where these are one machine code, that is what is said
//   a parameter   of which kFew configurations or more differ from others in it alone, and have the
//                 same machine code as these; or the same figures to the last digit; or figures
//                 that scatter within such groups as their errors and the baseline's repetitions do
//                 (chi-squared at 1 %), no value apart by more than chance has it, and by less than
//                 kNegligible even so. Where noise is larger than that nothing is said, nor of the
//                 only parameter, of which the result of the study says as much.
//
// Such groups are rare where spaces are large and searchers do not go from neighbour to neighbour:
// silence means nothing.
class Unmoved {
 public:
  static constexpr std::size_t kFew = 5;
  static constexpr double kNegligible = 0.02;
  static constexpr std::size_t kMost = 20'000;  // configurations; further ones are not looked at

  explicit Unmoved(const Problem& problem);  // which outlives it

  void baseline_measured(TrialId trial, const std::string& device, const Measurement& measurement);
  // Of explorations: measured there, or skipped since `twin` has the same machine code.
  void measured(TrialId trial, const Configuration& configuration, const std::string& device,
                const Measurement& measurement);
  void skipped(const Configuration& configuration, TrialId twin);

  std::size_t configurations() const { return points_.size(); }
  struct Observation {
    std::string about;  // the objective or the parameter
    std::string words;  // a sentence without its full stop
  };
  // `is_over`: nothing more is measured, and "so far" would be wrong.
  std::vector<Observation> observations(bool is_over = false) const;
  // The observation of a figure, where all that is sought is constant; else empty.
  std::string constant() const;

 private:
  struct Known {
    Figures figures;  // sought, in order; none where nothing is known
    // Of the first of them the logarithm over the baseline's, with its variance, where is_level.
    bool is_level = false;
    double level = 0, variance = 0;
  };
  struct Point {
    std::vector<std::uint64_t> values;  // of the parameters, hashed
    std::uint64_t all = 0;              // their sum
    std::uint64_t code = 0;             // a trial with its machine code
    Known known;
  };
  // Logarithms of a baseline's first sought figure, less the first of them.
  struct Repeats {
    double first = 0, last = 0, sum = 0, squares = 0;
    int count = 0;
  };
  struct Groups;

  void add(const Configuration& configuration, TrialId code, Known known);
  Known known_of(const std::string& device, const Measurement& measurement) const;
  double repeat_variance() const;
  bool is_one_code() const;
  bool is_constant(std::size_t sought) const;
  std::string constant_text(std::size_t sought) const;
  Groups groups_of(std::size_t parameter) const;
  std::string idle_text(std::size_t parameter, bool is_over) const;

  const Problem& problem_;
  Scoring scoring_;
  std::vector<Point> points_;
  std::vector<Figures> baselines_;
  std::map<std::string, Repeats> repeats_;          // by device
  std::unordered_map<std::uint64_t, Known> known_;  // by trial
};

}  // namespace nightshift::search
