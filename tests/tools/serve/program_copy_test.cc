#include "tools/serve/program_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file_text.h"
#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

class ProgramCopy : public ::testing::Test {
 protected:
  ProgramCopy() {
    for (const char* folder : {"program/sub", "program/.git", "program/studies", "sources/sub"}) {
      fs::create_directories(scratch_.path(folder));
    }
    scratch_.write("program/main.c", "own main");
    scratch_.write("program/sub/part.h", "own part");
    scratch_.write("program/.git/config", "x");
    scratch_.write("program/studies/journal", "x");
  }
  void copy() { copy_program(path("program"), path("sources"), path("copy")); }
  std::string path(const std::string& name) const { return scratch_.path(name); }
  std::string text(const std::string& name) const { return base::read_whole_file(path(name)); }

  problems::ScratchFolder scratch_;
};

TEST_F(ProgramCopy, HasTheCandidatesFilesInPlaceOfItsOwn) {
  scratch_.write("sources/sub/part.h", "new part");
  scratch_.write("sources/more.h", "more");
  copy();
  EXPECT_EQ(text("copy/main.c"), "own main");
  EXPECT_EQ(text("copy/sub/part.h"), "new part");
  EXPECT_EQ(text("copy/more.h"), "more");
  EXPECT_FALSE(fs::exists(path("copy/.git")));
  EXPECT_FALSE(fs::exists(path("copy/studies")));
  EXPECT_EQ(text("program/sub/part.h"), "own part");
}

TEST_F(ProgramCopy, LinksToDataAndNeverWritesThroughALink) {
  scratch_.write("program/data", std::string((std::size_t{1} << 20) + 1, 'd'));
  copy();
  EXPECT_TRUE(fs::is_symlink(path("copy/data")));
  scratch_.write("sources/data", "candidate's data");
  fs::remove_all(path("copy"));
  copy();
  EXPECT_EQ(text("copy/data"), "candidate's data");
  EXPECT_EQ(fs::file_size(path("program/data")), (std::uintmax_t{1} << 20) + 1);
}

TEST_F(ProgramCopy, OneThatWasCutOffIsMadeWhole) {
  copy();
  fs::remove(path("copy/main.c"));
  copy();
  EXPECT_EQ(text("copy/main.c"), "own main");
}

TEST_F(ProgramCopy, MayLieInTheFolderThatIsCopied) {
  fs::create_directories(path("program/tonight/1"));
  scratch_.write("program/tonight/1/log", "x");
  copy_program(path("program"), path("sources"), path("program/tonight/1/program"));
  EXPECT_EQ(text("program/tonight/1/program/main.c"), "own main");
  EXPECT_FALSE(fs::exists(path("program/tonight/1/program/tonight")));
}

TEST_F(ProgramCopy, IsBounded) {
  const std::string megabyte(std::size_t{1} << 20, 'x');
  for (unsigned long long i = 0; i <= kMostCopied >> 20; ++i) {
    scratch_.write("program/" + std::to_string(i), megabyte);
  }
  EXPECT_THROW(copy(), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
