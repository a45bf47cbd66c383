#include "evaluator/sources/include_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

const IncludeName kQuoted{"x.h", true};
const IncludeName kAngled{"x.h", false};

TEST(IncludeScan, BothFormsAreFoundInTheirOrderAndOnce) {
  const IncludeScan scan = scan_includes(
      "#include \"b/x.h\"\n"
      "int f();\n"
      "#include <a.h>\n"
      "#include \"b/x.h\"\n");
  EXPECT_THAT(scan.names, ElementsAre(IncludeName{"b/x.h", true}, IncludeName{"a.h", false}));
  EXPECT_FALSE(scan.computed);
}

TEST(IncludeScan, WhateverTheConditionItCounts) {
  EXPECT_THAT(scan_includes("#if 0\n#include \"x.h\"\n#endif\n").names, ElementsAre(kQuoted));
  EXPECT_THAT(scan_includes("#if __has_include(<x.h>)\n#endif\n").names, ElementsAre(kAngled));
  EXPECT_THAT(scan_includes("#elif A && __has_include ( \"x.h\" )\n").names, ElementsAre(kQuoted));
}

TEST(IncludeScan, EverySpellingOfADirectiveIsFound) {
  for (const std::string& text :
       {"  #\tinclude\v\"x.h\""s, "#include\"x.h\" // as it is"s, "%:include \"x.h\""s,
        "/* a */ # /* b */ include /* c */ \"x.h\""s, "/* over\n lines */ #include \"x.h\""s,
        "#include \\\n\"x.h\""s, "#inc\\\r\nlude \"x.h\""s, "#include \\ \n \"x.h\""s,
        "\xEF\xBB\xBF#include \"x.h\""s, "int x;\r#include \"x.h\""s, "#include_next \"x.h\""s,
        "\0#include \"x.h\""s, "// a\\ \n#include \"x.h\""s}) {
    EXPECT_THAT(scan_includes(text).names, ElementsAre(kQuoted)) << text;
  }
}

TEST(IncludeScan, WhatIsNoDirectiveIsNotFound) {
  for (const char* text :
       {"// #include \"x.h\"", "#define NAME(include) #include", "#included \"x.h\"",
        "auto s = \"#include <x.h>\";", "#ifdef __has_include\n", "#pragma once\n", "#\n", ""}) {
    const IncludeScan scan = scan_includes(text);
    EXPECT_THAT(scan.names, IsEmpty()) << text;
    EXPECT_FALSE(scan.computed) << text;
  }
}

TEST(IncludeScan, WhatOnlyAPreprocessorKnowsIsComputed) {
  for (const std::string& text :
       {"#include HEADER\n"s, "#include\n"s, "#include \"x.h\n"s, "#include <x.h\n"s,
        "#if __has_include(HEADER)\n"s, "# /* over\n lines */ include \"x.h\"\n"s,
        "#include /* over\n lines */ \"x.h\"\n"s, "#if __has_include /* over\n lines */ (\"x.h\")"s,
        "?\?=include \"x.h\"\n"s, "#inc?\?/\nlude \"x.h\"\n"s}) {
    EXPECT_TRUE(scan_includes(text).computed) << text;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
