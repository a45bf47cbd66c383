#pragma once

#include "search/acceptance.h"

namespace nightshift::search {

inline AcceptanceSettings judged_by(DuelTest test) {
  AcceptanceSettings settings;
  settings.test = test;
  return settings;
}

}  // namespace nightshift::search
