#pragma once

#include <string>

#include "tools/batch/report/batch_report.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// What the report of a batch says in rows: headings first, no row at all where there is nothing to say. The first cell is a study's name where a row
// is of one. All pure.

// Improvements, those that hold over the whole batch first, then by how large they are.
Rows improvement_rows(const BatchReport& report);
inline constexpr const char* kHolds = "holds";
inline constexpr const char* kOwnStudyAlone = "its own study alone";
// Of each of these what the best configuration has other than the baseline, and the figures of
// both. A name and its value each, no headings.
Rows winner_rows(const BatchReport& report);
// When somebody was at the batch, how each run ended, and how long nobody was; nothing of one run
// that came to its end. No headings.
Rows run_rows(const BatchReport& report);
// The other studies: state, and why there is no improvement.
Rows other_rows(const BatchReport& report);
// Kinds of failures with how many trials, and an example of each.
Rows failure_rows(const BatchReport& report);
// Each device with how its time was spent.
Rows device_rows(const BatchReport& report);
// What whoever reads the result ought to know: notices of studies, and of the batch. No headings.
Rows notice_rows(const BatchReport& report);
// How long each study had devices, the longest first.
Rows time_rows(const BatchReport& report);

// Commands that go on from here, each with what it does.
Rows batch_next_steps(const BatchReport& report);
// "Batch night: completed ...", and what came of the studies.
std::string standing_sentence(const BatchReport& report);
// What a joint claim is; empty where nothing is claimed.
std::string joint_sentence(const BatchReport& report);

}  // namespace nightshift::tools
