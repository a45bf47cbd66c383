#pragma once

#include "scheduler/manual_clock.h"

namespace nightshift::fakes {

using FakeClock = scheduler::ManualClock;

}  // namespace nightshift::fakes
