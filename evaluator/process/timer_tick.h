#pragma once

#include <chrono>

namespace nightshift::evaluator {

// The smallest positive difference between successive readings of a clock, in seconds: its
// resolution where that is coarse, else what reading it costs. Both are below what a single sample
// can tell. Takes `steps` differences; 0 for a clock that stands still through 100,000 readings
// each time.
template <class Clock>
double smallest_step_seconds(int steps) {
  constexpr int kReadingsPerStep = 100'000;
  using Duration = typename Clock::duration;
  Duration smallest = Duration::max();
  for (int step = 0; step < steps; ++step) {
    const auto before = Clock::now();
    auto after = before;
    for (int i = 0; i < kReadingsPerStep && after <= before; ++i) after = Clock::now();
    if (after > before && after - before < smallest) smallest = after - before;
  }
  if (smallest == Duration::max()) return 0;
  return std::chrono::duration<double>(smallest).count();
}

// That of the clock that samples are timed with; measured once in the life of the process.
double timer_tick_seconds();

}  // namespace nightshift::evaluator
