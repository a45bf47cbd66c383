#include "tools/verify/verify_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

search::Verdict shown(double ratio, bool accepted) {
  search::Verdict v;
  v.ratio = ratio;
  v.interval = {ratio * 0.99, ratio * 1.01};
  v.looks = {{32, -std::log(ratio), 0.005, 0.001, 0.0025}};
  v.devices.resize(1);
  v.devices[0].pairs = 32;
  if (accepted) {
    v.acceptance = search::Accept{"shown"};
  } else {
    v.acceptance = search::Reject{"not shown"};
  }
  return v;
}

VerifyReport report(double ratio = 0.5, bool accepted = true) {
  VerifyReport r;
  r.outline.name = "here/best.bundle";
  r.outline.files = 9;
  r.outline.bytes = 12'345;
  r.outline.folder = "/tmp/nightshift-x";
  r.outline.problem = tests::told_problem();
  r.outline.winner = tests::told_configuration(2);
  r.outline.ratio = 0.5;
  r.outline.interval = {0.49, 0.51};
  r.outline.claimed_on = {"Large, compute capability 90"};
  r.measured_on = {"Large, compute capability 90"};
  r.facts.winner_before = r.facts.winner_now = "aa";
  r.facts.baseline_before = r.facts.baseline_now = "bb";
  r.facts.stored_ratio = 0.5;
  r.facts.stored_interval = {0.49, 0.51};
  r.facts.machine_changed = true;
  r.facts.against_baseline = shown(ratio, accepted);
  return r;
}

TEST(VerifyReport, TheVerdictComesFirst) {
  const std::string text = verify_text(report());
  EXPECT_THAT(text, StartsWith("Holds: time 50.00 % lower"));
  EXPECT_THAT(text, HasSubstr("builds to the machine code of the claim here"));
  EXPECT_THAT(text, HasSubstr("32, p = "));
  EXPECT_THAT(text, Not(HasSubstr("another device")));
  EXPECT_EQ(exit_code_of(report()), ExitCode::kSuccess);
}

TEST(VerifyReport, EachVerdictHasItsExitCode) {
  EXPECT_EQ(exit_code_of(report(0.4)), ExitCode::kSecondBetter);
  EXPECT_EQ(exit_code_of(report(0.7)), ExitCode::kSecondWorse);
  EXPECT_EQ(exit_code_of(report(1.0, false)), ExitCode::kSecondWorse);
  VerifyReport r = report();
  r.facts.against_baseline->acceptance = search::Undecided{"lost"};
  r.detectable = 0.05;
  EXPECT_EQ(exit_code_of(r), ExitCode::kUnfinished);
  EXPECT_THAT(verify_text(r), HasSubstr("a difference of about 4.88 % would be found"));
  r.facts.against_baseline.reset();
  EXPECT_EQ(exit_code_of(r), ExitCode::kUnfinished);
  EXPECT_THAT(verify_text(r), StartsWith("Not reached"));
  r.facts.broken = "the winner could not be built: \x1b[31merror";
  EXPECT_EQ(exit_code_of(r), ExitCode::kStudyFailed);
  EXPECT_THAT(verify_text(r), StartsWith("Broken"));
  EXPECT_THAT(verify_text(r), Not(HasSubstr("\x1b")));
  r.device_error = "core 1 is in use";
  EXPECT_EQ(exit_code_of(r), ExitCode::kDevice);
  r.stopped = true;
  EXPECT_EQ(exit_code_of(r), ExitCode::kInterrupted);
}

TEST(VerifyReport, AnotherDeviceIsSaid) {
  VerifyReport r = report();
  r.measured_on = {"Small"};
  EXPECT_TRUE(is_on_other_device(r));
  EXPECT_THAT(verify_text(r), StartsWith("Holds on another device: "));
  EXPECT_THAT(verify_text(r), HasSubstr("Small, another device than that of the claim: Large"));
  EXPECT_EQ(verify_json(r)["other_device"], true);
  EXPECT_EQ(exit_code_of(r), ExitCode::kSuccess);
  r.outline.claimed_on.emplace_back("Small");
  EXPECT_FALSE(is_on_other_device(r)) << "one of several";
  r.outline.claimed_on.clear();
  EXPECT_FALSE(is_on_other_device(r)) << "the claim does not say on what";
}

TEST(VerifyReport, WhichMachineCodeIsAnotherIsSaid) {
  VerifyReport r = report();
  r.facts.winner_now = "cc";
  EXPECT_THAT(verify_text(r), HasSubstr("the winner builds to other machine code here"));
  EXPECT_EQ(verify_json(r)["machine_code"]["equal"], false);
  r.facts.baseline_now = "dd";
  EXPECT_THAT(verify_text(r), HasSubstr("winner and baseline build to other machine code here"));
  r.facts.winner_now = "aa";
  EXPECT_THAT(verify_text(r), HasSubstr("the baseline builds to other machine code here"));
  r.outline.builds_nothing = true;
  EXPECT_THAT(verify_text(r), HasSubstr("the machine code that the bundle keeps"));
  EXPECT_EQ(verify_json(r)["machine_code"]["built"], false);
  r.facts.is_built = false;
  EXPECT_THAT(verify_text(r), HasSubstr("nothing is built"));
  EXPECT_TRUE(verify_json(r)["machine_code"]["equal"].is_null());
}

TEST(VerifyReport, TheObjectHasClaimAndMeasurement) {
  const auto object = verify_json(report(0.7));
  EXPECT_EQ(object["verdict"], "smaller");
  EXPECT_EQ(object["claim"]["ratio"], 0.5);
  EXPECT_EQ(object["measured"]["ratio"], 0.7);
  EXPECT_EQ(object["measured"]["pairs"], 32);
  EXPECT_EQ(object["machine_code"]["winner"]["claimed"], "aa");
  VerifyReport r = report();
  r.facts.against_baseline.reset();
  EXPECT_TRUE(verify_json(r)["measured"].is_null());
}

TEST(VerifyReport, WhatIsAboutToRunIsSaidWithItsPlace) {
  BundleOutline outline = report().outline;
  search::CommandBackend command;
  command.argv = {"./run.sh"};
  outline.problem.backend = command;
  outline.problem.target = search::Target::kCores;
  evaluator::DryRun run;
  run.build = {"sh", "build.sh", "\x1b[2Jx"};
  run.command = {"./run.sh", "a b"};
  outline.runs = {run, run};
  const std::string text = outline_text(outline);
  EXPECT_THAT(text, HasSubstr("the winner: ./run.sh 'a b'"));
  EXPECT_THAT(text, HasSubstr("the baseline: sh build.sh"));
  EXPECT_THAT(text, HasSubstr("9 files, 12,345 bytes, all as the manifest says"));
  EXPECT_THAT(text, HasSubstr("copies in /tmp/nightshift-x"));
  EXPECT_THAT(text, HasSubstr("It runs as you"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(outline_json(outline)["runs"][1]["start"][1], "a b");
  outline.builds_nothing = true;
  EXPECT_THAT(outline_text(outline), Not(HasSubstr("build.sh")));
  outline.problem.target = search::Target::kRecording;
  EXPECT_THAT(outline_text(outline), HasSubstr("Nothing of it runs"));
}

}  // namespace
}  // namespace nightshift::tools
