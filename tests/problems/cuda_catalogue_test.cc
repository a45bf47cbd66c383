#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "problems/problem_file.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "tests/fakes/paths.h"
#include "tests/problems/encoded.h"

namespace nightshift::problems {
namespace {

namespace fs = std::filesystem;
using search::Argument;
using search::CudaBackend;
using search::CudaLaunch;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Shape = std::vector<std::int64_t>;
using Types = std::vector<const char*>;

const Types kUntyped = {nullptr};

// What a kernel is published for; see the head of its problem file.
struct Published {
  const char* name;
  std::vector<const char*> sizes;
  std::vector<Shape> shapes;
  Types types = {"bfloat16", "float16", "float32"};  // values of dtype, nullptr: it has none

  friend void PrintTo(const Published& kernel, std::ostream* out) { *out << kernel.name; }
};

std::vector<Shape> rows(const std::vector<Shape>& more) {
  std::vector<Shape> shapes;
  for (const std::int64_t n :
       {256, 384, 512, 768, 1024, 2048, 3072, 4096, 8192, 16384, 32768, 65536, 131072}) {
    shapes.push_back({32768, n});
  }
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

const std::vector<Published>& catalogue() {
  const std::vector<Shape> forward = rows({{1152000, 384},
                                           {4099, 127},
                                           {4096, 1023},
                                           {2048, 5120},
                                           {16384, 2049},
                                           {16384, 1023},
                                           {4096, 50257},
                                           {65536, 127},
                                           {8192, 1600},
                                           {1024, 12288}});
  const std::vector<Shape> backward =
      rows({{1152000, 384}, {4099, 127}, {2048, 5120}, {16384, 1023}, {16384, 2049}});
  const std::vector<Shape> arrays = {{1048576},   {4194304},    {16777216}, {67108864},
                                     {268435456}, {1073741824}, {1000002}};
  const std::vector<Shape> products = {{1024, 1024, 1024}, {2048, 2048, 2048},  {4096, 4096, 4096},
                                       {8192, 8192, 8192}, {4096, 14336, 4096}, {16, 4096, 4096},
                                       {1000, 1016, 1024}};
  const std::vector<Shape> quantised = {{32768, 1024, 128}, {8192, 4096, 128}, {8192, 7168, 128},
                                        {8192, 14336, 128}, {128, 7168, 128},  {8192, 4096, 0},
                                        {8192, 14336, 0},   {4096, 1023, 0}};
  static const std::vector<Published> kCatalogue = {
      {"add_layernorm",
       {"M", "N"},
       {{32768, 1024},
        {32768, 4096},
        {32768, 8192},
        {32768, 16384},
        {8192, 1600},
        {1024, 12288},
        {16384, 2049},
        {16384, 1023},
        {4099, 127}}},
      {"add_rmsnorm", {"M", "N"}, forward},
      {"attention_forward",
       {"BATCH", "HEADS", "KV_HEADS", "QUERIES", "KEYS", "D", "CAUSAL"},
       {{8, 16, 16, 2048, 2048, 128, 0},
        {4, 16, 16, 4096, 4096, 128, 0},
        {2, 16, 16, 8192, 8192, 128, 0},
        {1, 16, 16, 16384, 16384, 128, 0},
        {8, 16, 16, 2048, 2048, 128, 1},
        {4, 16, 16, 4096, 4096, 128, 1},
        {2, 16, 16, 8192, 8192, 128, 1},
        {1, 16, 16, 16384, 16384, 128, 1},
        {4, 32, 32, 4096, 4096, 64, 0},
        {4, 32, 32, 4096, 4096, 64, 1},
        {4, 8, 8, 4096, 4096, 256, 0},
        {1, 32, 8, 8192, 8192, 128, 1},
        {2, 6, 3, 1000, 1301, 128, 1}},
       {"bfloat16", "float16"}},
      {"bf16_gemm", {"M", "N", "K"}, products, kUntyped},
      {"bf16_gemm_wgmma", {"M", "N", "K"}, products, kUntyped},
      {"conv2d",
       {"HEIGHT", "WIDTH", "FILTER"},
       {{4096, 4096, 17},
        {4096, 4096, 5},
        {4096, 4096, 3},
        {8192, 8192, 17},
        {8192, 8192, 7},
        {1023, 1000, 9}},
       kUntyped},
      {"copy", {"N"}, arrays},
      {"cross_entropy",
       {"M", "N"},
       rows({{8192, 32000},
             {8192, 128256},
             {8192, 129280},
             {8192, 151936},
             {8192, 152064},
             {8192, 256000},
             {4099, 127},
             {16384, 2049},
             {4096, 50257},
             {128, 128256}})},
      {"cross_entropy_gradient",
       {"M", "N"},
       {{32768, 4096},
        {8192, 32000},
        {8192, 128256},
        {8192, 129280},
        {8192, 151936},
        {8192, 152064},
        {4096, 256000},
        {16384, 2049},
        {4096, 50257},
        {4099, 127}}},
      {"fp8_gemm",
       {"M", "N", "K"},
       {{4096, 4096, 4096},
        {8192, 8192, 8192},
        {4096, 7168, 16384},
        {4096, 7168, 2048},
        {4096, 24576, 1536},
        {4096, 32768, 512},
        {4096, 4096, 7168},
        {4096, 2112, 7168},
        {1024, 18432, 7168},
        {64, 2112, 7168},
        {128, 7168, 2048},
        {1000, 1016, 1024},
        {1001, 1016, 1152},
        {4095, 4096, 7168}},
       kUntyped},
      {"full_sum", {"N"}, {{1073741824}, {268435456}, {16777216}, {1000000}}},
      {"gated_rmsnorm_fp8", {"M", "N", "GROUP"}, quantised},
      {"gated_rmsnorm_int8", {"M", "N", "GROUP"}, quantised},
      {"int4_gemv",
       {"M", "N", "K", "GROUP"},
       {{1, 8192, 8192, 128},
        {1, 1280, 8192, 128},
        {1, 8192, 1024, 128},
        {1, 7168, 8192, 128},
        {1, 8192, 3584, 128},
        {1, 28672, 8192, 128},
        {1, 4096, 4096, 128},
        {2, 8192, 8192, 128},
        {4, 8192, 8192, 128},
        {8, 8192, 8192, 128},
        {1, 8192, 8192, 32},
        {4, 8192, 8192, 64}},
       kUntyped},
      {"int8_gemm",
       {"M", "N", "K"},
       {{4096, 4096, 4096}, {2048, 8192, 2048}, {8192, 8192, 8192}, {1000, 1016, 1024}},
       kUntyped},
      {"int8_gemm_wgmma",
       {"M", "N", "K"},
       {{4096, 4096, 4096},
        {2048, 8192, 2048},
        {8192, 8192, 8192},
        {4096, 14336, 4096},
        {128, 8192, 8192},
        {32, 4096, 4096},
        {1000, 1016, 1024}},
       kUntyped},
      {"int8_linear_wgmma",
       {"M", "N", "K"},
       {{4096, 4096, 4096},
        {2048, 8192, 2048},
        {8192, 8192, 8192},
        {128, 8192, 8192},
        {1000, 1016, 1024}},
       kUntyped},
      {"layernorm", {"M", "N"}, forward},
      {"layernorm_backward", {"M", "N"}, backward},
      {"layernorm_training",
       {"M", "N"},
       {{32768, 1024}, {32768, 4096}, {32768, 8192}, {8192, 1600}, {16384, 2049}, {4096, 50257}}},
      {"masked_softmax",
       {"M", "N", "MASK", "QUERIES"},
       {{65536, 2048, 1, 2048},
        {65536, 2048, 2, 2048},
        {65536, 2048, 0, 2048},
        {32768, 4096, 1, 4096},
        {32768, 4096, 2, 4096},
        {16384, 8192, 1, 8192},
        {32768, 16384, 1, 4096},
        {262144, 512, 1, 512},
        {262144, 512, 2, 512},
        {4096, 8192, 2, 1},
        {16392, 2049, 1, 2049},
        {16368, 1023, 2, 1023},
        {4064, 127, 1, 127}}},
      {"rmsnorm", {"M", "N"}, forward},
      {"rmsnorm_backward", {"M", "N"}, backward},
      {"rmsnorm_fp8",
       {"M", "N"},
       {{32768, 1024},
        {32768, 2048},
        {32768, 4096},
        {32768, 8192},
        {8192, 7168},
        {128, 7168},
        {4096, 1023}}},
      {"rope",
       {"TOKENS", "HEADS", "DIM", "INTERLEAVED"},
       {{16384, 32, 128, 0},
        {16384, 32, 128, 1},
        {16384, 8, 128, 0},
        {8192, 64, 64, 0},
        {4096, 128, 64, 1},
        {128, 32, 128, 0},
        {1001, 7, 80, 0}}},
      {"row_sum", {"M", "N"}, rows({{4099, 127}})},
      {"softmax", {"M", "N"}, forward},
      {"stencil2d", {"M", "N"}, {{8192, 8192}, {16384, 16384}, {1000, 1003}}},
      {"swiglu_fp8", {"M", "N", "GROUP"}, quantised},
      {"swiglu_int8", {"M", "N", "GROUP"}, quantised},
      {"transpose",
       {"M", "N"},
       {{8192, 8192}, {16384, 16384}, {32768, 4096}, {4096, 32768}, {8200, 4104}}},
      {"vector_add", {"N"}, arrays},
  };
  return kCatalogue;
}

fs::path folder_of(const std::string& name) {
  return std::filesystem::path(testing_paths::source("kernels/cuda")) / name;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Override> setting(const Published& kernel, const Shape& shape, const char* dtype) {
  std::vector<Override> overrides;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    overrides.emplace_back(std::string("cuda.sizes.") + kernel.sizes[i], std::to_string(shape[i]));
  }
  if (dtype != nullptr) overrides.emplace_back("cuda.dtype", dtype);
  return overrides;
}

const CudaBackend& cuda_of(const search::Problem& problem) {
  return std::get<CudaBackend>(problem.backend);
}

// The source without comments, and the headers of common/ that it includes, in its order.
std::string with_headers(const fs::path& file) {
  std::string text = std::regex_replace(text_of(file), std::regex("//[^\n]*"), "");
  const std::regex include("#include \"(common/[^\"]*)\"");
  const std::string own = text;
  for (std::sregex_iterator found(own.begin(), own.end(), include), end; found != end; ++found) {
    text = with_headers(folder_of("") / (*found)[1].str()) + text;
  }
  return text;
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

// The names of the parameters of a kernel, as its definition has them.
std::optional<std::vector<std::string>> parameters_of(const std::string& source,
                                                      const std::string& kernel) {
  const std::regex definition("__global__ void[^;{]*?\\b" + kernel + "\\(([^)]*)\\)\\s*\\{");
  std::smatch found;
  if (!std::regex_search(source, found, definition)) return std::nullopt;
  const std::string list = found[1].str() + ",";
  const std::regex last_word("(\\w+)\\s*,");
  std::vector<std::string> names;
  for (std::sregex_iterator word(list.begin(), list.end(), last_word), end; word != end; ++word) {
    names.push_back((*word)[1].str());
  }
  return names;
}

class CudaKernel : public testing::TestWithParam<Published> {
 protected:
  search::Problem read(const Shape& shape, const char* dtype) const {
    return read_problem(path(), setting(GetParam(), shape, dtype));
  }
  std::string path() const { return (folder_of(GetParam().name) / "problem.toml").string(); }
};

// A problem whose baseline violates a constraint is not read.
TEST_P(CudaKernel, IsAProblemForEveryPublishedShapeAndType) {
  for (const char* dtype : GetParam().types) {
    for (const Shape& shape : GetParam().shapes) {
      EXPECT_NO_THROW(read(shape, dtype)) << (dtype ? dtype : "") << " " << shape.back();
    }
  }
}

// A decoder has one row for each sequence.
TEST_P(CudaKernel, HasABaselineForFewRowsToo) {
  const auto& sizes = GetParam().sizes;
  if (sizes.size() != 2 || sizes.front() != std::string_view("M")) return;
  for (const std::int64_t rows : {1, 3, 7}) {
    for (const std::int64_t columns : {768, 1000, 2048, 4096, 16384}) {
      EXPECT_NO_THROW(read({rows, columns}, GetParam().types.front())) << rows << " " << columns;
    }
  }
}

// Most include what others have as well: a study keeps one text, and goes on with the same problem.
TEST_P(CudaKernel, IsKeptByAStudyAsItIs) {
  std::string text;
  const search::Problem problem = read_problem(path(), {}, &text);
  EXPECT_EQ(encoded(parse_problem(text, path(), {}, TextOrigin::kJournal)), encoded(problem));
}

TEST_P(CudaKernel, TellsItsPublishedShapes) {
  const std::string words = std::regex_replace(text_of(path()), std::regex("\\s+(# )?"), " ");
  for (const Shape& shape : GetParam().shapes) {
    std::string told;
    for (const std::int64_t size : shape)
      told += (told.empty() ? "" : " x ") + std::to_string(size);
    EXPECT_THAT(words, HasSubstr(told));
  }
}

TEST_P(CudaKernel, HasASpaceWithTheBaselineInIt) {
  const search::Problem problem = read_problem(path());
  const search::ParameterSpace space = make_space(problem);
  EXPECT_GE(static_cast<double>(space.size()), 100);
  EXPECT_TRUE(space.index_of(search::resolved(problem, {})));
}

TEST_P(CudaKernel, HasLimitsForAGpu) {
  const search::Problem problem = read_problem(path());
  EXPECT_EQ(problem.budget.seconds, 600);
  EXPECT_EQ(problem.limits.measure, 10);
  EXPECT_EQ(problem.limits.verify, 20);
  EXPECT_TRUE(problem.sampling.cold_cache);
}

// --- What its expressions come out as ---

class Amounts {
 public:
  // Of the baseline with the values of `changes`.
  Amounts(const search::Problem& problem, const CudaBackend& cuda,
          const search::Configuration& changes = {})
      : names_(search::resolved(problem, {})) {
    for (const auto& [name, value] : changes.entries()) names_.set(name, value);
    for (const auto& [name, size] : cuda.cases.front()) names_.set(name, size);
    names_.set("SM_COUNT", std::int64_t{132});
    const bool wide = cuda.dtype == search::ElementType::kFloat32;
    names_.set("ELEMENT_BYTES", std::int64_t{wide ? 4 : 2});
  }
  double of(const search::Expression& expression) const {
    return search::as_number(expression.evaluate(lookup()));
  }
  double product(const std::array<search::Expression, 3>& extent) const {
    return of(extent[0]) * of(extent[1]) * of(extent[2]);
  }
  bool leaves_out(const CudaLaunch& launch) const {
    return launch.when && !launch.when->holds(lookup());
  }

 private:
  search::Expression::Lookup lookup() const {
    return [this](std::string_view name) { return names_.find(name); };
  }
  search::Configuration names_;
};

void expect_launchable(const CudaLaunch& launch, const Amounts& amounts) {
  if (amounts.leaves_out(launch)) return;
  const double threads = amounts.product(launch.block), blocks = amounts.product(launch.grid);
  const double cluster = amounts.product(launch.cluster);
  EXPECT_GE(threads, 1) << launch.kernel;
  EXPECT_LE(threads, 1024) << launch.kernel;
  EXPECT_GE(blocks, 1) << launch.kernel;
  EXPECT_LT(amounts.of(launch.grid[0]), 0x1p31) << launch.kernel;
  EXPECT_LE(amounts.of(launch.grid[1]), 65535) << launch.kernel;
  EXPECT_EQ(std::fmod(blocks, cluster), 0) << launch.kernel;
  EXPECT_LE(amounts.of(launch.shared_bytes), 227 * 1024) << launch.kernel;
}

TEST_P(CudaKernel, CanBeLaunchedForEveryPublishedShapeAndType) {
  for (const char* dtype : GetParam().types) {
    for (const Shape& shape : GetParam().shapes) {
      const search::Problem problem = read(shape, dtype);
      const CudaBackend& cuda = cuda_of(problem);
      const Amounts amounts(problem, cuda);
      for (const auto* launches : {&cuda.launches, &cuda.prepare, &cuda.reference_launches}) {
        for (const CudaLaunch& launch : *launches) expect_launchable(launch, amounts);
      }
      for (const Argument& argument : cuda.arguments) {
        if (argument.scalar) continue;
        EXPECT_GE(amounts.of(*argument.size), 1) << argument.name;
      }
      EXPECT_GT(amounts.of(*cuda.bytes), 0);
      EXPECT_GT(cuda.flops ? amounts.of(*cuda.flops) : 1, 0);
    }
  }
}

// --- Its sources ---

TEST_P(CudaKernel, LaunchesWhatTheSourcesDefine) {
  const search::Problem problem = read_problem(path());
  const CudaBackend& cuda = cuda_of(problem);
  const auto check = [&](const std::string& file, const std::vector<CudaLaunch>& launches) {
    const std::string source = with_headers(file);
    for (const CudaLaunch& launch : launches) {
      std::vector<std::string> given;
      for (const std::uint32_t i : launch.arguments) {
        const std::size_t maps = cuda.arguments.size();
        given.push_back(i < maps ? cuda.arguments[i].name : cuda.tensor_maps.at(i - maps).name);
      }
      const auto parameters = parameters_of(source, launch.kernel);
      ASSERT_TRUE(parameters) << launch.kernel << " is not in " << file;
      EXPECT_THAT(*parameters, ElementsAreArray(given)) << launch.kernel;
    }
  };
  check(cuda.kernel.file, cuda.launches);
  check(cuda.reference.file, cuda.prepare);
  check(cuda.reference.file, cuda.reference_launches);
}

bool is_in_a_grid(const CudaBackend& cuda, const std::string& name) {
  return std::any_of(cuda.launches.begin(), cuda.launches.end(), [&](const CudaLaunch& launch) {
    return launch.grid[0].names().contains(name);
  });
}

TEST_P(CudaKernel, UsesEveryMacroThatItIsGiven) {
  const search::Problem problem = read_problem(path());
  const CudaBackend& cuda = cuda_of(problem);
  const std::string source = with_headers(cuda.kernel.file);
  const auto is_used = [&](const std::string& name) {
    return has_word(source, name) || is_in_a_grid(cuda, name);
  };
  std::vector<std::string> unused;
  for (const search::Parameter& parameter : problem.parameters) {
    if (!is_used(parameter.name)) unused.push_back(parameter.name);
  }
  for (const auto& [name, size] : cuda.cases.front()) {
    if (!has_word(source, name)) unused.push_back(name);
  }
  EXPECT_THAT(unused, IsEmpty());
}

TEST_P(CudaKernel, FindsItsHeaders) {
  const search::Problem problem = read_problem(path());
  const auto& folders = cuda_of(problem).include_folders;
  EXPECT_TRUE(std::any_of(folders.begin(), folders.end(), [](const std::string& folder) {
    return fs::exists(fs::path(folder) / "common/element.cuh");
  }));
}

// --- What was measured ---

search::Value value_of(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<double>();
}

TEST_P(CudaKernel, HasEveryMeasuredConfigurationInItsSpace) {
  const fs::path file = folder_of(GetParam().name) / "measured.json";
  ASSERT_TRUE(fs::exists(file));
  const auto measured = nlohmann::json::parse(text_of(file));
  for (const auto& entry : measured.at("found")) {
    Shape shape;
    for (const char* size : GetParam().sizes) shape.push_back(entry.at("shape").at(size));
    const std::string dtype = entry.value("dtype", "");
    const search::Problem problem = read(shape, dtype.empty() ? nullptr : dtype.c_str());
    search::Configuration found;
    for (const auto& [name, value] : entry.at("configuration").items()) {
      found.set(name, value_of(value));
    }
    for (const search::Parameter& parameter : problem.parameters) {
      const search::Value* value = found.find(parameter.name);
      ASSERT_NE(value, nullptr) << parameter.name;
      EXPECT_TRUE(std::any_of(parameter.values.begin(), parameter.values.end(),
                              [&](const auto& known) { return search::same_value(known, *value); }))
          << parameter.name;
    }
    for (const search::Expression& constraint : problem.constraints) {
      EXPECT_TRUE(constraint.holds([&](std::string_view name) { return found.find(name); }))
          << constraint.text();
    }
  }
}

// Where a cost is expected it is a number for all that was measured, and what was found is thought
// to cost less than the baseline where that is not what everybody begins with.
TEST_P(CudaKernel, ExpectsLittleOfWhatWasFound) {
  const auto measured =
      nlohmann::json::parse(text_of(folder_of(GetParam().name) / "measured.json"));
  int cheaper = 0, all = 0;
  for (const auto& entry : measured.at("found")) {
    Shape shape;
    for (const char* size : GetParam().sizes) shape.push_back(entry.at("shape").at(size));
    const std::string dtype = entry.value("dtype", "");
    search::Problem problem = read(shape, dtype.empty() ? nullptr : dtype.c_str());
    if (problem.scheduling.expected.empty()) return;
    problem.scheduling.multiprocessors = 132;
    search::Configuration found;
    for (const auto& [name, value] : entry.at("configuration").items()) {
      found.set(name, value_of(value));
    }
    const search::ExpectedCost cost = search::expected_cost(problem);
    const search::Configuration baseline = search::resolved(problem, {});
    const auto its = search::log_cost(cost, [&](auto name) { return found.find(name); });
    const auto other = search::log_cost(cost, [&](auto name) { return baseline.find(name); });
    ASSERT_TRUE(its && other) << entry.at("shape");
    cheaper += *its <= *other ? 1 : 0;
    ++all;
  }
  EXPECT_GE(cheaper * 10, all * 9) << cheaper << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CudaKernel, testing::ValuesIn(catalogue()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(CudaCatalogue, TestsEveryFolder) {
  std::vector<std::string> folders, tested;
  for (const auto& entry : fs::directory_iterator(folder_of(""))) {
    if (fs::exists(entry.path() / "problem.toml")) folders.push_back(entry.path().filename());
  }
  for (const Published& kernel : catalogue()) tested.emplace_back(kernel.name);
  EXPECT_THAT(folders, testing::UnorderedElementsAreArray(tested));
}

// A weight that is not there is neither read nor loaded ahead.
TEST(CudaCatalogue, NormalisesWithoutWeights) {
  for (const char* name : {"rmsnorm", "layernorm"}) {
    const std::string path = (folder_of(name) / "problem.toml").string();
    const search::Problem problem = read_problem(path, {{"cuda.sizes.AFFINE", "0"}});
    const search::Configuration baseline = search::resolved(problem, {});
    for (const Argument& argument : cuda_of(problem).arguments) {
      if (argument.name != "weight" && argument.name != "bias") continue;
      EXPECT_EQ(Amounts(problem, cuda_of(problem)).of(*argument.size), 1) << name;
    }
    search::Configuration ahead = baseline;
    ahead.set("WEIGHT_LOAD", std::string("early"));
    ahead.set("RESIDENCE", std::string("registers"));
    EXPECT_TRUE(std::any_of(problem.constraints.begin(), problem.constraints.end(),
                            [&](const search::Expression& constraint) {
                              return !constraint.holds(
                                  [&](std::string_view used) { return ahead.find(used); });
                            }))
        << name;
  }
}

// The heads of a layer share a mask; where none is added there is none to load ahead, and a causal
// row counts for the columns that it sees.
TEST(CudaCatalogue, MasksScores) {
  const std::string path = (folder_of("masked_softmax") / "problem.toml").string();
  const auto amount = [&](const char* mask, auto of) {
    const search::Problem problem = read_problem(path, {{"cuda.sizes.M", "12"},
                                                        {"cuda.sizes.N", "5"},
                                                        {"cuda.sizes.QUERIES", "3"},
                                                        {"cuda.sizes.MASK", mask},
                                                        {"baseline.THREADS_PER_ROW", "4"},
                                                        {"baseline.ROWS_PER_BLOCK", "8"}});
    return of(problem, Amounts(problem, cuda_of(problem)));
  };
  const auto mask_size = [](const search::Problem& problem, const Amounts& amounts) {
    const auto& arguments = cuda_of(problem).arguments;
    return amounts.of(*std::find_if(arguments.begin(), arguments.end(), [](const auto& argument) {
                         return argument.name == "mask";
                       })->size);
  };
  EXPECT_EQ(amount("0", mask_size), 1);
  EXPECT_EQ(amount("2", mask_size), 15);
  const auto bytes = [](const search::Problem& problem, const Amounts& amounts) {
    return amounts.of(*cuda_of(problem).bytes);
  };
  EXPECT_EQ(amount("0", bytes), 2 * (60 + 60));
  EXPECT_EQ(amount("1", bytes), 2 * (60 + 12 * 4));  // a row sees 3, 4 or 5 columns
  EXPECT_EQ(amount("2", bytes), 2 * (60 + 60 + 15));
  const auto loads_ahead = [](const search::Problem& problem, const Amounts&) {
    search::Configuration ahead = search::resolved(problem, {});
    ahead.set("MASK_LOAD", std::string("early"));
    ahead.set("RESIDENCE", std::string("registers"));
    return std::all_of(problem.constraints.begin(), problem.constraints.end(),
                       [&](const auto& one) {
                         return one.holds([&](std::string_view used) { return ahead.find(used); });
                       });
  };
  EXPECT_FALSE(amount("1", loads_ahead));
  EXPECT_TRUE(amount("2", loads_ahead));
}

// With as many pieces under way, and a slab awaited besides, a warpgroup would wait for one whose
// place it holds itself.
TEST(CudaCatalogue, LeavesNoMoreUnderWayThanThereAreStages) {
  const std::string path = (folder_of("fp8_gemm") / "problem.toml").string();
  const search::Problem problem = read_problem(path);
  const auto is_valid = [&](std::int64_t stages, std::int64_t under_way, std::int64_t unroll) {
    search::Configuration tried = search::resolved(problem, {});  // 64 rows a warpgroup: one piece
    tried.set("BLOCK_N", std::int64_t{64});
    tried.set("STAGES", stages);
    tried.set("UNDER_WAY", under_way);
    tried.set("UNROLL", unroll);
    return std::all_of(
        problem.constraints.begin(), problem.constraints.end(),
        [&](const auto& one) { return one.holds([&](auto name) { return tried.find(name); }); });
  };
  EXPECT_FALSE(is_valid(4, 4, 4));
  EXPECT_TRUE(is_valid(5, 4, 4));
  EXPECT_FALSE(is_valid(4, 4, 8));
  EXPECT_FALSE(is_valid(2, 2, 8));
  EXPECT_TRUE(is_valid(3, 2, 8));
  EXPECT_TRUE(is_valid(2, 1, 8));
}

// Vectors of 16 bytes need not divide a row.
TEST(CudaCatalogue, TakesRowsOfAnyLengthByWideVectors) {
  for (const Published& kernel : catalogue()) {
    const std::string path = (folder_of(kernel.name) / "problem.toml").string();
    if (!has_word(text_of(path), "THREADS_PER_ROW")) continue;
    for (const auto& [columns, threads] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{127, 16}, {1023, 64}, {2049, 128}}) {
      const search::Problem problem =
          read_problem(path, setting(kernel, {16384, columns}, "bfloat16"));
      search::Configuration wide = search::resolved(problem, {});
      wide.set("VEC_BYTES", std::int64_t{16});
      wide.set("THREADS_PER_ROW", threads);
      for (const search::Expression& constraint : problem.constraints) {
        EXPECT_TRUE(constraint.holds([&](std::string_view name) { return wide.find(name); }))
            << kernel.name << " of " << columns << ": " << constraint.text();
      }
    }
  }
}

// A cluster lies within one of the groups of multiprocessors of a device. The numbers are those
// that the driver tells of an H200 (cuOccupancyMaxActiveClusters), of 3 and 4 blocks somewhat
// fewer.
TEST(CudaCatalogue, LetsOnlyClustersStayThatRunAtOnce) {
  for (const Published& kernel : catalogue()) {
    const std::string path = (folder_of(kernel.name) / "problem.toml").string();
    if (!has_word(text_of(path), "THREADS_PER_ROW")) continue;
    const search::Problem problem = read_problem(path, setting(kernel, {32768, 16384}, "bfloat16"));
    for (const auto& [cluster, blocks, most] :
         std::vector<std::array<std::int64_t, 3>>{{1, 2, 264},
                                                  {2, 1, 66},
                                                  {4, 1, 30},
                                                  {4, 3, 90},
                                                  {8, 2, 30},
                                                  {16, 1, 7},
                                                  {16, 4, 28}}) {
      search::Configuration staying;
      staying.set("CLUSTER", cluster);
      staying.set("BLOCKS_PER_SM", blocks);
      staying.set("ROWS_PER_BLOCK", std::int64_t{1});
      const Amounts amounts(problem, cuda_of(problem), staying);
      const CudaLaunch& launch = cuda_of(problem).launches.front();
      EXPECT_EQ(amounts.of(launch.cluster[0]), cluster) << kernel.name;
      EXPECT_EQ(amounts.of(launch.grid[0]), most * cluster)
          << kernel.name << " in clusters of " << cluster << ", " << blocks << " blocks each";
    }
  }
}

TEST(CudaCatalogue, ComparesErrorBesideTimeForQuantisedActivations) {
  const search::Problem problem = read_problem((folder_of("int8_gemm") / "problem.toml").string());
  EXPECT_THAT(cuda_of(problem).figures,
              testing::ElementsAre(search::OwnFigure::kTime, search::OwnFigure::kError));
}

}  // namespace
}  // namespace nightshift::problems
