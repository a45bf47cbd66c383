#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/recorded_space.h"
#include "search/expected_cost.h"
#include "search/parameter_space.h"

namespace nightshift::bench {

// One configuration of a recording, as a replay sees it.
struct ReplayTrial {
  // Lower is better whatever the objective's direction: the mean of the recorded repeats, in the
  // objective's unit, or 1 over that mean where the objective is maximised. nullopt for a failure.
  std::optional<double> value;
  std::vector<double> repeats;  // turned in the same way; empty for a failure
  double seconds = 0;           // recorded cost: build and measurement
  // A second figure that is sought as well, lower is better; of all that worked, or of none.
  std::optional<double> second = std::nullopt;
};

// A recorded space made ready for many replays at once: immutable after reading.
class ReplaySpace {
 public:
  // Throws problems::RecordedSpaceError, also where fewer than three configurations worked: there
  // is nothing to search for.
  static ReplaySpace read(const std::string& path);
  static ReplaySpace from_recording(const problems::RecordedSpace& recording, std::string name);

  const std::string& name() const { return name_; }  // the file's, without extensions
  const std::string& kernel() const {
    return kernel_;
  }  // the recording's; the name where it has
     // none
  const search::ParameterSpace& space() const { return space_; }
  const ReplayTrial& trial(search::ConfigurationIndex i) const {
    return trials_[static_cast<std::size_t>(i.value / variants_)];
  }
  // Of recorded configurations.
  std::size_t size() const { return trials_.size(); }
  std::size_t failures() const { return trials_.size() - sorted_.size(); }
  // Values of the configurations that worked, best first.
  const std::vector<double>& sorted_values() const { return sorted_; }
  double optimum() const { return sorted_.front(); }
  const std::vector<ReplayTrial>& trials() const { return trials_; }
  search::ConfigurationIndex in_file_order(std::size_t position) const {
    return file_order_[position];
  }
  void rename(std::string name) { name_ = std::move(name); }

  // The first configuration of the file that worked, as in `nightshift tune SPACE.json`.
  search::ConfigurationIndex baseline() const { return baseline_; }
  double baseline_value() const { return *trial(baseline_).value; }

  // From now on `second`, which has a figure for each row of the file, is sought as well. What has
  // none, or none above 0, has failed. Throws problems::RecordedSpaceError where fewer than three
  // configurations are left. Before add_inert().
  void seek_also(const std::vector<std::optional<double>>& second);

  // From now on there are `count` more parameters of three values that change nothing: machine code,
  // value and cost are those of the recorded configuration. Before begin_with().
  void add_inert(std::size_t count);
  // Configurations share it that differ in these alone.
  std::uint64_t code(search::ConfigurationIndex i) const {
    return static_cast<std::uint64_t>(i.value / variants_) + 1;
  }

  // What searchers propose first; nothing unless it is said.
  const std::vector<search::ConfigurationIndex>& starts() const { return starts_; }
  void begin_with(std::vector<search::ConfigurationIndex> starts) { starts_ = std::move(starts); }
  // What they expect configurations to cost; nothing unless it is said.
  const search::ExpectedCost& expected() const { return expected_; }
  void expect(search::ExpectedCost cost) { expected_ = std::move(cost); }

 private:
  ReplaySpace(std::string name, std::string kernel, search::ParameterSpace space);
  void sort_values();

  std::string name_, kernel_;
  search::ParameterSpace space_;
  base::Wide variants_ = 1;          // of each recorded configuration
  std::vector<ReplayTrial> trials_;  // by position among the recorded ones
  std::vector<double> sorted_;
  std::vector<search::ConfigurationIndex> file_order_;
  search::ConfigurationIndex baseline_;
  std::vector<search::ConfigurationIndex> starts_;
  search::ExpectedCost expected_;
};

}  // namespace nightshift::bench
