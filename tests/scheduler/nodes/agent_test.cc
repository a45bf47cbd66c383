#include "scheduler/nodes/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ipc/messages.h"
#include "scheduler/errors.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_shared_pool.h"
#include "tests/fakes/study_driver.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;

class AgentTest : public ::testing::Test, protected AgentHost {
 protected:
  std::vector<Device> devices_for(const search::Problem&) override {
    std::vector<Device> found;
    if (!only_extra) found = {{"node", "fake:0", "fake", {}}, {"node", "fake:1", "fake", {}}};
    if (!extra.empty()) found.push_back({"node", extra, "fake", {}});
    return found;
  }
  std::unique_ptr<SharedPool> make_pool(const std::vector<Device>& devices,
                                        const std::vector<search::Problem>&,
                                        const Terms& asked) override {
    terms = asked;
    if (terms.wait) terms.waits("another nightshift");
    auto made = std::make_unique<fakes::FakeSharedPool>(clock, static_cast<int>(devices.size()));
    pool = made.get();
    pool->answer = [](const Job&) { return std::pair(JobEnded{}, 2.0); };
    return made;
  }
  search::Problem at_home(search::Problem problem, const std::vector<std::string>&,
                          const std::string&) override {
    return problem;
  }

  void say(const HeadLine& line) {
    std::string text = line_of(line);
    text.pop_back();
    agent.take(text);
  }
  void begin() {
    say(own_hello());
    ipc::ConfigureRequest request;
    request.problem = fakes::command_problem(4);
    for (const node::Piece& piece : pieces_of("problem/0", ipc::encode(request))) say(piece);
    say(node::Survey{"problem/0"});
    say(node::Begin{true, silence_ms, wait});
    say(node::Admit{7, "problem/0", {}, 0, false});
    say(node::Open{7, 0, true});
    agent.end_turn();
  }
  node::Start job(std::uint64_t number, std::uint64_t trial) {
    return {number, 7, trial, 1, 0, false, false, ipc::encode(ipc::EvaluateRequest{})};
  }
  template <class Message>
  std::vector<Message> said() const {
    std::vector<Message> all;
    for (const AgentLine& line : lines) {
      if (const auto* message = std::get_if<Message>(&line)) all.push_back(*message);
    }
    return all;
  }

  tests::ScratchFolder folder;
  fakes::FakeClock clock;
  fakes::FakeSharedPool* pool = nullptr;
  std::string extra;  // a device that the first problem has not
  bool only_extra = false;
  Terms terms;             // as the pool was made
  std::uint64_t wait = 0;  // seconds
  std::uint64_t silence_ms = 30'000;
  std::vector<AgentLine> lines;
  Agent agent{{*this,
               clock,
               folder / "",
               [this](const std::string& line) {
                 lines.push_back(agent_line(line.substr(0, line.size() - 1)));
               },
               {}}};
};

TEST_F(AgentTest, NamesItsDevicesAndWhatMayStart) {
  begin();
  ASSERT_EQ(said<node::Found>().size(), 1U);
  EXPECT_EQ(said<node::Found>().front().devices.size(), 2U);
  EXPECT_THAT(said<node::Surveyed>().front().devices, ElementsAre(0, 1));
  EXPECT_EQ(said<node::Places>().back().places, (std::vector{node::Place{7, {0}, false}}));
}

TEST_F(AgentTest, SaysWhatItHasForAProblemThatComesLater) {
  begin();
  ipc::ConfigureRequest request;
  request.problem = fakes::command_problem(9);
  for (const node::Piece& piece : pieces_of("problem/1", ipc::encode(request))) say(piece);
  extra = "fake:2";  // the pool was made without it
  say(node::Survey{"problem/1"});
  ASSERT_EQ(said<node::Surveyed>().size(), 2U);
  EXPECT_EQ(said<node::Surveyed>().back().problem, "problem/1");
  EXPECT_THAT(said<node::Surveyed>().back().devices, ElementsAre(0, 1));
  EXPECT_EQ(said<node::Surveyed>().back().error, "");
  only_extra = true;
  say(node::Survey{"problem/1"});
  EXPECT_TRUE(said<node::Surveyed>().back().devices.empty());
  EXPECT_EQ(said<node::Surveyed>().back().error, "this run has none of its devices for it");
  EXPECT_THROW(say(node::Survey{"problem/2"}), LineError);
  say(node::Admit{8, "problem/1", {}, 0, false});
  say(node::Open{8, 1, true});
  agent.end_turn();
  EXPECT_EQ(said<node::Places>().back().places.back(), (node::Place{8, {1}, false}));
}

TEST_F(AgentTest, TakesOverHowTheHeadWantsIt) {
  wait = 60;
  silence_ms = 45'000;
  begin();
  EXPECT_TRUE(terms.several);
  EXPECT_EQ(terms.wait, 60);
  EXPECT_EQ(said<node::Waiting>().front().user, "another nightshift");
  clock.advance(89);  // twice the silence
  EXPECT_FALSE(agent.head_is_gone());
  clock.advance(1);
  EXPECT_TRUE(agent.head_is_gone());
}

TEST_F(AgentTest, WaitsForNobodyUnlessItIsAsked) {
  begin();
  EXPECT_EQ(terms.wait, std::nullopt);
  EXPECT_TRUE(said<node::Waiting>().empty());
}

TEST_F(AgentTest, CarriesOutJobsOneAfterTheOther) {
  begin();
  say(job(1, 11));
  say(job(2, 12));  // given before the head knew that the device is taken
  agent.end_turn();
  EXPECT_EQ(said<node::Places>().back().after, 2U);
  EXPECT_TRUE(said<node::Places>().back().places.front().devices.empty());
  for (int i = 0; i < 2; ++i) {
    agent.fold(pool->wait({}));
    agent.end_turn();
  }
  ASSERT_EQ(said<node::Ended>().size(), 2U);
  EXPECT_EQ(said<node::Ended>()[0].job, 1U);
  EXPECT_EQ(said<node::Ended>()[1].job, 2U);
  EXPECT_THAT(said<node::Places>().back().places.front().devices, ElementsAre(0));
  EXPECT_THROW(say(job(2, 12)), LineError);
}

TEST_F(AgentTest, AFailedDeviceGivesBackWhatWaitsForIt) {
  begin();
  say(job(1, 11));
  agent.fold({0, DeviceFailed{0, "as scripted"}});
  ASSERT_EQ(said<node::Ended>().size(), 1U);
  const auto reply = ipc::decode<ipc::EvaluatedReply>(said<node::Ended>().front().report);
  EXPECT_EQ(reply.report.outcome, search::TrialOutcome(search::DeviceLost{"as scripted"}));
  EXPECT_EQ(said<node::Failed>().front().reason, "as scripted");
  say(job(2, 12));
  EXPECT_EQ(said<node::Ended>().size(), 2U);
}

// A failure by a full disk is none of the candidate: the head has it repeated elsewhere.
TEST_F(AgentTest, GivesBackAJobThatItHasNotBegun) {
  begin();
  say(job(1, 11));
  say(job(2, 12));
  agent.end_turn();
  say(node::Recall{1});  // it has begun
  EXPECT_TRUE(said<node::Ended>().empty());
  say(node::Recall{2});
  ASSERT_EQ(said<node::Ended>().size(), 1U);
  EXPECT_EQ(said<node::Ended>().front().job, 2U);
  EXPECT_FALSE(said<node::Ended>().front().begun);
  say(node::Recall{2});
  EXPECT_EQ(said<node::Ended>().size(), 1U);
  agent.fold(pool->wait({}));
  agent.end_turn();
  ASSERT_EQ(said<node::Ended>().size(), 2U);
  EXPECT_TRUE(said<node::Ended>().back().begun);
  EXPECT_EQ(pool->measured.size(), 1U);
}

TEST_F(AgentTest, ADeviceThatTheHeadRetiresGivesBackWhatWaitsForIt) {
  begin();
  say(job(1, 11));
  say(job(2, 12));
  agent.end_turn();
  say(node::Retire{7, 0, "as scripted"});
  ASSERT_EQ(said<node::Ended>().size(), 1U);
  EXPECT_EQ(said<node::Ended>().front().job, 2U);
  EXPECT_FALSE(said<node::Ended>().front().begun);
}

// The head has it built again, and sends it where it does not come from here.
TEST_F(AgentTest, WhatIsDamagedHereIsSaidAndRemoved) {
  begin();
  const std::string artifact = folder / "studies/7/artifacts/abc";
  std::ofstream(artifact) << "no machine code";
  say(job(1, 11));
  agent.end_turn();
  JobEnded ended;
  ended.trial = {11};
  ended.device = 0;
  ended.report.outcome = search::LaunchFailed{"the artifact abc has changed"};
  ended.damaged = "abc";
  agent.fold({0, ended});
  const auto reply = ipc::decode<ipc::EvaluatedReply>(said<node::Ended>().front().report);
  EXPECT_EQ(reply.damaged, "abc");
  EXPECT_FALSE(std::filesystem::exists(artifact));
  say(node::Forget{7, "abc"});
  EXPECT_THROW(say(node::Forget{8, "abc"}), LineError);
}

TEST_F(AgentTest, EndsWithoutAnAnswerWhereItsDiskIsFull) {
  begin();
  say(job(1, 11));
  agent.end_turn();
  JobEnded ended;
  ended.trial = {11};
  ended.device = 0;
  ended.report.outcome = search::BuildFailed{"x.cc:1: a real mistake"};
  JobEnded full = ended;
  full.report.outcome =
      search::BuildFailed{"fatal error: error writing to a.s: No space left on device"};
  EXPECT_THROW(agent.fold({0, full}), DeviceError);
  EXPECT_TRUE(said<node::Ended>().empty());
  agent.fold({0, ended});
  EXPECT_EQ(said<node::Ended>().size(), 1U);
}

TEST_F(AgentTest, SaysSomethingNowAndThenAndEndsInSilence) {
  begin();
  EXPECT_FALSE(agent.head_is_gone());
  clock.reach(agent.wake());
  agent.end_turn();
  EXPECT_EQ(said<node::Beat>().size(), 1U);
  clock.advance(49);
  EXPECT_FALSE(agent.head_is_gone());
  clock.advance(2);
  EXPECT_TRUE(agent.head_is_gone());
}

TEST_F(AgentTest, IsNeededUntilItIsDismissedOrStopped) {
  EXPECT_FALSE(agent.is_needed());
  begin();
  EXPECT_TRUE(agent.is_needed());
  agent.fold({std::nullopt, Interrupted{1, SIGTERM}});
  EXPECT_EQ(said<node::Stopped>().size(), 1U);
  EXPECT_EQ(said<node::Stopped>().front().signal, static_cast<std::uint64_t>(SIGTERM));
  EXPECT_FALSE(agent.is_needed());
}

TEST_F(AgentTest, IsNotNeededWithoutAStudy) {
  begin();
  say(node::Dismiss{7});
  EXPECT_FALSE(agent.is_needed());
}

TEST_F(AgentTest, RefusesWhatNoHeadSays) {
  EXPECT_THROW(say(node::Begin{}), LineError);  // before the greeting
  node::Hello other = own_hello();
  other.program = "9.9";
  EXPECT_THROW(say(other), LineError);
  begin();
  EXPECT_THROW(say(node::Open{8, 0, true}), LineError);
  EXPECT_THROW(say(node::Open{7, 2, true}), LineError);
  EXPECT_THROW(say(node::Piece{"file/..", {}, true}), LineError);
  EXPECT_THROW(say(node::Piece{"artifact/9/abc", {}, true}), LineError);
  EXPECT_THROW(say(node::Admit{8, "problem/0", {{"/a/../../b", "file/0"}}, 0, false}), LineError);
  EXPECT_THROW(agent.take("noise"), LineError);
}

}  // namespace
}  // namespace nightshift::scheduler
