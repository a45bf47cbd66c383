#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/summary/batch_summary.h"

namespace nightshift::tools {

// One-line texts about a batch, shared by `status`, `watch` and `report`. Pure. Times are Unix
// seconds. Text of any origin is made fit for a terminal.

// A ratio of candidate over baseline, which says nothing of the objective: 0.5 -> "2.000x", as many
// times as good as the baseline.
std::string format_times(double ratio);
// "2.000x [1.950, 2.052]"
std::string format_times(double ratio, const search::Interval& interval);

// "running as process 4711 on node7 since 18:00:03, until 07:00:00 (5 h 12 min left)", "completed
// at 2026-11-23 06:12:44, after 8 h 03 min", "cut off at ...: the same command goes on"
std::string batch_state_text(const scheduler::BatchRecord& record,
                             const scheduler::BatchSummary& summary, double now);
// "20 studies: 4 running, 9 waiting, 6 completed, 1 failed"; what there is none of is left out
std::string queue_text(const scheduler::BatchSummary& summary);
// "3 improvements hold over the whole batch, 1 is shown by its own study alone"; "no improvement
// yet"
std::string claims_text(const scheduler::BatchSummary& summary);

// "the time (70 s) serves 9 of 41 studies, 5 min 10 s would serve all; left: norm, gelu and 30
// more"
std::string shortage_text(const scheduler::BatchShortage& shortage, std::size_t studies);
inline constexpr const char* kLeftForTime = "left: the time does not serve it";  // why it waits

// What there is room for: kScant leaves out intervals of claims and limits of time.
enum class Room : std::uint8_t { kScant, kAmple };
// Of so many columns.
Room room_of(std::size_t columns);

// "norm: the journal batches/night/norm/journal.sqlite is gone, ...", a line for each study whose
// journal cannot be told from. `unread` says why, by study, empty where it can; shorter: nobody has
// looked at the rest.
std::vector<std::string> unread_lines(const scheduler::BatchRecord& record,
                                      const std::vector<std::string>& unread);

// --- Of one study; empty where there is nothing to say ---

std::string best_cell(const scheduler::BatchStudyRecord& study);  // "2.431x"
// The claim; what was accepted before. One that does not hold over the batch ends with kAlone.
std::string accepted_cell(const scheduler::BatchStudyRecord& study, bool holds, Room room);
inline constexpr const char* kAlone = "*";
std::string time_cell(const scheduler::BatchStudyRecord& study,
                      Room room);                                  // "4 min 10 s of 10 min 00 s"
std::string state_cell(const scheduler::BatchStudyRecord& study);  // "running 43 %"
// What it is at, what of `record` it waits for, or why it ended.
std::string what_cell(const scheduler::BatchRecord& record,
                      const scheduler::BatchStudyRecord& study);
// Of a kClockEvent, for people.
std::string shift_text(std::string_view event);
// "02:13:04 sgemm-512: trial 17 accepted"
std::string event_text(const scheduler::BatchEventRecord& event);

// --- Tables, each line ended by "\n" and indented by two ---

// Positions of studies: those that run first, then those that failed or were stopped, then those
// that wait, then the rest; each in the order of the batch.
std::vector<std::size_t> shown_order(const scheduler::BatchRecord& record);
// The studies in that order under a heading, which is not indented. Columns of which nothing is
// known are left out; the last one says what a study is at, or why it ended. Lines are cut at
// `columns`, npos: whole. Names are cut before that, so that no two are alike.
std::string study_table(const scheduler::BatchRecord& record,
                        const scheduler::BatchSummary& summary, std::size_t columns);
// What each device is at.
std::string device_table(const scheduler::BatchRecord& record, std::size_t columns);

}  // namespace nightshift::tools
