#include "evaluator/process/artifact_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_text.h"
#include "evaluator/process/damaged_artifact.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

// Two folders of artifacts: what was built lies in `then`.
class CopyArtifact : public ::testing::Test {
 protected:
  CopyArtifact() {
    fs::create_directories(then_ / "made/inner");
    fs::create_directories(now_);
    base::write_whole_file((then_ / "made/run").string(), "echo 1\n");
    fs::permissions(then_ / "made/run", fs::perms::owner_all);
    base::write_whole_file((then_ / "made/inner/table").string(), "1 2 3\n");
  }
  // As a builder keeps it.
  std::string kept() {
    const TreeContent content = content_of_tree(then_ / "made");
    keep_tree(then_ / "made", content, then_ / content.hash);
    return content.hash;
  }
  static bool can_be_used(const fs::path& artifact) {
    TreeWatch watch;
    try {
      watch.expect_whole(artifact);
    } catch (const DamagedArtifact&) {
      return false;
    }
    return true;
  }

  TemporaryFolder folder_;
  fs::path then_ = fs::path(folder_.path()) / "then";
  fs::path now_ = fs::path(folder_.path()) / "now";
};

TEST_F(CopyArtifact, ALinkToAFolderStaysOne) {
  const std::string hash = kept();
  fs::create_directory_symlink(hash, then_ / "run-of-it");
  copy_artifact(then_ / "run-of-it", now_);
  EXPECT_EQ(fs::read_symlink(now_ / "run-of-it"), hash);
  EXPECT_EQ(base::read_whole_file((now_ / "run-of-it/inner/table").string()), "1 2 3\n");
  EXPECT_TRUE(can_be_used(now_ / "run-of-it"));
}

// As bundles hold it.
TEST_F(CopyArtifact, AFolderWithTheNameOfALinkIsPutWhereItsContentSays) {
  const std::string hash = content_of_tree(then_ / "made").hash;
  copy_artifact(then_ / "made", now_);
  EXPECT_EQ(fs::read_symlink(now_ / "made"), hash);
  EXPECT_TRUE(can_be_used(now_ / "made"));
  fs::remove(now_ / hash / "inner/table");
  EXPECT_FALSE(can_be_used(now_ / "made"));
}

TEST_F(CopyArtifact, AFolderWithItsOwnNameNeedsNoLink) {
  const std::string hash = kept();
  copy_artifact(then_ / hash, now_);
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(now_ / hash)));
  EXPECT_TRUE(can_be_used(now_ / hash));
}

TEST_F(CopyArtifact, WhatAProgramAddedIsCopiedAndNotMissed) {
  const std::string hash = kept();
  base::write_whole_file((then_ / hash / "cache").string(), "of a run");
  fs::create_directory_symlink(hash, then_ / "run-of-it");
  copy_artifact(then_ / "run-of-it", now_);
  EXPECT_TRUE(fs::exists(now_ / "run-of-it/cache"));
  EXPECT_TRUE(can_be_used(now_ / "run-of-it"));
}

TEST_F(CopyArtifact, TwoNamesShareAFolder) {
  const std::string hash = kept();
  for (const char* name : {"first", "second"}) {
    fs::create_directory_symlink(hash, then_ / name);
    copy_artifact(then_ / name, now_);
    EXPECT_TRUE(can_be_used(now_ / name));
  }
}

TEST_F(CopyArtifact, AFileIsCopiedOnceWithItsFigures) {
  base::write_whole_file((then_ / "code").string(), "machine code");
  base::write_whole_file((then_ / (std::string(kFigures) + "code")).string(), "registers 40\n");
  copy_artifact(then_ / "code", now_);
  EXPECT_EQ(base::read_whole_file((now_ / "figures-code").string()), "registers 40\n");
  base::write_whole_file((then_ / "code").string(), "other code");
  copy_artifact(then_ / "code", now_);
  EXPECT_EQ(base::read_whole_file((now_ / "code").string()), "machine code");
}

TEST_F(CopyArtifact, WhatIsNotThereIsAnError) {
  EXPECT_THROW(copy_artifact(then_ / "nothing", now_), std::runtime_error);
}

// Two builders of the same find what is there damaged at the same time.
TEST_F(CopyArtifact, SeveralBuildersMayReplaceWhatIsDamaged) {
  const std::string hash = kept();
  const auto replace = [&] {
    const fs::path made = fs::path(folder_.path()) / ("made-" + std::to_string(::getpid()));
    for (int round = 0; round < 100; ++round) {
      fs::create_directories(made / "inner");
      base::write_whole_file((made / "run").string(), "echo 1\n");
      fs::permissions(made / "run", fs::perms::owner_all);
      base::write_whole_file((made / "inner/table").string(), "1 2 3\n");
      const TreeContent content = content_of_tree(made);
      std::error_code error;
      fs::remove(then_ / hash / "run", error);
      keep_tree(made, content, then_ / content.hash);
    }
  };
  std::vector<pid_t> builders;
  for (int i = 0; i < 2; ++i) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      try {
        replace();
        ::_exit(0);
      } catch (const std::exception& e) {
        (void)!::write(2, e.what(), std::strlen(e.what()));
        ::_exit(1);
      }
    }
    builders.push_back(pid);
  }
  for (const pid_t pid : builders) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(then_)) {
    EXPECT_EQ(entry.path().filename().string().find(".old."), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace nightshift::evaluator
