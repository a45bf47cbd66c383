#include "evaluator/process/script_word.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace nightshift::evaluator {
namespace {

std::string script_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return script_word(words).value_or("-");
}

TEST(ScriptWord, IsTheFirstWordBehindOptions) {
  EXPECT_EQ(script_of("python3 a.py 1"), "a.py");
  EXPECT_EQ(script_of("/usr/bin/python3.11 -u a.py"), "a.py");
  EXPECT_EQ(script_of("python3 -O -X dev -Wignore -uB a.py"), "a.py");
  EXPECT_EQ(script_of("bash -e -o pipefail a.sh"), "a.sh");
  EXPECT_EQ(script_of("bash -euxo pipefail --norc a.sh"), "a.sh");
  EXPECT_EQ(script_of("perl -w -Ilib a.pl"), "a.pl");
  EXPECT_EQ(script_of("julia --startup-file=no -t 4 a.jl"), "a.jl");
  EXPECT_EQ(script_of("sh -- a.sh"), "a.sh");
}

TEST(ScriptWord, ThereIsNoneWhereAnOptionIsTheProgramOrIsNotKnown) {
  for (const char* line : {"python3", "python3 -", "python3 -c a.py", "python3 -m a",
                           "python3 -uc a.py", "sh -c a.sh", "sh -xc a.sh", "bash +e a.sh",
                           "bash -s a", "perl -e a.pl", "perl -ne a.pl", "node --eval a", "sh --",
                           "python3 --unheard a.py", "python3 -X", "cc a.c", "./a.sh b.sh"}) {
    EXPECT_EQ(script_of(line), "-") << line;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
