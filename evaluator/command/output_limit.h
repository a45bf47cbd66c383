#pragma once

#include <cstddef>
#include <string>

namespace nightshift::evaluator {

// "limits.output, 1048576 bytes; --set limits.output=4194304 reads more": the limit that ended what
// a program printed, and what to do where it had to print that.
inline std::string output_limit_text(std::size_t bytes) {
  constexpr std::size_t kTimes = 4;  // a guess; who prints still more is told again
  return "limits.output, " + std::to_string(bytes) +
         " bytes; --set limits.output=" + std::to_string(kTimes * bytes) + " reads more";
}

// Of a server that has printed `received` bytes, more than the limit, and has not answered.
inline std::string endless_answer_text(std::size_t received, std::size_t limit) {
  return "it printed " + std::to_string(received) + " bytes without an answer (" +
         output_limit_text(limit) + ")";
}

}  // namespace nightshift::evaluator
