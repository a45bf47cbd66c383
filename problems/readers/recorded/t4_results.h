#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "problems/readers/recorded/figure_check.h"
#include "problems/readers/recorded/recording.h"

namespace nightshift::problems {

// T4 JSON, the auto-tuning community's form of results: {metadata {timeunit, directions {NAME:
// "minimise" | "maximise"}, which is our own}, results
// [{configuration, times {compilation | compilation_time, benchmark, framework, search_algorithm,
// validation, runtimes []}, invalidity, measurements [{name, value, unit}], objectives [name]}]}.
// Times are in the unit that metadata names; where it names none, in the one in which the
// objective's figure is a statistic of the runtimes, else in that of the objective's times, else in
// milliseconds, which is remarked. Figures in several units of one dimension are converted into the
// first. Of several objectives the first is read, and the others are remarked. A result whose
// `correctness` is not 1 (or true) is wrong, whatever `invalidity` is. Results with a member `job` that is "confirm" or "rebaseline" are further evaluations of
// configurations that stand there already, at other times; they are left out.
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
  search::TrialOutcome failure_of(const Json& entry);
  void take_figures(const Json& entry, std::vector<double> runtimes, RecordedTrial& trial);

  void vote_for_time_unit(double figure, const std::string& unit,
                          const std::vector<double>& runtimes);
  void settle_time_unit();
  void settle_objective_unit();
  void settle_direction();
  void check_figures();

  // Of a trial that worked: what its values are, which is settled once all is known.
  struct Figures {
    std::size_t position = 0;  // of the trial
    std::string unit;          // that the file names beside the figure
    std::optional<double> figure;
    bool are_runtimes = false;  // the trial's values
  };

  Recording recording_;
  FigureCheck times_;
  bool objective_known_ = false;
  std::string time_unit_, objective_unit_;               // empty: none was named
  std::map<std::string, search::Direction> directions_;  // by the metadata
  std::map<std::string, std::size_t> votes_;
  std::size_t contradictions_ = 0;  // valid, and not right
  std::vector<Figures> figures_;
};

}  // namespace nightshift::problems
