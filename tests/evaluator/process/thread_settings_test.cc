#include "evaluator/process/thread_settings.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nightshift::evaluator {
namespace {

using std::chrono::milliseconds;

// A thread that has done something and waits for work, as those of a pool.
class WaitingThread {
 public:
  explicit WaitingThread(const std::function<void()>& first)
      : thread_([this, first] { run(first); }) {
    while (id_ == 0 || !is_in_futex()) std::this_thread::sleep_for(milliseconds(1));
  }
  ~WaitingThread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }

 private:
  void run(const std::function<void()>& first) {
    first();
    std::unique_lock lock(mutex_);
    id_ = ::gettid();
    wakes_.wait(lock, [this] { return ends_; });
  }
  bool is_in_futex() const {
    std::ifstream file("/proc/self/task/" + std::to_string(id_) + "/syscall");
    long call = -1;
    return file >> call && call == SYS_futex;
  }

  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::atomic<pid_t> id_ = 0;
  std::thread thread_;
};

bool are_other_behind(const std::function<void()>& first) {
  const WaitingThread thread(first);
  return threads_have_other_settings();
}

TEST(ThreadSettings, OfNoThreadAreThoseOfThisOne) { EXPECT_FALSE(threads_have_other_settings()); }

TEST(ThreadSettings, OfThreadsThatChangeNoneAreThoseOfThisOne) {
  const WaitingThread one([] {}), two([] {});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(threads_have_other_settings()) << i;
}

TEST(ThreadSettings, ThatOneThreadOfSeveralChangesAreSeen) {
  const WaitingThread one([] {});
  EXPECT_FALSE(threads_have_other_settings());
  {
    const WaitingThread two([] { std::fesetround(FE_DOWNWARD); }), three([] {});
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(threads_have_other_settings()) << i;
  }
  EXPECT_FALSE(threads_have_other_settings()) << "they have ended";
}

TEST(ThreadSettings, AreComparedWithThoseOfTheCallingThread) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  EXPECT_FALSE(are_other_behind([] {})) << "a thread begins with those of its parent";
  EXPECT_TRUE(are_other_behind([] { std::fesetround(FE_TONEAREST); }));
  std::fesetenv(&before);
}

#if defined(__x86_64__)
TEST(ThreadSettings, OfDenormalsAndExceptionsAreSeen) {
  EXPECT_TRUE(are_other_behind([] { _mm_setcsr(_mm_getcsr() | 0x8000u); })) << "flush to zero";
  EXPECT_TRUE(are_other_behind([] { _mm_setcsr(_mm_getcsr() | 0x0040u); })) << "denormals are zero";
  EXPECT_TRUE(are_other_behind([] { _mm_setcsr(_mm_getcsr() & ~0x0200u); })) << "division by zero";
  EXPECT_TRUE(are_other_behind([] {
    const unsigned short single = 0x007f;
    asm volatile("fldcw %0" : : "m"(single));
  })) << "precision of long double";
}
#endif

TEST(ThreadSettings, FlagsThatComputingRaisesAreNone) {
  EXPECT_FALSE(are_other_behind([] { std::feraiseexcept(FE_INEXACT | FE_OVERFLOW); }));
}

TEST(ThreadSettings, OfCoresAndPriorityAreSeen) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  const auto take_one = [all] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    }
    EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  };
  if (CPU_COUNT(&all) > 1) {
    EXPECT_TRUE(are_other_behind(take_one));
    ::setenv("OMP_PROC_BIND", "close", 1);
    EXPECT_FALSE(are_other_behind(take_one)) << "each has its own by the user's wish";
    ::unsetenv("OMP_PROC_BIND");
  }
  const int priority = ::getpriority(PRIO_PROCESS, 0);
  if (priority == 19) GTEST_SKIP() << "there is no lower priority";
  EXPECT_TRUE(are_other_behind([priority] {
    EXPECT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), priority + 1), 0);
  }));
}

TEST(ThreadSettings, AThreadThatBlocksTheSignalIsNotWaitedFor) {
  const auto block = [] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  };
  const WaitingThread blocks(block);
  EXPECT_FALSE(threads_have_other_settings());
  EXPECT_TRUE(are_other_behind([] { std::fesetround(FE_DOWNWARD); })) << "others are asked";
}

// The end of a sleep by a signal would be a fault of the kernel's.
TEST(ThreadSettings, ACallOfAThreadThatAnySignalCutsOffIsLeftAlone) {
  std::atomic<bool> begins = false;
  std::atomic<int> result = -2;
  std::thread sleeps([&] {
    begins = true;
    result = ::poll(nullptr, 0, 300);
  });
  while (!begins) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(threads_have_other_settings()) << i;
  sleeps.join();
  EXPECT_EQ(result, 0);
}

TEST(ThreadSettings, TheHandlerOfTheSignalIsPutBack) {
  struct sigaction mine {
  }, then{};
  mine.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGURG, &mine, &before), 0);
  EXPECT_FALSE(are_other_behind([] {}));
  ASSERT_EQ(::sigaction(SIGURG, &before, &then), 0);
  EXPECT_EQ(then.sa_handler, mine.sa_handler);
}

}  // namespace
}  // namespace nightshift::evaluator
