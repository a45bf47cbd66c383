#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace nightshift::evaluator {

// Whether a program that was started works or only waits: it computes, or what it started does, or
// it prints. One that waits for a GPU without computing shows no sign.
class SignsOfWork {
 public:
  using Clock = std::chrono::steady_clock;

  // Another request to the same program begins.
  void begin() { looked_ = Clock::now(); }
  // Looks again: whether there is a sign since the last look. `printed`: bytes. False at once where
  // the last look was a moment ago, as looking costs some 50 us.
  bool look(pid_t program, std::uint64_t printed);
  // Whether there was one within the last quarter of a limit that has run out.
  bool were_late(double limit_seconds) const;
  // Its limit of so many seconds has run out, and it is still there.
  void look_at_the_end(pid_t program, double limit_seconds);
  // What held the program then (ipc::held_by); empty where it worked or waited of its own accord.
  std::string_view held() const { return held_; }

 private:
  std::uint64_t ticks_ = 0, printed_ = 0;
  Clock::time_point last_{}, looked_ = Clock::now();
  std::string_view held_;
};

}  // namespace nightshift::evaluator
