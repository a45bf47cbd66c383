#include "evaluator/interpreter_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InterpreterLine : public ::testing::Test {
 protected:
  std::string complaint(const std::string& name, const std::string& text) const {
    return interpreter_complaint(folder_.write(name, text));
  }

  TemporaryFolder folder_;
};

TEST_F(InterpreterLine, NamesAProgramThatIsThere) {
  for (const char* text :
       {"#!/bin/sh\n", "#! /bin/sh -e\necho 1\n", "#!/bin/sh", "#!/usr/bin/env sh\n",
        "#!/usr/bin/env -S sh -e\n", "#!/usr/bin/env -i sh\n", "echo 1\n", ""}) {
    EXPECT_THAT(complaint("k.sh", text), IsEmpty()) << text;
  }
}

TEST_F(InterpreterLine, OfOneThatIsNotThereIsTold) {
  EXPECT_THAT(complaint("k.sh", "#!/nope/python\n"),
              AllOf(HasSubstr("k.sh is started by /nope/python, which is no program here")));
  EXPECT_THAT(complaint("k.sh", "#!/bin/sh\r\necho 1\r\n"), HasSubstr("carriage return"));
  EXPECT_THAT(complaint("k.sh", "#!/usr/bin/env no-such-program\n"),
              HasSubstr("'no-such-program', which is no program on PATH"));
  EXPECT_THAT(complaint("k.sh", "#!/usr/bin/env -S no-such-program -e\n"), HasSubstr("on PATH"));
  EXPECT_THAT(complaint("k.sh", "#!\n"), HasSubstr("names no interpreter"));
}

TEST_F(InterpreterLine, IsMissedWhereShIsNotMeant) {
  EXPECT_THAT(complaint("k.py", "print(1)\n"), HasSubstr("#!/usr/bin/env python3"));
  EXPECT_THAT(complaint("k.pl", "print 1;\n"), HasSubstr("#!/usr/bin/env perl"));
  EXPECT_THAT(complaint("k.py", std::string("\x7f"
                                            "ELF\0\0",
                                            6)),
              IsEmpty())
      << "a program";
}

TEST_F(InterpreterLine, OfAnyBytesIsRead) {
  EXPECT_THAT(complaint("k", "#!" + std::string(100'000, 'x')), HasSubstr("no program here"));
  EXPECT_THAT(interpreter_complaint("/nowhere"), IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
