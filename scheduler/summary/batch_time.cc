#include "scheduler/summary/batch_time.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/journal/batch_terms_text.h"

namespace nightshift::scheduler {
namespace {

using Span = BatchTime::Span;

// The last that was written from one moment to another.
double last_sign(const BatchRecord& record, double from, double until) {
  double last = from;
  const auto see = [&](double at) {
    if (at > last && at < until) last = at;
  };
  for (const BatchEventRecord& event : record.events) see(event.at);
  for (const BatchLease& lease : record.leases) {
    see(lease.from);
    if (lease.until) see(*lease.until);
  }
  for (const BatchStudyRecord& study : record.studies) {
    see(study.since);
    if (study.progress) see(study.progress->at);
  }
  return last;
}

// Within the run that it began in; one of no run has no time.
BatchLease cut(BatchLease lease, const std::vector<Span>& runs) {
  double end = lease.from;
  for (const Span& run : runs) {
    if (lease.from >= run.from && lease.from <= run.until) end = run.until;
  }
  lease.until = std::max(lease.from, std::min(lease.until.value_or(end), end));
  return lease;
}

double seconds_of(const BatchLease& lease) { return *lease.until - lease.from; }

bool is_of_last_run(const BatchEventRecord& event, const BatchRecord& record) {
  return !record.runs.empty() && event.at >= record.runs.back().started;
}

double seconds_of(const std::vector<Span>& runs) {
  double sum = 0;
  for (const Span& run : runs) sum += run.seconds();
  return sum;
}

// Of spans that may overlap, sorted by their beginning.
double union_seconds(const std::vector<Span>& spans) {
  double sum = 0, reached = -std::numeric_limits<double>::infinity();
  for (const Span& span : spans) {
    sum += std::max(0.0, span.until - std::max(span.from, reached));
    reached = std::max(reached, span.until);
  }
  return sum;
}

}  // namespace

double now_in(const BatchRecord& record, double wall) {
  if (!record.writer) return wall;
  const auto& events = record.events;
  const auto last =
      std::ranges::find(events.rbegin(), events.rend(), kClockEvent, &BatchEventRecord::kind);
  const bool was_set = last != events.rend() && is_of_last_run(*last, record);
  return was_set ? wall - shift_from_text(last->text) : wall;
}

std::vector<Span> batch_runs(const BatchRecord& record, double now) {
  std::vector<Span> spans;
  for (std::size_t r = 0; r < record.runs.size(); ++r) {
    const BatchRunRecord& run = record.runs[r];
    const bool last = r + 1 == record.runs.size();
    double until = run.started;
    if (run.ended) {
      until = *run.ended;
    } else if (last && record.writer) {
      until = now;
    } else {
      until =
          last_sign(record, run.started,
                    last ? std::numeric_limits<double>::infinity() : record.runs[r + 1].started);
    }
    spans.push_back({run.started, std::max(until, run.started)});
  }
  return spans;
}

double BatchTime::run_seconds() const { return seconds_of(runs); }

double batch_seconds(const BatchRecord& record, double now) {
  const std::vector<Span> runs = batch_runs(record, now);
  return runs.empty() ? 0 : std::max(seconds_of(runs), runs.back().until - runs.front().from);
}

BatchTime batch_time(const BatchRecord& record, double now) {
  BatchTime time;
  time.runs = batch_runs(record, now);
  for (const BatchLease& lease : record.leases) time.leases.push_back(cut(lease, time.runs));
  std::ranges::stable_sort(time.leases, {}, &BatchLease::from);
  std::unordered_map<std::string, std::size_t> studies;
  for (const BatchStudyRecord& study : record.studies) {
    studies.emplace(study.terms.name, studies.size());
  }
  std::unordered_map<std::string, std::vector<Span>> owned;  // by device
  time.studies.resize(record.studies.size());
  for (const BatchLease& lease : time.leases) {
    if (!lease.guest) owned[lease.device].push_back({lease.from, *lease.until});
    const auto study = studies.find(lease.study);
    if (study == studies.end()) continue;
    BatchTime::OfStudy& of = time.studies[study->second];
    (lease.guest ? of.borrowed : of.owned) += seconds_of(lease);
  }
  const double all = time.run_seconds();
  for (const BatchDeviceRecord& device : record.devices) {
    const double busy = device.busy_seconds;
    time.devices.push_back({union_seconds(owned[device.uuid]), busy, std::max(0.0, all - busy)});
  }
  return time;
}

}  // namespace nightshift::scheduler
