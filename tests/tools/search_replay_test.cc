#include "tools/bench/search/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "problems/recorded_space.h"
#include "search/statistics/interval.h"
#include "search/statistics/summary.h"
#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"
#include "tools/bench/search/estimate.h"
#include "tools/bench/search/figures.h"
#include "tools/bench/search/peers.h"
#include "tools/bench/search/replays.h"
#include "tools/bench/search/starts.h"
#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ReplaySpace stencil() { return ReplaySpace::read(problems::data_file("stencil.json")); }

// One parameter x = 0 .. n-1; value 0 is a failure. Every evaluation takes `seconds`.
ReplaySpace made_of(const std::vector<double>& values, const std::vector<double>& milliseconds) {
  std::string list, entries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string x = std::to_string(i), separator = i > 0 ? ", " : "";
    list += separator + x;
    entries += separator + "\"" + x + "\": {\"x\": " + x + ", \"time\": " +
               (values[i] > 0 ? std::to_string(values[i]) : "\"RuntimeFailedConfig\"") +
               ", \"compile_time\": " + std::to_string(milliseconds[i]) + "}";
  }
  const std::string json =
      "{\"kernel_name\": \"made\", \"tune_params_keys\": [\"x\"], "
      "\"tune_params\": {\"x\": [" +
      list + "]}, \"cache\": {" + entries + "}}";
  return ReplaySpace::from_recording(problems::RecordedSpace::parse(json, "made"), "made");
}

ReplaySpace four() { return made_of({8, 0, 2, 4}, {4000, 1000, 1000, 500}); }

template <class Call>
std::string usage_error(Call call) {
  try {
    call();
  } catch (const tools::UsageError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(ReplaySpace, KnowsOptimumFailuresAndBaseline) {
  const ReplaySpace space = stencil();
  EXPECT_EQ(space.name(), "stencil");
  EXPECT_EQ(space.kernel(), "stencil");
  EXPECT_EQ(space.size(), 70U);
  EXPECT_EQ(space.failures(), 4U);
  EXPECT_EQ(space.optimum(), 1.02);
  EXPECT_DOUBLE_EQ(space.baseline_value(), 6.375);  // the file's second: the first failed
}

TEST(ReplaySpace, OfT4IsThatOfTheCache) {
  const ReplaySpace cache = stencil();
  const ReplaySpace t4 = ReplaySpace::read(problems::data_file("stencil.T4.json.gz"));
  EXPECT_EQ(t4.name(), "stencil.T4");
  ASSERT_EQ(t4.sorted_values().size(), cache.sorted_values().size());
  for (std::size_t i = 0; i < t4.sorted_values().size(); ++i) {
    EXPECT_NEAR(t4.sorted_values()[i], cache.sorted_values()[i], 1e-9);
  }
}

TEST(ReplaySpace, NeedsThreeThatWorked) {
  EXPECT_THROW(made_of({8, 0, 2}, {1, 1, 1}), problems::RecordedSpaceError);
}

TEST(ReplaySpace, InertParametersChangeNothing) {
  ReplaySpace space = four();
  space.add_inert(2);
  EXPECT_EQ(space.size(), 4U);
  EXPECT_EQ(space.space().size(), 36U);
  EXPECT_EQ(space.baseline_value(), 8);
  EXPECT_EQ(space.trial(space.in_file_order(3)).value, 4);
  EXPECT_EQ(space.code({18}), space.code({26}));
  EXPECT_NE(space.code({26}), space.code({27}));
}

TEST(Replay, EqualCodeIsBuiltAndNotMeasured) {
  ReplaySpace space = four();
  space.add_inert(1);
  ReplaySettings settings;
  const Replay measured = replay("exhaustive", space, 0, settings);
  EXPECT_THAT(measured.best, ElementsAre(8, 8, 2, 2));
  EXPECT_EQ(measured.builds, 12U);
  settings.counts_builds = true;
  settings.budget = 6;
  const Replay built = replay("exhaustive", space, 0, settings);
  EXPECT_EQ(built.best.size(), 6U);
  EXPECT_EQ(built.builds, 6U);
}

TEST(Replay, KeepsTheBestAndTheClock) {
  const Replay run = replay("exhaustive", four(), 0, {});
  EXPECT_THAT(run.best, ElementsAre(8, 8, 2, 2));
  EXPECT_THAT(run.clock, ElementsAre(4, 5, 6, 6.5));
  EXPECT_EQ(run.failures, 1U);
  EXPECT_EQ(run.overhead.size(), 4U);
}

TEST(Replay, BeforeTheFirstSuccessThereIsNoBest) {
  const Replay run = replay("exhaustive", made_of({0, 3, 2, 1}, {1, 1, 1, 1}), 0, {});
  EXPECT_THAT(run.best, ElementsAre(std::nullopt, 3, 2, 1));
}

TEST(Replay, StopsAtTheBudget) {
  ReplaySettings settings;
  settings.budget = 2;
  EXPECT_EQ(replay("exhaustive", four(), 0, settings).best.size(), 2U);
}

TEST(Replay, TrialsUnderWayEndInTheOrderOfTheirCosts) {
  ReplaySettings settings;
  settings.outstanding = 2;
  // 0 ends at 4 s; beside it 1 from 0 s to 1 s, 2 to 2 s, 3 to 2.5 s.
  const Replay run = replay("exhaustive", four(), 0, settings);
  EXPECT_THAT(run.best, ElementsAre(std::nullopt, 2, 2, 2));
  EXPECT_THAT(run.clock, ElementsAre(1, 2, 2.5, 4));
}

TEST(Replay, OptionsOfASearcherFollowItsName) {
  const ReplaySpace space = stencil();
  ReplaySettings settings;
  settings.budget = 20;
  const auto order = [&](const char* searcher) {
    return replay(searcher, space, 1, settings).order;
  };
  EXPECT_EQ(order("auto:near_baseline=0:roles=true"), order("auto"));
  EXPECT_EQ(order("genetic:crossover=1"), order("genetic"));
  EXPECT_NE(order("auto:near_baseline=4"), order("auto"));
  EXPECT_NE(order("genetic:mutations=2.5:samples=4"), order("genetic"));
}

TEST(Replay, WithNoiseTheConfigurationBelievedBestIsJudgedByItsCleanValue) {
  ReplaySettings settings;
  settings.noise_repeats = 1;
  const ReplaySpace space = stencil();
  const Replay noisy = replay("random", space, 3, settings);
  for (const auto& best : noisy.best) {
    if (!best) continue;
    EXPECT_TRUE(
        std::binary_search(space.sorted_values().begin(), space.sorted_values().end(), *best));
  }
  EXPECT_EQ(noisy.best, replay("random", space, 3, settings).best);
}

TEST(Replays, DoNotDependOnTheNumberOfThreads) {
  std::vector<ReplaySpace> spaces;
  spaces.push_back(stencil());
  ReplaySettings settings;
  settings.outstanding = 3;
  settings.noise_repeats = 2;
  const auto one = replay_all({"random", "pattern"}, spaces, 6, 1, settings);
  const auto many = replay_all({"random", "pattern"}, spaces, 6, 5, settings);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t seed = 0; seed < 6; ++seed) {
      EXPECT_EQ(one[s][0][seed].best, many[s][0][seed].best);
      EXPECT_EQ(one[s][0][seed].clock, many[s][0][seed].clock);
    }
  }
}

TEST(Quantile, InterpolatesAndBearsInfinities) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> four_values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(search::quantile_of(four_values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(search::quantile_of(four_values, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(search::quantile_of(four_values, 1), 4);
  std::vector<double> half = {infinity, 1, 2, infinity};
  EXPECT_EQ(search::quantile_of(half, 0.5), infinity);
  std::vector<double> none = {infinity, infinity};
  EXPECT_EQ(search::quantile_of(none, 0.5), infinity);
}

TEST(Resamples, DrawTwoSearchersInPairs) {
  const Resamples resamples(50, 200, 1);
  std::vector<double> a(50), b(50);
  for (std::size_t i = 0; i < 50; ++i) {
    a[i] = static_cast<double>(i);  // far apart among seeds, one apart within a seed
    b[i] = a[i] + 1;
  }
  const Estimate of_a = resamples.of(a, search::mean_of);
  const Estimate of_b = resamples.of(b, search::mean_of);
  EXPECT_DOUBLE_EQ(of_a.value, 24.5);
  // The standard error of the mean of 0..49 is 14.4 / sqrt(50) = 2.04.
  EXPECT_NEAR(of_a.standard_error(), 2.04, 0.4);
  EXPECT_LT(of_a.interval().low, 24.5);
  const search::Interval paired = difference(of_b, of_a).interval();
  EXPECT_NEAR(paired.low, 1, 1e-9);
  EXPECT_NEAR(paired.high, 1, 1e-9);
}

Replay run_of(const std::vector<std::optional<double>>& best) {
  Replay run;
  run.best = best;
  for (std::size_t i = 0; i < best.size(); ++i) run.clock.push_back(static_cast<double>(i + 1));
  return run;
}

TEST(Figures, AreThoseOfTheRuns) {
  const ReplaySpace space = four();  // optimum 2
  const Runs runs = {run_of({std::nullopt, 4, 2}), run_of({8, 8, 8}), run_of({4})};
  FigureSettings settings;
  settings.budget = 3;
  settings.samples = 20;
  const Figures f = figures_of(space, runs, 0, settings);
  ASSERT_EQ(f.at.size(), 1U);  // at 3: 1, 0.25, 0.5
  EXPECT_DOUBLE_EQ(f.at[0].median.value, 0.5);
  EXPECT_DOUBLE_EQ(f.at[0].mean.value, 1.75 / 3);
  EXPECT_DOUBLE_EQ(f.at[0].lowest_tenth.value, 0.3);
  EXPECT_DOUBLE_EQ(f.hits.value, 1.0 / 3);
  EXPECT_TRUE(std::isinf(f.to_95.value));  // in one run of three
  EXPECT_DOUBLE_EQ(f.evaluations.value, 7.0 / 3);
  EXPECT_THAT(f.every_median, ElementsAre(0.25, 0.5, 0.5));
  EXPECT_EQ(f.curve.size(), 3U);
}

TEST(Figures, OverSpacesAreMeansAndMediansOfEvaluations) {
  const ReplaySpace space = four();
  FigureSettings settings;
  settings.budget = 3;
  settings.samples = 20;
  const Figures best = figures_of(space, {run_of({2, 2, 2}), run_of({2, 2, 2})}, 0, settings);
  const Figures half = figures_of(space, {run_of({4, 4, 4}), run_of({4, 4, 2})}, 1, settings);
  const Figures mean = mean_figures({&best, &half});
  EXPECT_DOUBLE_EQ(mean.at[0].mean.value, (1 + 0.75) / 2);
  EXPECT_EQ(best.to_95.value, 1);
  EXPECT_TRUE(std::isinf(half.to_95.value));
  EXPECT_TRUE(std::isinf(mean.to_95.value));
}

TEST(Figures, CheckpointsEndWithTheBudget) {
  EXPECT_THAT(checkpoints(400), ElementsAre(25, 50, 100, 200, 400));
  EXPECT_THAT(checkpoints(60), ElementsAre(25, 50, 60));
  EXPECT_THAT(checkpoints(1000), ElementsAre(25, 50, 100, 200, 400, 1000));
  EXPECT_EQ(logarithmic_places(400, 60).front(), 1U);
  EXPECT_EQ(logarithmic_places(400, 60).back(), 400U);
}

TEST(Peers, AreReplayedFromPositionsInTheFile) {
  const problems::ScratchFolder folder;
  const std::string file = folder.write("peers.json", R"({"peers": [
      {"name": "kt:x", "spaces": {"made": [[3, 1, 2], [0]], "elsewhere": [[99]]}},
      {"name": "kt:y", "spaces": {"elsewhere": [[99]]}}]})");
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  const std::vector<PeerRuns> peers = read_peers({file}, spaces, 400);
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].name, "kt:x");
  EXPECT_THAT(peers[0].spaces[0][0].best, ElementsAre(4, 4, 2));
  EXPECT_THAT(peers[0].spaces[0][0].clock, ElementsAre(0.5, 1.5, 2.5));
  EXPECT_EQ(peers[0].spaces[0][0].failures, 1U);
  EXPECT_THAT(peers[0].spaces[0][1].best, ElementsAre(8));
  EXPECT_EQ(read_peers({file}, spaces, 2)[0].spaces[0][0].best.size(), 2U);
}

TEST(Starts, AreProposedFirstByTheirPositionsInTheFile) {
  const problems::ScratchFolder folder;
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  spaces.push_back(stencil());
  read_starts(folder.write("starts.json", R"({"made": [3, 2], "elsewhere": [0]})"), spaces);
  EXPECT_THAT(replay("exhaustive", spaces[0], 0, {}).best, ElementsAre(4, 2, 2, 2));
  EXPECT_TRUE(spaces[1].starts().empty());
  ReplaySettings settings;
  settings.tell_starts = false;
  EXPECT_THAT(replay("exhaustive", spaces[0], 0, settings).best, ElementsAre(8, 8, 2, 2));
}

TEST(Expected, IsWhereASearcherBegins) {
  const problems::ScratchFolder folder;
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  spaces.push_back(stencil());
  ReplaySettings settings;
  settings.tell_baseline = false;
  for (const char* x : {"2", "3"}) {
    read_expected(
        folder.write("e.json", R"({"made": "1 if x == )" + std::string(x) + R"( else 9"})"),
        spaces);
    EXPECT_EQ(replay("auto", spaces[0], 0, settings).best.front(), x == std::string("2") ? 2 : 4);
  }
  EXPECT_TRUE(spaces[1].expected().factors.empty());
}

TEST(Expected, MistakesNameTheFile) {
  const problems::ScratchFolder folder;
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  const auto message_of = [&](const std::string& json) {
    return usage_error([&] { read_expected(folder.write("e.json", json), spaces); });
  };
  EXPECT_THAT(message_of(R"({"made": "y * 2"})"),
              HasSubstr("e.json: the expected cost of made is over 'y', which is no parameter"));
  EXPECT_THAT(message_of(R"({"made": "(x"})"), HasSubstr("e.json: the expected cost of made: "));
  EXPECT_THAT(message_of(R"({"made": 5})"), HasSubstr("e.json: "));
  EXPECT_THAT(message_of(R"({"other": "1"})"), HasSubstr("e.json: it names none of the spaces"));
}

TEST(Starts, MistakesNameTheFile) {
  const problems::ScratchFolder folder;
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  const auto message_of = [&](const std::string& json) {
    return usage_error([&] { read_starts(folder.write("s.json", json), spaces); });
  };
  EXPECT_THAT(message_of(R"({"made": [4]})"), HasSubstr("s.json: position 4 of made is not there"));
  EXPECT_THAT(message_of(R"({"made": [1, 1]})"),
              HasSubstr("s.json: position 1 of made is there twice"));
  EXPECT_THAT(message_of(R"({"made": ["x"]})"), HasSubstr("s.json: "));
  EXPECT_THAT(message_of(R"({"other": [1]})"), HasSubstr("s.json: it names none of the spaces"));
  EXPECT_THAT(message_of("[1]"), HasSubstr("s.json: "));
  EXPECT_THAT(message_of("{"), HasSubstr("s.json: "));
  EXPECT_THROW(read_starts(folder.path("none.json"), spaces), tools::UsageError);
}

TEST(Peers, MistakesNameTheFile) {
  const problems::ScratchFolder folder;
  std::vector<ReplaySpace> spaces;
  spaces.push_back(four());
  const auto complaint = [&](const std::string& runs) -> std::string {
    try {
      const std::string file = folder.write(
          "p.json", R"({"peers": [{"name": "kt:x", "spaces": {"made": )" + runs + "}}]}");
      read_peers({file}, spaces, 400);
    } catch (const tools::UsageError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint("[[4]]"), HasSubstr("position 4 of made is not there"));
  EXPECT_THAT(complaint("[[1, 1]]"), HasSubstr("position 1 of made is there twice in a run"));
  EXPECT_THAT(complaint("[[\"a\"]]"), HasSubstr("p.json"));
  EXPECT_THAT(complaint("["), HasSubstr("p.json"));
  EXPECT_THROW(read_peers({folder.path("none.json")}, spaces, 400), tools::UsageError);
}

// Random search against Kernel Tuner 1.4.0's random_sample: the mean fractions of the optimum over
// 60 repeats at 25, 50, 100, 200 and 400 evaluations. Both are means of 60 runs.
void agrees_with_published(const std::string& file, const std::vector<double>& published) {
  const std::string path = problems::published_space(file);
  if (path.empty()) GTEST_SKIP() << file << " is not here: the published figures are not compared";
  std::vector<ReplaySpace> spaces;
  spaces.push_back(ReplaySpace::read(path));
  const auto runs = replay_all({"random"}, spaces, 60, 2, {});
  const Figures figures = figures_of(spaces[0], runs[0][0], 0, {});
  for (std::size_t c = 0; c < published.size(); ++c) {
    const Estimate& mean = figures.at[c].mean;
    const double error = std::max(mean.standard_error(), 1e-3) * std::sqrt(2.0);
    EXPECT_NEAR(mean.value, published[c], 4 * error) << "checkpoint " << c;
    const double exact = expected_random_fraction(spaces[0], checkpoints(400)[c]);
    EXPECT_NEAR(mean.value, exact, 4 * std::max(mean.standard_error(), 1e-3)) << c;
  }
}

TEST(PublishedFigures, RandomOnConvolutionA100) {
  agrees_with_published("convolution-A100.json.gz", {0.610, 0.661, 0.707, 0.754, 0.810});
}
TEST(PublishedFigures, RandomOnConvolutionMI250X) {
  agrees_with_published("convolution-MI250X.json.gz", {0.448, 0.578, 0.701, 0.808, 0.887});
}
TEST(PublishedFigures, RandomOnDedispersionW6600) {
  agrees_with_published("dedispersion-W6600.json.gz", {0.886, 0.914, 0.931, 0.946, 0.958});
}

}  // namespace
}  // namespace nightshift::bench
