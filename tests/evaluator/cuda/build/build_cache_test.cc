#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file_text.h"
#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/process/artifact_path.h"
#include "tests/evaluator/cuda_setup.h"

// Which builds compile, by an nvcc that counts them.
namespace nightshift::evaluator::cuda {
namespace {

// For `nvcc --version` the words of the file VERSION; else a line in COMPILED, to standard error
// what the source says after "//", and a "cubin" that is the source.
constexpr const char* kFakeNvcc = R"sh(#!/bin/sh
here=$(dirname "$0")
if [ "$1" = --version ]; then exec cat "$here/VERSION"; fi
while [ "$1" != -o ]; do source=$1; shift; done
echo "$source" >> "$here/COMPILED"
sed -n 's|^//||p' "$source" >&2
exec cp "$source" "$2"
)sh";

class BuildCacheOfNvcc : public ::testing::Test {
 protected:
  BuildCacheOfNvcc() : setup_(Overrides{{"cuda.compiler", "nvcc"}}) {
    folder_.make_folder("bin");
    const std::string nvcc = folder_.write("bin/nvcc", kFakeNvcc);
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    set_version("release 12.8, V12.8.93");
    ::setenv("PATH", (folder_.path() + "/bin:" + path_).c_str(), 1);
    ::setenv("NIGHTSHIFT_BUILD_CACHE", folder_.make_folder("cache").c_str(), 1);
  }
  ~BuildCacheOfNvcc() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
  }

  void set_version(const std::string& words) const { folder_.write("bin/VERSION", words + "\n"); }
  // By a new process.
  ipc::Artifact build(std::int64_t block = 64) const {
    ipc::ConfigureRequest request = setup_.builder_request();
    request.own_program = evaluator_program();
    FakeProgress progress;
    const ipc::BuiltReply built =
        CudaBuilder(request).build({ipc::BuildTarget::kCandidate, scale_by(block)}, progress);
    const auto* failed = std::get_if<search::BuildFailed>(&built.result);
    if (failed != nullptr) throw std::runtime_error(failed->message);
    return std::get<ipc::Artifact>(built.result);
  }
  // How many compilations that makes.
  long compilations(std::int64_t block = 64) const {
    const long before = lines();
    build(block);
    return lines() - before;
  }

  const CudaSetup setup_;
  const TemporaryFolder folder_;

 private:
  long lines() const {
    const std::string text = folder_.read("bin/COMPILED");
    return std::count(text.begin(), text.end(), '\n');
  }

  const std::string path_ = std::getenv("PATH");
};

TEST_F(BuildCacheOfNvcc, TheSameIsCompiledOnce) {
  EXPECT_EQ(compilations(), 1);
  EXPECT_EQ(compilations(), 0);
  EXPECT_EQ(compilations(32), 1);
}

TEST_F(BuildCacheOfNvcc, AnotherVersionOfTheCompilerCompilesAnew) {
  EXPECT_EQ(compilations(), 1);
  set_version("release 13.0, V13.0.48");
  EXPECT_EQ(compilations(), 1);
  EXPECT_EQ(compilations(), 0);
  set_version("release 12.8, V12.8.93");
  EXPECT_EQ(compilations(), 0);
}

TEST_F(BuildCacheOfNvcc, OnlyWhatTheSourceIncludesCompilesItAnew) {
  setup_.folder().write("scale.cuh", "// first\n");
  setup_.folder().write("scale.cu", std::string("#include \"scale.cuh\"\n") + kScaleKernel);
  EXPECT_EQ(compilations(), 1);
  setup_.folder().write("other.cuh", "// not included\n");
  setup_.folder().write("reference.cu", "// another source\n");
  EXPECT_EQ(compilations(), 0);
  setup_.folder().write("scale.cuh", "// second\n");
  EXPECT_EQ(compilations(), 1);
}

TEST_F(BuildCacheOfNvcc, KeepsWhatTheCompilerRemarks) {
  setup_.folder().write(
      "scale.cu",
      std::string("//ptxas info    : (C7511) Potential Performance Loss: serialized\n") +
          kScaleKernel);
  for (const long compiled : {1, 0}) {
    EXPECT_EQ(compilations(), compiled);
    const ArtifactPack pack =
        unpack(base::read_whole_file(artifact_path(setup_.folder().path(), build().hash).string()));
    ASSERT_EQ(pack.modules.size(), 1u);
    EXPECT_EQ(pack.modules.front().remarks, "serialized (C7511)");
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
