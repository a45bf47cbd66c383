#include "tools/serve/own_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using Kind = search::IdentityPart::Kind;

class OwnSourcesTest : public ::testing::Test {
 protected:
  OwnSources again() const { return OwnSources(scratch_.path("")); }
  static search::Identity identity(const std::string& hash) {
    return {{Kind::kSource, "/p/own.cc", hash}, {Kind::kCompiler, "c++", "g++ 12.2"}};
  }
  problems::ScratchFolder scratch_;
};

TEST_F(OwnSourcesTest, HoldsWhatTheFirstCandidateMet) {
  again().hold("p", identity("one"));
  again().hold("p", identity("one"));
  again().hold("q", identity("two"));
  OwnSources held = again();
  held.hold("p", identity("one"));
  try {
    held.hold("p", identity("three"));
    FAIL() << "another baseline went unnoticed";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("own.cc"));
    EXPECT_THAT(error.what(), HasSubstr("begin another night"));
  }
  held.hold("p", identity("one"));  // it was put back
}

TEST_F(OwnSourcesTest, WhatOnlyALaterCandidateReplacesIsHeldFromThenOn) {
  OwnSources held = again();
  held.hold("p", {{Kind::kFile, "/p/a.py", "1"}});
  held.hold("p", {{Kind::kFile, "/p/a.py", "1"}, {Kind::kFile, "/p/b.py", "2"}});
  OwnSources later = again();
  EXPECT_THROW(later.hold("p", {{Kind::kFile, "/p/b.py", "3"}}), UsageError);
}

TEST_F(OwnSourcesTest, AFileOfSomebodyElseCountsAsNone) {
  for (const char* text :
       {"", "{", "[]", R"({"p": 7})", R"({"p": {"no key": 1, "source x": []}})"}) {
    scratch_.write("own_sources.json", text);
    again().hold("p", identity("one"));
    EXPECT_THROW(again().hold("p", identity("two")), UsageError) << text;
  }
}

}  // namespace
}  // namespace nightshift::tools
