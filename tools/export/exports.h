#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"

namespace nightshift::tools {

struct ExportedStudy;  // export_formats.h

// A study in forms that other programs read, each in a file of its own. All are pure but machine
// code.

// One row per trial in order of completion: trial, job, device, status, reason, one column per
// parameter, one per objective (median of the samples), normalised, artifact, started, finished
// (Unix seconds). The parameters of a baseline are those of the configuration that it stands for.
// Where several objectives are sought, `front` before `artifact` is 1 for the trials of
// summary.front, with how many evaluations stand behind them and the interval of each objective
// that is sought. The reason of a measured trial is the limit that it is beyond. A parameter or an
// objective whose name another column has is `parameter.NAME`, `objective.NAME`.
std::string to_csv(const scheduler::History& history, const scheduler::StudySummary& summary,
                   const search::Problem& problem);

// Every finished trial as a T4 result, schema version 1.0.0, in order of completion, times in
// milliseconds. A skipped trial has the figures of the one with the same machine code. A trial
// beyond a limit is invalid by "constraints", with its figures. Three members are beyond the
// schema: `trial`, `job` (baseline, explore, confirm, rebaseline) and `device`. A baseline has the
// configuration that it stands for; one that is another program is no point of the space, and
// stands in the same form, with an empty configuration, under metadata.baselines.
std::string to_t4(const scheduler::History& history, const search::Problem& problem);

// Kernel Tuner's cache file, from which it goes on: each configuration once, as it was explored, or
// as the baseline where it was not; times in milliseconds, a failure as the name of an error. Where
// the objective has samples they stand beside it in the plural (`times`). What is beyond a limit is
// an InvalidConfig. Throws UsageError where a parameter or an objective has the name of another
// member of an entry.
std::string to_kernel_tuner(const scheduler::History& history, const search::Problem& problem,
                            const std::string& kernel_name);

// The same configurations as the Kernel Tuning Toolkit writes its results, as JSON and as XML,
// times in microseconds. Sizes of launches are 0. The primary objective is a time.
std::string to_ktt(const scheduler::History& history, const search::Problem& problem,
                   const std::string& kernel_name);
std::string to_ktt_xml(const scheduler::History& history, const search::Problem& problem,
                       const std::string& kernel_name);

// The best configuration as C macros, compiler options as a comment. Needs summary.best.
std::string to_header(const scheduler::StudySummary& summary, const search::Problem& problem,
                      const scheduler::History& history);

// Machine code of the best configuration and of the default, with how they are launched
// (tools/kernels/kernel_file.h). Needs summary.best. Throws UsageError for a problem that is none of
// [cuda], scheduler::StudyError where it cannot be built.
std::string to_cubin(const ExportedStudy& study);

}  // namespace nightshift::tools
