#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/batch/batch_plan.h"

namespace nightshift::scheduler::tests {

// What the steps say, in words: "begin 0 on 0,1", "lend 1 to 0", ...
struct Words {
  std::string operator()(const BatchPlan::Begin& s) const {
    std::string text = "begin " + std::to_string(s.study) + " on";
    for (const DeviceIndex d : s.devices) text += " " + std::to_string(d);
    return text;
  }
  std::string operator()(const BatchPlan::Lend& s) const {
    return "lend " + std::to_string(s.device) + " to " + std::to_string(s.study);
  }
  std::string operator()(const BatchPlan::TakeBack& s) const {
    return "take " + std::to_string(s.device) + " from " + std::to_string(s.study);
  }
  std::string operator()(const BatchPlan::Limit& s) const {
    return "limit " + std::to_string(s.study) + " to " +
           std::to_string(static_cast<int>(s.seconds + 0.5));
  }
  std::string operator()(const BatchPlan::Suffice& s) const {
    return "suffice " + std::to_string(s.study);
  }
  std::string operator()(const BatchPlan::GiveUp& s) const {
    return "give up " + std::to_string(s.study) + ": " + s.reason;
  }
  std::string operator()(const BatchPlan::PutOff& s) const {
    return "put off " + std::to_string(s.study);
  }
  std::string operator()(const BatchPlan::Leave& s) const {
    std::string text = "leave";
    for (const std::size_t study : s.studies) text += " " + std::to_string(study);
    return text + ", all take " + std::to_string(static_cast<int>(s.whole_seconds + 0.5));
  }
};

// A batch as its plan is asked on it.
struct Night {
  Night(std::size_t study_count, std::size_t device_count)
      : terms(study_count), studies(study_count), devices(device_count), calm(device_count, true) {
    for (StudyTerms& t : terms) t.may_use.assign(device_count, true);
  }

  std::vector<std::string> steps(bool redivide = false) {
    const auto decided = BatchPlan().steps(
        {now, deadline, &terms, &studies, &devices, calm, may_grow, ahead}, redivide);
    std::vector<std::string> said;
    for (const auto& step : decided) said.push_back(std::visit(Words(), step));
    return said;
  }
  void runs(std::size_t study, std::vector<DeviceIndex> on, double since = 0) {
    studies[study].state = StudyStanding::State::kRunning;
    for (const DeviceIndex d : on) {
      devices[d].owners.push_back(study);
      devices[d].since = since;
    }
  }

  double now = 100;
  std::optional<double> deadline;
  std::vector<StudyTerms> terms;
  std::vector<StudyStanding> studies;
  std::vector<DeviceStanding> devices;
  std::vector<bool> calm;
  bool may_grow = false;
  int ahead = 0;
};

}  // namespace nightshift::scheduler::tests
