#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "search/trial.h"

namespace nightshift::search {

// Which failures are the same for people: those of one kind whose words differ in numbers alone,
// which are addresses, lines and values of parameters.
std::string likeness_of(const TrialOutcome& failure);

// What becomes of the explorations of a study as long as every one of them fails: a mistake that
// all configurations share is no matter of the search.
class CommonFailure {
 public:
  static constexpr std::uint64_t kFew = 5;
  // Of a space one in fifty of which builds so many fail in a row with 1.8 %.
  static constexpr std::uint64_t kHopeless = 200;

  void ended(const TrialOutcome& outcome);

  bool all_failed() const { return failed_ > 0 && !any_other_; }
  std::uint64_t failed() const { return failed_; }
  // Of the failures, those that are alike and most, with the words of the first of them.
  struct Kind {
    std::uint64_t count = 0;
    std::string words;
    bool of_build = false;
  };
  Kind commonest() const;
  // "all 5 configurations so far failed, 4 of them alike: did not build: ..."; empty unless all
  // failed.
  std::string words() const;
  // words() at the fifth failure in a row from the beginning, and whenever they have doubled since;
  // else empty. After ended().
  std::string remark() const;
  // kHopeless configurations have failed since there were `before` and nothing else came at all,
  // each in its build and all alike: what they share is at fault, and further ones say nothing new.
  // Failures that differ are what a searcher may learn from, and those at run time may be the
  // machine's. Who goes on with a study asks for as many again.
  bool is_hopeless(std::uint64_t before = 0) const;

 private:
  std::uint64_t failed_ = 0;
  bool any_other_ = false;
  std::map<std::string, Kind> kinds_;
};

}  // namespace nightshift::search
