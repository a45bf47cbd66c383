#include "search/telling_line.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::search {
namespace {

// The first line that says what is wrong.
std::string told(const std::string& text) {
  const std::size_t at = first_error_line(text);
  return at == std::string::npos ? "nothing" : text.substr(at, text.find('\n', at) - at);
}

constexpr const char* kDriver = "collect2: error: ld returned 1 exit status\n";

TEST(TellingLine, TheLinkersOwnWordsComeBeforeThoseOfTheDriver) {
  const std::string lines[] = {
      "/usr/bin/ld: cannot find helper.o: No such file or directory",
      "/usr/bin/ld: cannot find -lx: No such file or directory",
      "/usr/bin/ld: helper.o: relocation R_X86_64_32 against `.data' can not be used when making a "
      "shared object; recompile with -fPIC",
      "/usr/bin/ld: libx.a: error adding symbols: file format not recognized",
      "/usr/bin/ld: wrapper.cc:(.text+0x5): undefined reference to `helper(float)'",
      "x86_64-linux-gnu-ld: final link failed: bad value"};
  for (const std::string& line : lines) EXPECT_EQ(told(line + "\n" + kDriver), line);
}

TEST(TellingLine, WhatLeadsToALinkersWordsIsPassedOver) {
  EXPECT_EQ(told("/usr/bin/ld: /tmp/a.o: in function `f':\nk.cc:(.text+0x5): undefined reference "
                 "to `g'\n" +
                 std::string(kDriver)),
            "k.cc:(.text+0x5): undefined reference to `g'");
  EXPECT_EQ(told("/usr/bin/ld: skipping incompatible ./libx.a when searching for -lx\n"
                 "/usr/bin/ld: cannot find -lx\n"),
            "/usr/bin/ld: cannot find -lx");
  EXPECT_EQ(told("/usr/bin/ld: warning: x.o: missing .note.GNU-stack section\nk.cc:1: error: no\n"),
            "k.cc:1: error: no");
}

TEST(TellingLine, ProgramsWhoseNamesEndAsALinkersAreNone) {
  EXPECT_EQ(told("child: begins\nbuild: done\n"), "nothing");
  EXPECT_EQ(told("child: begins\nfatal: no input\n"), "fatal: no input");
}

}  // namespace
}  // namespace nightshift::search
