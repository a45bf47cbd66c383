#pragma once

#include <vector>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// Where the time of a batch went. Seconds.
struct BatchTime {
  // A run of the program, in Unix seconds. One that was killed ends with the last that it wrote.
  struct Span {
    double from = 0, until = 0;
    double seconds() const { return until - from; }
  };
  struct OfStudy {
    double owned = 0;     // with devices of its own, summed over these
    double borrowed = 0;  // as a guest on others, for confirmations
  };
  struct OfDevice {
    double owned = 0;  // in the hands of a study; of two that share it once
    double busy = 0;   // with a job in hand
    double idle = 0;   // the rest of the runs
  };
  std::vector<Span> runs;
  std::vector<OfStudy> studies;    // as in the record
  std::vector<OfDevice> devices;   // as in the record
  std::vector<BatchLease> leases;  // each with an end, and none beyond its run

  double run_seconds() const;
};
// What the machine's clock calls `wall` in the times of the record, where that was set since the run
// that goes on began.
double now_in(const BatchRecord& record, double wall);
// `now`: the end of what goes on still, Unix seconds.
std::vector<BatchTime::Span> batch_runs(const BatchRecord& record, double now);
// From the beginning of the first run to the end of the last one, and no less than the runs took:
// each has a clock of its own.
double batch_seconds(const BatchRecord& record, double now);
BatchTime batch_time(const BatchRecord& record, double now);

}  // namespace nightshift::scheduler
