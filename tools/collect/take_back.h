#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/compare/comparison_report.h"

namespace nightshift::tools {

// Which of several changes lose where they stand together. Each was better alone; in a program it
// has neighbours, caches and launches beside it. Groups are halved where one loses, so that one
// loser among N is found in about 2 log2 N measurements. A group that wins as a whole may hide a
// loser: with `one_by_one` such groups are halved as well. Pure.
class TakeBack {
 public:
  TakeBack(std::size_t count, bool one_by_one);

  // The changes whose effect is to be measured next, all others that are kept being there on both
  // sides; the first time it is all of them. nullopt: done.
  std::optional<std::vector<std::size_t>> next() const;
  // How next() ended, the group being absent in the first and present in the second.
  void ended(ComparisonOutcome outcome);

  const std::vector<std::size_t>& kept() const { return kept_; }
  const std::vector<std::size_t>& taken_back() const { return taken_back_; }
  std::vector<std::size_t> kept_without(const std::vector<std::size_t>& group) const;

 private:
  void halve(const std::vector<std::size_t>& group);

  bool one_by_one_;
  bool is_first_ = true;
  std::vector<std::vector<std::size_t>> waiting_;  // the last one is next
  std::vector<std::size_t> kept_, taken_back_;
};

}  // namespace nightshift::tools
