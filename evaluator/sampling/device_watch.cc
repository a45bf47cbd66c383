#include "evaluator/sampling/device_watch.h"

#include "evaluator/sampling/machine_state.h"

namespace nightshift::evaluator {

void CoreWatch::begin() { machine_.emplace(); }

void CoreWatch::note(search::Measurement& measurement) {
  measurement.conditions.emplace_back("cores", own_cores());
  if (machine_) machine_->note(measurement);
}

}  // namespace nightshift::evaluator
