#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/problems/cuda_text.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SourceNamesTest : public ::testing::Test {
 protected:
  std::vector<std::string> host(const std::string& parameter, const std::string& names = "",
                                const std::string& sizes = "N = 1024") const {
    std::string text = host_problem("");
    const auto change = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    change("sizes = { N = 1024 }", "sizes = { " + sizes + " }\n" + names);
    change("[parameters]\n", "[parameters]\n" + parameter + " = [1, 2]\n");
    return folder_.diagnostics(text);
  }
  std::vector<std::string> cuda(const std::string& parameter, const std::string& names = "") const {
    std::string text = cuda_problem();
    const auto change = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    change("[cuda]\n", "[cuda]\n" + names + "\n");
    change("[parameters]\n", "[parameters]\n" + parameter + " = [1, 2]\n");
    return cuda_folder_.diagnostics(text);
  }

  const ProblemFolder folder_;
  const CudaFolder cuda_folder_;
};

constexpr const char* kConstants = "names = \"constants\"";
constexpr const char* kNone = "names = \"none\"";

TEST_F(SourceNamesTest, AParameterWithTheNameOfAnArgumentIsAMistakeWithBothPlaces) {
  EXPECT_THAT(host("n"), ElementsAre(AllOf(HasSubstr("parameter 'n' has the name of the argument"),
                                           HasSubstr("(line "), HasSubstr("names = "))));
  EXPECT_THAT(cuda("x"), ElementsAre(HasSubstr("parameter 'x' has the name of the argument 'x'")));
}

TEST_F(SourceNamesTest, SoIsASizeWithTheNameOfAFunction) {
  EXPECT_THAT(host("P", "", "N = 1024, add = 3"),
              ElementsAre(HasSubstr("size 'add' has the name of the function 'add' (line ")));
  EXPECT_THAT(cuda("scale"), ElementsAre(HasSubstr("has the name of the kernel 'scale'")));
  EXPECT_THAT(cuda("reference"), ElementsAre(HasSubstr("the kernel 'reference'")));
}

TEST_F(SourceNamesTest, WordsOfTheLanguageAndWhatCompilersDefineAreMistakes) {
  for (const char* word : {"int", "static", "and_eq", "restrict"}) {
    EXPECT_THAT(host(word), ElementsAre(HasSubstr("a word of the language"))) << word;
    EXPECT_THAT(cuda(word, kNone), ElementsAre(HasSubstr("a word of the language"))) << word;
  }
  for (const char* word : {"__FILE__", "linux", "NULL", "nightshift_x"}) {
    EXPECT_THAT(host(word), ElementsAre(HasSubstr("compilers or their headers define"))) << word;
  }
  EXPECT_THAT(cuda("threadIdx"), ElementsAre(HasSubstr("compilers or their headers define")));
  EXPECT_THAT(host("threadIdx"), IsEmpty());
}

TEST_F(SourceNamesTest, ArgumentsMayShadowConstantsAndFunctionsMayNot) {
  EXPECT_THAT(host("n", kConstants), IsEmpty());
  EXPECT_THAT(cuda("x", kConstants), IsEmpty());
  EXPECT_THAT(host("add", kConstants), ElementsAre(HasSubstr("the function 'add'")));
}

// As if it were 0, and nothing of the study would have any effect.
TEST_F(SourceNamesTest, AConstantThatThePreprocessorAsksForIsAMistake) {
  for (const char* line :
       {"#if FAST", "# elif defined(FAST) && 1", "#ifdef FAST", "#ifndef FAST"}) {
    folder_.write("add.cc", "// FAST\nvoid add(const float*, float*) {}\n" + std::string(line) +
                                "\n#endif\n");
    EXPECT_THAT(host("FAST", kConstants), ElementsAre(HasSubstr("add.cc:3"))) << line;
    EXPECT_THAT(host("FAST"), IsEmpty()) << "a macro is asked for";
  }
  folder_.write("add.cc", "#if FASTER\n#endif\n#define FASTEST FAST\n// #if FAST\n");
  EXPECT_THAT(host("FAST", kConstants), IsEmpty());
}

TEST_F(SourceNamesTest, WhatIsNotToldToSourcesMayBeCalledAnything) {
  EXPECT_THAT(host("n", kNone), IsEmpty());
  EXPECT_THAT(host("add", kNone), IsEmpty());
  EXPECT_THAT(host("P = { values = [\"-O1\", \"-O2\"], flag = \"{}\" }\nQ"), IsEmpty());
}

// The host's helper appends " = [1, 2]": here of another parameter.
TEST_F(SourceNamesTest, AValueOfTwoLinesIsNoMacro) {
  const std::string value = "P = [\"1\", \"1\\n+ 1\"]\nQ";
  for (const auto& mistakes : {host(value), cuda(value)}) {
    EXPECT_THAT(mistakes, ElementsAre(AllOf(HasSubstr("parameter 'P' has the value \"1\\n+ 1\""),
                                            HasSubstr("a macro has one line"))));
  }
  EXPECT_THAT(host(value, kNone), IsEmpty());
  EXPECT_THAT(host("P = [\"1\", \"1\\t+ 1\"]\nQ"), IsEmpty());
  EXPECT_THAT(host("P = { values = [\"-O1\", \"\\n\"], flag = \"{}\" }\nQ"), IsEmpty());
}

TEST_F(SourceNamesTest, AFlagMayHaveTheNameOfAnArgument) {
  std::string text = host_problem("");
  const std::string head = "[parameters]\n";
  text.replace(text.find(head), head.size(),
               head + "n = { values = [\"-O1\", \"-O2\"], flag = \"{}\" }\n");
  EXPECT_THAT(folder_.diagnostics(text), IsEmpty());
}

TEST_F(SourceNamesTest, SourcesInOtherLanguagesAreTakenAsWhatTheyAreOrRefused) {
  folder_.write("add.rs", "");
  folder_.write("add.f90", "");
  const auto with = [&](const std::string& file, const std::string& function,
                        const std::string& names = "") {
    std::string text = host_problem("");
    const auto change = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    change("file = \"add.cc\", function = \"add\"",
           "file = \"" + file + "\", function = \"" + function + "\"");
    change("sizes = ", names + "\nsizes = ");
    return folder_.diagnostics(text);
  };
  EXPECT_THAT(with("add.f90", "add"), IsEmpty());
  EXPECT_THAT(with("add.cc", "ns::add<N, TILE>"), IsEmpty());
  EXPECT_THAT(with("add.rs", "add"), ElementsAre(HasSubstr("neither C++, C, Fortran nor")));
  EXPECT_THAT(with("add.f90", "add<N>"), ElementsAre(HasSubstr("only a function in C++")));
  EXPECT_THAT(with("add.f90", "add", kConstants), ElementsAre(HasSubstr("sources in C and C++")));
}

}  // namespace
}  // namespace nightshift::problems
