#pragma once

#include "problems/readers/keys/setting.h"
#include "search/problem.h"

namespace nightshift::problems {

inline constexpr int kFewestPairs = 4;  // of a self-test and of a hold-out

// The tables about the study rather than the problem: one row a key. To add one takes the row, and
// the member that it names.
const Settings<search::SamplingPlan>& measure_settings();
const Settings<search::Limits>& limits_settings();
const Settings<search::Budget>& budget_settings();
const Settings<search::Problem>& search_settings();
const Settings<search::SchedulingSettings>& schedule_settings();
const Settings<search::AcceptanceSettings>& acceptance_settings();
const Settings<search::DeviceSettings>& device_settings();
// Of what `nightshift serve` writes.
const ProblemTable* judged_keys();

}  // namespace nightshift::problems
