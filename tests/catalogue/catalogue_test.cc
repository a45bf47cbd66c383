// The catalogue's CUDA kernels on the fake GPU: whole kernels run on the CPU, with their barriers,
// warps, clusters, copy engines and tensor cores, and their answers are compared with the reference
// in double. Sizes are small, and the device has few multiprocessors, so that blocks that stay
// there have several tiles. NIGHTSHIFT_CATALOGUE_DRAWS is how many configurations of each are tried
// besides the baseline, where it is not set one or two, NIGHTSHIFT_CATALOGUE_SEED which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "search/parameter_space.h"
#include "search/trial.h"
#include "tests/catalogue/first_architecture.h"
#include "tests/evaluator/cuda_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;

// A problem of a size, and of an architecture.
struct Piece {
  std::string problem;
  std::vector<std::pair<std::string, std::string>> sizes;
  std::string type;  // of cuda.dtype; empty: the problem's own
  int architecture = 90;
  std::uint64_t draws = 1;

  // Products and attention start no cluster on fewer than it has blocks; beside one of two is one
  // left over.
  int multiprocessors() const {
    const auto is_depth = [](const auto& size) { return size.first == "K" || size.first == "D"; };
    return std::any_of(sizes.begin(), sizes.end(), is_depth) ? 3 : 1;
  }
  std::string name() const {
    std::string name = problem;
    for (const auto& [size, value] : sizes) name += "_" + size + value;
    return name + (type.empty() ? "" : "_" + type) + "_sm" + std::to_string(architecture);
  }
};
void PrintTo(const Piece& piece, std::ostream* out) { *out << piece.name(); }

using Sizes = std::vector<std::pair<std::string, std::string>>;

constexpr int kTries = 500;  // for each configuration that is chosen

// Two heads of queries for each of keys, and two of these.
Sizes attention(const char* queries, const char* keys, const char* columns, const char* causal) {
  return {{"BATCH", "2"}, {"HEADS", "2"}, {"KV_HEADS", "1"}, {"QUERIES", queries},
          {"KEYS", keys}, {"D", columns}, {"CAUSAL", causal}};
}

// Small sizes of each problem, the more awkward ones first: rows that are no multiple of a vector,
// edges of tiles.
const std::map<std::string, std::vector<Sizes>>& small_sizes() {
  static const std::vector<Sizes> rows = {{{"M", "10"}, {"N", "1003"}},
                                          {{"M", "9"}, {"N", "2048"}}};
  static const std::vector<Sizes> normalised = {rows[0], rows[1], {{"M", "37"}, {"N", "127"}}};
  static const std::vector<Sizes> quantised = {{{"M", "10"}, {"N", "1024"}, {"GROUP", "128"}},
                                               {{"M", "9"}, {"N", "1003"}, {"GROUP", "0"}}};
  static const std::vector<Sizes> products = {{{"M", "136"}, {"N", "264"}, {"K", "256"}}};
  static const std::vector<Sizes> vectors = {{{"N", "20000"}}};
  static const std::map<std::string, std::vector<Sizes>> sizes = {
      {"add_layernorm", rows},
      {"add_rmsnorm", rows},
      {"attention_forward",
       {attention("70", "150", "64", "1"), attention("150", "70", "128", "1"),
        attention("129", "197", "80", "0"), attention("64", "40", "256", "0"),
        attention("80", "130", "160", "1")}},
      {"bf16_gemm", products},
      {"bf16_gemm_wgmma", {products[0], {{"M", "136"}, {"N", "72"}, {"K", "640"}}}},
      {"conv2d", {{{"HEIGHT", "33"}, {"WIDTH", "40"}, {"FILTER", "5"}}}},
      {"copy", vectors},
      {"cross_entropy", {rows[0], rows[1], {{"M", "3"}, {"N", "9001"}}}},
      {"cross_entropy_gradient", rows},
      {"fp8_gemm", {products[0], {{"M", "70"}, {"N", "136"}, {"K", "640"}}}},
      {"full_sum", vectors},
      {"gated_rmsnorm_fp8", quantised},
      {"gated_rmsnorm_int8", quantised},
      {"int4_gemv", {{{"M", "3"}, {"N", "256"}, {"K", "1024"}, {"GROUP", "128"}}}},
      {"int8_gemm", products},
      {"int8_gemm_wgmma", products},
      {"int8_linear_wgmma", products},
      {"layernorm", normalised},
      {"layernorm_backward", rows},
      {"layernorm_training", rows},
      {"masked_softmax",
       {{{"M", "10"}, {"N", "1003"}, {"MASK", "1"}, {"QUERIES", "1003"}},
        {{"M", "16"}, {"N", "2048"}, {"MASK", "2"}, {"QUERIES", "4"}},
        {{"M", "48"}, {"N", "1003"}, {"MASK", "2"}, {"QUERIES", "3"}},
        {{"M", "20"}, {"N", "1000"}, {"MASK", "2"}, {"QUERIES", "1"}},
        {{"M", "150"}, {"N", "130"}, {"MASK", "1"}, {"QUERIES", "200"}},
        {{"M", "12"}, {"N", "1003"}, {"MASK", "1"}, {"QUERIES", "400"}}}},
      {"rmsnorm", normalised},
      {"rmsnorm_backward", rows},
      {"rmsnorm_fp8", rows},
      {"rope", {{{"TOKENS", "5"}, {"HEADS", "3"}, {"DIM", "80"}}}},
      {"row_sum", rows},
      {"softmax", rows},
      {"stencil2d", {{{"M", "65"}, {"N", "120"}}}},
      {"swiglu_fp8", quantised},
      {"swiglu_int8", quantised},
      {"transpose", {{{"M", "65"}, {"N", "120"}}}},
      {"vector_add", vectors},
  };
  return sizes;
}

// Types besides the problem's own; kernels of one header share what differs between them.
const std::multimap<std::string, std::string>& other_types() {
  static const std::multimap<std::string, std::string> types = {
      {"attention_forward", "float16"}, {"layernorm", "float16"}, {"softmax", "float32"}};
  return types;
}

search::Problem problem_of(const Piece& piece) {
  Overrides overrides = {{"measure.samples", "3"},         {"measure.most_samples", "3"},
                         {"measure.precision", "0"},       {"measure.warm_up_runs", "1"},
                         {"measure.warm_up_seconds", "0"}, {"measure.min_sample_seconds", "0"},
                         {"measure.cache", "\"warm\""}};
  for (const auto& [size, value] : piece.sizes) overrides.push_back({"cuda.sizes." + size, value});
  if (!piece.type.empty()) overrides.push_back({"cuda.dtype", '"' + piece.type + '"'});
  return problems::read_problem(
      testing_paths::source("kernels/cuda/" + piece.problem + "/problem.toml"), overrides);
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Whether a device of this architecture has what the configuration uses; see "Before Hopper" in
// kernels/cuda/README.md.
bool runs_on(int architecture, const search::Configuration& configuration) {
  if (architecture >= 90) return true;
  const auto text = [&](const char* name) {
    const search::Value* value = configuration.find(name);
    const auto* found = value != nullptr ? std::get_if<std::string>(value) : nullptr;
    return found != nullptr ? *found : "";
  };
  const search::Value* cluster = configuration.find("CLUSTER");
  const bool shares_rows = cluster != nullptr && *cluster != search::Value(std::int64_t{1});
  if (shares_rows && text("EXCHANGE") != "memory") return false;
  if (text("RESIDENCE") == "shared" || text("RESIDENCE") == "pieces") return false;
  if (text("STORED_BY") == "bulk") return false;
  const search::Value* stages = configuration.find("STAGES");
  if (configuration.find("TOKENS") != nullptr && *stages != search::Value(std::int64_t{0})) {
    return false;  // of int4_gemv, which fills them by bulk copies
  }
  if (architecture >= 80) return true;
  for (const char* name : {"LOAD_HINT", "RELOAD_HINT", "STORE_HINT", "WEIGHT_HINT", "MASK_HINT"}) {
    if (text(name) == "keep" || text(name) == "evict_first") return false;
  }
  return true;
}

using Seen = std::set<std::pair<std::string, std::string>>;  // parameters with values

const std::set<std::string, std::less<>> kChoosesCode = {
    "CLUSTER",     "RESIDENCE", "STORED_BY", "PIPELINE",    "SHARED",   "BOXES_OUT", "TILE_ROWS",
    "WEIGHT_LOAD", "PLACED",    "WORKS",     "SECOND_HALF", "EXCHANGE", "VALUES"};

// Values that were not tried yet; those that choose other code count for most.
int unseen_values(const search::Configuration& configuration, const Seen& seen) {
  int unseen = 0;
  for (const auto& [name, value] : configuration.entries()) {
    if (seen.contains({name, search::to_text(value)})) continue;
    unseen += kChoosesCode.contains(name) ? 10 : 1;
  }
  return unseen;
}

// The baseline, and of many that are drawn from all valid ones those that differ most from what was
// chosen before: after few of them most values of each parameter were tried.
std::vector<search::Configuration> configurations_of(const search::Problem& problem,
                                                     const Piece& piece) {
  std::vector<search::Configuration> chosen = {{}};
  Seen seen;
  const auto choose = [&](const search::Configuration& one) {
    for (const auto& [name, value] : one.entries()) seen.emplace(name, search::to_text(value));
  };
  choose(problem.baseline);
  const search::ParameterSpace space(problem.parameters, problem.constraints);
  base::Rng rng(number_of("NIGHTSHIFT_CATALOGUE_SEED", 1));
  const std::uint64_t count = 1 + number_of("NIGHTSHIFT_CATALOGUE_DRAWS", piece.draws);
  while (chosen.size() < count) {
    search::Configuration best;
    int most = -1;
    for (int i = 0; i < kTries; ++i) {
      search::Configuration one = space.configuration(space.sample(rng));
      if (!runs_on(piece.architecture, one)) continue;
      if (const int unseen = unseen_values(one, seen); unseen > most) {
        most = unseen;
        best = std::move(one);
      }
    }
    choose(best);
    chosen.push_back(std::move(best));
  }
  return chosen;
}

std::vector<Piece> pieces() {
  std::vector<Piece> pieces;
  for (const auto& entry : fs::directory_iterator(testing_paths::source("kernels/cuda"))) {
    if (!fs::exists(entry.path() / "problem.toml")) continue;
    const std::string name = entry.path().filename();
    const auto found = small_sizes().find(name);
    if (found == small_sizes().end()) {
      pieces.push_back({name, {}, "", 90});  // the test then says what is missing
      continue;
    }
    for (const Sizes& sizes : found->second) pieces.push_back({name, sizes, "", 90});
    pieces[pieces.size() - found->second.size()].draws = 2;
    const auto [type, end] = other_types().equal_range(name);
    for (auto at = type; at != end; ++at) {
      pieces.push_back({name, found->second.front(), at->second, 90});
    }
    if (const int first = first_architecture(name); first < 90) {
      pieces.push_back({name, found->second.front(), "", first});
    }
  }
  // Without weights, with draws enough for rows that begin alike to be among them; and words that
  // are whole elements.
  for (const char* name : {"layernorm", "rmsnorm"}) {
    pieces.push_back({name, {{"M", "37"}, {"N", "127"}, {"AFFINE", "0"}}, "", 90, 4});
    pieces.push_back({name, {{"M", "37"}, {"N", "127"}}, "float32", 90, 2});
  }
  return pieces;
}

class Catalogue : public testing::TestWithParam<Piece> {};

TEST_P(Catalogue, GivesTheAnswersOfItsReference) {
  ASSERT_FALSE(GetParam().sizes.empty()) << "small_sizes() of this test needs sizes of it";
  const std::string architecture = std::to_string(GetParam().architecture);
  ::setenv("FAKE_GPU_ARCHITECTURES", architecture.c_str(), 1);
  ::setenv("FAKE_GPU_MULTIPROCESSORS", std::to_string(GetParam().multiprocessors()).c_str(), 1);
  CudaSetup setup(problem_of(GetParam()));
  setup.be_architecture(GetParam().architecture);
  setup.have_multiprocessors(GetParam().multiprocessors());
  CudaTrialBackend backend(setup.evaluator_request());
  for (const search::Configuration& configuration :
       configurations_of(setup.evaluator_request().problem, GetParam())) {
    SCOPED_TRACE(configuration.to_json());
    const search::TrialReport report = setup.evaluate(backend, configuration);
    ASSERT_TRUE(std::holds_alternative<search::Measured>(report.outcome))
        << search::describe(report.outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Catalogue, testing::ValuesIn(pieces()),
                         [](const auto& piece) { return piece.param.name(); });

}  // namespace
}  // namespace nightshift::evaluator::cuda
