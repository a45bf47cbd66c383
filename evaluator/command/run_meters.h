#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/counters/own_objectives.h"
#include "search/measurement.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// Throws std::runtime_error where figures are to be measured of a program for which there are none.
void refuse_figures(const search::Problem& problem, const OwnObjectives& own);

// What runs of a program take besides time, each with all that it starts.
class RunMeters {
 public:
  // Of programs that this thread starts. `own` outlives it. Throws NotMeasurable.
  RunMeters(const OwnObjectives& own, const Meters& meters);
  void begin();  // right before a run
  void end();    // all that it started has ended
  // Adds the run's to the samples of their objectives; `peak_memory` is the program's, in bytes.
  // Throws NotMeasurable.
  void add_to(std::vector<search::Samples>& figures, std::uint64_t peak_memory);
  bool estimated() const { return estimated_; }  // some of the runs'

 private:
  const OwnObjectives& own_;
  HardwareCounters counters_;
  std::optional<EnergyMeter> energy_;
  EnergyMeter::Reading begun_, ended_;
  bool estimated_ = false;
};

// Adds it to the samples of the objectives that are it, if any. Throws NotMeasurable where it is 0.
void add_peak_memory(const OwnObjectives& own, std::uint64_t bytes,
                     std::vector<search::Samples>& figures);

// Those of what was built: one figure of all runs.
void add_figures_of_build(const OwnObjectives& own, const std::string& artifact_folder,
                          const std::string& artifact, search::Measurement& measurement);

}  // namespace nightshift::evaluator
