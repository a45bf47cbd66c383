#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/figures/own_figure.h"

namespace nightshift::evaluator {

// Why this machine cannot tell a figure, and what to do about it.
class NotMeasurable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Since it was opened. While others have the processor's counters it is enabled and does not run.
struct CounterReading {
  std::uint64_t value = 0, enabled = 0, running = 0;  // the latter two in ns
};

class Counter {
 public:
  virtual ~Counter() = default;
  virtual CounterReading read() const = 0;
};

// Of this thread from now on; or of programs that it starts, each from its exec on. Both with all
// threads and processes that come of them.
enum class CountedFrom : std::uint8_t { kNow, kExec };

// Who counts: the kernel, or a script in tests. In user space alone.
class CounterDoor {
 public:
  virtual ~CounterDoor() = default;
  virtual std::unique_ptr<Counter> open(search::OwnFigure figure, CountedFrom from) = 0;
};

// perf_event_open(2). Throws NotMeasurable.
CounterDoor& perf_events();
// The same for any event of the kernel's, which machines without hardware counters have as well.
std::unique_ptr<Counter> open_perf_event(std::uint32_t type, std::uint64_t config, CountedFrom from,
                                         const std::string& name);
// What is told where the kernel refuses with `error`; `paranoid` is kernel.perf_event_paranoid,
// empty where it is not known.
std::string counters_refused(const std::string& name, int error, const std::string& paranoid);

// The counters of some figures, read together.
class HardwareCounters {
 public:
  HardwareCounters(std::vector<search::OwnFigure> figures, CountedFrom from, CounterDoor& door);

  const std::vector<search::OwnFigure>& figures() const { return figures_; }
  // Of programs, each time by counters that were opened anew: the kernel may hand the counter of a
  // thread to the child that it forks, in exchange for the child's, and it ends with that child.
  void begin();
  void end() { read(ended_); }
  // Between begin() and end(), one for each figure. Where a counter ran for a part of the time, what
  // it would have counted in all of it. Throws NotMeasurable where it did not run at all.
  std::vector<double> counts();
  // Some of the last counts() were such estimates.
  bool estimated() const { return estimated_; }

 private:
  using Readings = std::vector<CounterReading>;
  void open();
  void read(Readings& readings) const;

  std::vector<search::OwnFigure> figures_;
  CountedFrom from_;
  CounterDoor& door_;
  std::vector<std::unique_ptr<Counter>> counters_;
  Readings begun_, ended_;
  bool begins_anew_ = false;
  bool estimated_ = false;
};

}  // namespace nightshift::evaluator
