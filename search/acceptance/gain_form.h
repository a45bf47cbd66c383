#pragma once

#include <string>

#include "search/acceptance.h"

namespace nightshift::search {

// How words say a gain: by how much a cost falls or a rate rises; of figures that are compared by
// their difference (Objective::difference_scale) by that.
struct GainForm {
  // Not explicit: most are a cost or a rate, and nothing more.
  GainForm(bool is_rate = false) : rises(is_rate) {}  // NOLINT(google-explicit-constructor)

  bool rises;
  double difference_scale = 0;
  std::string unit = {};  // of the difference
};

inline GainForm gain_form(const AcceptanceSettings& settings) {
  GainForm form = settings.rises;
  form.difference_scale = settings.difference_scale;
  form.unit = settings.difference_unit;
  return form;
}

}  // namespace nightshift::search
