#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// How devices, nodes and kinds of device differ, and where the gain of the best holds, as text, as
// tables of a page and as JSON. All pure; empty of a study on one device.

// Headings first. Devices, then nodes where one of them has several devices.
Rows device_rows(const scheduler::StudySummary& summary, const search::Problem& problem);
// Kinds of device with the best of each, where there are several.
Rows kind_rows(const scheduler::StudySummary& summary, const search::Problem& problem);
// Whether one configuration is good on all kinds, in a sentence.
std::string kinds_answer(const scheduler::StudySummary& summary);
// All of it.
std::vector<Block> gain_blocks(const scheduler::StudySummary& summary,
                               const search::Problem& problem);

// Adds to the object of `tune --json`
//   devices {device: {node, baseline_over_fastest, gain}}, nodes {node: {devices, ...}},
//   kinds {kind: {devices, ..., confirmed, seen}}, good_on_all_kinds: yes | no | undecided
// each where there are several; gain {ratio, interval, pairs, holds: yes | no | undecided} of the
// best, or null; confirmed and seen {trial, configuration, ratio, interval, pairs}, or null. What is
// compared by its difference has that in the place of its ratio (gain_json.h).
void add_devices_json(nlohmann::ordered_json& object, const scheduler::StudySummary& summary,
                      const search::Problem& problem);

}  // namespace nightshift::tools
