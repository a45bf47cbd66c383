#pragma once

namespace nightshift::scheduler {

// What a run has left once a signal asked for its end (ipc/stop_signals.h), in seconds.
struct StopTimes {
  double grace = 30;    // after a stop signal: for what is being evaluated
  double wind_up = 60;  // after the wind-up signal: for duels and the hold-out
};

}  // namespace nightshift::scheduler
