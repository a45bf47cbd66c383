#include "ipc/poller.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

UniqueFd event(unsigned count) { return UniqueFd(::eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK)); }

Poller::Clock::time_point now() { return Poller::Clock::now(); }

TEST(Poller, ReportsTheTokensOfWhatIsReadable) {
  const UniqueFd quiet = event(0), one = event(1), two = event(1);
  Poller poller;
  poller.add(quiet.get(), 10);
  poller.add(one.get(), 11);
  poller.add(two.get(), ~std::uint64_t{0});
  EXPECT_THAT(poller.wait(std::nullopt), UnorderedElementsAre(11u, ~std::uint64_t{0}));
}

TEST(Poller, ReportsAgainUntilItIsRead) {
  const UniqueFd one = event(1);
  Poller poller;
  poller.add(one.get(), 1);
  EXPECT_THAT(poller.wait(now()), ElementsAre(1u));
  EXPECT_THAT(poller.wait(now()), ElementsAre(1u));
  std::uint64_t count = 0;
  ASSERT_EQ(::read(one.get(), &count, sizeof count), 8);
  EXPECT_THAT(poller.wait(now()), IsEmpty());
}

TEST(Poller, ReturnsNothingAtTheDeadlineAndNotBefore) {
  Poller poller;
  const auto deadline = now() + 5ms;
  EXPECT_THAT(poller.wait(deadline), IsEmpty());
  EXPECT_GE(now(), deadline);
  EXPECT_THAT(poller.wait(now() - 1h), IsEmpty());
}

TEST(Poller, ForgetsWhatWasRemoved) {
  const UniqueFd one = event(1);
  Poller poller;
  poller.add(one.get(), 1);
  poller.remove(one.get());
  EXPECT_THAT(poller.wait(now()), IsEmpty());
  poller.add(one.get(), 2);
  EXPECT_THAT(poller.wait(now()), ElementsAre(2u));
}

TEST(Poller, ReportsMoreThanOneBatchOfDescriptors) {
  std::vector<UniqueFd> events;
  Poller poller;
  for (std::uint64_t i = 0; i < 200; ++i) {
    events.push_back(event(1));
    poller.add(events.back().get(), i);
  }
  std::set<std::uint64_t> seen;
  while (seen.size() < 200) {
    const auto& ready = poller.wait(now());
    ASSERT_FALSE(ready.empty());
    seen.insert(ready.begin(), ready.end());
  }
}

TEST(Poller, ReportsSignalsInsteadOfDyingOfThem) {
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &before), 0);
  {
    Poller poller;
    poller.watch_signals({SIGTERM, SIGHUP}, 5);
    EXPECT_THAT(poller.wait(now()), IsEmpty());
    EXPECT_EQ(poller.next_signal(), std::nullopt);
    ASSERT_EQ(::raise(SIGTERM), 0);
    ASSERT_EQ(::raise(SIGHUP), 0);
    EXPECT_THAT(poller.wait(std::nullopt), ElementsAre(5u));
    EXPECT_THAT((std::vector{poller.next_signal().value(), poller.next_signal().value()}),
                UnorderedElementsAre(SIGTERM, SIGHUP));
    EXPECT_EQ(poller.next_signal(), std::nullopt);
    EXPECT_THAT(poller.wait(now()), IsEmpty());
  }
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST(Poller, HasNoSignalWhenItWatchesNone) {
  Poller poller;
  EXPECT_EQ(poller.next_signal(), std::nullopt);
}

}  // namespace
}  // namespace nightshift::ipc
