#include "scheduler/nodes/node_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "ipc/messages.h"
#include "scheduler/errors.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_links.h"
#include "tests/fakes/study_driver.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using fakes::FakeLinks;

class NodePoolTest : public ::testing::Test {
 protected:
  NodePoolTest() {
    links.answer = [this](std::size_t node) { greet(node, "cpu"); };
    problem = std::make_shared<search::Problem>(fakes::command_problem(4));
  }
  void greet(std::size_t node, const std::string& model) {
    links.say(node, own_hello());
    links.say(node, node::Surveyed{"problem/survey-0", {0}, {{}}, ""});
    links.say(node, node::Found{1, {{links.name(node), "cpu:0", model, {0}}}});
  }
  StudyIndex begin(bool builds = false) {
    pool.gather({problem});
    const StudyIndex study = pool.admit({problem, folder / "", 1, builds});
    for (DeviceIndex d = 0; d < pool.devices().size(); ++d) pool.open(study, d, true);
    pool.set_builders(study, 2);
    return study;
  }
  void free(std::size_t node, std::uint64_t after = 0, bool builds = false) {
    links.say(node, node::Places{after, {{0, {0}, builds}}});
    (void)pool.wait(clock.now());
  }
  Job job(std::uint64_t trial, DeviceIndex device) {
    Job made;
    made.trial = search::TrialId{trial};
    made.device = device;
    made.request = ipc::EvaluateRequest{};
    return made;
  }
  static node::Ended answer(std::uint64_t number) {
    ipc::EvaluatedReply reply;
    reply.report.outcome = search::LaunchFailed{"as scripted"};
    return {number, ipc::encode(reply), {}, true, false, true};
  }
  template <class Event>
  Event next() {
    for (int i = 0; i < 100; ++i) {
      const SharedEvent event = pool.wait(clock.now() + std::chrono::hours(1));
      if (const auto* wanted = std::get_if<Event>(&event.event)) return *wanted;
    }
    ADD_FAILURE() << "it does not come";
    return {};
  }

  tests::ScratchFolder folder;
  fakes::FakeClock clock;
  FakeLinks links{clock, 2};
  std::shared_ptr<search::Problem> problem;
  NodePool::Parts parts() {
    return {links, clock, [](const search::Problem& p) { return PortableProblem{p, {}}; }, {}};
  }
  NodePool pool{parts()};
};

// Whose signals go to all that there is of a batch system's job.
TEST_F(NodePoolTest, ASignalToAllIsOneRequest) {
  begin();
  const auto stops = [&] {
    int count = 0;
    while (!links.events.empty()) {
      const SharedEvent event = pool.wait(clock.now());
      if (std::holds_alternative<Interrupted>(event.event)) ++count;
    }
    return count;
  };
  links.say(0, node::Stopped{SIGTERM});
  EXPECT_EQ(stops(), 0);
  clock.advance(5);
  for (const std::size_t node : {0, 1, 0, 1}) links.say(node, node::Stopped{SIGTERM});
  links.events.emplace_back(PoolEvent(Interrupted{1, SIGTERM}));
  EXPECT_EQ(stops(), 1);
  clock.advance(11);  // what is in hand ends there
  links.say(1, node::Stopped{SIGTERM});
  EXPECT_EQ(stops(), 0);
  EXPECT_FALSE(links.closed.contains(0));
  links.events.emplace_back(PoolEvent(Interrupted{2, SIGTERM}));  // it is killed soon
  EXPECT_EQ(stops(), 1);
}

TEST_F(NodePoolTest, TheLastAgentThatIsSignalledStopsTheRun) {
  begin();
  links.answer = {};
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  links.say(1, node::Stopped{SIGTERM});
  EXPECT_EQ(next<Interrupted>().signal, SIGTERM);
}

TEST_F(NodePoolTest, OneAgentThatIsSignalledIsOneNodeLess) {
  const StudyIndex study = begin();
  free(0);
  free(1);
  pool.start(study, job(7, 0));
  links.say(0, node::Stopped{SIGTERM});
  EXPECT_THAT(next<Notice>().text, HasSubstr("node0: the agent was sent SIGTERM"));
  links.say(0, answer(1));  // what it has in hand may end
  EXPECT_EQ(next<JobEnded>().trial.value, 7U);
  free(0, 1);
  EXPECT_FALSE(pool.can_measure(study, 0));
  EXPECT_TRUE(pool.can_measure(study, 1));
  EXPECT_FALSE(links.closed.contains(0));
  EXPECT_THAT(next<DeviceFailed>().reason, HasSubstr("its agent was sent SIGTERM"));
  EXPECT_TRUE(links.closed.contains(0));
  for (int i = 0; i < 20; ++i) {
    links.say(1, node::Beat{});
    (void)pool.wait(clock.now() + std::chrono::seconds(5));
  }
  EXPECT_EQ(links.opened[0], 1);
  EXPECT_TRUE(pool.can_measure(study, 1));
}

TEST_F(NodePoolTest, ASignalledAgentGivesBackWhatItHasNotEnded) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  links.say(0, node::Stopped{SIGTERM});
  const auto ended = next<JobEnded>();
  EXPECT_TRUE(std::holds_alternative<search::DeviceLost>(ended.report.outcome));
}

TEST_F(NodePoolTest, ASignalledAgentThatEndsDoesNotComeBack) {
  begin();
  links.say(0, node::Stopped{SIGTERM});
  links.events.push_back(NodeLinks::Closed{0, "it was killed"});
  EXPECT_THAT(next<DeviceFailed>().reason, HasSubstr("it was killed"));
}

TEST_F(NodePoolTest, HasTheDevicesOfAllNodes) {
  begin();
  ASSERT_EQ(pool.devices().size(), 2U);
  EXPECT_EQ(pool.devices()[1].key(), "node1/cpu:0");
  EXPECT_EQ(pool.builder_count(), 2);
  EXPECT_EQ(links.all_sent<node::Admit>(0).size(), 1U);
}

TEST_F(NodePoolTest, ANodeThatComesLateJoins) {
  links.answer = [this](std::size_t node) {
    if (node == 0) return greet(node, "cpu");
    links.events.push_back(NodeLinks::Closed{node, "it is still asleep"});
  };
  begin();
  ASSERT_EQ(pool.devices().size(), 1U);
  EXPECT_TRUE(pool.may_grow());
  links.answer = [this](std::size_t node) { greet(node, "cpu"); };
  EXPECT_EQ(next<DeviceJoined>().device, DeviceIndex{1});
  EXPECT_EQ(pool.devices().size(), 2U);
  EXPECT_FALSE(pool.may_grow());
  EXPECT_THAT(pool.devices_of(0), ElementsAre(0, 1));
}

class PatientPoolTest : public NodePoolTest {
 protected:
  void wait_for_devices(std::size_t node) {
    links.say(node, own_hello());
    links.say(node, node::Surveyed{"problem/survey-0", {0}, {{}}, ""});
    links.say(node, node::Waiting{"core 3 is used"});
  }
  std::vector<std::string> said;
  NodePool patient{{links, clock,
                    [](const search::Problem& p) {
                      return PortableProblem{p, {}};
                    },
                    times(), false, 1.5, [this](const std::string& t) { said.push_back(t); }}};
  static NodeTimes times() {
    NodeTimes times;
    times.silence = NodeTimes::Seconds(45);
    return times;
  }
};

TEST_F(PatientPoolTest, ANodeThatWaitsForItsDevicesJoinsOnceItHasThem) {
  links.answer = [this](std::size_t node) {
    node == 0 ? greet(node, "cpu") : wait_for_devices(node);
  };
  patient.gather({problem});  // the other has one
  EXPECT_THAT(said, ElementsAre("node1: waiting: core 3 is used"));
  ASSERT_EQ(patient.devices().size(), 1U);
  EXPECT_TRUE(patient.may_grow());
  EXPECT_EQ(links.all_sent<node::Begin>(1).front().wait, 2U);
  EXPECT_EQ(links.all_sent<node::Begin>(1).front().silence_ms, 45'000U);
  for (int i = 0; i < 60; ++i) {  // ten minutes: longer than a node may take that does not wait
    links.say(0, node::Beat{});
    links.say(1, node::Beat{});
    (void)patient.wait(clock.now() + std::chrono::seconds(10));
  }
  EXPECT_EQ(links.opened[1], 1);
  EXPECT_EQ(links.all_sent<node::Begin>(1).size(), 1U);
  links.say(1, node::Found{1, {{"node1", "cpu:0", "cpu", {0}}}});
  while (patient.devices().size() < 2) (void)patient.wait(clock.now() + std::chrono::seconds(1));
  EXPECT_FALSE(patient.may_grow());
}

TEST_F(PatientPoolTest, WhoSaysNothingIsWaitedForNoLongerThanASilentNode) {
  links.answer = [this](std::size_t node) {
    if (node == 0) greet(node, "cpu");
  };
  const Clock::TimePoint begun = clock.now();
  patient.gather({problem});
  EXPECT_EQ(clock.now() - begun, std::chrono::seconds(45));
  EXPECT_THAT(said, ElementsAre(HasSubstr("node1: it has not named its devices yet")));
  EXPECT_EQ(patient.devices().size(), 1U);
  EXPECT_TRUE(patient.may_grow());
  greet(1, "cpu");
  while (patient.devices().size() < 2) (void)patient.wait(clock.now() + std::chrono::seconds(1));
}

TEST_F(PatientPoolTest, WhereAllWaitTheRunDoes) {
  links.answer = [this](std::size_t node) { wait_for_devices(node); };
  bool is_free = false;
  links.on_idle = [&] {
    if (is_free) return;
    is_free = true;
    links.say(0, node::Found{1, {{"node0", "cpu:0", "cpu", {0}}}});
  };
  patient.gather({problem});
  EXPECT_TRUE(is_free);
  EXPECT_EQ(patient.devices().size(), 1U);
}

TEST_F(NodePoolTest, NobodyWaitsUnasked) {
  begin();
  links.say(0, node::Waiting{"core 3 is used"});
  EXPECT_THAT(next<Notice>().text, HasSubstr("it waits unasked"));
}

TEST_F(NodePoolTest, AProblemThatIsAskedLaterIsAnsweredByEachNode) {
  begin();
  search::Problem other = *problem;
  other.name = "other";
  ASSERT_EQ(pool.ask(other), 1U);
  EXPECT_EQ(links.all_sent<node::Survey>(0).back().problem, "problem/survey-1");
  const search::IdentityPart driver{search::IdentityPart::Kind::kDriver, "n", "550.54"};
  links.say(0, node::Surveyed{"problem/survey-1", {0}, {{driver}}, ""});
  (void)pool.wait(clock.now());
  EXPECT_FALSE(pool.has_answer(1));
  links.say(1, node::Surveyed{"problem/survey-1", {}, {}, "there is no compiler"});
  (void)pool.wait(clock.now());
  EXPECT_TRUE(pool.has_answer(1));
  EXPECT_THAT(pool.devices_of(1), ElementsAre(0));
  EXPECT_THAT(pool.devices()[0].made_of, ElementsAre(driver));
  EXPECT_EQ(pool.why_none(1), "node1: there is no compiler");
  links.say(0, node::Surveyed{"problem/survey-1", {0}, {{}}, ""});  // again
  EXPECT_THAT(next<Notice>().text, HasSubstr("what it was not asked"));
}

// Else a study that begins meanwhile would never have it.
TEST_F(NodePoolTest, ANodeJoinsOnceItHasAnsweredForAllProblems) {
  bool is_late = false;
  links.answer = [&](std::size_t node) {
    if (node == 0) return greet(node, "cpu");
    if (!is_late) return links.events.push_back(NodeLinks::Closed{node, "it is still asleep"});
    links.say(node, own_hello());
  };
  begin();
  is_late = true;
  while (links.opened[1] < 2 || links.all_sent<node::Begin>(1).empty()) {
    links.say(0, node::Beat{});
    (void)pool.wait(clock.now() + std::chrono::seconds(5));
  }
  ASSERT_EQ(pool.ask(*problem), 1U);
  links.say(1, node::Surveyed{"problem/survey-0", {0}, {{}}, ""});
  links.say(1, node::Found{1, {{"node1", "cpu:0", "cpu", {0}}}});
  (void)pool.wait(clock.now());
  (void)pool.wait(clock.now());
  EXPECT_EQ(pool.devices().size(), 1U);
  links.say(1, node::Surveyed{"problem/survey-1", {0}, {{}}, ""});
  EXPECT_EQ(next<DeviceJoined>().device, DeviceIndex{1});
  EXPECT_THAT(pool.devices_of(1), ElementsAre(1));
}

TEST_F(NodePoolTest, AnswersAboutDevicesThatAreNotThereLoseTheNode) {
  begin();
  (void)pool.ask(*problem);
  links.say(0, node::Surveyed{"problem/survey-1", {7}, {{}}, ""});
  EXPECT_THAT(next<Notice>().text, HasSubstr("no such device"));
}

TEST_F(NodePoolTest, AJobIsAnsweredOnce) {
  const StudyIndex study = begin();
  EXPECT_FALSE(pool.can_measure(study, 0));
  free(0);
  ASSERT_TRUE(pool.can_measure(study, 0));
  EXPECT_FALSE(pool.can_measure(study, 1));
  pool.start(study, job(7, 0));
  EXPECT_FALSE(pool.can_measure(study, 0));
  EXPECT_TRUE(pool.is_measuring(study, 0));
  free(0, 0);  // said before it knew of the job
  EXPECT_FALSE(pool.can_measure(study, 0));
  links.say(0, answer(1));
  const auto ended = next<JobEnded>();
  EXPECT_EQ(ended.trial.value, 7U);
  EXPECT_EQ(ended.device, DeviceIndex{0});
  EXPECT_TRUE(ended.fresh_process);
  EXPECT_FALSE(pool.is_measuring(study, 0));
  free(0, 1);
  EXPECT_TRUE(pool.can_measure(study, 0));
  links.say(0, answer(1));  // again: no agent does that
  EXPECT_THAT(next<Notice>().text, HasSubstr("answers a job that it was not given"));
}

TEST_F(NodePoolTest, AFarDeviceMayHaveTheNextJobToo) {
  const StudyIndex study = begin();
  EXPECT_FALSE(pool.can_queue(study, 0)) << "nothing is in hand";
  free(0);
  pool.start(study, job(7, 0));
  clock.advance(0.25);
  links.say(0, node::Places{1, {{study, {}, false}}});
  (void)pool.wait(clock.now());
  EXPECT_DOUBLE_EQ(pool.delay(0), 0.25);
  EXPECT_DOUBLE_EQ(pool.delay(1), 0);
  ASSERT_TRUE(pool.can_queue(study, 0));
  pool.start(study, job(8, 0));
  EXPECT_FALSE(pool.can_queue(study, 0));
  links.say(0, answer(1));
  EXPECT_EQ(next<JobEnded>().trial.value, 7U);
  EXPECT_TRUE(pool.is_measuring(study, 0));
  EXPECT_FALSE(pool.can_measure(study, 0));
  EXPECT_TRUE(pool.can_queue(study, 0));
  links.say(0, answer(2));
  const auto ended = next<JobEnded>();
  EXPECT_EQ(ended.trial.value, 8U);
  EXPECT_FALSE(ended.not_begun);
  EXPECT_FALSE(pool.is_measuring(study, 0));
  EXPECT_FALSE(pool.can_queue(study, 0));
}

TEST_F(NodePoolTest, NothingIsQueuedWhereAnotherStudyHasTheDeviceToo) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  const StudyIndex other = pool.admit({problem, folder / "", 1, false});
  EXPECT_TRUE(pool.can_queue(study, 0));
  pool.open(other, 0, false);
  EXPECT_FALSE(pool.can_queue(study, 0));
  EXPECT_FALSE(pool.can_queue(other, 0));
  pool.close(other, 0);
  EXPECT_TRUE(pool.can_queue(study, 0));
}

TEST_F(NodePoolTest, AJobThatWasNotBegunIsRecalledOnce) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  pool.recall(study, 0);
  EXPECT_TRUE(links.all_sent<node::Recall>(0).empty()) << "it may have begun";
  pool.start(study, job(8, 0));
  pool.recall(study, 0);
  pool.recall(study, 0);
  ASSERT_EQ(links.all_sent<node::Recall>(0).size(), 1U);
  EXPECT_EQ(links.all_sent<node::Recall>(0).front().job, 2U);
  node::Ended back = answer(2);
  back.begun = false;
  links.say(0, back);
  const auto ended = next<JobEnded>();
  EXPECT_EQ(ended.trial.value, 8U);
  EXPECT_TRUE(ended.not_begun);
  ASSERT_TRUE(pool.can_queue(study, 0));
  pool.start(study, job(8, 0));
  pool.recall(study, 0);
  EXPECT_EQ(links.all_sent<node::Recall>(0).back().job, 3U);
}

TEST_F(NodePoolTest, OfALostNodeTheSecondJobWasNotBegun) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  pool.start(study, job(8, 0));
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  EXPECT_FALSE(next<JobEnded>().not_begun);
  EXPECT_TRUE(next<JobEnded>().not_begun);
  EXPECT_FALSE(pool.can_queue(study, 0));
}

TEST_F(NodePoolTest, ASignalledAgentGivesBackWhatItHasNotBegun) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  pool.start(study, job(8, 0));
  links.say(0, node::Stopped{SIGTERM});
  (void)next<Notice>();
  EXPECT_EQ(links.all_sent<node::Recall>(0).size(), 1U);
  EXPECT_FALSE(pool.can_queue(study, 0));
}

TEST_F(NodePoolTest, ALostNodeGivesItsJobsBackAndComesAgain) {
  const StudyIndex study = begin();
  free(0);
  pool.start(study, job(7, 0));
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  EXPECT_THAT(next<Notice>().text, HasSubstr("any later answer dropped: trial 7"));
  const auto ended = next<JobEnded>();
  const auto* lost = std::get_if<search::DeviceLost>(&ended.report.outcome);
  ASSERT_NE(lost, nullptr);
  EXPECT_THAT(lost->reason, HasSubstr("node0 is lost: its link has ended"));
  EXPECT_FALSE(pool.can_measure(study, 0));
  EXPECT_FALSE(pool.is_measuring(study, 0));
  for (int i = 0; i < 10 && links.opened[0] == 1; ++i)
    (void)pool.wait(clock.now() + std::chrono::seconds(5));
  EXPECT_EQ(links.opened[0], 2);
  while (links.all_sent<node::Open>(0).empty()) {
    const SharedEvent event = pool.wait(clock.now());
    EXPECT_FALSE(std::holds_alternative<DeviceAway>(event.event));
  }
  free(0);
  EXPECT_TRUE(pool.can_measure(study, 0));
  EXPECT_EQ(pool.devices().size(), 2U);
}

TEST_F(NodePoolTest, ANodeThatDoesNotComeBackAtOnceIsAwayUntilItDoes) {
  begin();
  const auto comes = links.answer;
  links.answer = [this](std::size_t node) {
    links.events.push_back(NodeLinks::Closed{node, "no such node in this job"});
  };
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  const Clock::TimePoint lost = clock.now();
  const auto away = next<DeviceAway>();
  EXPECT_EQ(away.device, DeviceIndex{0});
  EXPECT_THAT(away.reason, HasSubstr("node0 is away: no such node in this job"));
  EXPECT_LT(clock.now() - lost, std::chrono::seconds(6));
  EXPECT_TRUE(pool.may_grow());
  links.answer = comes;
  EXPECT_EQ(next<DeviceBack>().device, DeviceIndex{0});
  EXPECT_EQ(links.opened[0], 3);
}

// Its number there is another device's now.
TEST_F(NodePoolTest, ADeviceThatItsNodeHasNoMoreIsNeverOpened) {
  const auto has = [this](std::size_t node, const std::vector<std::string>& devices) {
    node::Surveyed surveyed{"problem/survey-0", {}, {}, ""};
    node::Found found{1, {}};
    for (std::size_t i = 0; i < devices.size(); ++i) {
      surveyed.devices.push_back(i);
      surveyed.made_of.emplace_back();
      found.devices.push_back({links.name(node), devices[i], "cpu", {}});
    }
    links.say(node, own_hello());
    links.say(node, surveyed);
    links.say(node, found);
  };
  links.answer = [&](std::size_t node) { has(node, {"cpu:0", "cpu:1"}); };
  const StudyIndex study = begin();
  ASSERT_EQ(pool.devices().size(), 4U);
  links.answer = [&](std::size_t node) { has(node, {"cpu:1"}); };
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  EXPECT_EQ(next<DeviceAway>().device, DeviceIndex{0});  // nobody is lent it any more
  const auto failed = next<DeviceFailed>();
  EXPECT_EQ(failed.device, DeviceIndex{0});
  EXPECT_THAT(failed.reason, HasSubstr("node0 has it no more"));
  ASSERT_EQ(links.all_sent<node::Open>(0).size(), 1U);
  EXPECT_EQ(links.all_sent<node::Open>(0).front().device, 0U);  // cpu:1
  links.say(0, node::Places{0, {{study, {0}, false}}});
  (void)pool.wait(clock.now());
  EXPECT_FALSE(pool.can_measure(study, 0));
  EXPECT_TRUE(pool.can_measure(study, 1));
  const StudyIndex later = pool.admit({problem, folder / "", 1, false});
  pool.open(later, 0, true);
  EXPECT_THAT(next<DeviceFailed>().reason, HasSubstr("node0 has it no more"));
}

TEST_F(NodePoolTest, ALinkThatHangsIsNotWaitedFor) {
  begin();
  links.answer = {};  // it is opened, and says nothing
  links.events.push_back(NodeLinks::Closed{0, "its link has ended"});
  const Clock::TimePoint lost = clock.now();
  for (int i = 0; i < 100; ++i) {
    const SharedEvent event = pool.wait(clock.now() + std::chrono::seconds(5));
    links.say(1, node::Beat{});
    if (const auto* away = std::get_if<DeviceAway>(&event.event)) {
      EXPECT_EQ(away->device, DeviceIndex{0});
      EXPECT_LE(clock.now() - lost, std::chrono::seconds(36));
      return;
    }
  }
  FAIL() << "nobody says that it is away";
}

TEST_F(NodePoolTest, SilenceIsALoss) {
  begin();
  EXPECT_THAT(next<Notice>().text, HasSubstr("silent for too long"));
  EXPECT_FALSE(links.all_sent<node::Beat>(1).empty());
}

TEST_F(NodePoolTest, ANodeThatIsLostAgainAndAgainHasFailed) {
  begin();
  links.answer = [this](std::size_t node) {
    links.events.push_back(NodeLinks::Closed{node, "it does not start"});
  };
  links.events.push_back(NodeLinks::Closed{0, "it has ended"});
  const auto failed = next<DeviceFailed>();
  EXPECT_EQ(failed.device, DeviceIndex{0});
  EXPECT_THAT(failed.reason, HasSubstr("it does not start"));
  EXPECT_EQ(links.opened[0], 5);
}

// Does `jobs` jobs on node 0 and loses it, until it is given up or was opened `most` times.
class LostAgainAndAgain : public NodePoolTest {
 protected:
  std::optional<DeviceFailed> lose_after(std::uint64_t jobs, int most) {
    const StudyIndex study = begin();
    std::optional<DeviceFailed> failed;
    while (!failed && links.opened[0] < most) {
      for (std::uint64_t done = 0; done < jobs; ++done) {
        free(0, done);
        pool.start(study, job(++trial_, 0));
        links.say(0, answer(done + 1));
        (void)next<JobEnded>();
      }
      links.events.push_back(NodeLinks::Closed{0, "it has ended"});
      const int before = links.opened[0];
      while (!failed && (links.opened[0] == before || !links.events.empty())) {
        links.say(1, node::Beat{});
        while (!links.events.empty()) take(pool.wait(clock.now()), failed);
        if (!failed && links.opened[0] == before) {
          take(pool.wait(clock.now() + std::chrono::seconds(5)), failed);
        }
      }
    }
    return failed;
  }

 private:
  static void take(const SharedEvent& event, std::optional<DeviceFailed>& failed) {
    if (const auto* its = std::get_if<DeviceFailed>(&event.event)) failed = *its;
  }
  std::uint64_t trial_ = 0;
};

TEST_F(LostAgainAndAgain, WhatDoesLittleInBetweenIsGivenUp) {
  const auto failed = lose_after(1, 100);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->device, DeviceIndex{0});
  EXPECT_EQ(links.opened[0], 6);
  EXPECT_THAT(failed->reason,
              HasSubstr("node0 is lost: it has ended; it was lost 6 times, with 5 jobs in all"));
}

TEST_F(LostAgainAndAgain, WhatDoesMuchInBetweenComesBackForEver) {
  EXPECT_FALSE(lose_after(4, 30));
  EXPECT_EQ(links.opened[0], 30);
}

TEST_F(NodePoolTest, BrokenLinesLoseTheNodeAlone) {
  const StudyIndex study = begin();
  free(1);
  for (const char* line : {"{\"say\":", "{\"say\":\"places\",\"after\":9,\"places\":[]}",
                           "{\"say\":\"failed\",\"study\":0,\"device\":77,\"reason\":\"\"}"}) {
    const int before = links.opened[0];
    links.events.push_back(NodeLinks::Line{0, line});
    EXPECT_THAT(next<Notice>().text, HasSubstr("what no agent says"));
    for (int i = 0; i < 100 && links.opened[0] == before; ++i) {
      links.say(1, node::Beat{});
      (void)pool.wait(clock.now() + std::chrono::seconds(5));
    }
    while (links.all_sent<node::Open>(0).empty()) (void)pool.wait(clock.now());
  }
  EXPECT_TRUE(pool.can_measure(study, 1));
}

TEST_F(NodePoolTest, AnArtifactGoesFromWhereItWasBuiltToWhereItIsNeededOnce) {
  const StudyIndex study = begin(true);
  free(0, 0, true);
  ASSERT_TRUE(pool.can_build(study));
  Job build;
  build.trial = search::TrialId{1};
  build.request = ipc::BuildRequest{};
  pool.start(study, build);
  EXPECT_FALSE(pool.can_build(study));
  std::ofstream(folder / "made") << "machine code";
  for (const node::Piece& piece : pieces_of("artifact/0/abc", packed(folder / "made"))) {
    links.say(0, piece);
  }
  node::Ended ended = answer(1);
  ended.report = ipc::encode(ipc::EvaluatedReply{});
  ended.built = ipc::encode(ipc::BuiltReply{ipc::Artifact{"abc", 12}, 1});
  links.say(0, ended);
  EXPECT_EQ(next<JobEnded>().artifact->hash, "abc");
  EXPECT_EQ(packed(folder / "abc"), packed(folder / "made"));

  for (const std::size_t at : {0, 1}) {
    free(at, at == 0 ? 1 : 0);
    Job use = job(2 + at, at);
    use.evaluation().artifact = use.evaluation().reference = "abc";
    const auto pieces = [&] {
      return std::ranges::count(links.all_sent<node::Piece>(at), std::string("artifact/0/abc"),
                                &node::Piece::parcel);
    };
    pool.start(study, use);
    EXPECT_EQ(pieces(), at == 0 ? 0 : 1);
  }
}

Job using_artifact(Job job, const std::string& artifact) {
  job.evaluation().artifact = job.evaluation().reference = artifact;
  return job;
}

TEST_F(NodePoolTest, AnArtifactThatTheHeadHasLostIsAskedForAnew) {
  const StudyIndex study = begin(true);
  free(0);
  free(1);
  pool.start(study, using_artifact(job(2, 0), "abc"));
  const auto ended = next<JobEnded>();
  EXPECT_EQ(ended.damaged, "abc");
  EXPECT_THAT(search::describe(ended.report.outcome), HasSubstr("abc is gone from"));
  EXPECT_TRUE(links.all_sent<node::Start>(0).empty());
  for (const std::size_t at : {0, 1}) {
    ASSERT_EQ(links.all_sent<node::Forget>(at).size(), 1U) << "whoever builds it sends it";
    EXPECT_EQ(links.all_sent<node::Forget>(at).front().artifact, "abc");
  }
}

TEST_F(NodePoolTest, AnArtifactThatIsDamagedOnANodeComesThereAgain) {
  const StudyIndex study = begin(true);
  free(0);
  std::ofstream(folder / "abc") << "machine code";
  pool.start(study, using_artifact(job(2, 0), "abc"));
  ipc::EvaluatedReply reply;
  reply.report.outcome = search::LaunchFailed{"the artifact abc has changed"};
  reply.damaged = "abc";
  links.say(0, node::Ended{1, ipc::encode(reply), {}, true, false, true});
  EXPECT_EQ(next<JobEnded>().damaged, "abc");
  EXPECT_FALSE(std::filesystem::exists(folder / "abc")) << "it may be what was damaged";
  std::ofstream(folder / "abc") << "machine code";  // as it was built again
  free(0, 1);
  pool.start(study, using_artifact(job(2, 0), "abc"));
  EXPECT_EQ(std::ranges::count(links.all_sent<node::Piece>(0), std::string("artifact/0/abc"),
                               &node::Piece::parcel),
            2);
}

TEST_F(NodePoolTest, ANodeCannotHaveOtherArtifactsRemoved) {
  const StudyIndex study = begin(true);
  free(0);
  for (const char* name : {"abc", "other"}) std::ofstream(folder / name) << "machine code";
  pool.start(study, using_artifact(job(2, 0), "abc"));
  ipc::EvaluatedReply reply;
  reply.report.outcome = search::LaunchFailed{"as it says"};
  reply.damaged = "other";
  links.say(0, node::Ended{1, ipc::encode(reply), {}, true, false, true});
  EXPECT_TRUE(std::holds_alternative<search::DeviceLost>(next<JobEnded>().report.outcome));
  EXPECT_TRUE(std::filesystem::exists(folder / "other"));
}

TEST_F(NodePoolTest, AnotherKindOfDeviceLeavesAStudyThatBuilds) {
  links.answer = [this](std::size_t node) { greet(node, node == 0 ? "old" : "new"); };
  begin(true);
  const auto failed = next<DeviceFailed>();
  EXPECT_EQ(failed.device, DeviceIndex{1});
  EXPECT_THAT(failed.reason, HasSubstr("of another kind"));
}

TEST_F(NodePoolTest, NoDeviceAtAllIsTold) {
  links.answer = [this](std::size_t node) {
    links.say(node, own_hello());
    links.say(node, node::Refused{"there is no GPU"});
  };
  EXPECT_THROW(pool.gather({problem}), DeviceError);
}

TEST_F(NodePoolTest, AStopWhileNobodyHasAnsweredIsNoWantOfDevices) {
  links.answer = [this](std::size_t) {
    links.events.emplace_back(PoolEvent(Interrupted{1, SIGTERM}));
  };
  try {
    pool.gather({problem});
    FAIL() << "nothing was gathered";
  } catch (const StoppedEarly& stopped) {
    EXPECT_THAT(stopped.what(), HasSubstr("stopped by SIGTERM while nodes were waited for"));
  }
}

}  // namespace
}  // namespace nightshift::scheduler
