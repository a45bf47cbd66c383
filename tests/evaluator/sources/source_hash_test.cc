#include "evaluator/sources/source_hash.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

// kernels/scale/scale.cu with kernels/scale and kernels/common as folders of the command line.
class SourceHash : public ::testing::Test {
 protected:
  SourceHash() {
    root_.make_folder("kernels/scale");
    root_.make_folder("kernels/common");
    root_.make_folder("kernels/more");
    write("scale/scale.cu", "#include \"loop.cuh\"\n#include <cuda_bf16.h>\n");
    write("common/loop.cuh", "#include \"vector.cuh\"\n");
    write("common/vector.cuh", "struct Vector {};\n");
  }

  void write(const std::string& name, const std::string& text) const {
    root_.write("kernels/" + name, text);
  }
  std::string path(const std::string& name) const { return root_.path() + "/kernels/" + name; }
  std::string hash(std::vector<std::string> more = {}) const {
    std::vector<std::string> options = {"--std=c++20", "-I" + path("scale"), "-I" + path("common")};
    options.insert(options.end(), more.begin(), more.end());
    return hash_of_source(path("scale/scale.cu"), options);
  }
  // Whether writing that file changes the hash.
  bool matters(const std::string& name, const std::string& text) const {
    const std::string before = hash();
    write(name, text);
    return hash() != before;
  }

  TemporaryFolder root_;
};

TEST_F(SourceHash, FilesThatAreNotIncludedDoNotMatter) {
  EXPECT_FALSE(matters("common/other.cuh", "struct Other {};\n"));
  EXPECT_FALSE(matters("common/other.cuh", "struct Another {};\n"));
  EXPECT_FALSE(matters("scale/reference.cu", "#include \"other.cuh\"\n"));
}

TEST_F(SourceHash, TheSourceAndWhatItIncludesMatter) {
  EXPECT_TRUE(matters("common/vector.cuh", "struct Vector { int x; };\n"));
  EXPECT_TRUE(matters("common/loop.cuh", "#include \"vector.cuh\"\n\n"));
  EXPECT_TRUE(matters("scale/scale.cu", "#include \"loop.cuh\"\n"));
  const std::string before = hash();
  std::filesystem::remove(path("common/vector.cuh"));
  EXPECT_NE(hash(), before);
}

TEST_F(SourceHash, ANewFileThatComesBeforeAnIncludedOneMatters) {
  EXPECT_TRUE(matters("scale/vector.cuh", "struct Vector {};\n"));
  EXPECT_TRUE(matters("scale/loop.cuh", "#include \"vector.cuh\"\n"));
  // Even one that the compiler would have brought.
  EXPECT_TRUE(matters("common/cuda_bf16.h", ""));
}

TEST_F(SourceHash, TheSameContentsInAnotherFolderMatter) {
  write("common/vector.cuh", "");
  const std::string before = hash();
  std::filesystem::rename(path("common/vector.cuh"), path("scale/vector.cuh"));
  EXPECT_NE(hash(), before);
}

TEST_F(SourceHash, CyclesEnd) {
  EXPECT_TRUE(matters("common/vector.cuh",
                      "#include \"loop.cuh\"\n#include \"../common/vector.cuh\"\n"
                      "#include \"../scale/scale.cu\"\n"));
  std::filesystem::create_directory_symlink(".", path("common/again"));
  EXPECT_TRUE(matters("common/loop.cuh", "#include \"again/loop.cuh\"\n#include \"vector.cuh\"\n"));
  EXPECT_TRUE(matters("common/vector.cuh", "#include \"loop.cuh\"\n"));
}

TEST_F(SourceHash, WhatIsIncludedIsLookedForBesideAFileNotBesideWhatItIsALinkTo) {
  write("more/loop.cuh", "#include \"tile.cuh\"\n");
  std::filesystem::remove(path("common/loop.cuh"));
  std::filesystem::create_symlink(path("more/loop.cuh"), path("common/loop.cuh"));
  EXPECT_FALSE(matters("more/tile.cuh", "struct Tile {};\n"));
  EXPECT_TRUE(matters("common/tile.cuh", "struct Tile {};\n"));
}

TEST_F(SourceHash, AComputedIncludeCountsEverythingBelowTheFolders) {
  root_.make_folder("kernels/common/deep");
  EXPECT_TRUE(matters("common/vector.cuh", "#include VECTOR_FILE\n"));
  EXPECT_TRUE(matters("common/deep/other.cuh", "struct Other {};\n"));
  EXPECT_TRUE(matters("scale/reference.cu", "struct Other {};\n"));
  EXPECT_FALSE(matters("more/other.cuh", "struct Other {};\n"));
}

TEST_F(SourceHash, FoldersAndFilesOfFlagsCount) {
  const std::vector<std::vector<std::string>> flags = {{"-I" + path("more")},
                                                       {"-I", path("more")},
                                                       {"--include-path=" + path("more")},
                                                       {"-isystem", path("more")}};
  for (const std::vector<std::string>& more : flags) {
    std::filesystem::remove(path("more/cuda_bf16.h"));
    const std::string before = hash(more);
    write("more/cuda_bf16.h", "");
    EXPECT_NE(hash(more), before) << more.front();
  }
  const std::vector<std::string> first = {"-include", "first.cuh"};
  const std::string before = hash(first);
  write("common/first.cuh", "");
  EXPECT_NE(hash(first), before);
}

TEST_F(SourceHash, WhereTheFilesLieDoesNotMatter) {
  const std::string here = hash();
  const TemporaryFolder elsewhere;
  std::filesystem::copy(root_.path(), elsewhere.path(), std::filesystem::copy_options::recursive);
  const std::string there = elsewhere.path() + "/kernels/";
  EXPECT_EQ(hash_of_source(there + "scale/scale.cu",
                           {"--std=c++20", "-I" + there + "scale", "-I" + there + "common"}),
            here);
}

TEST_F(SourceHash, AMissingSourceIsNamed) {
  EXPECT_THROW(hash_of_source(path("scale/gone.cu"), {}), std::runtime_error);
}

}  // namespace
}  // namespace nightshift::evaluator
