#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/evaluation_loop.h"
#include "tools/compare/comparison_report.h"
#include "tools/compare/field.h"
#include "tools/compare/ranking_report.h"

namespace nightshift::tools {

// What is asked of a measurement: devices as --devices says, and the seed of the order of its
// evaluations; absent: another one each time. What is not decided by `time.end` stays so.
struct ContestTerms {
  std::string devices;
  std::optional<std::uint64_t> seed;
  scheduler::EvaluationLoop::Time time = {};
  std::optional<double> wait = {};  // seconds for devices that others use; nullopt: not at all
};

// Which of two is better, and how several rank, by rounds on the devices (scheduler/ranking.h).
// nullopt where a signal stopped it. No process or folder of the measurement is left afterwards.
// The report points to the field's problem. Throws scheduler::StudyError, of it ContenderFailed,
// and scheduler::DeviceError.
std::optional<ComparisonReport> compared(const Field& field, const ContestTerms& terms);
std::optional<RankingReport> ranked(const Field& field, const ContestTerms& terms);

}  // namespace nightshift::tools
