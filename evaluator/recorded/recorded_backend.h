#pragma once

#include "evaluator/backend.h"
#include "problems/recorded_space.h"

namespace nightshift::evaluator {

// Replays a recorded space without waiting: samples are drawn with replacement from the recorded
// repetitions by the request's seed, then multiplied by the evaluation's own factor where
// RecordedBackend::noise asks for one (lognormal, its median 1); failures come back as they were
// recorded, and what the trial cost when it was recorded is reported as TrialCost::simulated. The
// sampling plan of the request is ignored: its place is taken by RecordedBackend::samples; nor is a
// trial ever given up.
class RecordedTrialBackend final : public TrialBackend {
 public:
  // Throws problems::RecordedSpaceError, or std::runtime_error where the problem asks for figures
  // that the recording does not have.
  explicit RecordedTrialBackend(const ipc::ConfigureRequest& request);

  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               ProgressSink& progress) override;

 private:
  search::Measurement resampled(const problems::RecordedTrial& trial, std::uint64_t seed) const;

  search::Problem problem_;
  int samples_ = 0;
  double noise_ = 0;
  problems::RecordedSpace space_;
  double scale_ = 1;  // from the recording's unit to the problem's
};

}  // namespace nightshift::evaluator
