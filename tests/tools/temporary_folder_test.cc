#include "tools/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TemporaryFolderTest : public ::testing::Test {
 protected:
  TemporaryFolderTest() {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
  }
  ~TemporaryFolderTest() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

  static std::string complaint(const std::string& place) {
    ::setenv("TMPDIR", place.c_str(), 1);
    try {
      const TemporaryFolder made;
      return "made in " + made.path();
    } catch (const OutputError& error) {
      return error.what();
    }
  }

  std::optional<std::string> before_;
};

TEST_F(TemporaryFolderTest, APlaceThatIsNotThereIsNamedWithTheWayOut) {
  EXPECT_THAT(complaint("/nonexistent/job"),
              AllOf(HasSubstr("'/nonexistent/job': "), HasSubstr("No such file or directory"),
                    HasSubstr("by TMPDIR")));
}

TEST_F(TemporaryFolderTest, SoIsOneThatIsNoFolderOrTakesNone) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_THAT(complaint(file), AllOf(HasSubstr("'" + file + "': "), HasSubstr("by TMPDIR")));
  EXPECT_THAT(complaint("/proc/self"), AllOf(HasSubstr("'/proc/self': "), HasSubstr("by TMPDIR")));
}

TEST_F(TemporaryFolderTest, ItIsWhereTMPDIRSaysAndGoesWithAllThatIsInIt) {
  const TemporaryFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  std::string path;
  {
    const TemporaryFolder inner;
    path = inner.path();
    EXPECT_THAT(path, StartsWith(folder.path() + "/"));
    EXPECT_TRUE(fs::is_directory(inner.artifacts()) && fs::is_directory(inner.scratch()));
    std::ofstream(inner.scratch() + "/file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace nightshift::tools
