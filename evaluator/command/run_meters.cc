#include "evaluator/command/run_meters.h"

#include <stdexcept>
#include <variant>

#include "evaluator/counters/binary_size.h"
#include "evaluator/counters/build_time.h"
#include "evaluator/process/artifact_path.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;

void put(std::vector<search::Samples>& figures, const OwnObjective& own, double value) {
  for (search::Samples& samples : figures) {
    if (samples.objective == own.name) samples.values.push_back(value * own.per_base_unit);
  }
}

}  // namespace

void refuse_figures(const search::Problem& problem, const OwnObjectives& own) {
  if (own.empty()) return;
  const auto& command = std::get<search::CommandBackend>(problem.backend);
  const bool is_server = command.mode == search::CommandBackend::Mode::kServer;
  for (const OwnObjective& one : own) {
    const bool is_told = one.figure == OwnFigure::kPeakMemory && command.protocol != 2;
    if (!is_server || is_told) continue;
    throw std::runtime_error("objective '" + one.name +
                             "' is measured of a program that is started for each trial; a server "
                             "has to answer with it");
  }
  const bool of_build = wants(own, OwnFigure::kBinarySize) || wants(own, OwnFigure::kBuildTime);
  if (of_build && command.build.empty()) {
    throw std::runtime_error(
        "binary_size and build_time need something that is built: say how in command.build");
  }
}

RunMeters::RunMeters(const OwnObjectives& own, const Meters& meters)
    : own_(own), counters_(counted(own), CountedFrom::kExec, *meters.counters) {
  if (wants(own, OwnFigure::kEnergy)) energy_.emplace(meters.powercap);
}

void RunMeters::begin() {
  if (energy_) begun_ = energy_->read();
  counters_.begin();
}

void RunMeters::end() {
  counters_.end();
  if (energy_) ended_ = energy_->read();
}

void add_peak_memory(const OwnObjectives& own, std::uint64_t bytes,
                     std::vector<search::Samples>& figures) {
  for (const OwnObjective& one : own) {
    if (one.figure != OwnFigure::kPeakMemory) continue;
    if (bytes == 0) {
      throw NotMeasurable("'peak_memory' cannot be measured: this kernel says that it was 0");
    }
    put(figures, one, static_cast<double>(bytes));
  }
}

void RunMeters::add_to(std::vector<search::Samples>& figures, std::uint64_t peak_memory) {
  add_peak_memory(own_, peak_memory, figures);
  const std::vector<double> counts = counters_.counts();
  estimated_ = estimated_ || counters_.estimated();
  std::size_t next = 0;
  for (const OwnObjective& own : own_) {
    if (search::is_counted(own.figure)) put(figures, own, counts[next++]);
    if (own.figure == OwnFigure::kEnergy) put(figures, own, energy_->joules(begun_, ended_));
  }
}

void add_figures_of_build(const OwnObjectives& own, const std::string& artifact_folder,
                          const std::string& artifact, search::Measurement& measurement) {
  for (const OwnObjective& one : own) {
    if (one.figure == OwnFigure::kBinarySize) {
      const auto bytes = binary_size(artifact_path(artifact_folder, artifact));
      put(measurement.figures, one, static_cast<double>(bytes));
    }
    if (one.figure != OwnFigure::kBuildTime) continue;
    put(measurement.figures, one, build_time(artifact_folder, artifact));
    measurement.conditions.emplace_back("build time", kOfFirstBuild);
  }
}

}  // namespace nightshift::evaluator
