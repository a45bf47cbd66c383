#include "tools/problem/description_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using Arguments = DescriptionQueue::Arguments;

// Notes what is started, in order.
struct Starts {
  ipc::ChildProcess operator()(const Arguments& arguments) {
    if (fails) throw std::system_error(ENOENT, std::generic_category());
    started.push_back(arguments.back());
    ipc::SpawnOptions options;
    options.program = "/bin/echo";
    options.arguments = arguments;
    return ipc::ChildProcess::spawn(options);
  }
  std::vector<std::string> started;
  bool fails = false;
};

struct Queue {
  explicit Queue(std::size_t most) : queue(most, std::ref(starts)) {}
  void announce(const std::string& file) { queue.announce({"describe", file}); }
  std::string take(const std::string& file) {
    ipc::ChildProcess child = queue.take({"describe", file});
    while (!child.reap()) {
    }
    return child.standard_output();
  }
  Starts starts;
  DescriptionQueue queue;
};

TEST(DescriptionQueue, SoManyAreAtWorkAndTheNextBeginsWhenOneIsTaken) {
  Queue q(2);
  for (const char* file : {"a", "b", "c", "d"}) q.announce(file);
  EXPECT_THAT(q.starts.started, ElementsAre("a", "b"));
  EXPECT_EQ(q.take("a"), "describe a\n");
  EXPECT_THAT(q.starts.started, ElementsAre("a", "b", "c"));
  EXPECT_EQ(q.take("b"), "describe b\n");
  EXPECT_EQ(q.take("c"), "describe c\n");
  EXPECT_EQ(q.take("d"), "describe d\n");
  EXPECT_THAT(q.starts.started, ElementsAre("a", "b", "c", "d")) << "each once";
}

TEST(DescriptionQueue, WhatIsTakenOutOfOrderBeginsAtOnce) {
  Queue q(1);
  for (const char* file : {"a", "b"}) q.announce(file);
  EXPECT_EQ(q.take("b"), "describe b\n");
  EXPECT_EQ(q.take("new"), "describe new\n");
  EXPECT_EQ(q.take("a"), "describe a\n");
  EXPECT_THAT(q.starts.started, ElementsAre("a", "b", "new"));
}

TEST(DescriptionQueue, TheSameQuestionTwiceHasTwoAnswers) {
  Queue q(4);
  for (const char* file : {"a", "a"}) q.announce(file);
  EXPECT_EQ(q.take("a"), "describe a\n");
  EXPECT_EQ(q.take("a"), "describe a\n");
  EXPECT_EQ(q.starts.started.size(), 2U);
}

TEST(DescriptionQueue, WhatCannotBeStartedIsToldToWhoTakesIt) {
  Queue q(1);
  q.starts.fails = true;
  q.announce("a");
  EXPECT_THROW(q.take("a"), std::system_error);
  q.starts.fails = false;
  EXPECT_EQ(q.take("a"), "describe a\n");
}

}  // namespace
}  // namespace nightshift::tools
