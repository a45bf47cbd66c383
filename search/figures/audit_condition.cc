#include "search/figures/audit_condition.h"

#include "base/quantity.h"

namespace nightshift::search {

double times_on_new_inputs(const Measurement& measurement) {
  return base::parse_number(measurement.condition(kNewInputsCondition)).value_or(0);
}

}  // namespace nightshift::search
