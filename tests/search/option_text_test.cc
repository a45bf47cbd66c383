#include "search/option_text.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(OptionText, EveryHoleIsFilledOnce) {
  EXPECT_EQ(option_text({"OPT", "-O{} -DLEVEL={}"}, std::int64_t{3}), "-O3 -DLEVEL=3");
  EXPECT_EQ(option_text({"OPT", "-fast"}, std::int64_t{3}), "-fast");
  EXPECT_EQ(option_text({"OPT", "a{}b"}, std::string("{}")), "a{}b");
}

TEST(OptionText, AnEmptyValueIsNoOption) {
  EXPECT_EQ(option_text({"OPT", "-O{}"}, std::string()), "");
}

using Words = std::vector<std::string>;

TEST(OptionText, BlanksBetweenQuotesAreOfTheWord) {
  const auto words = [](const std::string& text) {
    return option_words({{"A", "{}"}}, Configuration({{"A", Value(text)}}));
  };
  EXPECT_EQ(words("-DX=\"a b\" -O2"), (Words{"-DX=\"a b\"", "-O2"}));
  EXPECT_EQ(words(" -DX='a \" b'  -O2 "), (Words{"-DX='a \" b'", "-O2"}));
  EXPECT_EQ(words("-DX=it's -O2"), (Words{"-DX=it's", "-O2"}));
  EXPECT_EQ(words("-DX=\"a\""), (Words{"-DX=\"a\""}));
}

TEST(OptionText, RelativeFoldersGoByTheFolderThatIsGiven) {
  EXPECT_EQ(
      with_absolute_folders({"-Iinclude", "-I", "../more", "-isystem", "sys", "-L.",
                             "--include-path=x", "-I/usr/include", "-iquotelocal"},
                            "/home/me"),
      (Words{"-I/home/me/include", "-I", "/home/more", "-isystem", "/home/me/sys", "-L/home/me/",
             "--include-path=/home/me/x", "-I/usr/include", "-iquote/home/me/local"}));
}

TEST(OptionText, WhatNamesNoFolderStays) {
  const Words options = {"-O3", "helper.o", "-include", "config.h", "-DDIR=include", "-lx", "-I"};
  EXPECT_EQ(with_absolute_folders(options, "/home/me"), options);
}

TEST(OptionText, AFileStandsBehindItsOption) {
  const auto path = [](std::string_view word) {
    const std::size_t at = path_in_option(word);
    return at == std::string_view::npos ? "none" : std::string(word.substr(at));
  };
  EXPECT_EQ(path("helper.o"), "helper.o");
  EXPECT_EQ(path("@options"), "options");
  EXPECT_EQ(path("-Iinclude"), "include");
  EXPECT_EQ(path("-fprofile-use=run.gcda"), "run.gcda");
  EXPECT_EQ(path("-DFILE=kernel.h"), "none");
  EXPECT_EQ(path("-O3"), "none");
}

}  // namespace
}  // namespace nightshift::search
