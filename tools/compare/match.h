#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/evaluation_loop.h"
#include "search/problem.h"
#include "tools/compare/comparison_report.h"

namespace nightshift::tools {

// A problem and two things to compare in it.
struct Match {
  search::Problem problem;
  std::array<scheduler::Contender, 2> sides;
  bool with_configurations = true;
  std::vector<std::string> notices;  // that a study measured something else than what is compared
  // The folder that has the machine code which `sides` and `reference` name, absolute; empty: all is
  // built in a folder of its own.
  std::string artifacts = {};
  std::string reference = {};  // hash, as of EvaluationLoop::Parts
  std::string temporary = {};  // as of Contest
  std::string check = {};      // by which the outputs of two commands agreed
};

// How long the second side and the whole may take.
struct MatchTime {
  std::optional<scheduler::Clock::TimePoint> end;  // undecided then
  bool first_limits_second = false;                // see EvaluationLoop::Time
};

// Which of them is better, by pairs on `devices` (as --devices says), whose order is drawn by `seed`;
// absent: by another one each time. nullopt where a signal stopped it. No process or folder of the
// measurement is left afterwards. Throws scheduler::StudyError, of it ContenderFailed, and
// scheduler::DeviceError.
std::optional<ComparisonReport> measured(const Match& match, const std::string& devices,
                                         std::optional<std::uint64_t> seed,
                                         const MatchTime& time = {});

}  // namespace nightshift::tools
