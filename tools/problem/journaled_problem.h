#pragma once

#include <string>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/journal/history.h"
#include "search/problem.h"

namespace nightshift::tools {

// A budget given to `resume` is kept as a remark of this kind, "KEY=VALUE", so that the next
// resume, report and export know it too.
constexpr const char* kOverrideRemark = "override";

// Devices given to `resume`, likewise: the selection alone.
constexpr const char* kDevicesRemark = "devices";
// The selection that the study was measured on last.
std::string device_selection_of(const scheduler::History& history);

// The nodes that it was measured on last, as kept_list() of nodes.h; empty: this machine.
constexpr const char* kNodesRemark = "nodes";
std::string nodes_of(const scheduler::History& history);

// Overrides that a study settles when it begins, see with_what_it_keeps().
inline constexpr char kStarts[] = "search.starts";
inline constexpr char kStartsFile[] = "search.starts_file";
inline constexpr char kMultiprocessors[] = "search.multiprocessors";

// The overrides that a study was started and resumed with, in order; the later one wins.
std::vector<problems::Override> overrides_of(const scheduler::History& history);

// The problem as the study knows it, to build and to measure it: from the text that the journal
// kept, or, for a recorded space given directly, from its file. Throws UsageError that names the
// sources that are not there any more, ProblemFileError for other mistakes, RecordedSpaceError.
search::Problem problem_of(const scheduler::History& history,
                           const std::vector<problems::Override>& more = {});

// The same, to say what the study did: its sources may be gone, and nothing can be built of it.
// Only a recording has to be there, as the space stands in it. Objectives without a unit have the
// one that the program told. Throws ProblemFileError,
// RecordedSpaceError.
search::Problem told_problem(const scheduler::History& history);

// What the journal itself says of the problem, for when the file of a recorded space is gone: its
// name and its objectives; the searcher's name stays empty.
search::Problem outline_of(const scheduler::History& history);
// told_problem(), and where there is none outline_of(): the problem as far as it is known.
search::Problem problem_for_telling(const scheduler::History& history);

}  // namespace nightshift::tools
