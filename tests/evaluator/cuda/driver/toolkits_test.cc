#include "evaluator/cuda/driver/toolkits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::ElementsAre;

TEST(Toolkits, AVersionIsAskedForByItsFirstNumbers) {
  EXPECT_TRUE(is_version("12.8", "12.8"));
  EXPECT_TRUE(is_version("12.8", "12"));
  EXPECT_FALSE(is_version("12.10", "12.1"));
  EXPECT_FALSE(is_version("12.8", "12.8.1"));
  EXPECT_FALSE(is_version("12.8", ""));
}

TEST(Toolkits, NvccSaysItsVersionBehindRelease) {
  EXPECT_EQ(version_of_nvcc("Cuda compilation tools, release 12.8, V12.8.93\nBuild"), "12.8");
  EXPECT_EQ(version_of_nvcc("clang version 14"), "");
  EXPECT_EQ(version_of_nvcc("release "), "");
}

TEST(Toolkits, WhatTheVariableListsReplacesWhatIsFound) {
  const char* before = std::getenv("NIGHTSHIFT_NVRTC");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("NIGHTSHIFT_NVRTC", "/a/libnvrtc.so::/b/libnvrtc.so:", 1);
  EXPECT_THAT(nvrtc_candidates(), ElementsAre("/a/libnvrtc.so", "/b/libnvrtc.so"));
  if (before != nullptr) {
    ::setenv("NIGHTSHIFT_NVRTC", kept.c_str(), 1);
  } else {
    ::unsetenv("NIGHTSHIFT_NVRTC");
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
