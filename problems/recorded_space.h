#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "problems/readers/recorded/recorded_trial.h"
#include "search/configuration.h"
#include "search/objective.h"
#include "search/parameter_space.h"

namespace nightshift::problems {

// A space that somebody measured exhaustively: Kernel Tuner's cache file (also one left open
// without its closing brackets), T4 JSON, or KTT's results as JSON or XML, plain or gzip;
// kernel_tuner_cache.h, t4_results.h and ktt_results.h say what is read of them. Several rows of
// one configuration are joined (recorded_rows.h).
class RecordedSpace {
 public:
  static RecordedSpace read(const std::string& path);  // throws RecordedSpaceError
  static RecordedSpace parse(std::string_view json, const std::string& name);

  const std::string& kernel_name() const { return kernel_name_; }
  const std::string& device_name() const { return device_name_; }
  const search::Objective& objective() const { return objective_; }
  bool has_direction() const { return has_direction_; }  // the recording says the objective's
  const std::vector<search::Parameter>& parameters() const { return parameters_; }
  const std::vector<RecordedTrial>& trials() const { return trials_; }
  // What is odd about the recording, for people.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // nullptr where it was not recorded.
  const RecordedTrial* find(const search::Configuration& configuration) const;
  // Stands in for a baseline, which recordings do not name: the first configuration in file order
  // that worked. nullptr when none did.
  const RecordedTrial* first_working() const;

 private:
  std::string kernel_name_, device_name_;
  search::Objective objective_;
  bool has_direction_ = false;
  std::vector<search::Parameter> parameters_;
  std::vector<RecordedTrial> trials_;
  std::vector<std::string> remarks_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

// The bytes of a file, decompressed when it is gzip. Throws RecordedSpaceError.
std::string read_maybe_gzip(const std::string& path);

}  // namespace nightshift::problems
