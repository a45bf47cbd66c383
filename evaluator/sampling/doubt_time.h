#pragma once

#include "ipc/messages.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// Seconds that doubting a kernel of somebody who means well may take, in an evaluation that has taken
// `so_far`: no limit ends it by them.

// For each of three kinds of pairs: all of them take about ten times what the evaluation has taken,
// and most_seconds_of_pairs() at most, which a program that audits is told (audit.py).
double seconds_of_pairs(const search::Limits& limits, const ipc::EvaluateRequest& request,
                        double so_far);
double most_seconds_of_pairs(const search::Limits& limits, const ipc::EvaluateRequest& request,
                             double so_far = 0);
// That calls of an audit may take beyond what samples that took `sampling` let expect of them
// (stalled_calls.h), by limits.times_baseline; 0: any.
double seconds_of_stalls(const search::Limits& limits, double sampling);
// For draws of the inputs.
double seconds_of_draws(const search::Limits& limits, const ipc::EvaluateRequest& request,
                        double so_far);

}  // namespace nightshift::evaluator
