#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "problems/readers/recorded/recorded_trial.h"

namespace nightshift::problems {

// Joins the rows that a recording has of one configuration. It worked where at least as many of its
// rows worked as failed: its repetitions are then those of all of them, so that its median is that
// of all, and its times their means. Else it failed, as the last of them.
class RecordedRows {
 public:
  // `key`: equal for equal configurations.
  void add(const std::string& key, RecordedTrial trial);
  // What was joined, for people; empty where every configuration has one row. Before joined().
  std::string remark() const;
  // In the order of their first rows, and the position of each key. Once.
  std::pair<std::vector<RecordedTrial>, std::unordered_map<std::string, std::size_t>> joined();

 private:
  struct Rows {
    RecordedTrial first;
    std::vector<RecordedTrial> later;

    std::size_t count() const { return 1 + later.size(); }
    std::size_t worked() const;
  };

  std::vector<Rows> configurations_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace nightshift::problems
