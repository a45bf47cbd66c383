#include "ipc/stop_signals.h"

#include <gtest/gtest.h>

namespace nightshift::ipc {
namespace {

// What is blocked in this thread, put back at the end.
class MaskOfTest {
 public:
  MaskOfTest() { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
  ~MaskOfTest() { ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

 private:
  sigset_t mask_{};
};

bool is_blocked(int signal) {
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

int taken() {
  sigset_t all;
  ::sigfillset(&all);
  const timespec at_once{};
  return ::sigtimedwait(&all, nullptr, &at_once);
}

TEST(HeldStopSignals, WaitForWhoeverTakesThem) {
  const MaskOfTest mask;
  {
    const HeldStopSignals held;
    EXPECT_FALSE(held.pending());
    ::pthread_kill(::pthread_self(), SIGTERM);
    EXPECT_TRUE(held.pending());
    EXPECT_EQ(taken(), SIGTERM);
    EXPECT_FALSE(held.pending());
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(HeldStopSignals, OneThatNobodyTookDoesNotEndWhatIsToldAtTheEnd) {
  const MaskOfTest mask;
  {
    const HeldStopSignals held;
    ::pthread_kill(::pthread_self(), SIGINT);
  }
  EXPECT_TRUE(is_blocked(SIGINT));
  EXPECT_EQ(taken(), SIGINT);
}

}  // namespace
}  // namespace nightshift::ipc
