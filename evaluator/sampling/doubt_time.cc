#include "evaluator/sampling/doubt_time.h"

#include <algorithm>

namespace nightshift::evaluator {
namespace {

double left_of(const search::Limits& limits, const ipc::EvaluateRequest& request, double so_far) {
  const double whole =
      request.patience > 0 ? std::min(request.patience, limits.trial) : limits.trial;
  return std::max(whole - so_far, 0.0);
}

}  // namespace

double seconds_of_draws(const search::Limits& limits, const ipc::EvaluateRequest& request,
                        double so_far) {
  constexpr double kOfLimit = 1.0 / 4;
  return kOfLimit * std::min(limits.verify, left_of(limits, request, so_far));
}

double most_seconds_of_pairs(const search::Limits& limits, const ipc::EvaluateRequest& request,
                             double so_far) {
  constexpr double kOfLimit = 1.0 / 12;
  return kOfLimit * std::min(limits.measure, left_of(limits, request, so_far));
}

double seconds_of_pairs(const search::Limits& limits, const ipc::EvaluateRequest& request,
                        double so_far) {
  constexpr double kTimes = 10.0 / 3, kLeast = 1;
  return std::min(std::max(kLeast, kTimes * so_far),
                  most_seconds_of_pairs(limits, request, so_far));
}

double seconds_of_stalls(const search::Limits& limits, double sampling) {
  if (limits.times_baseline <= 0) return 0;
  return std::max(limits.times_baseline * sampling, search::Limits::kLeastPatience);
}

}  // namespace nightshift::evaluator
