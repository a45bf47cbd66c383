#pragma once

#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/journal/history.h"
#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::tools {

// What a study of `problem` would be made of now: files (evaluator/files_behind.h) and machine
// (scheduler/devices/machine_identity.h). Reads the files and asks compiler and GPUs, which takes
// 0.1 s to 1 s.
search::Identity made_of(const search::Problem& problem);
// The same of one that runs on devices of nodes, where this machine measures and builds nothing.
search::Identity made_of(const search::Problem& problem,
                         const std::vector<scheduler::Device>& devices_of_nodes);

// What has changed since the study was measured last. Settings of devices count where it was
// measured on them.
std::vector<search::IdentityChange> changes_since(const scheduler::History& history,
                                                  const search::Identity& now);
// "A, B and C"; of those that matter, or of the others.
std::string list_of_changes(const std::vector<search::IdentityChange>& changes, bool matter);

// For whoever measures anew beside the study in `folder`: "since FOLDER was measured, ..., which
// changes figures". Empty where nothing has changed, or nothing is known of it.
std::string told_changes(const std::string& folder, const scheduler::History& history,
                         const search::Identity& now);

}  // namespace nightshift::tools
