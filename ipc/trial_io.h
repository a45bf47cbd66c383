#pragma once

#include "ipc/archive.h"
#include "search/measurement.h"
#include "search/trial.h"

// The fields of trials and their outcomes. Each function takes its type apart by structured
// binding, so that a field added there and forgotten here does not compile.
namespace nightshift::ipc::codec {

template <>
inline constexpr auto kLast<search::Phase> = search::Phase::kShutdown;
template <>
inline constexpr auto kLast<search::Crashed::Cause> = search::Crashed::Cause::kDeviceError;

template <class Archive>
void io(Archive& archive, search::Samples& m) {
  auto& [objective, values] = m;
  all(archive, objective, values);
}

template <class Archive>
void io(Archive& archive, search::LaunchSamples& m) {
  auto& [sizes, kernel, seconds] = m;
  all(archive, sizes, kernel, seconds);
}

template <class Archive>
void io(Archive& archive, search::Measurement& m) {
  auto& [figures, conditions, censored, disturbance, launches] = m;
  all(archive, figures, conditions, censored, disturbance, launches);
}

template <class Archive>
void io(Archive& archive, search::Measured& m) {
  auto& [measurement] = m;
  all(archive, measurement);
}

template <class Archive>
void io(Archive& archive, search::BuildFailed& m) {
  auto& [message] = m;
  all(archive, message);
}

template <class Archive>
void io(Archive& archive, search::LaunchFailed& m) {
  auto& [message] = m;
  all(archive, message);
}

template <class Archive>
void io(Archive& archive, search::WrongResult& m) {
  auto& [output, element, got, expected, error, tolerance, message] = m;
  all(archive, output, element, got, expected, error, tolerance, message);
}

template <class Archive>
void io(Archive& archive, search::TimedOut& m) {
  auto& [phase, limit_seconds, progressing, message, out_of_budget] = m;
  all(archive, phase, limit_seconds, progressing, message, out_of_budget);
}

template <class Archive>
void io(Archive& archive, search::Crashed& m) {
  auto& [cause, code, phase, last_words] = m;
  all(archive, cause, code, phase, last_words);
}

template <class Archive>
void io(Archive& archive, search::DeviceLost& m) {
  auto& [reason] = m;
  all(archive, reason);
}

template <class Archive>
void io(Archive& archive, search::Skipped& m) {
  auto& [same_as] = m;
  all(archive, same_as);
}

template <class Archive>
void io(Archive& archive, search::TrialCost& m) {
  auto& [build, check, measure, simulated] = m;
  all(archive, build, check, measure, simulated);
}

template <class Archive>
void io(Archive& archive, search::TrialReport& m) {
  auto& [outcome, cost] = m;
  all(archive, outcome, cost);
}

}  // namespace nightshift::ipc::codec
