#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"
#include "tests/problems/cuda_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CudaMistakes : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  Lines changed(const CudaFolder::Changes& changes) const {
    return folder_.diagnostics(CudaFolder::changed(changes));
  }
  Lines with(const std::string& more) const { return folder_.diagnostics(cuda_problem(more)); }
  // The mistakes of one more key in the table of argument 'y', which is an output, or 'x'.
  Lines of_output(const std::string& line) const {
    return changed({{"access = \"out\"", "access = \"out\"\n" + line}});
  }
  Lines of_input(const std::string& line) const {
    return changed({{"access = \"in\"", "access = \"in\"\n" + line}});
  }
  const CudaFolder folder_;
};

TEST_F(CudaMistakes, AreNotInTheProblemThatTheOthersChange) {
  EXPECT_THAT(folder_.diagnostics(cuda_problem()), IsEmpty());
}

TEST_F(CudaMistakes, AreAllReportedInOneGo) {
  EXPECT_THAT(changed({{"BATCHES >= 2", "BATCHS >= 2"},
                       {"dtype = \"bfloat16\"", "dtype = \"bfloat61\""},
                       {"bytes = ", "byte = "},
                       {"grid = \"M\"", "grid = \"Q\""},
                       {"access = \"in\"", "access = \"in\"\ngate = 1"},
                       {"block = \"THREADS\"", "blok = \"THREADS\""},
                       {"\"y\", \"counter\"", "\"y\", \"conter\""},
                       {"FINISH = \"block\"", "FINISH = \"blok\""}}),
              ElementsAre(HasSubstr("4:4 constraint 'BATCHS >= 2': unknown name"),
                          HasSubstr("8:9 cuda.dtype must be "),
                          HasSubstr("10:1 unknown key 'byte' in [cuda]; did you mean 'bytes'?"),
                          HasSubstr("21:9 grid 'Q': unknown name 'Q'"),
                          HasSubstr("29:8 cuda.argument.gate has no meaning here"),
                          HasSubstr("46:1 cuda.launch.block is missing"),
                          HasSubstr("49:1 unknown key 'blok' in [cuda.launch]"),
                          HasSubstr("58:19 cuda.launch.arguments has 'conter'"),
                          HasSubstr("66:10 the baseline: 'FINISH' has no value \"blok\"")));
}

// --- Names ---

TEST_F(CudaMistakes, UnknownNamesHaveASuggestion) {
  EXPECT_THAT(changed({{"grid = [\"BLOCKS\"", "grid = [\"BLOKS\""}}),
              ElementsAre("47:10 grid 'BLOKS': unknown name 'BLOKS'; did you mean 'BLOCKS'?"));
  EXPECT_THAT(changed({{"size = \"M * N\"", "size = \"M * NN\""}}),
              ElementsAre(HasSubstr("size 'M * NN': unknown name 'NN'")));
  EXPECT_THAT(changed({{"flops = \"M * N\"", "flops = \"M * THREAD\""}}),
              ElementsAre(HasSubstr("unknown name 'THREAD'; did you mean 'THREADS'?")));
}

TEST_F(CudaMistakes, OfADerivedNameAreReportedOnce) {
  EXPECT_THAT(
      changed({{"\"N // WORK\"", "\"N // WRK\""}}),
      ElementsAre("13:17 derived name 'BATCHES' 'N // WRK': unknown name 'WRK'; did you mean "
                  "'WORK'?"));
  EXPECT_THAT(changed({{"\"N // WORK\"", "\"N // (WORK\""}}),
              ElementsAre(HasSubstr("derived name 'BATCHES' 'N // (WORK': ")));
  EXPECT_THAT(changed({{"\"N // WORK\"", "true"}}),
              ElementsAre("13:11 cuda.derived.BATCHES must be a text, not true"));
}

TEST_F(CudaMistakes, DerivedNamesMustNotRunInCircles) {
  EXPECT_THAT(
      changed({{"WORK = \"THREADS * UNROLL\"", "WORK = \"BATCHES * UNROLL\""}}),
      ElementsAre(HasSubstr("derived name 'WORK' is defined by itself, through 'BATCHES'")));
  EXPECT_THAT(changed({{"WORK = \"THREADS * UNROLL\"", "WORK = \"WORK + 1\""}}),
              ElementsAre("14:9 derived name 'WORK' is defined by itself"));
}

TEST_F(CudaMistakes, DerivedNamesMustNotGrowWithoutEnd) {
  std::string chain = "[cuda.derived]\nD0 = \"THREADS\"\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "D" + std::to_string(i - 1);
    chain += "D" + std::to_string(i) + " = \"" + before + " + " + before + "\"\n";
  }
  EXPECT_THAT(changed({{"[cuda.derived]\n", chain}}),
              ElementsAre(HasSubstr("with its derived names put in, the text is too long")));
}

TEST_F(CudaMistakes, NamesMustNotMeanTwoThings) {
  EXPECT_THAT(changed({{"WORK = ", "N = \"1\"\nWORK = "}}),
              ElementsAre("14:5 cuda.derived.N has the name of a parameter or a size"));
  EXPECT_THAT(changed({{"WORK = ", "UNROLL = \"1\"\nWORK = "}}),
              ElementsAre("14:10 cuda.derived.UNROLL has the name of a parameter or a size"));
  EXPECT_THAT(changed({{"sizes = { M = 4,", "sizes = { SM_COUNT = 1, M = 4,"}}),
              ElementsAre(HasSubstr("has a size named 'SM_COUNT', which means something else")));
  EXPECT_THAT(changed({{"CLUSTER = [1, 2]", "CLUSTER = [1, 2]\nSM_COUNT = [1]"}}),
              ElementsAre(HasSubstr("parameters.SM_COUNT has the name of a figure of the device")));
  EXPECT_THAT(changed({{"CLUSTER = [1, 2]", "CLUSTER = [1, 2]\nELEMENT_BYTES = [1]"}}),
              ElementsAre(HasSubstr("parameters.ELEMENT_BYTES has the name of a size")));
}

TEST_F(CudaMistakes, ASpaceDoesNotDependOnTheDevice) {
  EXPECT_THAT(changed({{"\"BATCHES >= 2\"", "\"THREADS < SM_COUNT\""}}),
              ElementsAre("4:14 constraint 'THREADS < SM_COUNT': SM_COUNT is not known here: one "
                          "space and one baseline serve every device"));
  EXPECT_THAT(changed({{"\"BATCHES >= 2\"", "\"BLOCKS >= 2\""}}),
              ElementsAre(HasSubstr("SM_COUNT is not known here")));
  EXPECT_THAT(changed({{"FINISH = \"block\"", "FINISH = \"block\"\nUNROLL = \"SM_COUNT // 66\""}}),
              ElementsAre(HasSubstr("SM_COUNT is not known here")));
}

TEST_F(CudaMistakes, BytesOfAnElementNeedAType) {
  EXPECT_THAT(changed({{"dtype = \"bfloat16\"\n", ""}}),
              Contains(HasSubstr("unknown name 'ELEMENT_BYTES'; it needs cuda.dtype")));
  EXPECT_THAT(changed({{"dtype = \"bfloat16\"\n", ""}}),
              Contains(HasSubstr("cuda.argument.type is 'dtype', but there is no cuda.dtype")));
}

// --- Cases ---

constexpr const char* kSizes = "sizes = { M = 4, N = 1024 }";

TEST_F(CudaMistakes, CasesHaveTheSameSizes) {
  EXPECT_THAT(changed({{kSizes, "cases = [{ M = 4, N = 1024 }, { M = 8 }]"}}),
              ElementsAre("9:31 cuda.cases: this case lacks the size N; all cases have the same "
                          "sizes"));
  EXPECT_THAT(changed({{kSizes, std::string(kSizes) + "\ncases = [{ M = 4, N = 1024 }]"}}),
              ElementsAre(HasSubstr("cuda.cases and 'sizes' exclude each other")));
  EXPECT_THAT(changed({{kSizes, "cases = [{ M = 4, N = 1024 }, 5]"}}),
              ElementsAre(HasSubstr("cuda.cases must be a list of tables; here is the integer 5")));
}

TEST_F(CudaMistakes, OnlySizesThatAreThereCanBeSet) {
  EXPECT_THAT(folder_.diagnostics(cuda_problem(), {{"cuda.sizes.K", "4096"}}),
              ElementsAre(HasSubstr("cuda.sizes.K is no size of this problem")));
  EXPECT_THAT(folder_.diagnostics(cuda_problem(), {{"cuda.sizes", "{ M = 8, N = 2048 }"}}),
              IsEmpty());
}

TEST_F(CudaMistakes, AConditionIsTheSameInAllCases) {
  EXPECT_THAT(changed({{kSizes, "cases = [{ M = 4, N = 1024 }, { M = 8, N = 2048 }]"},
                       {"[1, 2, 4]", "{ values = [1, 2], when = \"N > 1024\" }"}}),
              ElementsAre(HasSubstr("depends on a size in which the cases differ")));
}

TEST_F(CudaMistakes, ABaselineIsTheSameInAllCases) {
  EXPECT_THAT(changed({{kSizes, "cases = [{ M = 4, N = 512 }, { M = 8, N = 2048 }]"}}),
              ElementsAre(HasSubstr("is 32 for one case and 64 for another")));
}

// --- Baseline ---

TEST_F(CudaMistakes, OfABaselineThatIsComputed) {
  const auto threads = [&](const std::string& text) {
    return changed({{"64 if N * ELEMENT_BYTES > 1024 else 32", text}});
  };
  EXPECT_THAT(threads("N"), ElementsAre("64:11 the baseline: THREADS 'N': 'THREADS' has no value "
                                        "1024 (it has 32, 64, 128)"));
  EXPECT_THAT(
      threads("UNROLL * 32"),
      ElementsAre(HasSubstr("depends on the parameter 'UNROLL'; it may be over sizes alone")));
  EXPECT_THAT(threads("N // 0"), ElementsAre(HasSubstr("the baseline: THREADS 'N // 0': ")));
  EXPECT_THAT(threads("NN"), ElementsAre(HasSubstr("unknown name 'NN'")));
  EXPECT_THAT(changed({{"FINISH = \"block\"", "FINISH = \"blok\""}}),
              ElementsAre(HasSubstr("'FINISH' has no value \"blok\"")));
}

// --- Arguments ---

TEST_F(CudaMistakes, GatesAreOfOutputs) {
  EXPECT_THAT(of_input("gate = 0.1"),
              ElementsAre(HasSubstr("cuda.argument.gate has no meaning here: only of outputs")));
  EXPECT_THAT(changed({{"access = \"work\"", "access = \"work\"\nelement_gate = 0.1"}}),
              ElementsAre(HasSubstr("cuda.argument.element_gate has no meaning here")));
  EXPECT_THAT(changed({{"value = 2", "value = 2\ngate = 0.1"}}),
              ElementsAre(HasSubstr("cuda.argument.gate has no meaning here")));
}

TEST_F(CudaMistakes, AGateIsANumberOrOneForEachType) {
  EXPECT_THAT(of_output("gate = -1"),
              ElementsAre(HasSubstr("cuda.argument.gate must be a number")));
  EXPECT_THAT(of_output("gate = \"small\""),
              ElementsAre(HasSubstr("cuda.argument.gate must be a number")));
  EXPECT_THAT(
      of_output("gate = { float61 = 0.1 }"),
      ElementsAre(HasSubstr("unknown key 'float61' in [cuda.argument.gate]; did you mean")));
}

TEST_F(CudaMistakes, WorkIsArbitraryOrConstant) {
  EXPECT_THAT(changed({{"fill = \"constant\"", "fill = \"uniform\""}}),
              ElementsAre(HasSubstr("must be 'constant' for an argument of access 'work'")));
}

TEST_F(CudaMistakes, BitsAndComputedHaveNoBounds) {
  EXPECT_THAT(of_input("low = 1"), IsEmpty());
  EXPECT_THAT(changed({{"fill = \"normal\"", "fill = \"bits\"\nlow = 1\nhigh = 2"}}),
              ElementsAre(HasSubstr("cuda.argument.low has no meaning"),
                          HasSubstr("cuda.argument.high has no meaning")));
}

TEST_F(CudaMistakes, AComputedInputIsPrepared) {
  EXPECT_THAT(changed({{"fill = \"normal\"", "fill = \"computed\""}}),
              ElementsAre("24:1 argument 'x' is to be computed, but no [[cuda.prepare]] launch "
                          "takes it"));
  EXPECT_THAT(of_output("fill = \"computed\""),
              ElementsAre(HasSubstr("cuda.argument.fill has no meaning with access")));
}

TEST_F(CudaMistakes, EveryArgumentIsUsed) {
  EXPECT_THAT(changed({{"[\"y\", \"counter\"]", "[\"y\"]"}}),
              ElementsAre("39:1 argument 'counter' is taken by no launch"));
  EXPECT_THAT(changed({{"arguments = [\"x\", \"factor\", \"y\"]\n[[cuda.argument]]",
                        "arguments = [\"x\", \"factor\"]\n[[cuda.argument]]"}}),
              ElementsAre(HasSubstr("argument 'y' is written by no [[cuda.reference.launch]]")));
  EXPECT_THAT(changed({{"arguments = [\"x\", \"factor\", \"y\"]\n[[cuda.launch]]",
                        "arguments = [\"x\", \"factor\"]\n[[cuda.launch]]"},
                       {"[\"y\", \"counter\"]", "[\"counter\"]"}}),
              ElementsAre(HasSubstr("argument 'y' is written by no [[cuda.launch]]")));
}

TEST_F(CudaMistakes, ThereIsAnOutput) {
  EXPECT_THAT(changed({{"access = \"out\"", "access = \"in\""}}),
              ElementsAre(HasSubstr("no argument is written (access 'out' or 'inout')")));
}

TEST_F(CudaMistakes, TypesAreKnown) {
  EXPECT_THAT(changed({{"type = \"uint32\"", "type = \"uint31\""}}),
              ElementsAre(HasSubstr("not 'uint31'; did you mean 'uint32'?")));
  EXPECT_THAT(changed({{"dtype = \"bfloat16\"", "dtype = \"bfloat61\""}}),
              ElementsAre(HasSubstr("cuda.dtype must be ")));
}

TEST_F(CudaMistakes, SizesAreTheSameForAllConfigurations) {
  const std::string x = "name = \"x\"\ntype = \"dtype\"\nsize = \"M * N\"";
  const auto with_size = [&](const std::string& size) {
    return changed({{x, "name = \"x\"\ntype = \"dtype\"\nsize = \"" + size + "\""}});
  };
  EXPECT_THAT(with_size("M * N * UNROLL"),
              ElementsAre(AllOf(HasSubstr("changes with parameter 'UNROLL'"),
                                HasSubstr("access = \"work\", and may change"))));
  EXPECT_THAT(with_size("M * N * WORK"), ElementsAre(HasSubstr("changes with parameter")));
}

TEST_F(CudaMistakes, SizesComeOutAsNumbersForTheBaseline) {
  EXPECT_THAT(changed({{"size = \"M * N\"", "size = \"M - 4\""}}),
              ElementsAre("24:1 the size of argument 'x', 'M - 4', is 0 for the baseline, which is "
                          "no number of elements"));
  EXPECT_THAT(changed({{"grid = [\"BLOCKS\", 2]", "grid = [\"BLOCKS\", \"N / 3\"]"}}),
              ElementsAre(HasSubstr("the grid of kernel 'scale', 'N / 3', is 341.3")));
  EXPECT_THAT(changed({{"2 * M * N * ELEMENT_BYTES", "M - 4"}}),
              ElementsAre(HasSubstr("which is no amount to move")));
}

// --- Launches ---

TEST_F(CudaMistakes, ALaunchNamesItsArguments) {
  EXPECT_THAT(changed({{"[\"y\", \"counter\"]", "[\"y\", \"conter\"]"}}),
              ElementsAre("57:19 cuda.launch.arguments has 'conter', which is no argument; did you "
                          "mean 'counter'?"));
}

TEST_F(CudaMistakes, OnlyLaunchesOfAnExecutionOverlap) {
  const std::string grid = "grid = \"M\"", programmatic = "programmatic = \"Q\"";
  EXPECT_THAT(changed({{grid, grid + "\nprogrammatic = 1"}}),
              ElementsAre(HasSubstr("unknown key 'programmatic' in [cuda.reference.launch]")));
  EXPECT_THAT(changed({{"block = 32", "block = 32\n" + programmatic}}),
              ElementsAre(HasSubstr("programmatic 'Q': unknown name 'Q'")));
}

TEST_F(CudaMistakes, ALaunchHasKernelGridBlockAndArguments) {
  EXPECT_THAT(
      changed({{"[parameters]", "[[cuda.launch]]\n[parameters]"}}),
      ElementsAre("58:1 cuda.launch.kernel is missing", "58:1 cuda.launch.grid is missing",
                  "58:1 cuda.launch.block is missing", "58:1 cuda.launch.arguments is missing"));
}

TEST_F(CudaMistakes, AGridHasUpToThreeExtents) {
  const auto grid = [&](const std::string& text) {
    return changed({{"grid = [\"BLOCKS\", 2]", "grid = " + text}});
  };
  EXPECT_THAT(grid("[1, 2, 3, 4]"), ElementsAre(HasSubstr("must have one to three expressions")));
  EXPECT_THAT(grid("[]"), ElementsAre(HasSubstr("must have one to three expressions")));
  EXPECT_THAT(grid("[true]"), ElementsAre(HasSubstr("must list expressions; here is true")));
  EXPECT_THAT(grid("true"), ElementsAre(HasSubstr("cuda.launch.grid must be a text, not true")));
}

TEST_F(CudaMistakes, AKernelHasAName) {
  EXPECT_THAT(changed({{"kernel = \"finish<4>\"", "kernel = \"finish()\""}}),
              ElementsAre(HasSubstr("cuda.launch.kernel must be the name of a kernel")));
}

TEST_F(CudaMistakes, ThereIsALaunch) {
  EXPECT_THAT(
      folder_.diagnostics("name = \"a\"\n[cuda]\nsource = \"scale.cu\"\n[parameters]\nA=[1]"),
      ElementsAre("2:1 cuda has no launch; add a [[cuda.launch]]"));
  EXPECT_THAT(folder_.diagnostics("name = \"a\"\n[cuda]\n[parameters]\nA=[1]"),
              ElementsAre("2:1 cuda.source is missing", HasSubstr("cuda has no launch")));
}

TEST_F(CudaMistakes, TheReferenceServesAllConfigurations) {
  EXPECT_THAT(changed({{"grid = \"M\"", "grid = \"BATCHES\""}}),
              ElementsAre("19:1 cuda.reference.launch.kernel 'reference' depends on the parameter "
                          "'THREADS', but is launched once for all configurations"));
}

TEST_F(CudaMistakes, PreparingNeedsTheReferencesSource) {
  const std::string reference =
      "[cuda.reference]\nsource = \"reference.cu\"\nflags = [\"-lineinfo\"]\n"
      "[[cuda.reference.launch]]\nkernel = \"reference\"\ngrid = \"M\"\nblock = 256\narguments = "
      "[\"x\", \"factor\", \"y\"]\n";
  const std::string prepare =
      "[[cuda.prepare]]\nkernel = \"make\"\ngrid = 1\nblock = 1\narguments = [\"x\"]\n";
  EXPECT_THAT(changed({{reference, ""}}), IsEmpty());
  EXPECT_THAT(changed({{reference, prepare}}),
              ElementsAre(HasSubstr("but there is no [cuda.reference]")));
  EXPECT_THAT(changed({{"[[cuda.reference.launch]]", "[[cuda.prepare]]"}}),
              ElementsAre(HasSubstr("cuda.reference has no launch")));
}

TEST_F(CudaMistakes, FilesAndFoldersExist) {
  EXPECT_THAT(changed({{"source = \"scale.cu\"", "source = \"scal.cu\""}}),
              ElementsAre(HasSubstr("did you mean 'scale.cu'?")));
  EXPECT_THAT(changed({{"dtype = ", "include_folders = [\".\", \"nowhere\"]\ndtype = "}}),
              ElementsAre(HasSubstr("cuda.include_folders names ")));
}

TEST_F(CudaMistakes, WordsAreKnown) {
  const auto line = [&](const std::string& text) {
    return changed({{"dtype = ", text + "\ndtype = "}});
  };
  EXPECT_THAT(line("compiler = \"nvc\""), ElementsAre(HasSubstr("'nvrtc', 'nvcc' or 'served'")));
  EXPECT_THAT(line("compiler = \"nvrtc:\""), ElementsAre(HasSubstr("stands behind nvrtc:")));
  EXPECT_THAT(line("compiler = \"served:1\""), ElementsAre(HasSubstr("stands behind nvrtc:")));
  EXPECT_THAT(line("compiler = \"nvrtc:{CUDA}\""),
              ElementsAre(HasSubstr("{CUDA} names no parameter")));
  EXPECT_THAT(line("aggregate = \"mean\""),
              ElementsAre(HasSubstr("'geometric_mean', 'sum' or 'worst'")));
  EXPECT_THAT(line("timing = \"clock\""), ElementsAre(HasSubstr("'auto', 'graph' or 'events'")));
  EXPECT_THAT(line("deterministic = 1"), ElementsAre(HasSubstr("must be true or false")));
  EXPECT_THAT(line("soruce = \"a\""), ElementsAre(HasSubstr("did you mean 'source'?")));
}

// --- Objectives ---

TEST_F(CudaMistakes, ObjectivesAreFigures) {
  EXPECT_THAT(with("[[objective]]\nname = \"bandwith\"\n"),
              ElementsAre(HasSubstr("66:1 objective 'bandwith' is no figure of a CUDA kernel")));
  EXPECT_THAT(with("[[objective]]\nname = \"bandwith\"\n"),
              ElementsAre(HasSubstr("did you mean 'bandwidth'?")));
}

TEST_F(CudaMistakes, FiguresHaveTheirUnitsAndDirections) {
  const auto objective = [&](const std::string& lines) { return with("[[objective]]\n" + lines); };
  EXPECT_THAT(objective("name = \"energy\"\nunit = \"kJ\"\n"),
              ElementsAre(HasSubstr("the unit of 'energy' must be 'mJ' or 'J', not 'kJ'")));
  EXPECT_THAT(objective("name = \"registers\"\nunit = \"B\"\n"),
              ElementsAre(HasSubstr("the unit of 'registers' must be ''")));
  EXPECT_THAT(objective("name = \"bandwidth\"\ndirection = \"minimise\"\n"),
              ElementsAre(HasSubstr("objective 'bandwidth' is a rate, which is maximised")));
  EXPECT_THAT(objective("name = \"time\"\ndirection = \"maximise\"\n"),
              ElementsAre(HasSubstr("objective 'time' is a cost, which is minimised")));
}

TEST_F(CudaMistakes, RatesNeedAnAmount) {
  const auto without = [&](const std::string& line, const std::string& figure) {
    std::string text = CudaFolder::changed({{line, ""}});
    return folder_.diagnostics(text + "[[objective]]\nname = \"" + figure + "\"\n");
  };
  const std::string bytes = "bytes = \"2 * M * N * ELEMENT_BYTES\"\n",
                    flops = "flops = \"M * N\"\n";
  EXPECT_THAT(without(bytes, "bandwidth"), ElementsAre(HasSubstr("needs cuda.bytes")));
  EXPECT_THAT(without(bytes, "ceiling"), ElementsAre(HasSubstr("needs cuda.bytes")));
  EXPECT_THAT(without(flops, "compute"), ElementsAre(HasSubstr("needs cuda.flops")));
  EXPECT_THAT(without(flops, "bandwidth"), IsEmpty());
}

// --- Host problems ---

TEST_F(CudaMistakes, HostKernelsHaveNothingOfAGpu) {
  const auto host = [&](const std::string& from, const std::string& to) {
    std::string text = host_problem();
    text.replace(text.find(from), from.size(), to);
    return folder_.diagnostics(text);
  };
  EXPECT_THAT(host("\"float32\"", "\"bfloat16\""),
              ElementsAre("8:8 host.argument.type is 'bfloat16', which only CUDA kernels have"));
  EXPECT_THAT(host("access = \"out\"", "access = \"work\""),
              Contains(HasSubstr("host.argument.access is 'work', which only CUDA kernels have")));
  for (const char* fill : {"bits", "computed"}) {
    EXPECT_THAT(
        host("access = \"out\"", "access = \"inout\"\nfill = \"" + std::string(fill) + "\""),
        ElementsAre(HasSubstr("', which only CUDA kernels have")));
  }
  EXPECT_THAT(host("\"float32\"", "\"dtype\""), ElementsAre(HasSubstr("not 'dtype'")));
  EXPECT_THAT(host("access = \"out\"", "access = \"out\"\ngate = 1"),
              ElementsAre(HasSubstr("unknown key 'gate'")));
}

}  // namespace
}  // namespace nightshift::problems
