#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>

#include <array>
#include <random>

#include "ipc/child_process.h"
#include "ipc/mailbox.h"
#include "roles.h"

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;

// A parent's side and a real evaluator process at the other end.
class MailboxWithAProcess : public testing::Test {
 protected:
  void start(const std::string& mode) {
    box_ = ParentMailbox::create(++epoch_);
    child_ = ChildProcess::spawn(roles::mailbox_child(box_, mode));
  }
  // Waits for a ring or the child's death, then takes; until there is something, or the child is
  // dead.
  ParentMailbox::Taken next() {
    while (true) {
      std::array<pollfd, 2> fds{{{box_.doorbell_fd(), POLLIN, 0}, {child_.pidfd(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), -1);
      const bool dead = child_.dead();
      auto taken = box_.take();
      if (dead || !std::holds_alternative<ParentMailbox::Nothing>(taken)) return taken;
    }
  }
  ExitReport death() { return child_.destroy(10s).value(); }

  std::uint64_t epoch_ = 1000;
  ParentMailbox box_ = ParentMailbox::create(1);
  ChildProcess child_;
};

TEST_F(MailboxWithAProcess, CarriesRoundTrips) {
  start("echo");
  for (std::uint64_t trial = 1; trial <= 1000; ++trial) {
    const std::vector<std::byte> payload(trial % 5000, static_cast<std::byte>(trial));
    ASSERT_TRUE(box_.post(3, trial, 1, payload));
    const auto taken = next();
    ASSERT_TRUE(std::holds_alternative<Record>(taken)) << child_.standard_error();
    ASSERT_EQ(std::get<Record>(taken).payload, payload);
    ASSERT_EQ(std::get<Record>(taken).header.trial, trial);
  }
}

TEST_F(MailboxWithAProcess, SaysNothingWhenTheChildLeft) {
  start("exit-3");
  ASSERT_TRUE(box_.post(3, 1, 1, {}));
  EXPECT_TRUE(std::holds_alternative<ParentMailbox::Nothing>(next()));
  EXPECT_EQ(std::get<Exited>(child_.reap().value()).code, 3);
}

TEST_F(MailboxWithAProcess, KeepsTheBreadcrumbOfAChildThatWasKilled) {
  start("kill-9");
  ASSERT_TRUE(box_.post(3, 42, 1, {}));
  EXPECT_TRUE(std::holds_alternative<ParentMailbox::Nothing>(next()));
  EXPECT_EQ(std::get<Killed>(child_.reap().value()).signal, SIGKILL);
  EXPECT_EQ(box_.progress().phase, search::Phase::kMeasure);
  EXPECT_EQ(box_.progress().trial, 42u);
}

TEST_F(MailboxWithAProcess, KeepsTheReplyOfAChildThatDiedAfterIt) {
  start("reply-die");
  ASSERT_TRUE(box_.post(3, 1, 1, {}));
  EXPECT_TRUE(std::holds_alternative<Record>(next()));
  EXPECT_EQ(std::get<Killed>(death()).signal, SIGKILL);
}

TEST_F(MailboxWithAProcess, NoticesAScribblingChild) {
  start("scribble");
  ASSERT_TRUE(box_.post(3, 1, 1, {}));
  EXPECT_TRUE(std::holds_alternative<ParentMailbox::Corrupt>(next()));
}

TEST_F(MailboxWithAProcess, NoticesASecondReplyAtTheLatestWithTheNextRequest) {
  start("two-replies");
  ASSERT_TRUE(box_.post(3, 1, 1, {}));
  auto taken = next();
  if (std::holds_alternative<Record>(taken)) {  // taken between the two
    ASSERT_TRUE(box_.post(3, 2, 1, {}));
    taken = next();
  }
  EXPECT_TRUE(std::holds_alternative<ParentMailbox::Corrupt>(taken));
}

// The child is killed at any point of its work; the parent never sees more than a whole reply or
// none.
TEST_F(MailboxWithAProcess, SurvivesKillsAtAnyInstant) {
  using Clock = std::chrono::steady_clock;
  std::mt19937 random(1);
  int replies = 0;
  for (int kill = 0; kill < 200; ++kill) {
    start("echo");
    for (std::uint64_t trial = 1; trial <= static_cast<std::uint64_t>(kill % 7) + 1; ++trial) {
      ASSERT_TRUE(box_.post(3, trial, 1, std::vector<std::byte>(64 * trial)));
      if (trial == static_cast<std::uint64_t>(kill % 7) + 1) break;
      ASSERT_TRUE(std::holds_alternative<Record>(next()));
      ++replies;
    }
    const auto instant = Clock::now() + std::chrono::microseconds(random() % 150);
    while (Clock::now() < instant) {
    }
    EXPECT_EQ(std::get<Killed>(death()).signal, SIGKILL);
    const auto taken = box_.take();
    ASSERT_FALSE(std::holds_alternative<ParentMailbox::Corrupt>(taken))
        << std::get<ParentMailbox::Corrupt>(taken).why;
  }
  EXPECT_GT(replies, 0);
}

}  // namespace
}  // namespace nightshift::ipc
