#pragma once

#include <string>

#include "kernels/readers/recorded/figure_check.h"
#include "kernels/readers/recorded/recording.h"

namespace nightshift::kernels {

// T4 JSON, the auto-tuning community's form of results: {metadata {timeunit}, results
// [{configuration, times {compilation | compilation_time, benchmark, framework, search_algorithm,
// validation, runtimes []}, invalidity, measurements [{name, value, unit}], objectives [name]}]}.
// Times are in milliseconds unless metadata names another unit. Results with a member `job` that is
// "confirm" or "rebaseline" are further evaluations of configurations that stand there already;
// they are left out, since a later result replaces an earlier one (recorded_space.h).
class T4Results final : public RecordingReader {
 public:
  static constexpr const char* kEntries = "results";

  void header(const std::string& key, const Json& value) override;
  bool ready() const override { return true; }
  void entry(const std::string& key, const Json& entry) override;
  Recording finish() override;

 private:
  search::Configuration configuration_of(const Json& entry);
  void settle_objective(const Json& entry);
  // What went wrong; Measured where nothing did.
  search::TrialOutcome failure_of(const Json& entry) const;

  Recording recording_;
  FigureCheck times_;
  bool objective_known_ = false;
  std::string time_unit_ = "ms";
};

}  // namespace nightshift::kernels
