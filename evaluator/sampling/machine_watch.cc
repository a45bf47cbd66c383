#include "evaluator/sampling/machine_watch.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "evaluator/sampling/machine_state.h"
#include "ipc/cores.h"

namespace nightshift::evaluator {
namespace {

constexpr int kStealColumn = 7;  // of user nice system idle iowait irq softirq steal
constexpr int kColumns = 8;      // those after it are contained in user and nice
constexpr const char* kMajorFaults = "pages from disk";
constexpr const char* kSwappedPages = "pages swapped";

std::optional<std::uint64_t> number_in(const std::string& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

// Counters that a core lost by going away for a while are no events.
std::uint64_t rise(std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
  return before && after && *after > *before ? *after - *before : 0;
}

}  // namespace

ThrottleWatch::ThrottleWatch(const std::vector<int>& cores, std::string folder)
    : folder_(std::move(folder)) {
  for (const int core : cores) before_[core] = read(core);
}

ThrottleWatch::Counts ThrottleWatch::read(int core) const {
  const std::string counters = folder_ + "/cpu" + std::to_string(core) + "/thermal_throttle/";
  return {number_in(counters + "core_throttle_count"),
          number_in(counters + "package_throttle_count")};
}

std::uint64_t ThrottleWatch::events() const {
  std::uint64_t of_cores = 0, of_package = 0;
  for (const auto& [core, before] : before_) {
    const Counts now = read(core);
    of_cores += rise(before.core, now.core);
    of_package = std::max(of_package, rise(before.package, now.package));
  }
  return of_cores + of_package;
}

StealWatch::StealWatch(std::vector<int> cores, std::string file)
    : cores_(std::move(cores)), file_(std::move(file)), before_(read()) {}

StealWatch::Ticks StealWatch::read() const {
  Ticks ticks;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.rfind("cpu", 0) != 0) break;  // the cores come first
    const bool own = std::any_of(cores_.begin(), cores_.end(), [&name = name](int core) {
      return name == "cpu" + std::to_string(core);
    });
    std::uint64_t value = 0;
    for (int column = 0; own && column < kColumns && words >> value; ++column) {
      ticks.all += value;
      if (column == kStealColumn) ticks.stolen += value;
    }
  }
  return ticks;
}

std::optional<double> StealWatch::share() const {
  const Ticks now = read();
  if (now.all <= before_.all || now.stolen < before_.stolen) return std::nullopt;
  return static_cast<double>(now.stolen - before_.stolen) /
         static_cast<double>(now.all - before_.all);
}

PagingWatch::PagingWatch(std::string file) : file_(std::move(file)), before_(read()) {}

PagingWatch::Counts PagingWatch::read() const {
  Counts counts;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) == 0) {
      counts.major_faults += static_cast<std::uint64_t>(usage.ru_majflt);
    }
  }
  std::ifstream in(file_);
  std::string name;
  for (std::uint64_t pages = 0; in >> name >> pages;) {
    if (name == "pswpin" || name == "pswpout") counts.swapped += pages;
  }
  return counts;
}

PagingWatch::Counts PagingWatch::counts() const {
  const Counts now = read();
  return {now.major_faults - before_.major_faults,
          now.swapped > before_.swapped ? now.swapped - before_.swapped : 0};
}

MachineWatch::MachineWatch()
    : MachineWatch(ThrottleWatch(ipc::usable_cores()), StealWatch(ipc::usable_cores()),
                   PagingWatch()) {}

MachineWatch::MachineWatch(ThrottleWatch throttling, StealWatch steal, PagingWatch paging)
    : throttling_(std::move(throttling)), steal_(std::move(steal)), paging_(std::move(paging)) {}

void MachineWatch::note(search::Measurement& measurement) const {
  if (const std::uint64_t events = throttling_.events(); events > 0) {
    measurement.disturbance =
        "thermal throttling, " + std::to_string(events) + (events == 1 ? " event" : " events");
  }
  if (const auto share = steal_.share()) {
    measurement.conditions.emplace_back("steal", percent(*share));
  }
  const PagingWatch::Counts paging = paging_.counts();
  for (const auto& [name, count] :
       {std::pair(kMajorFaults, paging.major_faults), std::pair(kSwappedPages, paging.swapped)}) {
    if (count > 0) measurement.conditions.emplace_back(name, std::to_string(count));
  }
}

}  // namespace nightshift::evaluator
