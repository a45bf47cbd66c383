#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "search/trial.h"

namespace nightshift::evaluator {

// A program that builds was stopped or frozen from outside until its limit ran out (ipc::held_by).
// That says nothing of what it builds: it is the machine's doing, and no BuildFailed. No
// runtime_error either, which is how compilers refuse.
class HeldBuild : public std::exception {
 public:
  HeldBuild(std::string_view program, std::string_view held, double limit_seconds)
      : limit_seconds_(limit_seconds), words_(std::string(program) + " was " + std::string(held)) {}
  const char* what() const noexcept override { return words_.c_str(); }
  search::TimedOut outcome() const {
    return {search::Phase::kBuild, limit_seconds_, false, words_};
  }

 private:
  double limit_seconds_;
  std::string words_;
};

}  // namespace nightshift::evaluator
