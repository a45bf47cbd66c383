#include "tools/cli/command_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cli/argument_parser.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Options {
  std::string file, page;
  bool json = false;
};

void declare(ArgumentParser& parser, Options& o) {
  parser.positional("FILE", o.file, "What to read");
  parser.option("--html PAGE", o.page, "Isn't text: a page");
  parser.flag("--json", o.json, "Print JSON");
}

ExitCode run(const Options&) { return ExitCode::kSuccess; }

CommandShape shape() {
  const Command one =
      make_command<Options>("read", "Read it", "\n.It's \\ here - now", declare, run);
  Command group{"many", "Several: at once", "", {}, {one}};
  return shape_of_program({one, group}, "All of it", "");
}

TEST(CommandShapeTest, HasEveryOptionOfEveryCommand) {
  const CommandShape program = shape();
  ASSERT_EQ(program.subcommands.size(), 2U);
  const CommandShape& inner = program.subcommands[1].subcommands.at(0);
  EXPECT_EQ(inner.program, "nightshift many read");
  std::string text;
  for (const OptionShape& option : inner.options) text += option.name + "=" + option.value + ";";
  EXPECT_THAT(text, AllOf(HasSubstr("FILE=;"), HasSubstr("--html=PAGE;"), HasSubstr("--json=;")));
}

TEST(CommandShapeTest, ShellsAreGivenWordsByCommand) {
  EXPECT_THAT(bash_completion(shape()),
              AllOf(HasSubstr("('nightshift') words='read many -h --help -V --version' ;;"),
                    HasSubstr("('nightshift read'|'nightshift many'|'nightshift many read')"),
                    HasSubstr("('nightshift many read') words='-h --help --html --json' ;;")));
  EXPECT_THAT(zsh_completion(shape()), AllOf(HasSubstr("'many:Several: at once'"),
                                             HasSubstr("'--html:Isn'\\''t text: a page'"),
                                             HasSubstr("#compdef nightshift\n")));
}

TEST(CommandShapeTest, ThePageIsTroff) {
  const std::string page = man_page(shape().subcommands[0], "1.2-3");
  EXPECT_THAT(page, AllOf(HasSubstr(".TH NIGHTSHIFT-READ 1 \"\" \"nightshift 1.2\\-3\""),
                          HasSubstr("nightshift\\-read \\- Read it"),
                          HasSubstr(".TP\n\\fB\\-\\-html\\fR \\fIPAGE\\fR\n"),
                          HasSubstr("\\&.It's \\e here \\- now")));
  EXPECT_THAT(man_page(shape().subcommands[1], ""), HasSubstr("\\-\\-json"));
  EXPECT_THAT(man_page(shape(), ""), Not(HasSubstr("\\-\\-json")));
}

TEST(CommandShapeTest, TheNameOfThePageIsASentenceWhole) {
  CommandShape program = shape();
  const auto name = [&](const char* summary) {
    program.summary = summary;
    const std::string page = man_page(program, "");
    const std::size_t at = page.find("\\- ") + 3;
    return page.substr(at, page.find('\n', at) - at);
  };
  EXPECT_EQ(name("Tunes in batch: it tries,\nand says so.\n\nMore."), "Tunes in batch");
  EXPECT_EQ(name("Tunes what there\nis. It says so."), "Tunes what there is");
  EXPECT_EQ(name("Tunes what there\nis"), "Tunes what there is");
  EXPECT_EQ(name("Several: at once"), "Several: at once");
}

}  // namespace
}  // namespace nightshift::tools
