#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/journal.h"

namespace nightshift::scheduler {

// One measurement within a confirmation.
struct Evaluation {
  std::string device;  // Device::key()
  int round = 0;       // of this device, from 0
  Arm arm = Arm::kNone;
  bool fresh_process = false;  // first of a block of rounds
  bool begins_round = false;
  friend bool operator==(const Evaluation& a, const Evaluation& b) {
    return a.device == b.device && a.round == b.round && a.arm == b.arm;
  }
};

// How an evaluation ended.
struct EvaluationResult {
  // In the unit of what is judged, oriented so that lower is better; nullopt: it failed.
  std::optional<double> cost;
  // Of each case by itself, where the problem asks for the worst one; see Scoring::case_costs().
  std::vector<double> case_costs = {};
  std::optional<double> tail;  // the same of the evaluation's p95; nullopt where it has few samples
  std::string failure;         // why there is no cost
  bool is_blameless = false;   // the device or the end of the time, not the configuration
  std::string beyond_limits;   // measured, but beyond a limit of the problem
  std::string disturbance;     // see Measurement::disturbance
  double started = 0, finished = 0;  // Unix seconds
};

// Why a pair of these does not count; empty where it does.
std::string flaw_of_pair(const EvaluationResult& a, const EvaluationResult& b);
// Whether so many void ones of `rounds` on a device leave what it says undecided.
bool too_many_void(int voided, int rounds);

}  // namespace nightshift::scheduler
