#include "scheduler/summary/mixed_machines.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using search::Identity;
using Kind = search::IdentityPart::Kind;

const std::set<std::string> kDevices = {"a/GPU-1", "a/GPU-2", "b/GPU-3", "c/GPU-4"};

TEST(MixedMachines, SayInWhatTheyDifferAndWhere) {
  const Identity identity = {{Kind::kDriver, "a", "550"},
                             {Kind::kDriver, "b", "535"},
                             {Kind::kDriver, "c", "550"},
                             {Kind::kCompiler, "c++ of a", "g++ 12"},
                             {Kind::kCompiler, "c++ of b", "g++ 13"},
                             {Kind::kProcessor, "a", "A CPU"},
                             {Kind::kProcessor, "b", "A CPU"}};
  EXPECT_EQ(mixed_machines(identity, kDevices),
            "the nodes of the study differ: GPU driver 535 on b, 550 on a and c; compiler c++ g++ "
            "12 on a, g++ 13 on b");
}

TEST(MixedMachines, SettingsOfANodeCountAndThoseOfADeviceDoNot) {
  const Identity identity = {{Kind::kDeviceSetting, "a frequency governor", "powersave"},
                             {Kind::kDeviceSetting, "b frequency governor", "performance"},
                             {Kind::kDeviceSetting, "a/GPU-1 power limit", "700 W"},
                             {Kind::kDeviceSetting, "a/GPU-2 power limit", "600 W"}};
  EXPECT_EQ(mixed_machines(identity, kDevices),
            "the nodes of the study differ: frequency governor performance on b, powersave on a");
}

TEST(MixedMachines, WhoMeasuredNothingDoesNotCount) {
  Identity identity = {{Kind::kDriver, "a", "550"}, {Kind::kDriver, "head", "535"}};
  EXPECT_EQ(mixed_machines(identity, kDevices), "");
  identity.push_back({Kind::kCompiler, "c++", "g++ 12"});  // of the machine that has all of it
  identity.push_back({Kind::kSystem, "b", "Linux 6.1"});
  identity.push_back({Kind::kSystem, "a", "Linux 6.2"});  // changes no figures
  EXPECT_EQ(mixed_machines(identity, kDevices), "");
}

}  // namespace
}  // namespace nightshift::scheduler
