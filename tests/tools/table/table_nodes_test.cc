#include "tools/table/table_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "scheduler/errors.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_links.h"
#include "tests/fakes/study_driver.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

using scheduler::NodePool;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace node = scheduler::node;

// Nodes of one device each, of which the second is of another kind and the third like the first.
class TableNodesTest : public ::testing::Test {
 protected:
  TableNodesTest() {
    links.answer = [this](std::size_t n) { greet(n); };
    pool.emplace(NodePool::Parts{links,
                                 clock,
                                 [](const search::Problem& p) {
                                   return scheduler::PortableProblem{p, {}};
                                 },
                                 {}});
  }
  void greet(std::size_t n) {
    using Kind = search::IdentityPart::Kind;
    const std::string name = links.name(n);
    const search::Identity parts = {{Kind::kProcessor, name, "cpu " + models[n]},
                                    {Kind::kCompiler, "c++ of " + name, "12." + std::to_string(n)},
                                    {Kind::kDeviceSetting, name + " governor", "performance"}};
    links.say(n, scheduler::own_hello());
    links.say(n, node::Surveyed{"problem/survey-0", {0}, {parts}, ""});
    links.say(n, node::Found{1, {{name, "cpu:0", models[n], {0}}}});
  }
  TableNodes gathered(const search::Problem& problem) {
    pool->gather({std::make_shared<const search::Problem>(problem)});
    return {*pool, clock, {"p.toml"}};
  }
  std::vector<std::string> opened(TableNodes& nodes, const search::Problem& problem) {
    std::vector<std::string> names;
    const auto open = nodes.open("p.toml", problem, folder.path("a"));
    for (const scheduler::Device& device : open->devices()) names.push_back(device.node);
    return names;
  }
  // Until it is away.
  void lose(std::size_t n, bool comes_back) {
    links.answer = nullptr;
    links.events.push_back(scheduler::NodeLinks::Closed{n, "the link ended"});
    (void)pool->wait(clock.now());
    if (comes_back) links.answer = [this](std::size_t back) { greet(back); };
  }

  problems::ScratchFolder folder;
  fakes::FakeClock clock;
  fakes::FakeLinks links{clock, 3};
  std::vector<std::string> models{"model", "other", "model"};
  std::optional<NodePool> pool;
};

TEST_F(TableNodesTest, WhatIsBuiltIsMeasuredOnOneKind) {
  const search::Problem program = fakes::command_problem(4), kernel = fakes::host_problem(4);
  TableNodes nodes = gathered(program);
  EXPECT_THAT(opened(nodes, program), ElementsAre("node0", "node1", "node2"));
  EXPECT_THAT(opened(nodes, kernel), ElementsAre("node0", "node2"));
}

TEST_F(TableNodesTest, OneKindMayBeAskedForAlone) {
  const search::Problem program = fakes::command_problem(4), kernel = fakes::host_problem(4);
  (void)gathered(program);
  EXPECT_THAT(kinds_of(*pool), ElementsAre("model", "other"));
  TableNodes first(*pool, clock, {"p.toml"}, "model"), second(*pool, clock, {"p.toml"}, "other");
  for (const search::Problem& problem : {program, kernel}) {
    EXPECT_THAT(opened(first, problem), ElementsAre("node0", "node2"));
    EXPECT_THAT(opened(second, problem), ElementsAre("node1"));
    for (const search::IdentityPart& part : second.made_of(problem)) {
      if (part.kind != search::IdentityPart::Kind::kProcessor) continue;
      EXPECT_EQ(part.value, "cpu other");
    }
  }
}

TEST_F(TableNodesTest, ALostNodeHasNothingUntilItIsBack) {
  const search::Problem program = fakes::command_problem(4);
  TableNodes nodes = gathered(program);
  lose(0, true);
  EXPECT_THAT(opened(nodes, program), ElementsAre("node1", "node2"));
  for (int i = 0; i < 100 && !pool->is_there(0); ++i) {
    (void)pool->wait(clock.now() + std::chrono::seconds(10));
  }
  EXPECT_THAT(opened(nodes, program), ElementsAre("node0", "node1", "node2"));
}

TEST_F(TableNodesTest, WhereNoneIsThereOneIsWaitedFor) {
  const search::Problem program = fakes::command_problem(4);
  TableNodes nodes = gathered(program);
  for (const std::size_t n : {0, 1, 2}) lose(n, n == 2);
  EXPECT_THAT(opened(nodes, program), Not(IsEmpty()));
}

TEST_F(TableNodesTest, TheEndOfTheBudgetEndsTheWait) {
  const search::Problem program = fakes::command_problem(4);
  TableNodes nodes = gathered(program);
  const auto end = clock.now() + std::chrono::seconds(20);
  nodes.wait_until(end);
  EXPECT_THAT(opened(nodes, program), SizeIs(3)) << "what is there needs no wait";
  for (const std::size_t n : {0, 1, 2}) lose(n, false);
  try {
    opened(nodes, program);
    ADD_FAILURE() << "no node is there";
  } catch (const scheduler::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("before the budget was used up"));
  }
  EXPECT_EQ(clock.now(), end);
  EXPECT_THROW(opened(nodes, program), scheduler::DeviceError) << "and is over";
}

TEST_F(TableNodesTest, ASignalEndsTheWait) {
  const search::Problem program = fakes::command_problem(4);
  TableNodes nodes = gathered(program);
  for (const std::size_t n : {0, 1, 2}) lose(n, false);
  links.events.push_back(scheduler::PoolEvent(scheduler::Interrupted{1, SIGTERM}));
  EXPECT_THROW(opened(nodes, program), scheduler::StoppedEarly);
}

TEST_F(TableNodesTest, NodesThatAreGivenUpAreNotWaitedFor) {
  const search::Problem program = fakes::command_problem(4);
  TableNodes nodes = gathered(program);
  for (const std::size_t n : {0, 1, 2}) {
    links.say(n, node::Refused{"another version"});
    (void)pool->wait(clock.now());
  }
  links.answer = nullptr;
  links.on_idle = [this] {
    for (const std::size_t n : {0, 1, 2}) {
      links.events.push_back(scheduler::NodeLinks::Closed{n, "it cannot be reached"});
    }
  };
  EXPECT_THROW(opened(nodes, program), scheduler::DeviceError);
}

// Whoever goes on with fewer nodes of the same kind has all that was measured.
TEST_F(TableNodesTest, WhatItIsMadeOfHasNoNamesOfNodes) {
  const search::Problem kernel = fakes::host_problem(4);
  const TableNodes nodes = gathered(kernel);
  std::vector<std::string> parts;
  for (const search::IdentityPart& part : nodes.made_of(kernel)) {
    parts.push_back(search::key_of(part) + "=" + part.value);
  }
  EXPECT_THAT(parts,
              AllOf(Contains("processor nodes=cpu model"), Contains("compiler c++=12.0, 12.2"),
                    Contains(HasSubstr("nodes governor=performance"))));
}

}  // namespace
}  // namespace nightshift::tools
