#include "scheduler/pool/dead_artifact.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

class DeadArtifact : public ::testing::Test {
 protected:
  DeadArtifact() {
    problem_.backend = search::HostBackend{};
    base::write_whole_file(folder_ / hash_, "code");
  }
  std::string behind(const search::TrialOutcome& outcome) const {
    ipc::EvaluateRequest request;
    request.artifact = hash_;
    return damaged_behind(problem_, folder_ / "", {search::TrialId{1}, 1, 0, false, request},
                          outcome);
  }

  tests::ScratchFolder folder_;
  search::Problem problem_;
  std::string hash_ = base::content_hash("code");
  search::TrialOutcome death_ =
      search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kVerify, ""};
};

TEST_F(DeadArtifact, ADeathWithItsArtifactAsItWasIsTheCandidates) { EXPECT_EQ(behind(death_), ""); }

TEST_F(DeadArtifact, ADeathWhoseArtifactWasWrittenOverOrTakenIsNobodys) {
  base::write_whole_file(folder_ / hash_, "cod");
  EXPECT_EQ(behind(death_), hash_);
  EXPECT_EQ(behind(search::WrongResult{}), "") << "its process looks itself";
  std::filesystem::remove(folder_ / hash_);
  EXPECT_EQ(behind(death_), hash_);
}

TEST_F(DeadArtifact, WhatIsNotNamedByItsBytesIsNotLookedAt) {
  base::write_whole_file(folder_ / hash_, "cod");
  problem_.backend = search::CudaBackend{};
  EXPECT_EQ(behind(death_), "");
}

}  // namespace
}  // namespace nightshift::scheduler
