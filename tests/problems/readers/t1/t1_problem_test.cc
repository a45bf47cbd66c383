#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problems/problem_file.h"
#include "problems/readers/json_reader.h"
#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using search::HostBackend;
using search::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kHostProblem = R"({
  "General": {"BenchmarkName": "add", "TimeUnit": "Microseconds", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "TILE", "Type": "int", "Values": "[2**i for i in range(4, 7)]", "Default": 32},
      {"Name": "SCALE", "Type": "float", "Values": [1, 0.5], "Default": 1},
      {"Name": "FAST", "Type": "bool", "Values": [0, 1]},
      {"Name": "ORDER", "Type": "string", "Values": "['ij', 'ji']"}
    ],
    "Conditions": [
      {"Parameters": ["TILE", "FAST"], "Expression": "FAST == 0 or TILE > 16"}
    ]
  },
  "KernelSpecification": {
    "Language": "C++",
    "KernelName": "add",
    "KernelFile": "add.cc",
    "CompilerOptions": ["-O3"],
    "GlobalSize": {"X": "1"},
    "LocalSize": {"X": "1"},
    "Arguments": [
      {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 2.0, "Size": "1024 * TILE"},
      {"Name": "b", "Type": "double", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "FillValue": 0, "Size": 1024},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1024}
    ]
  },
  "Search": {"Name": "random_sample"},
  "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 50}]
})";

class T1Problem : public ::testing::Test {
 protected:
  T1Problem() { folder_.write("add.cc", "void add(const float* a, double* b, int n);"); }

  search::Problem read(const std::string& text, const std::vector<Override>& overrides = {}) const {
    return parse_problem(text, folder_.path("problem.json"), overrides);
  }
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kHostProblem;
    text.replace(text.find(from), from.size(), to);
    return text;
  }
  std::vector<std::string> diagnostics(const std::string& text,
                                       const std::vector<Override>& overrides = {}) const {
    std::vector<std::string> lines;
    try {
      read(text, overrides);
    } catch (const ProblemFileError& error) {
      for (const Diagnostic& m : error.diagnostics()) {
        lines.push_back(std::to_string(m.line) + ":" + std::to_string(m.column) + " " + m.message);
      }
    }
    return lines;
  }
  const ScratchFolder folder_;
};

// As of CUDA.
TEST_F(T1Problem, OfCppHasSizesOverProblemSize) {
  std::string text = changed("\"Size\": 1024}", "\"Size\": \"ProblemSize[0]*ProblemSize[1]\"}");
  EXPECT_THAT(diagnostics(text), ElementsAre(HasSubstr("the file has no ProblemSize")));
  const std::string language = "\"Language\": \"C++\",";
  text.replace(text.find(language), language.size(),
               language + "\"ProblemSize\": [256, \"2 * 64\"],");
  const search::Problem problem = read(text);
  const auto& size = std::get<HostBackend>(problem.backend).arguments[1].size;
  EXPECT_EQ(size->evaluate([](std::string_view) { return nullptr; }),
            Value(std::int64_t{256 * 128}));
}

TEST_F(T1Problem, ReadsAHostKernel) {
  const search::Problem problem = read(kHostProblem);
  EXPECT_EQ(problem.name, "add");
  EXPECT_EQ(problem.target, search::Target::kCores);
  const auto& host = std::get<HostBackend>(problem.backend);
  EXPECT_EQ(host.kernel, (search::HostSource{folder_.path("add.cc"), "add", {"-O3"}}));
  ASSERT_THAT(host.arguments, SizeIs(3));
  EXPECT_EQ(host.arguments[0].type, search::ElementType::kFloat32);
  EXPECT_EQ(host.arguments[0].fill, search::Argument::Fill::kUniform);
  EXPECT_DOUBLE_EQ(host.arguments[0].low, 0);
  EXPECT_DOUBLE_EQ(host.arguments[0].high, 2);
  EXPECT_EQ(host.arguments[0].size->text(), "1024 * TILE");
  EXPECT_EQ(host.arguments[1].type, search::ElementType::kFloat64);
  EXPECT_EQ(host.arguments[1].access, search::Argument::Access::kOut);
  EXPECT_TRUE(host.arguments[2].scalar);
  EXPECT_EQ(host.arguments[2].value->text(), "1024");
}

TEST_F(T1Problem, ReadsParametersOfEveryType) {
  const search::Problem problem = read(kHostProblem);
  ASSERT_THAT(problem.parameters, SizeIs(4));
  EXPECT_THAT(
      problem.parameters[0].values,
      ElementsAre(Value(std::int64_t{16}), Value(std::int64_t{32}), Value(std::int64_t{64})));
  EXPECT_EQ(problem.parameters[0].default_value, Value(std::int64_t{32}));
  EXPECT_THAT(problem.parameters[1].values, ElementsAre(Value(0.5), Value(1.0)));
  EXPECT_EQ(problem.parameters[1].default_value, Value(1.0));
  EXPECT_THAT(problem.parameters[2].values, ElementsAre(Value(false), Value(true)));
  EXPECT_EQ(problem.parameters[2].type, search::ParameterType::kBool);
  EXPECT_EQ(problem.parameters[3].type, search::ParameterType::kString);
  ASSERT_THAT(problem.constraints, SizeIs(1));
  EXPECT_EQ(make_space(problem).size(), 20U);  // 24 less the 4 with FAST and TILE 16
}

TEST_F(T1Problem, TakesItsBudgetAndUnitButNotTheSearcherOfAnotherTuner) {
  const search::Problem problem = read(kHostProblem);
  EXPECT_EQ(problem.budget.trials, 50U);
  EXPECT_DOUBLE_EQ(problem.budget.seconds, 0);
  EXPECT_EQ(problem.objectives[0].unit, "us");
  EXPECT_EQ(problem.scheduling.searcher, "auto");
  EXPECT_EQ(read(changed("random_sample", "random")).scheduling.searcher, "random");
}

TEST_F(T1Problem, TakesSettingsFromOutside) {
  const search::Problem problem = read(kHostProblem, {{"budget.trials", "7"},
                                                      {"search.seed", "3"},
                                                      {"name", "mine"},
                                                      {"measure.samples", "5"},
                                                      {"baseline.TILE", "64"}});
  EXPECT_EQ(problem.budget.trials, 7U);
  EXPECT_EQ(problem.scheduling.seed, 3U);
  EXPECT_EQ(problem.name, "mine");
  EXPECT_EQ(problem.sampling.samples, 5);
  EXPECT_EQ(problem.baseline.to_json(),
            R"({"TILE": 64, "SCALE": 1.0, "FAST": false, "ORDER": "ij"})");
  EXPECT_THAT(diagnostics(kHostProblem, {{"parameters.TILE", "[1]"}}),
              ElementsAre(StartsWith("0:0 unknown key 'parameters'; known are 'name'")));
}

TEST_F(T1Problem, KeepsItsTextForResuming) {
  std::string text;
  read_problem(folder_.write("problem.json", kHostProblem), {}, &text);
  EXPECT_EQ(text, kHostProblem);
}

TEST_F(T1Problem, NeedsABackendForItsLanguage) {
  EXPECT_THAT(
      diagnostics(changed("C++", "OpenCL")),
      ElementsAre(AllOf(StartsWith("15:17 Language is 'OpenCL' (an OpenCL kernel), for which "
                                   "there is no backend"),
                        HasSubstr("--set recorded.file="))));
}

// --- CUDA ---

constexpr const char* kCudaProblem = R"({
  "General": {"TimeUnit": "Microseconds"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block", "Type": "int", "Values": "[64, 128, 256]", "Default": 128},
      {"Name": "tile", "Type": "int", "Values": "[1, 2, 4]"}
    ],
    "Conditions": [{"Parameters": ["block", "tile"], "Expression": "block * tile <= 512"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "scale", "KernelFile": "scale.cu",
    "CompilerOptions": ["--use_fast_math"],
    "LocalSize": {"X": "block"},
    "GlobalSize": {"X": "65536 / tile", "Y": 2},
    "GlobalSizeType": "OpenCL",
    "SharedMemory": "block * 4",
    "Arguments": [
      {"Type": "half", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random",
       "Size": 65536, "Name": "x"},
      {"Type": "float", "MemoryType": "Scalar", "FillValue": 2, "Name": "factor"},
      {"Type": "half", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
       "FillValue": 0, "Size": 65536, "Name": "y"}
    ]
  }
})";

class T1Cuda : public T1Problem {
 protected:
  std::vector<std::string> changed_mistakes(const std::string& from, const std::string& to) const {
    std::string text = kCudaProblem;
    text.replace(text.find(from), from.size(), to);
    return diagnostics(text);
  }
  const std::string source_ = folder_.write("scale.cu", "");
};

TEST_F(T1Cuda, IsOneLaunch) {
  const search::Problem problem = read(kCudaProblem);
  EXPECT_EQ(problem.target, search::Target::kGpus);
  const auto& cuda = std::get<search::CudaBackend>(problem.backend);
  EXPECT_EQ(cuda.kernel, (search::CudaSource{source_, {"--use_fast_math"}}));
  EXPECT_TRUE(cuda.reference.file.empty());
  ASSERT_EQ(cuda.launches.size(), 1U);
  const search::CudaLaunch& launch = cuda.launches.front();
  EXPECT_EQ(launch.kernel, "::scale");  // extern "C" or not
  EXPECT_EQ(launch.block[0].text(), "block");
  EXPECT_EQ(launch.grid[0].text(), "ceil((65536 / tile) / (block))");
  EXPECT_EQ(launch.grid[1].text(), "ceil((2) / (1))");
  EXPECT_EQ(launch.grid[2].text(), "ceil((1) / (1))");
  EXPECT_EQ(launch.shared_bytes.text(), "block * 4");
  EXPECT_THAT(launch.arguments, ElementsAre(0U, 1U, 2U));
}

TEST_F(T1Cuda, HasArgumentsGatesAndTime) {
  const search::Problem problem = read(kCudaProblem);
  const auto& cuda = std::get<search::CudaBackend>(problem.backend);
  EXPECT_EQ(cuda.arguments[0].type, search::ElementType::kFloat16);
  EXPECT_TRUE(cuda.arguments[1].scalar);
  ASSERT_EQ(cuda.gates.size(), 1U);
  EXPECT_EQ(cuda.gates[0].argument, 2U);
  EXPECT_EQ(cuda.gates[0].norm, 6e-4);
  EXPECT_THAT(cuda.figures, ElementsAre(search::OwnFigure::kTime));
  EXPECT_EQ(problem.objectives.front().unit, "us");
  EXPECT_TRUE(problem.sampling.cold_cache);
  EXPECT_EQ(cuda.cases.size(), 1U);
}

TEST_F(T1Cuda, CountsBlocksUnlessToldOtherwise) {
  std::string text = kCudaProblem;
  text.replace(text.find("\"OpenCL\""), 8, "\"CUDA\"");
  const search::Problem problem = read(text);
  EXPECT_EQ(std::get<search::CudaBackend>(problem.backend).launches[0].grid[0].text(),
            "65536 / tile");
}

TEST_F(T1Cuda, ReportsMistakesWithTheirPlaces) {
  EXPECT_THAT(changed_mistakes("\"LocalSize\": {\"X\": \"block\"},", ""),
              ElementsAre(HasSubstr("LocalSize is missing")));
  EXPECT_THAT(changed_mistakes("\"65536 / tile\"", "\"65536 / tlie\""),
              ElementsAre(AllOf(StartsWith("14:"), HasSubstr("did you mean 'tile'?"))));
  EXPECT_THAT(changed_mistakes("\"OpenCL\"", "\"OpenGL\""),
              ElementsAre("15:23 GlobalSizeType must be 'CUDA' or 'OpenCL', not 'OpenGL'; did you "
                          "mean 'OpenCL'?"));
  EXPECT_THAT(changed_mistakes("\"block * 4\"", "\"block / 0\""),
              ElementsAre(HasSubstr("cannot be evaluated for the baseline")));
  EXPECT_THAT(changed_mistakes("WriteOnly", "ReadOnly"),
              ElementsAre(HasSubstr("no argument is written")));
}

// --- As Kernel Tuner launches it ---

// In the shape of the benchmark hub's files.
constexpr const char* kHubProblem = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[16, 32] + list(range(64, 257, 64))"},
      {"Name": "tile_size_x", "Type": "int", "Values": "[1, 2, 3, 4]", "Default": 1},
      {"Name": "filter_width", "Type": "int", "Values": "[3, 17, 9]", "Default": 9}
    ],
    "Conditions": [{"Expression": "block_size_x * tile_size_x <= 512"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "scale", "KernelFile": "scale.cu",
    "CompilerOptions": ["-std=c++11"],
    "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
    "GlobalSize": {"X": "(262144 // block_size_x) // tile_size_x", "Y": "7"},
    "GridDivX": ["block_size_x", "tile_size_x"],
    "ProblemSize": [4096, "100 * tile_size_x"],
    "SharedMemory": 0, "Stream": null,
    "Arguments": [
      {"Name": "output", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "FillValue": 0.0, "Size": "ProblemSize[0]*ProblemSize[ 1 ]"},
      {"Name": "input", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": "4.0", "Size": "ProblemSize[0]+max(filter_width)-1"},
      {"Name": "weights", "Type": "double3", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "MemType": "Constant", "FillType": "Generator", "DataSource": "i",
       "Size": "max( filter_width ) * min(filter_width)"}
    ]
  }
})json";

class T1Hub : public T1Cuda {
 protected:
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kHubProblem;
    text.replace(text.find(from), from.size(), to);
    return text;
  }
  const search::CudaBackend& cuda_of(const std::string& text) {
    problem_ = read(text);
    return std::get<search::CudaBackend>(problem_.backend);
  }
  std::string grid_of(const std::string& text, int axis) {
    return cuda_of(text).launches.front().grid[static_cast<std::size_t>(axis)].text();
  }
  search::Problem problem_;
};

TEST_F(T1Hub, TheGridIsProblemSizeOverItsDivisors) {
  EXPECT_EQ(grid_of(kHubProblem, 0), "ceil((4096) / ((block_size_x) * (tile_size_x)))");
  EXPECT_EQ(grid_of(kHubProblem, 1), "ceil((100 * tile_size_x) / (1))");
  EXPECT_EQ(grid_of(kHubProblem, 2), "1");
  EXPECT_THAT(problem_.notes, ElementsAre(HasSubstr("GlobalSize is not looked at")));
  EXPECT_THAT(cuda_of(kHubProblem).cases,
              ElementsAre(ElementsAre(Pair("kernel_tuner", 1), Pair("block_size_y", 1),
                                      Pair("block_size_z", 1))));
}

TEST_F(T1Hub, ADivisorMayBeMissingEmptyOrOneText) {
  const std::string divisors = "[\"block_size_x\", \"tile_size_x\"]";
  EXPECT_EQ(grid_of(changed(divisors, "[]"), 0), "ceil((4096) / (block_size_x))");
  EXPECT_EQ(grid_of(changed(divisors, "null"), 0), "ceil((4096) / (block_size_x))");
  EXPECT_EQ(grid_of(changed(divisors, "\"2 * tile_size_x\""), 0),
            "ceil((4096) / ((2 * tile_size_x)))");
  EXPECT_EQ(grid_of(changed(divisors, "[\"block_size_y\"]"), 0), "ceil((4096) / ((block_size_y)))");
  EXPECT_THAT(diagnostics(changed(divisors, "[\"tile\"]")),
              ElementsAre(HasSubstr("unknown name 'tile'")));
}

TEST_F(T1Hub, ProblemSizeMayBeOneNumber) {
  std::string text = changed("[4096, \"100 * tile_size_x\"]", "4096");
  EXPECT_THAT(diagnostics(text), Each(HasSubstr("ProblemSize is no list")));
  text.replace(text.find("ProblemSize[0]*ProblemSize[ 1 ]"), 31, "ProblemSize * 2");
  text.replace(text.find("ProblemSize[0]+"), 15, "ProblemSize+");
  EXPECT_EQ(grid_of(text, 0), "ceil((4096) / ((block_size_x) * (tile_size_x)))");
  EXPECT_EQ(cuda_of(text).arguments[0].size->text(), "(4096) * 2");
}

TEST_F(T1Hub, LocalSizeMayBeMissing) {
  const auto& launch = cuda_of(changed("\"LocalSize\"", "\"Lost\"")).launches.front();
  EXPECT_EQ(launch.block[0].text(), "block_size_x");
  EXPECT_EQ(launch.block[1].text(), "1");
}

TEST_F(T1Hub, SizesAreOverProblemSizeAndAllValuesOfAParameter) {
  const auto& arguments = cuda_of(kHubProblem).arguments;
  EXPECT_EQ(arguments[0].size->text(), "(4096)*(100 * tile_size_x)");
  EXPECT_EQ(arguments[1].size->text(), "((4096)+(17)-1) * 2");
  EXPECT_EQ(arguments[1].type, search::ElementType::kFloat32);
  EXPECT_DOUBLE_EQ(arguments[1].high, 4);
  EXPECT_EQ(arguments[2].size->text(), "((17) * (3)) * 3");
  EXPECT_EQ(arguments[2].type, search::ElementType::kFloat64);
  EXPECT_EQ(arguments[2].fill, search::Argument::Fill::kSequence);
  EXPECT_EQ(arguments[2].constant_array, "weights");
  EXPECT_EQ(arguments[0].constant_array, "");
}

TEST_F(T1Hub, NamesWhatIsWrongWithASize) {
  EXPECT_THAT(diagnostics(changed("ProblemSize[ 1 ]", "ProblemSize[2]")),
              ElementsAre(HasSubstr("ProblemSize has 2 elements")));
  EXPECT_THAT(diagnostics(changed("[4096, \"100 * tile_size_x\"]", "[1, 2, 3, 4]")),
              Contains(HasSubstr("ProblemSize must be a number")));
  EXPECT_THAT(diagnostics(changed("\"float2\"", "\"float5\"")),
              ElementsAre(HasSubstr("Type must be 'float'")));
  EXPECT_THAT(diagnostics(changed("\"DataSource\": \"i\"", "\"DataSource\": \"j * 2\"")),
              ElementsAre(HasSubstr("DataSource of a Generator must be 'i' or a number")));
  EXPECT_THAT(diagnostics(changed("\"MemType\": \"Constant\"", "\"MemType\": \"constant\"")),
              ElementsAre(HasSubstr("did you mean 'Constant'?")));
}

TEST_F(T1Hub, HasKernelTunersConditionOnTheThreadsOfABlock) {
  const std::string values = "[16, 32] + list(range(64, 257, 64))";
  problem_ = read(changed(values, "[512, 1024, 2048]"));
  ASSERT_THAT(problem_.constraints, SizeIs(2));
  EXPECT_EQ(problem_.constraints[1].text(), "block_size_x <= 1024");
  EXPECT_THAT(problem_.notes, Contains(HasSubstr("as it is for Kernel Tuner")));
  EXPECT_THAT(read(kHubProblem).constraints, SizeIs(1));  // no block is as large
  std::string named = changed(values, "[512, 1024, 2048]");
  named.replace(named.find("block_size_x * tile_size_x <= 512"), 33, "block_size_x<=1024");
  EXPECT_THAT(read(named).constraints, SizeIs(1));
}

TEST_F(T1Hub, FindsItsKernelInTheFolderAbove) {
  std::filesystem::create_directory(folder_.path("inner"));
  const search::Problem problem = parse_problem(kHubProblem, folder_.path("inner/problem.json"));
  EXPECT_EQ(std::get<search::CudaBackend>(problem.backend).kernel.file, source_);
}

TEST_F(T1Problem, TakesTheOldBudgetWhichIsNoList) {
  const std::string text = changed("[{\"Type\": \"ConfigurationCount\", \"BudgetValue\": 50}]",
                                   "{\"BudgetValue\": 70, \"Type\": \"ConfigurationCount\"}");
  EXPECT_EQ(read(text).budget.trials, 70U);
}

TEST_F(T1Problem, MendsDefaultsAndSaysSo) {
  const auto taken = [&](const std::string& text) {
    const search::Problem problem = read(text);
    std::string all = search::to_json(problem.parameters[0].default_or_first());
    for (const std::string& note : problem.notes) all += "; " + note;
    return all;
  };
  EXPECT_EQ(taken(changed("\"Default\": 32", "\"Default\": [32]")), "32");
  EXPECT_EQ(taken(changed("\"Default\": 32", "\"Default\": 40")),
            "32; the Default of 'TILE', 40, is none of its values; 32 is taken");
  EXPECT_EQ(taken(changed("\"Default\": 32", "\"Default\": \"all\"")),
            "16; the Default of 'TILE', \"all\", is none of its values; 16 is taken");
  EXPECT_EQ(taken(changed("\"Default\": 32", "\"Default\": null")), "16");
}

TEST_F(T1Problem, MovesDefaultsIntoTheSpaceByTheFewestParameters) {
  std::string text = changed("\"Default\": 32", "\"Default\": 16");
  text.replace(text.find("FAST == 0 or TILE > 16"), 22, "TILE > 16 and SCALE < TILE / 32");
  const search::Problem problem = read(text);
  EXPECT_THAT(problem.notes,
              ElementsAre("the Defaults violate the condition 'TILE > 16 and SCALE < TILE / 32'; "
                          "the baseline has TILE 64 (not 16)"));
  EXPECT_TRUE(make_space(problem).index_of(search::resolved(problem, {})).has_value());
  // What is asked for from outside is taken as it stands, or refused.
  EXPECT_THAT(diagnostics(text, {{"baseline.TILE", "16"}}), ElementsAre(HasSubstr("violates")));
}

TEST_F(T1Problem, SaysThatNothingSatisfiesTheConditions) {
  EXPECT_THAT(diagnostics(changed("FAST == 0 or TILE > 16", "TILE > 100")),
              ElementsAre(HasSubstr("no configuration")));
}

TEST_F(T1Problem, RefusesAConditionThatComparesANumberWithAText) {
  EXPECT_THAT(diagnostics(changed("FAST == 0 or TILE > 16", "TILE != '16'")),
              ElementsAre(HasSubstr("never false")));
}

TEST_F(T1Problem, ReadsTheTimeUnitHoweverItIsSpelled) {
  const auto with = [&](const std::string& word) { return read(changed("Microseconds", word)); };
  EXPECT_EQ(with("milliseconds").objectives.front().unit, "ms");
  EXPECT_EQ(with("nsec").objectives.front().unit, "ns");
  EXPECT_EQ(with("Microseconds").notes.size(), 0U);
  EXPECT_THAT(with("Ticks").notes, ElementsAre(HasSubstr("the TimeUnit 'Ticks' is none of ours")));
}

TEST_F(T1Problem, TakesFractionsOfAnIntAsTheyStand) {
  const search::Problem problem = read(changed("[2**i for i in range(4, 7)]", "[0.25, 32]"));
  EXPECT_THAT(problem.parameters[0].values, ElementsAre(Value(0.25), Value(32.0)));
  EXPECT_THAT(problem.notes, ElementsAre(HasSubstr("Type of 'TILE' is int, but it has the value "
                                                   "0.25")));
}

TEST_F(T1Problem, RefusesWholeNumbersBeyond64Bits) {
  for (const char* type : {"int", "float", "string"}) {
    for (const char* number :
         {"9223372036854775808", "18446744073709551616", "-9223372036854775809"}) {
      const std::string entry = std::string(R"("Type": ")") + type + R"(", "Values": [1, )" +
                                number + R"(], "Default": 1)";
      EXPECT_THAT(
          diagnostics(changed(R"("Type": "float", "Values": [1, 0.5], "Default": 1)", entry)),
          ElementsAre(AllOf(StartsWith("6:"), HasSubstr(std::string("Values has ") + number),
                            HasSubstr("from -9223372036854775808 to 9223372036854775807"))));
    }
  }
  EXPECT_THAT(diagnostics(changed("[1, 0.5], \"Default\": 1", "[1, 1e19], \"Default\": 1")),
              ElementsAre());
  EXPECT_THAT(diagnostics(changed("[1, 0.5], \"Default\": 1", "[1, 1e400], \"Default\": 1")),
              ElementsAre(HasSubstr("1e400")));
}

TEST_F(T1Problem, AParameterListedTwiceAlikeIsOne) {
  const std::string scale =
      R"({"Name": "SCALE", "Type": "float", "Values": [1, 0.5], "Default": 1})";
  const search::Problem problem = read(changed(scale, scale + ", " + scale));
  EXPECT_THAT(problem.parameters, SizeIs(4));
  EXPECT_THAT(problem.notes, ElementsAre("the parameter 'SCALE' is listed twice"));
}

TEST_F(T1Problem, InspectionKnowsTheSpaceWhateverElseIsWrong) {
  const std::string path = folder_.write("wrong.json", changed("\"add.cc\"", "\"ad.cc\""));
  const ProblemReading reading = inspect_problem(path);
  EXPECT_TRUE(reading.knows_space);
  EXPECT_THAT(reading.mistakes, SizeIs(1));
  EXPECT_EQ(make_space(reading.problem).size(), 20U);
  EXPECT_FALSE(
      inspect_problem(folder_.write("half.json", "{\"ConfigurationSpace\": ")).knows_space);
  EXPECT_TRUE(inspect_problem(folder_.write("good.json", kHostProblem)).mistakes.empty());
}

// The space of tests/problems/data/stencil.json, narrowed down, as a CUDA problem.
constexpr const char* kRecordedProblem = R"({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block", "Type": "int", "Values": "[64, 128, 256]", "Default": 64},
      {"Name": "tile", "Type": "int", "Values": "[1, 2, 3, 4]"},
      {"Name": "unroll", "Type": "int", "Values": "[0, 1]"},
      {"Name": "order", "Type": "string", "Values": "['rows', 'columns']"}
    ],
    "Conditions": [{"Parameters": ["tile"], "Expression": "tile % 2 == 0"}]
  },
  "KernelSpecification": {"Language": "CUDA", "KernelName": "stencil", "KernelFile": "stencil.cu"}
})";

TEST_F(T1Problem, IsSearchedInARecordingOfIt) {
  const search::Problem problem =
      read(kRecordedProblem, {{"recorded.file", data_file("stencil.json.gz")}});
  EXPECT_EQ(problem.name, "stencil");
  EXPECT_EQ(std::get<search::RecordedBackend>(problem.backend).file, data_file("stencil.json.gz"));
  EXPECT_EQ(problem.target, search::Target::kRecording);
  EXPECT_EQ(problem.budget.trials, 400U);
  EXPECT_EQ(make_space(problem).size(), 24U);  // 3 blocks, 2 tiles, unroll, order
  EXPECT_EQ(problem.baseline.to_json(),
            R"({"block": 64, "tile": 2, "unroll": 0, "order": "rows"})");
}

TEST_F(T1Problem, ReportsARecordingOfSomethingElse) {
  std::string text = kRecordedProblem;
  text.replace(text.find("\"tile\""), 6, "\"tiles\"");
  text.replace(text.find("tile % 2"), 8, "tiles % 2");
  EXPECT_THAT(diagnostics(text, {{"recorded.file", data_file("stencil.json")}}),
              ElementsAre("0:0 the recording has no parameter 'tiles'; did you mean 'tile'?"));
}

TEST_F(T1Problem, ReportsMistakesWithTheirPlaces) {
  EXPECT_THAT(
      diagnostics(changed("\"Type\": \"bool\"", "\"Type\": \"boolean\"")),
      ElementsAre(StartsWith("7:32 Type must be 'int', 'uint', 'float', 'bool' or 'string'")));
  EXPECT_THAT(diagnostics(changed("[0, 1]", "[0, 2]")),
              ElementsAre("7:50 Values of 'FAST' has 2, which is not of its Type"));
  EXPECT_THAT(
      diagnostics(changed("FAST == 0", "FASTER == 0")),
      ElementsAre("11:54 condition 'FASTER == 0 or TILE > 16': unknown name 'FASTER'; did you "
                  "mean 'FAST'?"));
  EXPECT_THAT(diagnostics(changed("\"SCALE\"", "\"TILE\"")),
              ElementsAre("6:16 Name 'TILE' is a parameter already"));
  EXPECT_THAT(diagnostics(changed("\"add.cc\"", "\"ad.cc\"")),
              ElementsAre(AllOf(StartsWith("17:19 KernelFile names 'ad.cc', which is no file in"),
                                HasSubstr("did you mean 'add.cc'?"))));
  EXPECT_THAT(diagnostics(changed("\"FillType\": \"Random\"", "\"FillType\": \"Script\"")),
              ElementsAre("23:20 FillType must be 'Constant' or 'Random', not 'Script'"));
  EXPECT_THAT(diagnostics(changed("\"float\", \"MemoryType\"", "\"half\", \"MemoryType\"")),
              ElementsAre(StartsWith("22:29 Type must be 'float', 'double'")));
  EXPECT_THAT(diagnostics(changed("ConfigurationCount", "ConfigurationFraction")),
              ElementsAre("30:23 Type must be 'TuningDuration' or 'ConfigurationCount', not "
                          "'ConfigurationFraction'; did you mean 'ConfigurationCount'?"));
  EXPECT_THAT(diagnostics(changed("\"TuningParameters\"", "\"TuningParameter\"")),
              ElementsAre("3:25 TuningParameters is missing; is 'TuningParameter' meant for it?"));
}

TEST_F(T1Problem, AMemberThatIsNearlyOneThatIsReadIsAMistake) {
  EXPECT_THAT(
      diagnostics(changed("\"Conditions\"", "\"Conditons\"")),
      ElementsAre("10:18 'Conditons' is no member that is read; did you mean 'Conditions'?"));
  for (const auto& [right, wrong] : {std::pair("Default", "Defualt"),
                                     {"CompilerOptions", "CompilerOption"},
                                     {"FillType", "Filltype"},
                                     {"\"Budget\"", "\"Budgets\""},
                                     {"TimeUnit", "timeUnit"}}) {
    EXPECT_THAT(diagnostics(changed(right, wrong)),
                ElementsAre(HasSubstr("is no member that is read; did you mean")))
        << wrong;
  }
  EXPECT_THAT(diagnostics(changed("\"OutputFormat\"", "\"Author\"")), ElementsAre());
}

TEST_F(T1Problem, ReportsBrokenJsonAlone) {
  EXPECT_THAT(diagnostics("{\"ConfigurationSpace\": {\n  \"TuningParameters\": [}"),
              ElementsAre(StartsWith("2:24 no valid JSON: ")));
}

TEST(JsonLocations, FindsEveryValue) {
  const JsonLocations locations("{\"a\": [1,\n {\"b\": \"x,]\\\"}\", \"c\": null}],\n\"d\": true}");
  const auto at = [&](const char* pointer) {
    const SourceLocation location = locations.find(pointer);
    return std::to_string(location.line) + ":" + std::to_string(location.column);
  };
  EXPECT_EQ(at(""), "1:1");
  EXPECT_EQ(at("/a"), "1:7");
  EXPECT_EQ(at("/a/0"), "1:8");
  EXPECT_EQ(at("/a/1"), "2:2");
  EXPECT_EQ(at("/a/1/b"), "2:8");
  EXPECT_EQ(at("/a/1/c"), "2:23");
  EXPECT_EQ(at("/d"), "3:6");
  EXPECT_EQ(at("/missing"), "0:0");
}

TEST(JsonLocations, BearsDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(JsonLocations(deep).find("/0/0").column, 3);
}

}  // namespace
}  // namespace nightshift::problems
