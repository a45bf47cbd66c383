#include "tools/serve/asked_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "ipc/unique_fd.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// Standard input and output are pipes while it lives.
class AskedPoolTest : public ::testing::Test {
 protected:
  AskedPoolTest() : saved_{ipc::UniqueFd(::dup(0)), ipc::UniqueFd(::dup(1))} {
    std::array<int, 2> in{}, out{};
    EXPECT_EQ(::pipe(in.data()), 0);
    EXPECT_EQ(::pipe(out.data()), 0);
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::close(in[0]);
    ::close(out[1]);
    client_writes_.reset(in[1]);
    client_reads_.reset(out[0]);
    problem_.backend = search::CommandBackend{};
    problem_.parameters.push_back(search::Parameter{
        "x", search::ParameterType::kInt, {search::Value(std::int64_t{1})}, {}, {}});
    lines_.emplace(true, "");
    pool_.emplace(problem_, 2, *lines_, clock_);
  }
  ~AskedPoolTest() override {
    pool_.reset();
    lines_.reset();
    ::dup2(saved_[0].get(), 0);
    ::dup2(saved_[1].get(), 1);
  }

  void ask(scheduler::DeviceIndex place, double left) {
    scheduler::Job job;
    job.trial = search::TrialId{++trials_};
    job.device = place;
    job.request = ipc::EvaluateRequest{};
    job.evaluation().left = left;
    pool_->start(job);
  }
  void answer(const std::string& line) {
    EXPECT_EQ(::write(client_writes_.get(), line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
  }
  // What has happened by now; a trial that ended, else nullopt. `said`: on standard error.
  std::optional<scheduler::JobEnded> look() {
    CaptureStderr();
    scheduler::PoolEvent event = pool_->wait(scheduler::Clock::TimePoint{});
    said_ = GetCapturedStderr();
    if (const auto* const ended = std::get_if<scheduler::JobEnded>(&event)) return *ended;
    return std::nullopt;
  }

  std::string told() const {
    std::string text(4096, '\0');
    const ssize_t length = ::read(client_reads_.get(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return text;
  }

  fakes::FakeClock clock_;
  std::array<ipc::UniqueFd, 2> saved_;
  ipc::UniqueFd client_writes_, client_reads_;
  search::Problem problem_;
  std::optional<LineChannels> lines_;
  std::optional<AskedPool> pool_;
  std::uint64_t trials_ = 0;
  std::string said_;
};

TEST_F(AskedPoolTest, WhatIsOpenWhenTheBudgetEndsIsGivenUp) {
  ask(0, 10);
  clock_.advance(4);
  ask(1, 6.5);
  clock_.advance(5.9);
  EXPECT_FALSE(look());
  EXPECT_FALSE(pool_->can_measure(0));
  clock_.advance(0.2);
  const auto first = look();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->trial, search::TrialId{1});
  const auto& late = std::get<search::TimedOut>(first->report.outcome);
  EXPECT_EQ(late.limit_seconds, 10);
  EXPECT_THAT(late.message, HasSubstr("no answer came for id 1"));
  EXPECT_TRUE(pool_->can_measure(0));
  EXPECT_FALSE(look());
  clock_.advance(0.5);
  EXPECT_EQ(look().value().trial, search::TrialId{2});
  answer("{\"id\": 1, \"time\": 3}\n");
  EXPECT_FALSE(look());
  std::string told(4096, '\0');
  told.resize(static_cast<std::size_t>(::read(client_reads_.get(), told.data(), told.size())));
  EXPECT_THAT(told, HasSubstr("id 1 has been answered, or given up"));
}

TEST_F(AskedPoolTest, WithoutABudgetOfTimeAnswersAreWaitedForHoweverLate) {
  ask(0, 0);
  clock_.advance(1e6);
  EXPECT_FALSE(look());
  answer("{\"id\": 1, \"time\": 3}\n");
  EXPECT_EQ(look().value().trial, search::TrialId{1});
}

TEST_F(AskedPoolTest, ALongSilenceIsRemarkedUponWithWhatIsWaitedFor) {
  ask(0, 0);
  clock_.advance(59);
  look();
  EXPECT_EQ(said_, "");
  ask(1, 0);
  clock_.advance(59);
  look();
  EXPECT_EQ(said_, "");
  clock_.advance(2);
  look();
  EXPECT_THAT(said_, HasSubstr("waits for the answer of id 1, asked for 120 s ago, and of 1 more"));
  look();
  EXPECT_EQ(said_, "");
}

TEST_F(AskedPoolTest, SlowAnswersMakeLongerSilencesUsual) {
  ask(0, 0);
  clock_.advance(50);
  answer("{\"id\": 1, \"time\": 3}\n");
  ASSERT_TRUE(look());
  ask(0, 0);
  clock_.advance(199);
  look();
  EXPECT_EQ(said_, "");
  clock_.advance(2);
  look();
  EXPECT_THAT(said_, HasSubstr("id 2, asked for 201 s ago; what is lost"));
}

TEST_F(AskedPoolTest, AFigureThatCannotBeReadLeavesItsIdOpen) {
  ask(0, 0);
  answer("{\"id\": 1, \"time\": \"3 us\"}\n");
  ASSERT_TRUE(look());
  ask(0, 0);
  static_cast<void>(told());
  for (const char* figure : {"1", "null", "\"5 parsec\"", "\"fast\"", "[]", "{}", "true",
                             "[\"2 us\", null]", "\"2 us/op\""}) {
    answer(std::string("{\"id\": 2, \"time\": ") + figure + "}\n");
    EXPECT_FALSE(look()) << figure;
    EXPECT_FALSE(pool_->can_measure(0)) << figure;
    EXPECT_THAT(told(), AllOf(HasSubstr("{\"error\":\"id 2 stays open, answer it anew: "),
                              HasSubstr("time")))
        << figure;
  }
  std::string accents;  // what is shown of a long line begins within one, with one of the blanks
  for (int i = 0; i < 301; ++i) accents += "\u00e9";
  for (const char* blank : {"", " "}) {
    answer("{\"id\": 2, \"note\": \"" + accents + "\", \"time\": null" + blank + "}\n");
    EXPECT_FALSE(look());
    EXPECT_THAT(told(), HasSubstr("id 2 stays open"));
  }
  answer("{\"id\": 2, \"time\": \"4 us\"}\n");
  const auto ended = look();
  ASSERT_TRUE(ended);
  const auto& measured = std::get<search::Measured>(ended->report.outcome);
  ASSERT_EQ(measured.measurement.figures.size(), 1U);
  EXPECT_THAT(measured.measurement.figures[0].values, ElementsAre(DoubleNear(0.004, 1e-12)));
}

TEST_F(AskedPoolTest, TheUnitOfAFigureThatCannotBeReadIsForgotten) {
  ask(0, 0);
  answer("{\"id\": 1, \"time\": [\"2 us\", null]}\n");
  EXPECT_FALSE(look());
  answer("{\"id\": 1, \"time\": 3}\n");
  const auto ended = look();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(std::holds_alternative<search::Measured>(ended->report.outcome));
}

}  // namespace
}  // namespace nightshift::tools
