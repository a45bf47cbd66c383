#include "problems/readers/recorded/recorded_rows.h"

#include <algorithm>

namespace nightshift::problems {
namespace {

bool has_worked(const RecordedTrial& trial) { return !trial.values.empty(); }

RecordedTrial joined_rows(RecordedTrial first, const std::vector<RecordedTrial>& later,
                          bool works) {
  double build = first.build_seconds, measure = first.measure_seconds;
  for (const RecordedTrial& row : later) {
    build += row.build_seconds;
    measure += row.measure_seconds;
    if (works) {
      first.values.insert(first.values.end(), row.values.begin(), row.values.end());
    } else if (!has_worked(row)) {
      first.failure = row.failure;
    }
  }
  if (!works) first.values.clear();
  const auto count = static_cast<double>(1 + later.size());
  first.build_seconds = build / count;
  first.measure_seconds = measure / count;
  return first;
}

}  // namespace

std::size_t RecordedRows::Rows::worked() const {
  return static_cast<std::size_t>(has_worked(first) ? 1 : 0) +
         static_cast<std::size_t>(std::ranges::count_if(later, has_worked));
}

void RecordedRows::add(const std::string& key, RecordedTrial trial) {
  const auto [position, added] = by_key_.try_emplace(key, configurations_.size());
  if (added) {
    configurations_.push_back({std::move(trial), {}});
  } else if (trial.is_copy) {
    configurations_[position->second] = {std::move(trial), {}};
  } else {
    configurations_[position->second].later.push_back(std::move(trial));
  }
}

std::string RecordedRows::remark() const {
  std::size_t repeated = 0, most = 1, mixed = 0, failed = 0;
  for (const Rows& rows : configurations_) {
    if (rows.count() == 1) continue;
    ++repeated;
    most = std::max(most, rows.count());
    const std::size_t worked = rows.worked();
    if (worked == 0 || worked == rows.count()) continue;
    ++mixed;
    failed += 2 * worked < rows.count() ? 1 : 0;
  }
  if (repeated == 0) return "";
  std::string text = std::to_string(repeated) + " of " + std::to_string(configurations_.size()) +
                     " configurations have several rows, up to " + std::to_string(most) +
                     ": the repetitions of all rows of a configuration are replayed together";
  if (mixed > 0) {
    text += "; " + std::to_string(mixed) +
            " of them failed in some rows and worked in others, and " + std::to_string(failed) +
            " of these count as failed, since most of their rows are";
  }
  return text;
}

std::pair<std::vector<RecordedTrial>, std::unordered_map<std::string, std::size_t>>
RecordedRows::joined() {
  std::vector<RecordedTrial> trials;
  trials.reserve(configurations_.size());
  for (Rows& rows : configurations_) {
    const bool works = 2 * rows.worked() >= rows.count();
    trials.push_back(rows.later.empty() ? std::move(rows.first)
                                        : joined_rows(std::move(rows.first), rows.later, works));
  }
  configurations_.clear();
  return {std::move(trials), std::move(by_key_)};
}

}  // namespace nightshift::problems
