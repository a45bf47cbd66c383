#include "evaluator/counters/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "ipc/unique_fd.h"

namespace nightshift::evaluator {
namespace {

constexpr const char* kParanoidFile = "/proc/sys/kernel/perf_event_paranoid";
// What is left of an interval in which a counter always ran, to the nanosecond, by rounding.
constexpr std::uint64_t kNoMatter = 1000;

std::uint64_t event_of(search::OwnFigure figure) {
  switch (figure) {
    case search::OwnFigure::kInstructions:
      return PERF_COUNT_HW_INSTRUCTIONS;
    case search::OwnFigure::kCycles:
      return PERF_COUNT_HW_CPU_CYCLES;
    case search::OwnFigure::kCacheMisses:
      return PERF_COUNT_HW_CACHE_MISSES;
    default:
      return PERF_COUNT_HW_BRANCH_MISSES;
  }
}

std::string name_of(search::OwnFigure figure) { return std::string(search::rule_of(figure).name); }

std::string paranoid() {
  std::string value;
  std::ifstream(kParanoidFile) >> value;
  return value;
}

class PerfCounter final : public Counter {
 public:
  PerfCounter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  CounterReading read() const override {
    std::array<std::uint64_t, 3> words{};
    if (::read(fd_.get(), words.data(), sizeof words) != sizeof words) {
      throw NotMeasurable("'" + name_ + "' cannot be read any more: " + std::strerror(errno));
    }
    return {words[0], words[1], words[2]};
  }

 private:
  ipc::UniqueFd fd_;
  std::string name_;
};

class PerfEvents final : public CounterDoor {
 public:
  std::unique_ptr<Counter> open(search::OwnFigure figure, CountedFrom from) override {
    return open_perf_event(PERF_TYPE_HARDWARE, event_of(figure), from, name_of(figure));
  }
};

}  // namespace

CounterDoor& perf_events() {
  static PerfEvents events;
  return events;
}

std::unique_ptr<Counter> open_perf_event(std::uint32_t type, std::uint64_t config, CountedFrom from,
                                         const std::string& name) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = type;
  wanted.config = config;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.inherit = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  // A child begins as its parent is, here disabled, and is enabled by its own exec.
  wanted.disabled = wanted.enable_on_exec = from == CountedFrom::kExec ? 1 : 0;
  constexpr int kThisThread = 0, kAnyCore = -1, kNoGroup = -1;
  const long fd = ::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyCore, kNoGroup,
                            static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) throw NotMeasurable(counters_refused(name, errno, paranoid()));
  return std::make_unique<PerfCounter>(static_cast<int>(fd), name);
}

std::string counters_refused(const std::string& name, int error, const std::string& paranoid) {
  const std::string text = "'" + name + "' cannot be counted on this machine: ";
  const std::string what = std::strerror(error);
  if (error == EACCES || error == EPERM) {
    const std::string level = paranoid.empty() ? "too high" : paranoid;
    return text + "the kernel does not permit perf_event_open (" + what +
           "); kernel.perf_event_paranoid is " + level +
           ", and must be 2 or less: `sysctl kernel.perf_event_paranoid=2` as root; a container "
           "has "
           "to permit it as well (--cap-add PERFMON, or a seccomp profile with perf_event_open)";
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return text + "the processor has no such counter (" + what +
           "); a virtual machine has none unless its host passes on the performance monitoring "
           "unit";
  }
  if (error == ENOSYS) return text + "this kernel has no perf_event_open";
  if (error == EMFILE) return text + "too many files are open; raise `ulimit -n`";
  return text + "perf_event_open: " + what;
}

HardwareCounters::HardwareCounters(std::vector<search::OwnFigure> figures, CountedFrom from,
                                   CounterDoor& door)
    : figures_(std::move(figures)), from_(from), door_(door) {
  open();
  begun_.resize(figures_.size());
  ended_.resize(figures_.size());
}

void HardwareCounters::open() {
  counters_.clear();
  for (const search::OwnFigure figure : figures_) counters_.push_back(door_.open(figure, from_));
}

void HardwareCounters::begin() {
  if (from_ == CountedFrom::kExec && begins_anew_) open();
  begins_anew_ = true;
  read(begun_);
}

void HardwareCounters::read(Readings& readings) const {
  for (std::size_t i = 0; i < counters_.size(); ++i) readings[i] = counters_[i]->read();
}

std::vector<double> HardwareCounters::counts() {
  estimated_ = false;
  std::vector<double> counts;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto value = static_cast<double>(ended_[i].value - begun_[i].value);
    const std::uint64_t enabled = ended_[i].enabled - begun_[i].enabled;
    const std::uint64_t running = ended_[i].running - begun_[i].running;
    if (running == 0) {
      throw NotMeasurable("the processor did not count '" + name_of(figures_[i]) +
                          "' at all: other programs, or other objectives, have its counters");
    }
    const bool shared = enabled > running + kNoMatter;
    estimated_ = estimated_ || shared;
    counts.push_back(shared ? value * static_cast<double>(enabled) / static_cast<double>(running)
                            : value);
  }
  return counts;
}

}  // namespace nightshift::evaluator
