#include "problems/readers/file_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class FilePaths : public ::testing::Test {
 protected:
  std::string folder() const { return folder_of(folder_.path("x")).string(); }
  std::string complaint(const std::string& name) const { return no_such_file(folder(), name); }

  const ProblemFolder folder_;
};

TEST_F(FilePaths, AFileIsFoundInTheFolder) {
  EXPECT_EQ(find_file(folder(), "./add.cc"), folder_.path("add.cc"));
  EXPECT_EQ(find_file(folder(), "ad.cc"), std::nullopt);
  EXPECT_EQ(find_file(folder(), "."), std::nullopt);
}

TEST_F(FilePaths, WhatIsNotThereMayBeMeantOtherwise) {
  EXPECT_THAT(complaint("ad.cc"),
              EndsWith("'ad.cc', which is no file in " + folder() + "; did you mean 'add.cc'?"));
}

TEST_F(FilePaths, WhatIsThereAndNoFileIsNamed) {
  ASSERT_EQ(mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(symlink("nowhere", folder_.path("link").c_str()), 0);
  EXPECT_THAT(complaint("fifo"), EndsWith("'fifo', which is a FIFO and no file in " + folder()));
  EXPECT_THAT(complaint("link"), HasSubstr("which is a link to nothing and no file"));
  EXPECT_THAT(complaint("/dev/null"), HasSubstr("which is a device and no file in /dev"));
  EXPECT_THAT(complaint("/tmp"), HasSubstr("which is a folder and no file in /"));
}

}  // namespace
}  // namespace nightshift::problems
