#include "tools/collect/applied_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

// What is said of a file before anything is started; tests/e2e/collect_test.py measures programs.
std::string mistake(const std::string& text) {
  const problems::ScratchFolder folder;
  CompareOptions options;
  options.words = {{"true"}};
  options.apply = folder.write("tuned.json", text);
  try {
    compare_applied(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(AppliedProgram, AFileOfSomethingElseIsRefused) {
  for (const char* text : {"", "[]", "{", R"({"kernels": 3})", R"({"kernels": [{}]})",
                           R"({"kernels": [{"rows": [{"study": 3}]}]})"}) {
    EXPECT_THAT(mistake(text), HasSubstr("is not what `nightshift apply` writes")) << text;
  }
}

TEST(AppliedProgram, WhatHasNothingToApplyIsRefused) {
  EXPECT_THAT(mistake(R"({"kernels": []})"), HasSubstr("has nothing to apply"));
}

TEST(AppliedProgram, ABatchThatNobodyHasAppliedSaysHow) {
  CompareOptions options;
  options.words = {{"true"}};
  options.apply = "no-such-batch";
  try {
    compare_applied(options);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("`nightshift apply no-such-batch` writes it"));
  }
}

}  // namespace
}  // namespace nightshift::tools
