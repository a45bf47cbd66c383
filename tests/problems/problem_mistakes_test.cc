#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/nearest.h"
#include "problems/problem_file.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ProblemMistakes : public ::testing::Test {
 protected:
  // The mistakes of the host problem with one line more.
  std::vector<std::string> with(const std::string& more) const {
    return folder_.diagnostics(host_problem(more));
  }
  // The mistakes of the host problem with one text put in place of another.
  std::vector<std::string> changed(const std::string& from, const std::string& to) const {
    std::string text = host_problem();
    text.replace(text.find(from), from.size(), to);
    return folder_.diagnostics(text);
  }
  std::vector<std::string> command(const std::string& lines, const std::string& more = "") const {
    return folder_.diagnostics(command_problem(lines, more));
  }
  const ProblemFolder folder_;
};

constexpr const char* kTenMistakes = R"(name = "add"
constraints = [
  "N % TILLE == 0",
  "TILE * (UNROLL < 3",
]
tolerence = 1e-3
[host]
kernel = { file = "ad.cc", function = "add", flags = ["-O3"] }
sizes = { N = 1024 }
[[host.argument]]
name = "a"
type = "float23"
size = "N"
[[host.argument]]
name = "b"
type = "float32"
access = "out"
[parameters]
TILE = []
UNROLL = { range = [1, 4], default = 5 }
[baseline]
UNROL = 2
[search]
searcher = "patern"
)";

TEST_F(ProblemMistakes, ATruthValueIsAUint8) {
  std::string text = kTenMistakes;
  text.replace(text.find("float23"), 7, "bool");
  EXPECT_THAT(folder_.diagnostics(text),
              Contains(HasSubstr("not 'bool'; write 'uint8' and unsigned char")));
}

TEST_F(ProblemMistakes, AreAllReportedInOneGo) {
  EXPECT_THAT(
      folder_.diagnostics(kTenMistakes),
      ElementsAre(
          "3:8 constraint 'N % TILLE == 0': unknown name 'TILLE'; did you mean 'TILE'?",
          "4:22 constraint 'TILE * (UNROLL < 3': character 19: expected ',' or ')', found the end "
          "of the text",
          "6:1 unknown key 'tolerence'; known are 'name', 'host', 'cuda', 'command', "
          "'recorded', 'parameters', 'constraints', 'objective', 'baseline', 'measure', 'limits', "
          "'budget', ... (17 in all)",
          "8:19 host.kernel.file names 'ad.cc', which is no file in " +
              folder_.path("x").substr(0, folder_.path("x").size() - 2) +
              "; did you mean 'add.cc'?",
          "12:8 host.argument.type must be 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', "
          "'uint32', 'uint64', 'float32' or 'float64', not 'float23'; did you mean 'float32'?",
          "14:1 argument 'b' needs a 'size' (a vector) or a 'value' (a scalar)",
          "19:8 parameter 'TILE' has no values",
          "20:38 parameters.UNROLL.default is none of the values: 'UNROLL' has no value 5 (it has "
          "1, "
          "2, 3, 4)",
          "22:1 the baseline sets 'UNROL', which is no parameter; did you mean 'UNROLL'?",
          AllOf(StartsWith("24:12 search.searcher must be 'auto', 'gaussian-process', "),
                HasSubstr(", not 'patern'; did you mean 'pattern'?"))));
}

TEST_F(ProblemMistakes, ReadAsOneLineEach) {
  try {
    folder_.read(kTenMistakes);
    FAIL() << "no error";
  } catch (const ProblemFileError& error) {
    const std::string text = error.what();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1,
              static_cast<std::ptrdiff_t>(error.diagnostics().size()));
    EXPECT_THAT(text, StartsWith(folder_.path("problem.toml:3:8: constraint")));
  }
}

TEST_F(ProblemMistakes, InTheSyntaxStandAlone) {
  EXPECT_THAT(folder_.diagnostics("name = \"x\"\nhost = = 3\nnonsense"),
              ElementsAre(StartsWith("2:8 no valid TOML: ")));
  EXPECT_THAT(with("TILE = [1]"), ElementsAre(StartsWith("22:")));  // a duplicate parameter
}

TEST_F(ProblemMistakes, NameWhatIsMissing) {
  EXPECT_THAT(
      folder_.diagnostics("[search]\nseed = 1"),
      ElementsAre(
          "0:0 name is missing",
          "0:0 there is no backend; add one of [host], [cuda], [command] and [recorded]; "
          "where a program of your own measures, `nightshift search --serve` takes the file "
          "as it is",
          "0:0 there are no parameters; list them under [parameters]"));
  EXPECT_THAT(folder_.diagnostics("name = 'x'\n[host]\n[parameters]\nA = [1]"),
              ElementsAre("2:1 host.kernel is missing"));
  EXPECT_THAT(changed(", function = \"add\"", ""),
              ElementsAre("4:10 host.kernel.function is missing"));
}

// As `search --serve` is given it: who measures is somebody else's program.
TEST_F(ProblemMistakes, NameTheObjectiveWithoutADirectionWhereThereIsNoBackend) {
  const std::string head = "name = 'x'\n[parameters]\nA = [1]\n[[objective]]\nname = ";
  EXPECT_THAT(
      folder_.diagnostics(head + "'qps'"),
      ElementsAre(HasSubstr("there is no backend"), HasSubstr("objective.name is 'qps', a rate")));
  EXPECT_THAT(folder_.diagnostics(head + "'lat'\nunit = 'req/s'"),
              ElementsAre(HasSubstr("there is no backend"),
                          HasSubstr("objective.unit of the objective 'lat' is 'req/s', a rate")));
  EXPECT_THAT(folder_.diagnostics(head + "'qps'\ndirection = 'maximise'"), SizeIs(1));
}

TEST_F(ProblemMistakes, InConditionsThatCompareANumberWithAText) {
  EXPECT_THAT(changed("\"N % TILE == 0\"", "\"N % TILE == 0\", \"TILE != '4'\""),
              ElementsAre(AllOf(HasSubstr("constraint 'TILE != '4'': it compares 'TILE'"),
                                HasSubstr("never false"))));
  EXPECT_THAT(
      with("A = { values = ['x', 'y'] }\nB = { values = [1, 2], when = \"A == 1\" }"),
      ElementsAre(AllOf(HasSubstr("condition of 'B': it compares 'A'"), HasSubstr("never true"))));
}

TEST_F(ProblemMistakes, InConditionsThatCompareWithATextThatIsNoValue) {
  const std::string ways = "A = ['fused', 'split']\n";
  EXPECT_THAT(with(ways + "B = { values = [1, 2], when = \"A == 'fuse'\" }"),
              ElementsAre(AllOf(HasSubstr("'fuse' is no value: that is never true"),
                                HasSubstr("did you mean 'fused'?"))));
  EXPECT_THAT(with(ways + "[search]\nexpected = \"2 if A == 'fuse' else 1\""),
              ElementsAre(HasSubstr("did you mean 'fused'?")));
  const std::string split = ways + "B = { values = [1, 2], when = \"A == 'split'\" }";
  EXPECT_THAT(with(split), IsEmpty());
  // A list that was cut down to try fewer values keeps its conditions.
  EXPECT_THAT(with("A = ['fused', 'apart']\nB = { values = [1, 2], when = \"A == 'split'\" }"),
              IsEmpty());
  // Whoever tries fewer values than the file has leaves its conditions as they are.
  for (const char* key : {"parameters.A", "parameters.A.values"}) {
    const std::string table = "A = { values = ['fused', 'split'] }\n" + split.substr(ways.size());
    const bool whole = key == std::string("parameters.A");
    EXPECT_THAT(folder_.diagnostics(host_problem(whole ? split : table), {{key, "['fused']"}}),
                IsEmpty());
  }
}

TEST_F(ProblemMistakes, OneBackendIsEnough) {
  EXPECT_THAT(
      with("[command]\nargv = ['x']"),
      ElementsAre("22:1 there is more than one of [host], [cuda], [command] and [recorded]"));
}

TEST_F(ProblemMistakes, InParameters) {
  EXPECT_THAT(with("A = 5"), ElementsAre(AllOf(StartsWith("22:5 parameters.A must be a list"),
                                               HasSubstr("not the integer 5"))));
  EXPECT_THAT(with("A = [1, 2, 1.0]"), ElementsAre("22:5 parameter 'A' has the value 1.0 twice"));
  EXPECT_THAT(
      with("A = ['x', \"a\\u0000b\"]"),
      ElementsAre(HasSubstr("22:5 parameter 'A' has the value \"a\\u0000b\", with a control")));
  EXPECT_THAT(with("A = [1, 'x']"), ElementsAre(HasSubstr("mixes values of several types")));
  EXPECT_THAT(with("A = [1, [2]]"), ElementsAre(HasSubstr("22:9 parameters.A must list numbers")));
  EXPECT_THAT(with("A = [nan]"), ElementsAre(HasSubstr("a value that is no number")));
  EXPECT_THAT(with("A = '[2**i for i in rnge(3)]'"),
              ElementsAre(StartsWith(
                  "22:21 parameters.A '[2**i for i in rnge(3)]': character 16: unknown function")));
  EXPECT_THAT(
      with("A = { values = [1], range = [1, 2] }"),
      ElementsAre("22:5 parameters.A must have one of 'values', 'range' and 'powers_of_two'"));
  EXPECT_THAT(with("A = { vales = [1] }"),
              ElementsAre(HasSubstr("must have one of"),
                          "22:7 unknown key 'vales' in [parameters.A]; did you mean 'values'?"));
  EXPECT_THAT(with("A = { range = [4, 1] }"),
              ElementsAre(HasSubstr("22:15 parameters.A.range must")));
  EXPECT_THAT(with("A = { range = [1, 4, 0] }"), ElementsAre(HasSubstr("parameters.A.range must")));
  EXPECT_THAT(with("A = { range = [1, 1000000] }"),
              ElementsAre(HasSubstr("more than 65536 values")));
  EXPECT_THAT(with("A = { powers_of_two = [5, 7] }"), ElementsAre(HasSubstr("no power of two")));
  EXPECT_THAT(with("A = { powers_of_two = 8 }"), ElementsAre(HasSubstr("must be [first, last]")));
  EXPECT_THAT(with("N = [1]"), ElementsAre("22:5 parameters.N has the name of a size"));
  EXPECT_THAT(with("\"a b\" = [1]"), ElementsAre(HasSubstr("letters, digits and underscores")));
  for (const char* word : {"in", "if", "and", "or", "not", "for", "is", "None"}) {
    EXPECT_THAT(with(std::string(word) + " = [1]"),
                Contains(HasSubstr("must have another name: '" + std::string(word) +
                                   "' is a word of expressions")))
        << word;
  }
  EXPECT_THAT(with("constraints = ['TILE > 2']"),
              ElementsAre(HasSubstr("constraints stand before the first table")));
}

TEST_F(ProblemMistakes, InWholeNumbersBeyond64Bits) {
  const auto beyond = [](const std::string& number) {
    return ElementsAre(
        AllOf(HasSubstr(number), HasSubstr("-9223372036854775808 to 9223372036854775807")));
  };
  EXPECT_THAT(with("A = [1, 9223372036854775808]"), beyond("9223372036854775808"));
  EXPECT_THAT(with("A = [-9223372036854775809]"), beyond("9223372036854775809"));
  EXPECT_THAT(with("A = [0x8000000000000000]"), beyond("0x8000000000000000"));
  EXPECT_THAT(with("A = [1e400]"), ElementsAre(HasSubstr("1e400")));
  EXPECT_THAT(with("A = { range = [1, 18446744073709551616] }"), beyond("18446744073709551616"));
  EXPECT_THAT(with("A = '[2**63]'"), beyond("parameters.A '[2**63]'"));
  EXPECT_THAT(with("A = '[1 << 63, 1]'"), beyond("parameters.A"));
  EXPECT_THAT(with("A = '[1, 18446744073709551616]'"), beyond("parameters.A"));
  EXPECT_THAT(with("A = '[0x8000000000000000]'"), beyond("parameters.A"));
  EXPECT_THAT(changed("N % TILE == 0", "TILE < 18446744073709551617"),
              beyond("18446744073709551617"));
  for (const char* kept : {"A = [-9223372036854775808, 9223372036854775807]", "A = [1e19]",
                           "A = '[-9223372036854775808]'", "A = '[2.0**64]'", "A = '[2**62]'",
                           "A = '[x for x in [1] if x < 2**64]'",
                           "A = { range = [9223372036854775806, 9223372036854775807] }",
                           "A = { range = [-9223372036854775808, 9223372036854775807, "
                           "9223372036854775807] }"}) {
    EXPECT_THAT(with(kept), IsEmpty()) << kept;
  }
  EXPECT_THAT(with("A = { range = [0.5, 1e17] }"),
              ElementsAre(AllOf(HasSubstr("parameters.A.range has the bound 1e+17"),
                                HasSubstr("9007199254740992"))));
}

TEST_F(ProblemMistakes, InWholeNumbersThatAreSetFromOutside) {
  const auto set = [&](const char* key, const char* value) {
    return folder_.diagnostics(host_problem(), {{key, value}});
  };
  for (const char* value : {"9223372036854775808", "-9223372036854775809", "0x8000000000000000",
                            "18446744073709551616", "1e400"}) {
    for (const char* key : {"baseline.TILE", "host.sizes.N", "budget.trials"}) {
      EXPECT_THAT(set(key, value),
                  ElementsAre(AllOf(HasSubstr(std::string("--set ") + key + "=" + value),
                                    HasSubstr("is no TOML"),
                                    HasSubstr("and others as far as a double does"))));
    }
  }
  EXPECT_THAT(set("budget.time", "10m"), IsEmpty());
}

TEST_F(ProblemMistakes, InScalarsThatTheirTypeDoesNotHold) {
  const auto with_scalar = [&](const char* type, const char* value) {
    std::string text = host_problem();
    const std::string last = "type = \"int64\"\nvalue = \"N\"";
    text.replace(text.find(last), last.size(),
                 std::string("type = \"") + type + "\"\nvalue = " + value);
    return folder_.diagnostics(text);
  };
  EXPECT_THAT(with_scalar("int32", "2147483648"),
              ElementsAre(HasSubstr("is 2147483648 for the baseline, but its type goes from "
                                    "-2147483648 to 2147483647")));
  EXPECT_THAT(with_scalar("uint32", "-1"), ElementsAre(HasSubstr("goes from 0 to 4294967295")));
  EXPECT_THAT(with_scalar("uint64", "'2**64'"),
              ElementsAre(HasSubstr("0 to 18446744073709551615")));
  EXPECT_THAT(with_scalar("int64", "'2**63'"), ElementsAre(HasSubstr("to 9223372036854775807")));
  EXPECT_THAT(with_scalar("int64", "9007199254740993"), ElementsAre(HasSubstr("nearest double")));
  EXPECT_THAT(with_scalar("uint64", "'2**63'"), IsEmpty());
  EXPECT_THAT(with_scalar("int64", "-9223372036854775808"), IsEmpty());
  EXPECT_THAT(with_scalar("int8", "-128"), IsEmpty());
}

TEST_F(ProblemMistakes, InFloatsThatTheirTypeDoesNotHold) {
  const auto with_scalar = [&](const char* type, const char* value) {
    return changed("type = \"int64\"\nvalue = \"N\"",
                   std::string("type = \"") + type + "\"\nvalue = " + value);
  };
  EXPECT_THAT(with_scalar("float32", "1e40"),
              ElementsAre(AllOf(HasSubstr("is 1e+40 for the baseline"), HasSubstr("(float32)"))));
  EXPECT_THAT(with_scalar("float32", "-3.4e38"), IsEmpty());
  EXPECT_THAT(with_scalar("float64", "1e40"), IsEmpty());
}

TEST_F(ProblemMistakes, InFillsThatTheirTypeDoesNotHold) {
  const auto filled = [&](const char* type, const char* fill) {
    return changed("type = \"float32\"\nsize = \"N\"\n[[",
                   std::string("type = \"") + type + "\"\nsize = \"N\"\n" + fill + "\n[[");
  };
  EXPECT_THAT(
      filled("int8", "low = 0\nhigh = 300"),
      ElementsAre(HasSubstr("argument.high is 300.0, but its type goes from -128 to 127 (int8)")));
  EXPECT_THAT(filled("uint32", "fill = \"constant\"\nlow = -1"),
              ElementsAre(HasSubstr(
                  "argument.low is -1.0, but its type goes from 0 to 4294967295 (uint32)")));
  EXPECT_THAT(filled("float32", "fill = \"constant\"\nlow = 1e40"),
              ElementsAre(HasSubstr("(float32)")));
  EXPECT_THAT(filled("int32", "fill = \"constant\"\nlow = 0.5"),
              ElementsAre(HasSubstr("argument.low is 0.5, but its type is an integer (int32)")));
  EXPECT_THAT(filled("int32", "fill = \"normal\"\nlow = 0.5\nhigh = 3.5"), IsEmpty());
  EXPECT_THAT(filled("int64", "fill = \"constant\"\nlow = 9007199254740993"),
              ElementsAre(HasSubstr("argument.low is 9007199254740993, which would be read as the "
                                    "nearest double")));
  // Those that a double has are read as they are.
  EXPECT_THAT(filled("int64", "fill = \"constant\"\nlow = 9007199254740992"), IsEmpty());
  EXPECT_THAT(filled("uint64", "low = 0\nhigh = 4611686018427387904"), IsEmpty());
  EXPECT_THAT(filled("int32", "fill = \"constant\"\nlow = 4611686018427387904"),
              ElementsAre(HasSubstr("argument.low is 4611686018427387904.0, but its type goes "
                                    "from -2147483648 to 2147483647 (int32)")));
  EXPECT_THAT(
      filled("int8", "fill = \"sequence\""),
      ElementsAre(HasSubstr("fill 'sequence' of argument 'a' ends with 1023.0, but its type "
                            "goes from -128 to 127 (int8)")));
  EXPECT_THAT(filled("int16", "fill = \"sequence\""), IsEmpty());
}

TEST_F(ProblemMistakes, InBoundsThatAFillHasNoUseFor) {
  const auto text = [](const std::string& fill) {
    std::string all = host_problem();
    const std::string size = "size = \"N\"\n";
    return all.insert(all.find(size) + size.size(), "fill = \"" + fill + "\n");
  };
  const auto filled = [&](const std::string& fill) { return folder_.diagnostics(text(fill)); };
  const std::string words = " has no meaning with this 'fill'";
  EXPECT_THAT(filled("constant\"\nlow = 4"), IsEmpty());
  EXPECT_THAT(filled("constant\"\nhigh = 4"),
              ElementsAre(HasSubstr("host.argument.high" + words + "; the constant is 'low'")));
  EXPECT_THAT(
      filled("sequence\"\nlow = 3\nhigh = 4"),
      ElementsAre(HasSubstr("host.argument.low" + words), HasSubstr("host.argument.high" + words)));
  for (const char* fill : {"uniform", "normal"}) {
    EXPECT_THAT(filled(std::string(fill) + "\"\nlow = 3\nhigh = 4"), IsEmpty());
  }
  // A study that an earlier version began is read.
  const auto study = parse_problem(text("constant\"\nhigh = 4"), folder_.path("problem.toml"), {},
                                   TextOrigin::kJournal);
  EXPECT_THAT(study.parameters, SizeIs(2));
}

TEST_F(ProblemMistakes, InSizesThatConfigurationsChange) {
  const auto sized = [&](const std::string& size) {
    return changed("type = \"float32\"\nsize = \"N\"\n[[",
                   "type = \"float32\"\nsize = \"" + size + "\"\n[[");
  };
  EXPECT_THAT(
      sized("N * UNROLL"),
      ElementsAre(AllOf(HasSubstr("the size 'N * UNROLL' of argument 'a' changes with "
                                  "parameter 'UNROLL': it is 1024 for the baseline and 2048 "
                                  "with UNROLL=2"),
                        HasSubstr("Give it one size"))));
  // Rounded up to what is the same for all of them.
  EXPECT_THAT(sized("ceil(N / TILE) * TILE"), IsEmpty());
  EXPECT_THAT(folder_.diagnostics(host_problem(), {}), IsEmpty());
}

TEST_F(ProblemMistakes, ATextWithoutQuotesIsShownWithThem) {
  EXPECT_THAT(changed("type = \"float32\"", "type = float32"),
              ElementsAre(AllOf(StartsWith("8:"), HasSubstr("no valid TOML"),
                                HasSubstr("a text stands in quotes: type = \"float32\""))));
  EXPECT_THAT(with("[search]\nsearcher = random  # any"),
              ElementsAre(HasSubstr("searcher = \"random\"")));
  EXPECT_THAT(with("A = [x, y]"), ElementsAre(HasSubstr("stands in quotes: \"x\"")));
  EXPECT_THAT(changed("function = \"add\"", "function = add"),
              ElementsAre(HasSubstr("stands in quotes: function = \"add\"")));
  EXPECT_THAT(with("A = [1, 2"), ElementsAre(Not(HasSubstr("quotes"))));
}

TEST_F(ProblemMistakes, InConditions) {
  EXPECT_THAT(with("A = { values = [1], when = \"UNROL > 1\" }"),
              ElementsAre("22:29 condition of 'A' 'UNROL > 1': unknown name 'UNROL'; did you mean "
                          "'UNROLL'?"));
  EXPECT_THAT(with("A = { values = [1, 2], when = \"A > 1\" }"),
              ElementsAre("22:32 the condition of 'A' names itself"));
  EXPECT_THAT(with("A = { values = [1, 2], when = \"UNROLL > 1\" }\n[baseline]\nA = 2"),
              ElementsAre("23:1 the baseline sets 'A', which is held at its default 1 because "
                          "'UNROLL > 1' is false"));
}

TEST_F(ProblemMistakes, InFlags) {
  EXPECT_THAT(with("A = { values = ['-O2'], flag = 'x' }"),
              ElementsAre("22:32 parameters.A.flag must contain {}, where the value goes"));
  EXPECT_THAT(folder_.diagnostics("name = 'x'\n[command]\nargv = ['x']\n[parameters]\n"
                                  "A = { values = ['-O2'], flag = '{}' }"),
              ElementsAre("3:8 command.argv leaves out the options that 'A' makes: write the word "
                          "{flags} into command.build"));
}

TEST_F(ProblemMistakes, InAWarmUpThatLastsAsLongAsMeasuringMay) {
  EXPECT_THAT(with("[limits]\nmeasure = \"2s\"\n[measure]\nwarm_up_seconds = \"2s\"\n"),
              ElementsAre(HasSubstr("warm_up_seconds is not below limits.measure")));
  EXPECT_THAT(with("[limits]\nmeasure = \"2s\"\n[measure]\nwarm_up_seconds = \"1.9s\"\n"),
              IsEmpty());
}

TEST_F(ProblemMistakes, InLimitsThatNoFigureKeeps) {
  const auto limit = [&](const std::string& objective) {
    return with("[[objective]]\nname = 'time'\n" + objective);
  };
  EXPECT_THAT(limit("at_most = 0"),
              ElementsAre(HasSubstr("at_most must be above 0: no time keeps within 0")));
  EXPECT_THAT(limit("unit = 'us'\nat_most = -1"), ElementsAre(HasSubstr("no time keeps within")));
  EXPECT_THAT(limit("at_most = 1e-9"), ElementsAre());
  EXPECT_THAT(limit("at_most = 5\n[[objective]]\nname = 'size'\nunit = 'MB'\nat_most = -1"),
              Contains(HasSubstr("no figure in 'MB' keeps within -1")));
  EXPECT_THAT(limit("at_most = 5\n[[objective]]\nname = 'gain'\nunit = 'dB'\nat_most = -1"),
              Not(Contains(HasSubstr("at_most"))));
}

TEST_F(ProblemMistakes, InFilesThatAreNone) {
  ASSERT_EQ(mkfifo(folder_.path("fifo.cc").c_str(), 0600), 0);
  EXPECT_THAT(changed("\"add.cc\"", "\"fifo.cc\""),
              ElementsAre(AllOf(HasSubstr("names 'fifo.cc', which is a FIFO and no file in"),
                                Not(HasSubstr("did you mean")))));
  EXPECT_THAT(changed("\"add.cc\"", "\"/dev/null\""), ElementsAre(HasSubstr("is a device")));
  EXPECT_THAT(changed("\"add.cc\"", "\"/\""), ElementsAre(HasSubstr("is a folder")));
  // Its reader would wait for what the kernel has still to say.
  EXPECT_THROW(read_problem("/proc/kmsg"), ProblemFileError);
}

TEST_F(ProblemMistakes, InTheBaseline) {
  EXPECT_THAT(with("[baseline]\nTILE = 5\nUNROLL = [1]"),
              ElementsAre("23:8 the baseline: 'TILE' has no value 5 (it has 16, 32, 64)",
                          "24:10 baseline.UNROLL must be one value, not a list"));
  EXPECT_THAT(changed("[16, 32, 64]", "[24, 32]"),
              ElementsAre("0:0 the baseline, which is every default, violates the constraint "
                          "'1024 % TILE == 0'; name another one under [baseline]"));
  EXPECT_THAT(changed("N % TILE == 0", "1 << -TILE > 0"),
              ElementsAre("0:0 the constraint '1 << -TILE > 0' cannot be evaluated for the "
                          "baseline, which is every default: character 3: a shift by less than 0 "
                          "bits"));
  EXPECT_THAT(
      with("OTHER = [1]\n[baseline]\nTILE = 64\n[budget]\ntime = 'soon'"),
      ElementsAre("26:8 budget.time must be a time: seconds, or a text such as '90s', '10m' "
                  "or '1h', not the text 'soon'"));
}

TEST_F(ProblemMistakes, InArguments) {
  EXPECT_THAT(changed("size = \"N\"", "size = \"N / 3\""),
              ElementsAre(StartsWith("6:1 the size 'N / 3' of argument 'a' is 341.3")));
  EXPECT_THAT(changed("size = \"N\"", "size = \"M\""),
              ElementsAre("9:9 size 'M': unknown name 'M'"));
  EXPECT_THAT(changed("value = \"N\"", "value = \"N / 3\""),
              ElementsAre(HasSubstr("but its type is an integer")));
  EXPECT_THAT(changed("value = \"N\"", "value = \"N\"\naccess = \"in\""),
              ElementsAre(HasSubstr("19:10 host.argument.access has no meaning for a scalar")));
  EXPECT_THAT(changed("access = \"out\"", ""),
              ElementsAre(HasSubstr("3:1 no argument is written")));
  EXPECT_THAT(changed("value = \"N\"", "value = \"N\"\ntolerance = { absolute = 1 }"),
              ElementsAre(HasSubstr("host.argument.tolerance has no meaning for what the function "
                                    "only reads")));
  EXPECT_THAT(changed("name = \"b\"", "name = \"a\""),
              ElementsAre("11:8 host.argument.name is 'a', which an earlier argument has"));
  EXPECT_THAT(changed("access = \"out\"", "access = \"output\"\nlow = 3\nhigh = 2"),
              ElementsAre("14:10 host.argument.access must be 'in', 'out' or 'inout', not the text "
                          "'output'",
                          "15:7 host.argument.low must not be above 'high'"));
  EXPECT_THAT(changed("access = \"out\"", "access = \"inout\"\nfill = \"file\""),
              ElementsAre(HasSubstr("host.argument.file is missing")));
  EXPECT_THAT(changed("access = \"out\"", "access = \"inout\"\nfill = \"file\"\nfile = \"b.npy\""),
              ElementsAre(HasSubstr("16:8 host.argument.file names 'b.npy', which is no file in")));
  EXPECT_THAT(changed("access = \"out\"", "access = \"out\"\nfill = \"file\"\nfile = \"add.cc\""),
              ElementsAre(HasSubstr("15:8 host.argument.fill has no meaning with access = \"out\""),
                          HasSubstr("16:8 host.argument.file has no meaning")));
  for (const char* key : {"fill = \"constant\"", "low = 0", "high = 1"}) {
    EXPECT_THAT(
        changed("access = \"out\"", std::string("access = \"out\"\n") + key),
        ElementsAre(HasSubstr("a kernel that adds to what is there has access = \"inout\"")))
        << key;
  }
  EXPECT_THAT(
      changed("access = \"out\"", "access = \"inout\"\nfill = \"file\"\nfile = \"add.cc\""),
      ElementsAre(AllOf(HasSubstr("argument 'b', file '"), HasSubstr("it is no NPY file"))));
  EXPECT_THAT(changed("access = \"out\"", "access = \"inout\"\nfile = \"add.cc\""),
              ElementsAre("15:8 host.argument.file has a meaning with fill = \"file\" alone"));
}

TEST_F(ProblemMistakes, ANumberOfAFileThatTheVectorDoesNotHold) {
  const std::string dictionary = "{'descr': '|i1', 'fortran_order': False, 'shape': (1024,)}";
  std::string npy("\x93NUMPY\x01\0", 8);
  npy += {static_cast<char>(dictionary.size()), '\0'};
  npy += dictionary;
  npy.append(1023, '\1');
  npy += '\xff';
  folder_.write("b.npy", npy);
  const std::string line = "access = \"inout\"\nfill = \"file\"\nfile = \"b.npy\"";
  EXPECT_THAT(changed("access = \"out\"", line), IsEmpty());
  std::string text = host_problem();
  const std::string plain = "type = \"float32\"\nsize = \"N\"\naccess = \"out\"";
  ASSERT_NE(text.find(plain), std::string::npos);
  text.replace(text.find(plain), plain.size(), "type = \"uint16\"\nsize = \"N\"\n" + line);
  EXPECT_THAT(folder_.diagnostics(text),
              ElementsAre(AllOf(HasSubstr("argument 'b', file '"),
                                HasSubstr("number 1023, counted from 0, is -1, but its type goes "
                                          "from 0 to 65535 (uint16)"))));
}

TEST_F(ProblemMistakes, InSizes) {
  EXPECT_THAT(changed("N = 1024", "N = 1024.5"),
              ElementsAre("5:15 host.sizes.N must be an integer, not the number 1024.5"));
  EXPECT_THAT(changed("N % TILE", "TILE % p['N']"),
              ElementsAre(HasSubstr("a size may be used as a plain name only")));
}

TEST_F(ProblemMistakes, InObjectives) {
  EXPECT_THAT(with("[[objective]]\nname = 'time'\nunit = 'min'"),
              ElementsAre("22:1 the unit of 'time' must be 'ms', 'us', 'ns' or 's', not 'min'"));
  EXPECT_THAT(with("[[objective]]\nname = 'time'\nunit = '\u00b5s'"),
              ElementsAre(HasSubstr("not '")))
      << "which recorded files alone may write";
  EXPECT_THAT(with("[[objective]]\nname = 'speed'"),
              ElementsAre(HasSubstr("22:1 objective 'speed' is no figure of a host kernel")));
  EXPECT_THAT(
      with("[[objective]]\ndirection = 'minimize'"),
      ElementsAre("23:13 objective.direction must be 'minimise' or 'maximise', not the text "
                  "'minimize'; did you mean 'minimise'?"));
  EXPECT_THAT(with("[objective]\nname = 'time'"),
              ElementsAre(HasSubstr("must be a list of tables, each under [[objective]]")));
}

TEST_F(ProblemMistakes, InCommands) {
  EXPECT_THAT(command("argv = []"),
              ElementsAre("6:8 command.argv must begin with the program to run"));
  EXPECT_THAT(command("argv = ['run', '--tile={TIEL}']"),
              ElementsAre("6:24 {TIEL} names no parameter; did you mean 'TILE'?"));
  EXPECT_THAT(command("argv = ['x']\nenvironment = { A = '{THREAD}' }"),
              ElementsAre("7:22 {THREAD} names no parameter; did you mean 'THREADS'?"));
  EXPECT_THAT(command("argv = ['x']\ndirectory = 'missing'"),
              ElementsAre(HasSubstr("which is no folder")));
  EXPECT_THAT(command("mode = 'server'\nargv = ['x']\nbaseline_argv = ['y']"),
              ElementsAre(HasSubstr("8:17 command.baseline_argv belongs to mode 'per-trial'")));
  EXPECT_THAT(command("argv = 'run'"),
              ElementsAre("6:8 command.argv must be a list of texts, not the text 'run'"));
}

TEST_F(ProblemMistakes, AParameterThatNothingUsesIsOne) {
  EXPECT_THAT(command("argv = ['x', '{TILE}']\nenvironment = { A = 'THREADS' }"),
              ElementsAre("4:1 parameter 'THREADS' is used nowhere: write {THREADS} into "
                          "command.argv or command.environment"));
  EXPECT_THAT(command("argv = ['x', '{TILE}']\nenvironment = { A = '{THRAEDS}' }"),
              ElementsAre(HasSubstr("{THRAEDS} names no parameter")))
      << "what follows from a mistake is none";
  EXPECT_THAT(
      command("argv = ['x']\nbaseline_argv = ['{TILE}']\nenvironment = { A = '{THREADS}' }"),
      IsEmpty());
  EXPECT_THAT(command("mode = 'server'\nargv = ['x']\nenvironment = { A = 1 }"), IsEmpty())
      << "a server is told all";
}

TEST_F(ProblemMistakes, OfABuild) {
  const std::string all = "environment = { A = '{TILE} {THREADS}' }\n";
  const auto with = [&](const std::string& lines) { return command(all + lines); };
  EXPECT_THAT(with("argv = ['{artifact}/x']\nbuild = ['cc', '-o', '{artifact}/x']"), IsEmpty());
  EXPECT_THAT(with("argv = ['{artifact}/x']"),
              ElementsAre(HasSubstr("{artifact} names no parameter")));
  EXPECT_THAT(with("argv = ['x']\nbuild = ['cc', '-o', '{artifact}/x']"),
              ElementsAre(HasSubstr("command.argv does not say {artifact}")));
  EXPECT_THAT(with("argv = ['{artifact}/x']\nbuild = ['cc']"),
              ElementsAre(HasSubstr("command.build does not say {artifact}")));
  EXPECT_THAT(with("argv = ['{artifact}/x']\nbuild = ['cc', '{artifact}']\ninputs = ['no.c']"),
              ElementsAre(HasSubstr("command.inputs names 'no.c', which is not there")));
  EXPECT_THAT(with("argv = ['x']\nbaseline_build = ['cc']\nbuild_environment = {}"),
              ElementsAre(HasSubstr("command.baseline_build belongs to a program with a 'build'"),
                          HasSubstr("command.build_environment belongs to")));
  EXPECT_THAT(with("mode = 'server'\nargv = ['{artifact}/x']\nbuild = ['cc', '{artifact}']"),
              ElementsAre(HasSubstr("command.build belongs to mode 'per-trial'")));
  EXPECT_THAT(folder_.diagnostics("name = 'x'\n[parameters]\nartifact = [1]\n[command]\n"
                                  "argv = ['{artifact}']\nbuild = ['cc', '{artifact}']"),
              ElementsAre(HasSubstr("no parameter can have that name")));
}

TEST_F(ProblemMistakes, OfCoresAndRequests) {
  EXPECT_THAT(command("argv = ['x']\ncores = 0"), ElementsAre(HasSubstr("command.cores must be")));
  EXPECT_THAT(command("argv = ['x']\ncores = 1", "[schedule]\ncores_per_device = 1"),
              ElementsAre(HasSubstr("and schedule.cores_per_device say the same")));
  EXPECT_THAT(command("argv = ['x']\ncores = 1\ndevice = 'gpu'"),
              ElementsAre(HasSubstr("command.cores belongs to device = 'cpu'")));
  EXPECT_THAT(command("mode = 'server'\nargv = ['x']\ncandidates = ['y']"),
              ElementsAre(HasSubstr("command.candidates belongs to mode 'per-trial'")));
  EXPECT_THAT(
      command("argv = ['x']\ncandidates = ['../y']"),
      ElementsAre(HasSubstr("command.candidates names '../y': expected names of files in")));
  EXPECT_THAT(command("argv = ['x']\nrequests = 'numbered'"),
              ElementsAre(HasSubstr("command.requests of that kind belong to mode 'server'")));
}

TEST_F(ProblemMistakes, OfProtocols) {
  EXPECT_THAT(command("argv = ['x']\nprotocol = 2"),
              ElementsAre(HasSubstr("command.protocol belongs to mode 'server'")));
  EXPECT_THAT(command("argv = ['x']\nmode = 'server'\nbuilds = true"),
              ElementsAre(HasSubstr("command.builds belongs to a server of protocol = 2")));
  EXPECT_THAT(command("argv = ['x']\nmode = 'server'\nprotocol = 3"),
              ElementsAre(HasSubstr("command.protocol must be")));
  EXPECT_THAT(command("argv = ['x']\nmode = 'server'\nprotocol = 2\nrequests = 'numbered'"),
              ElementsAre(HasSubstr("command.requests belongs to protocol 1")));
}

TEST_F(ProblemMistakes, InFigures) {
  const std::string regex = "argv = ['x']\n[[command.figure]]\nsource = 'regex'\n";
  EXPECT_THAT(command(regex), ElementsAre("7:1 command.figure.key is missing"));
  EXPECT_THAT(command(regex + "key = '([0-9'"), ElementsAre(HasSubstr("is no regular expression")));
  EXPECT_THAT(command(regex + "key = '[0-9]+'"), ElementsAre(HasSubstr("needs a group (...)")));
  EXPECT_THAT(command("argv = ['x']\n[[command.figure]]\nobjective = 'tmie'"),
              ElementsAre("5:1 objective 'time' has no figure; add a [[command.figure]] for it",
                          "8:13 command.figure.objective 'tmie' is no objective; did you mean "
                          "'time'?"));
  EXPECT_THAT(command("argv = ['x']\n[[command.figure]]\nsource = 'wall-time'",
                      "[[objective]]\nname = 'energy'\nunit = 'J'"),
              ElementsAre(HasSubstr("8:10 command.figure.source is wall time, but the unit")));
}

TEST_F(ProblemMistakes, InAFileThatIsNone) {
  EXPECT_THROW(read_problem(folder_.path("missing.toml")), ProblemFileError);
  EXPECT_THROW(read_problem(folder_.path(".")), ProblemFileError);
  EXPECT_THAT(folder_.diagnostics("{\"a\": 1}"),
              ElementsAre(StartsWith("0:0 is JSON, but neither a T1 problem")));
}

TEST(MistakeText, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(Diagnostic{"a.toml", 12, 3, "wrong"}), "a.toml:12:3: wrong");
  EXPECT_EQ(to_string(Diagnostic{"a.toml", 12, 0, "wrong"}), "a.toml:12: wrong");
  EXPECT_EQ(to_string(Diagnostic{"a.toml", 0, 0, "wrong"}), "a.toml: wrong");
}

TEST(Nearest, FindsSlipsAndNothingElse) {
  const std::vector<std::string> known = {"time", "trials", "stall", "samples"};
  EXPECT_EQ(base::nearest("tiem", known), "time");
  EXPECT_EQ(base::nearest("TIME", known), "time");
  EXPECT_EQ(base::nearest("sampels", known), "samples");
  EXPECT_EQ(base::nearest("trails", known), "trials");
  EXPECT_EQ(base::nearest("energy", known), "");
  EXPECT_EQ(base::nearest("", known), "");
  EXPECT_EQ(base::nearest("M", {"N", "K"}), "");
  EXPECT_EQ(base::nearest("m", {"N", "M"}), "M");
}

}  // namespace
}  // namespace nightshift::problems
