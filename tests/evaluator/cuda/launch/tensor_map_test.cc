#include "evaluator/cuda/launch/tensor_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <variant>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "search/element_type.h"
#include "tests/evaluator/cuda_setup.h"
#include "tests/fakes/gpu/include/fake_tile.h"
#include "tests/fakes/paths.h"

// Tensor maps from their expressions to the kernel that copies by them.
namespace nightshift::evaluator::cuda {
namespace {

using search::Configuration;
using search::Measured;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

search::Problem tiles(const Overrides& overrides = {}) {
  return problems::read_problem(testing_paths::source("tests/puzzles/gpu_tiles/problem.toml"),
                                overrides);
}

search::CudaBackend& cuda_of(search::Problem& problem) {
  return std::get<search::CudaBackend>(problem.backend);
}

Configuration tile_of(std::int64_t slab_bytes, std::int64_t rows = 2, std::int64_t promotion = 0) {
  return Configuration({{"SLAB_BYTES", slab_bytes}, {"ROWS", rows}, {"PROMOTION", promotion}});
}

search::Expression amount(const std::string& text) { return search::Expression::parse(text); }

// --- Plans ---

// A plan of the problem above, its map changed.
class MapPlan : public ::testing::Test {
 protected:
  search::TensorMap& map() { return cuda_of(problem_).tensor_maps.at(0); }
  CasePlan plan(const Configuration& configuration, int architecture = 90) {
    return plan_case(cuda_of(problem_), 0, configuration, {fake_gpu_uuid(0), architecture, 132});
  }
  PlannedMap planned(const Configuration& configuration = tile_of(64)) {
    return plan(configuration).maps.at(0).value();
  }
  std::string complaint(const Configuration& configuration = tile_of(64), int architecture = 90) {
    try {
      plan(configuration, architecture);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  }
  // A map of the vector of 880 floats with these extents and pitches, boxes of four elements.
  std::string complaint(const std::vector<std::string>& extent,
                        const std::vector<std::string>& pitch = {}) {
    map().extent.clear();
    map().pitch.clear();
    map().box.assign(extent.size(), amount("4"));
    for (const std::string& text : extent) map().extent.push_back(amount(text));
    for (const std::string& text : pitch) map().pitch.push_back(amount(text));
    return complaint();
  }

  search::Problem problem_ = tiles();
};

TEST_F(MapPlan, HasTheNumbersOfItsConfiguration) {
  const PlannedMap narrow = planned(tile_of(64, 8, 128));
  EXPECT_EQ(narrow.argument, 0U);
  EXPECT_EQ(narrow.type, search::ElementType::kFloat32);
  EXPECT_THAT(narrow.extent, ElementsAre(40, 20));
  EXPECT_THAT(narrow.pitch_bytes, ElementsAre(176));
  EXPECT_THAT(narrow.box, ElementsAre(16, 8));
  EXPECT_EQ(narrow.swizzle, 64U);
  EXPECT_EQ(narrow.l2_promotion, 128U);
  EXPECT_THAT(planned(tile_of(128)).box, ElementsAre(32, 2));
}

TEST_F(MapPlan, IsDenseUnlessItHasPitches) {
  map().swizzle = amount("0");
  EXPECT_EQ(complaint({"8", "10", "11"}), "none");
  EXPECT_THAT(planned().pitch_bytes, ElementsAre(32, 320));
}

TEST_F(MapPlan, IsLeftOutWithItsLaunch) {
  cuda_of(problem_).launches.push_back(cuda_of(problem_).launches.front());
  cuda_of(problem_).launches.back().arguments = {1, 1};
  cuda_of(problem_).launches.front().when = amount("SLAB_BYTES != 24");
  EXPECT_FALSE(plan(tile_of(24)).maps.at(0));
  EXPECT_TRUE(plan(tile_of(32)).maps.at(0));
}

TEST_F(MapPlan, NamesWhatTheDriverWouldRefuse) {
  EXPECT_EQ(complaint(tile_of(24)),
            "tensor map 'x_tiles': swizzle, 'SLAB_BYTES', is 24, not 0, 32, 64 or 128");
  EXPECT_EQ(complaint(tile_of(64, 2, 32)),
            "tensor map 'x_tiles': l2_promotion, 'PROMOTION', is 32, not 0, 64, 128 or 256");
  EXPECT_EQ(complaint(tile_of(64, 257)),
            "tensor map 'x_tiles': box[1], 'ROWS', is 257, not a whole number from 1 to 256");
  map().box[1] = amount("0");
  EXPECT_THAT(complaint(), HasSubstr("box[1], '0', is 0, not a whole number from 1"));
  map().box[1] = amount("ROWS");
  map().swizzle = amount("0");
  EXPECT_EQ(complaint(tile_of(24)),
            "tensor map 'x_tiles': box[0] is 24 bytes, not a multiple of 16");
  map().swizzle = amount("32");
  EXPECT_EQ(complaint(tile_of(64)),
            "tensor map 'x_tiles': box[0] is 64 bytes, more than its swizzle of 32");
  map().box[0] = amount("N / 0");
  EXPECT_THAT(complaint(), StartsWith("tensor map 'x_tiles': box[0], 'N / 0': "));
}

TEST_F(MapPlan, StaysWithinItsVector) {
  map().swizzle = amount("0");
  const std::string beyond =
      "tensor map 'x_tiles': reaches beyond argument 'x', which has 880 elements";
  EXPECT_EQ(complaint({"880"}), "none");
  EXPECT_EQ(complaint({"881"}), beyond);
  EXPECT_EQ(complaint({"44", "20"}), "none");
  EXPECT_EQ(complaint({"44", "21"}), beyond);
  EXPECT_EQ(complaint({"40", "20"}, {"44"}), "none");
  EXPECT_EQ(complaint({"44", "20"}, {"44"}), "none");
  EXPECT_EQ(complaint({"45", "20"}, {"44"}), beyond);
  EXPECT_EQ(complaint({"40", "20", "1"}, {"44", "2 ** 37"}), "none");
  EXPECT_EQ(complaint({"40", "20", "2"}, {"44", "2 ** 37"}), beyond);
  EXPECT_EQ(complaint({"2 ** 32", "2 ** 32", "2 ** 32", "2 ** 32", "2 ** 32"}), beyond);
  EXPECT_THAT(complaint({"2 ** 32 + 1"}), HasSubstr("extent[0], '2 ** 32 + 1', is 4294967297"));
}

TEST_F(MapPlan, HasPitchesOfWholeVectors) {
  map().swizzle = amount("0");
  EXPECT_EQ(complaint({"41", "20"}),
            "tensor map 'x_tiles': pitch[0] is 164 bytes, not a multiple of 16 below 2^40");
  EXPECT_THAT(complaint({"40", "20"}, {"42"}), HasSubstr("pitch[0] is 168 bytes"));
  EXPECT_THAT(complaint({"40", "20"}, {"0"}), HasSubstr("pitch[0], '0', is 0, not a whole"));
  EXPECT_THAT(complaint({"40", "1"}, {"2 ** 38"}), HasSubstr("is 274877906944, not a whole"));
}

TEST_F(MapPlan, NeedsADeviceThatHasMaps) {
  EXPECT_EQ(complaint(tile_of(64), 89),
            "tensor map 'x_tiles' needs a GPU of compute capability 9.0 or higher; this one has "
            "8.9");
}

TEST_F(MapPlan, IsPartOfWhatTellsPlansApart) {
  std::set<std::string> texts;
  const auto add = [&] { texts.insert(text_of(plan(tile_of(32)))); };
  map().swizzle = amount("32");
  map().box[0] = amount("8");
  add();
  const search::TensorMap first = map();
  for (const char* l2 : {"64", "128"}) {
    map().l2_promotion = amount(l2);
    add();
  }
  map() = first;
  map().swizzle = amount("64");
  add();
  map() = first;
  map().box[1] = amount("3");
  add();
  map() = first;
  map().pitch[0] = amount("40");
  add();
  map() = first;
  map().extent[1] = amount("19");
  add();
  EXPECT_EQ(texts.size(), 7U);
  map() = first;
  map().name = "renamed";
  add();
  EXPECT_EQ(texts.size(), 7U);
}

// --- Values ---

TEST(TensorMapValue, NeedsADriverThatMakesThem) {
  EXPECT_THROW(require_tensor_maps(Driver{}), std::runtime_error);
}

class MapValues : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { use_fake_gpu(); }

  static fake_gpu::Tile tile_at(const void* value) {
    fake_gpu::Tile tile;
    std::memcpy(&tile, value, sizeof tile);
    return tile;
  }
  CasePlan plan(const Configuration& configuration) {
    return plan_case(cuda_of(problem_), 0, configuration, {fake_gpu_uuid(0), 90, 132});
  }

  search::Problem problem_ = tiles();
  TemporaryFolder folder_;
  Context context_{fake_gpu_uuid(0)};
  SupportKernels support_{context_, 90, folder_.path()};
};

constexpr std::size_t kX = 0, kMap = 2;  // positions among pointers

TEST_F(MapValues, AreOfTheirOwnSet) {
  DeviceArguments arguments(cuda_of(problem_).arguments, plan(tile_of(64)), 7, context_, support_,
                            {});
  arguments.make_sets(3);
  ASSERT_EQ(arguments.sets(), 3U);
  std::set<const void*> seen;
  for (std::size_t set = 0; set < 3; ++set) {
    const auto& pointers = arguments.pointers(set);
    ASSERT_EQ(pointers.size(), 3U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointers[kMap]) % 64, 0U);
    const fake_gpu::Tile tile = tile_at(pointers[kMap]);
    EXPECT_EQ(tile.mark, fake_gpu::kTileMark);
    EXPECT_EQ(std::memcmp(pointers[kX], &tile.tensor, sizeof tile.tensor), 0);
    seen.insert(tile.tensor);
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST_F(MapValues, FollowTheConfiguration) {
  DeviceArguments arguments(cuda_of(problem_).arguments, plan(tile_of(64)), 7, context_, support_,
                            {});
  arguments.make_sets(2);
  ASSERT_TRUE(arguments.adopt(plan(tile_of(128, 8))));
  for (std::size_t set = 0; set < 2; ++set) {
    const fake_gpu::Tile tile = tile_at(arguments.pointers(set)[kMap]);
    EXPECT_EQ(tile.box_less_one[0], 31);
    EXPECT_EQ(tile.box_less_one[1], 7);
    EXPECT_EQ(tile.swizzle, 128);
  }
}

TEST_F(MapValues, FollowAWorkVectorToItsNewPlace) {
  cuda_of(problem_).arguments[0].access = search::Argument::Access::kWork;
  cuda_of(problem_).arguments[0].size = amount("M * PITCH * SLAB_BYTES");
  DeviceArguments arguments(cuda_of(problem_).arguments, plan(tile_of(64)), 7, context_, support_,
                            {});
  ASSERT_TRUE(arguments.adopt(plan(tile_of(128))));
  const fake_gpu::Tile tile = tile_at(arguments.pointers(0)[kMap]);
  EXPECT_EQ(std::memcmp(arguments.pointers(0)[kX], &tile.tensor, sizeof tile.tensor), 0);
}

// Every type is one that the driver knows, with elements of its size.
TEST_F(MapValues, AreOfEveryType) {
  const DeviceBuffer buffer(4096, "a test", context_.stream());
  for (const search::ElementTypeRow& row : search::kElementTypes) {
    PlannedMap map;
    map.type = row.type;
    map.extent = {16};
    map.box = {16};
    const TensorMapValue value = encode(map, buffer.data());
    EXPECT_EQ(tile_at(&value).element_bytes, row.bytes) << row.name;
  }
}

TEST_F(MapValues, ThatTheDriverRefusesAreAnErrorOfItsOwn) {
  PlannedMap map;
  map.name = "crooked";
  map.extent = {16};
  map.box = {16};
  try {
    encode(map, 0x1008);
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), 1);
    EXPECT_THAT(error.what(), StartsWith("cuTensorMapEncodeTiled of tensor map 'crooked': "));
  }
}

// --- Kernels ---

// The kernel compares the address in the map with that of the vector in each of its launches.
class TiledKernel : public ::testing::TestWithParam<const char*> {};

TEST_P(TiledKernel, CopiesByTheMapOfItsConfigurationAndSet) {
  const CudaSetup setup(
      tiles({{"cuda.timing", GetParam()}, {"measure.min_sample_seconds", "1ms"}}));
  CudaTrialBackend backend(setup.evaluator_request());
  for (const std::int64_t slab : {32, 128, 64}) {
    for (const std::int64_t rows : {2, 8}) {
      const search::TrialReport report = setup.evaluate(backend, tile_of(slab, rows));
      const auto* measured = std::get_if<Measured>(&report.outcome);
      ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
      const auto& conditions = measured->measurement.conditions;
      EXPECT_THAT(conditions, ::testing::Contains(::testing::Pair("timing", GetParam())));
      EXPECT_THAT(conditions, ::testing::Contains(::testing::Pair(
                                  "cache", HasSubstr(" sets of arguments in turn"))));
      EXPECT_THAT(measured->measurement.figures[0].values,
                  Each(::testing::DoubleNear(1600.0 / static_cast<double>(slab), 1e-3)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Timing, TiledKernel, ::testing::Values("events", "graph"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Tiles, MapsAloneTellArtifactsApart) {
  const CudaSetup setup(tiles());
  const auto hash = [&](const Configuration& configuration) {
    return std::get<ipc::Artifact>(setup.build(configuration).result).hash;
  };
  EXPECT_NE(hash(tile_of(64, 2, 0)), hash(tile_of(64, 2, 128)));
  EXPECT_EQ(hash(tile_of(64, 2, 0)), hash(tile_of(64, 2, 0)));
}

TEST(Tiles, IsNotBuiltWhereItsMapCannotBe) {
  const CudaSetup setup(tiles());
  const ipc::BuiltReply built = setup.build(tile_of(24));
  const auto* failed = std::get_if<search::BuildFailed>(&built.result);
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message, HasSubstr("tensor map 'x_tiles': swizzle"));
}

TEST(Tiles, WithoutAReferenceTheBaselineWithItsOwnMapIsIt) {
  search::Problem problem = tiles();
  cuda_of(problem).reference = {};
  cuda_of(problem).reference_launches.clear();
  const CudaSetup setup(problem);
  CudaTrialBackend backend(setup.evaluator_request());
  const search::TrialReport report = setup.evaluate(backend, tile_of(128, 8));
  EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome)) << search::describe(report.outcome);
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
