#include "evaluator/watched_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

class WatchedFilesTest : public ::testing::Test {
 protected:
  // As editors do, so that it is another file whatever the clock says.
  std::string replace(const std::string& name, const std::string& text) const {
    fs::rename(folder_.write(name + ".new", text), path(name));
    return path(name);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  static bool is_as_begun(const WatchedFiles::Look& look) {
    return look.gone.empty() && look.changed.empty();
  }

  TemporaryFolder folder_;
};

TEST_F(WatchedFilesTest, WhatNobodyTouchesIsAsItWas) {
  WatchedFiles files({folder_.write("k.cc", "one"), folder_.write("k.h", "two")});
  for (int i = 0; i < 3; ++i) {
    const WatchedFiles::Look look = files.look();
    EXPECT_TRUE(is_as_begun(look));
    EXPECT_FALSE(look.disturbed);
  }
}

TEST_F(WatchedFilesTest, AnotherContentIsNamedUntilItIsBack) {
  WatchedFiles files({folder_.write("a.cc", "a"), folder_.write("k.cc", "one")});
  replace("k.cc", "two");
  WatchedFiles::Look look = files.look();
  EXPECT_EQ(look.changed, path("k.cc"));
  EXPECT_TRUE(look.disturbed);
  look = files.look();
  EXPECT_EQ(look.changed, path("k.cc"));
  EXPECT_FALSE(look.disturbed) << "since the look before nothing has happened";
  replace("k.cc", "one");
  look = files.look();
  EXPECT_TRUE(is_as_begun(look));
  EXPECT_TRUE(look.disturbed);
}

TEST_F(WatchedFilesTest, AFileThatIsAwayIsGoneUntilItIsBack) {
  WatchedFiles files({folder_.write("k.cc", "one")});
  fs::rename(path("k.cc"), path("away"));
  EXPECT_EQ(files.look().gone, path("k.cc"));
  EXPECT_EQ(files.look().gone, path("k.cc"));
  fs::rename(path("away"), path("k.cc"));
  const WatchedFiles::Look look = files.look();
  EXPECT_TRUE(is_as_begun(look));
  EXPECT_TRUE(look.disturbed);
}

// It was another one meanwhile, for all that is known.
TEST_F(WatchedFilesTest, WhatIsWrittenAnewIsADisturbanceUnlessItIsAlways) {
  WatchedFiles files({folder_.write("k.cc", "one")});
  int disturbances = 0;
  for (int i = 0; i < 8; ++i) {
    replace("k.cc", "one");
    const WatchedFiles::Look look = files.look();
    EXPECT_TRUE(is_as_begun(look));
    disturbances += look.disturbed ? 1 : 0;
  }
  EXPECT_GE(disturbances, 1);
  EXPECT_LT(disturbances, 8) << "a build that writes its own input would never end";
  replace("k.cc", "two");
  EXPECT_EQ(files.look().changed, path("k.cc")) << "its content counts as before";
}

TEST_F(WatchedFilesTest, AFileThatComesWhereAnIncludeWouldFindItIsAChange) {
  const std::string more = folder_.make_folder("more");
  fs::last_write_time(more, fs::file_time_type::clock::now() - std::chrono::hours(1));
  WatchedFiles files({folder_.write("k.cc", "one"), more + "/part.h", more + "/deep/part.h"});
  EXPECT_TRUE(is_as_begun(files.look()));
  folder_.write("more/part.h", "1");
  WatchedFiles::Look look = files.look();
  EXPECT_EQ(look.changed, more + "/part.h");
  EXPECT_TRUE(look.disturbed);
  EXPECT_FALSE(files.look().disturbed);
  fs::remove(more + "/part.h");
  EXPECT_TRUE(is_as_begun(files.look()));
}

TEST_F(WatchedFilesTest, OfAFolderWhatWasInItCountsAndWhatIsMadeInItDoesNot) {
  const std::string data = folder_.make_folder("data/deep");
  folder_.write("data/deep/one", "1");
  WatchedFiles files({folder_.path() + "/data"});
  folder_.write("data/deep/made", "2");
  EXPECT_TRUE(is_as_begun(files.look()));
  replace("data/deep/one", "3");
  EXPECT_EQ(files.look().changed, data + "/one");
}

}  // namespace
}  // namespace nightshift::evaluator
