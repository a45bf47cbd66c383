#include "tools/problem/judged_file.h"

#include <gtest/gtest.h>

#include "base/file_text.h"
#include "problems/judged_source.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

TEST(JudgedEnding, IsOfTheLanguageOfTheSource) {
  for (const char* name : {"a.cc", "a.cpp", "a.inl", "a.h", "a"}) {
    EXPECT_EQ(judged_ending(name), ".cc") << name;
  }
  EXPECT_EQ(judged_ending("a.c"), ".c");
  for (const char* name : {"a.f90", "a.F90", "a.f08"}) EXPECT_EQ(judged_ending(name), ".f90");
  for (const char* name : {"a.f", "a.F", "a.for"}) EXPECT_EQ(judged_ending(name), ".f");
  for (const char* name : {"a.s", "a.S"}) EXPECT_EQ(judged_ending(name), ".S");
}

TEST(JudgedEnding, OfAFileOfCThatIsInFactCppIsThatOfCpp) {
  const problems::ScratchFolder scratch;
  EXPECT_EQ(judged_ending(scratch.write("a.c", "extern \"C\" void f() {}\n")), ".cc");
  EXPECT_EQ(judged_ending(scratch.write("b.c", "void f(void) {}\n")), ".c");
}

TEST(JudgedFile, IncludesTheOneThatTheMacroNames) {
  const problems::ScratchFolder scratch;
  const std::string path = scratch.path("judged.c");
  write_judged_file(path, "/own.c", {{7, "/seven.c"}, {3, "/three.c"}});
  const std::string text = base::read_whole_file(path);
  const auto included = [&](const char* number) {
    return problems::included_source(text, {"-DNIGHTSHIFT_CANDIDATE=" + std::string(number)});
  };
  EXPECT_EQ(included("7"), "/seven.c");
  EXPECT_EQ(included("3"), "/three.c");
  EXPECT_EQ(included("0"), "/own.c");
}

}  // namespace
}  // namespace nightshift::tools
