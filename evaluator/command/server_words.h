#pragma once

#include <cstdint>
#include <string>

#include "search/trial.h"

namespace nightshift::evaluator {

// What a server printed of one request that is no answer.
class SkippedLines {
 public:
  void clear() { *this = SkippedLines(); }
  void note(const std::string& line);
  // For people, where no answer came; `rest` is the line that has no end yet.
  std::string words(const std::string& rest) const;

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

// "limits.build, 120 s".
std::string build_limit_text(double seconds);

// A server that was stopped as it did not keep to its protocol.
search::Crashed stopped_server(const std::string& why, const std::string& standard_error,
                               search::Phase phase);

}  // namespace nightshift::evaluator
