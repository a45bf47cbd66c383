#include "evaluator/sources/option_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

class OptionFilesTest : public ::testing::Test {
 protected:
  OptionFilesTest() {
    for (const char* name : {"a.o", "b.cc", "map", "run.profile"}) folder_.write(name, "");
    folder_.make_folder("lib");
    folder_.write("lib/libx.a", "");
    folder_.write("lib/other.a", "");
  }
  Words names(const Words& options) const {
    Words names;
    for (const auto& file : files_in_options(options, folder_.path()).files) {
      EXPECT_TRUE(file.path.is_absolute());
      names.push_back(file.name);
    }
    return names;
  }
  TemporaryFolder folder_;
};

TEST_F(OptionFilesTest, WordsThatAreFilesCount) {
  EXPECT_THAT(names({"-O3", "a.o", "b.cc", "gone.o", "-DA=map", "-fprofile-use=run.profile"}),
              ElementsAre("a.o", "b.cc", "run.profile"));
}

TEST_F(OptionFilesTest, LibrariesAreThoseOfTheFoldersWhereverThoseStand) {
  EXPECT_THAT(names({"-lx", "-Llib"}), ElementsAre("lib/libx.a"));
  EXPECT_THAT(names({"-L", "lib", "-l", "x"}), ElementsAre("lib/libx.a"));
  EXPECT_THAT(names({"-Llib", "-l:other.a"}), ElementsAre("lib/other.a"));
  EXPECT_THAT(names({"-lx"}), IsEmpty()) << "the system has it, or nobody";
}

TEST_F(OptionFilesTest, ALibraryThatWouldBeTakenBeforeIsMissing) {
  const auto found = files_in_options({"-L.", "-Llib", "-lx"}, folder_.path());
  const std::string here = folder_.path() + "/";
  EXPECT_THAT(found.missing, ElementsAre(here + "libx.so", here + "libx.a", here + "lib/libx.so"));
}

TEST_F(OptionFilesTest, WordsForTheLinkerCount) {
  EXPECT_THAT(names({"-Wl,--whole-archive,lib/libx.a,--version-script=map", "-Xlinker", "a.o"}),
              ElementsAre("lib/libx.a", "map", "a.o"));
}

TEST_F(OptionFilesTest, AFileOfOptionsCountsWithWhatItNames) {
  folder_.write("more", "\"b.cc\"");
  folder_.write("options", "-O3 'a.o'\n@more -D\\'X");
  EXPECT_THAT(names({"@options", "@gone"}), UnorderedElementsAre("options", "a.o", "more", "b.cc"));
  EXPECT_THAT(files_in_options({"@options"}, folder_.path()).options,
              ElementsAre("-O3", "a.o", "b.cc", "-D'X"));
}

TEST_F(OptionFilesTest, AFileOfOptionsThatNamesItselfEnds) {
  folder_.write("options", "@options a.o");
  EXPECT_THAT(names({"@options"}), ElementsAre("options", "a.o"));
}

TEST_F(OptionFilesTest, AFolderOfProfilesCountsWhereItIsRead) {
  const auto folders = [&](const std::string& option) {
    return files_in_options({option}, folder_.path()).folders.size();
  };
  EXPECT_EQ(folders("-fprofile-use=lib"), 1U);
  EXPECT_EQ(folders("-fprofile-generate=lib"), 0U);
}

}  // namespace
}  // namespace nightshift::evaluator
