// Artifacts that are gone or damaged in mid-run: they are built again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "scheduler/errors.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::JobKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A study in which files are lost; what was built stands in `files` until then.
struct Losing : StudyDriver {
  explicit Losing(search::Problem p, int devices = 1) : StudyDriver(std::move(p), devices, 1) {
    pool.on_build = [this, build = pool.on_build](const Job& order) {
      JobEnded done = build(order);
      files.insert(done.artifact->hash);
      return done;
    };
    pool.on_measure = [this](const Job& order) {
      if (before_measuring) before_measuring(order);
      for (const std::string& hash : {order.evaluation().artifact, order.evaluation().reference}) {
        if (files.contains(hash)) continue;
        JobEnded done;
        done.damaged = hash;
        done.report.outcome = search::LaunchFailed{"the artifact " + hash + " is gone"};
        return done;
      }
      return answer(order);
    };
  }
  std::size_t built(const std::string& hash) {
    return static_cast<std::size_t>(std::ranges::count_if(
        pool.built, [&](const Job& job) { return artifact(job.build()) == hash; }));
  }
  std::set<std::string> files;
  std::function<void(const Job&)> before_measuring;
};

bool explores(const Job& order, int x) {
  return fakes::x_of(order.evaluation().configuration) == x;
}

TEST(DamagedArtifacts, AllThatIsLostIsBuiltAgainAndNothingFails) {
  Losing study(fakes::host_problem(12), 2);
  bool lost = false;
  study.before_measuring = [&](const Job& order) {
    if (explores(order, 5) && !std::exchange(lost, true)) study.files.clear();
  };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 12U);
  EXPECT_EQ(study.built("a-1"), 2U) << "the baseline, which answers are checked against";
  EXPECT_EQ(study.built("a5"), 2U);
  EXPECT_EQ(study.explored(5).finished->attempts, 1U) << "no attempt of its own";
  const auto& steps = study.explored(5).changes;
  EXPECT_THAT(std::ranges::find(steps, TrialState::kRetry, &StateChange::state)->detail,
              AllOf(HasSubstr("a5 is gone"), HasSubstr("it is built again")));
}

TEST(DamagedArtifacts, WhatIsLostAgainAtOnceIsAFailure) {
  Losing study(fakes::host_problem(6));
  study.before_measuring = [&](const Job& order) {
    if (explores(order, 3)) study.files.erase("a3");
  };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 5U);
  EXPECT_EQ(study.built("a3"), 2U);
  EXPECT_THAT(search::describe(study.explored(3).finished->report.outcome),
              HasSubstr("the artifact a3 is gone"));
}

TEST(DamagedArtifacts, WhatCannotBeBuiltAgainEndsTheStudyWithItsReason) {
  Losing study(fakes::host_problem(6));
  bool lost = false;
  study.before_measuring = [&](const Job& order) {
    if (!explores(order, 3) || std::exchange(lost, true)) return;
    study.files.erase("a-1");
    study.pool.on_build = [](const Job&) {
      JobEnded done;
      done.report.outcome = search::BuildFailed{"no compiler any more"};
      return done;
    };
  };
  try {
    study.run();
    FAIL() << "it goes on without a baseline";
  } catch (const StudyError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no compiler any more"));
  }
}

TEST(DamagedArtifacts, ThoseThatWaitedForItsCodeDoNotWaitForOtherCode) {
  Losing study(fakes::host_problem(6));
  bool lost = false;
  // 2 and 3 have the same code until it is built again.
  study.artifact = [&](const ipc::BuildRequest& request) {
    const int x = fakes::x_of(request.configuration);
    return x == 3 || (x == 2 && !lost) ? "same" : "a" + std::to_string(x);
  };
  study.before_measuring = [&](const Job& order) {
    if (explores(order, 2) && !std::exchange(lost, true)) study.files.erase("same");
  };
  study.run();
  EXPECT_EQ(study.observer.last.evaluations, 6U);
  EXPECT_EQ(study.observer.last.measured, 6U);
}

TEST(DamagedArtifacts, WhatWasGivenIsNeverBuilt) {
  BuildQueue queue;
  const BuildKey given{BuildKey::Kind::kCandidate, {1}}, built{BuildKey::Kind::kCandidate, {2}};
  queue.give(given, {"g", 1});
  queue.request(built, {7});
  queue.next();
  queue.built({7}, {"b", 1});
  EXPECT_FALSE(queue.lose(given, "g"));
  EXPECT_NE(queue.find(given), nullptr);
  EXPECT_FALSE(queue.lose(built, "other"));
  EXPECT_NE(queue.find(built), nullptr);
  EXPECT_TRUE(queue.lose(built, "b"));
  EXPECT_EQ(queue.find(built), nullptr);
  EXPECT_TRUE(queue.lose(built, "b")) << "it is on its way";
}

}  // namespace
}  // namespace nightshift::scheduler
