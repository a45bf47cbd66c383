// Tunes how a matrix is walked through: in blocks, along rows or along columns.
#include <nightshift/tuner.h>

#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kSide = 1024;

double sum_in_blocks(const std::vector<float>& m, std::int64_t block, bool along_rows) {
  double sum = 0;
  for (std::int64_t i = 0; i < kSide; i += block) {
    for (std::int64_t j = 0; j < kSide; j += block) {
      for (std::int64_t a = 0; a < block; ++a) {
        for (std::int64_t b = 0; b < block; ++b) {
          const std::int64_t row = i + (along_rows ? a : b), column = j + (along_rows ? b : a);
          sum += m[static_cast<std::size_t>(row * kSide + column)];
        }
      }
    }
  }
  return sum;
}

// Milliseconds of a few repetitions.
std::vector<double> times(const nightshift::Configuration& c) {
  static const std::vector<float> matrix(kSide * kSide, 1);
  const auto block = std::get<std::int64_t>(c.at("block"));
  const bool along_rows = std::get<std::string>(c.at("along")) == "rows";
  std::vector<double> milliseconds;
  for (int i = 0; i < 7; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    if (sum_in_blocks(matrix, block, along_rows) != kSide * kSide) {
      throw nightshift::Error("the sum is wrong");
    }
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
            .count());
  }
  return milliseconds;
}

}  // namespace

int main() {
  const nightshift::Space space(
      {{"block", {std::int64_t{1024}, std::int64_t{256}, std::int64_t{64}, std::int64_t{16}}},
       {"along", {std::string("columns"), std::string("rows")}}},
      {"block <= 1024"});
  std::printf("%.0f configurations\n", space.size());
  nightshift::TuneOptions options;
  options.name = "blocked-sum";
  options.seconds = 20;
  options.trials = 8;  // all of them
  const nightshift::Tuned tuned = nightshift::tune(space, times, options);
  std::printf("%s: %.3f of the baseline's time [%.3f, %.3f]\n%s\n",
              tuned.accepted ? "accepted" : "not accepted", tuned.ratio, tuned.interval.low,
              tuned.interval.high, tuned.reason.c_str());
  for (const auto& [name, value] : tuned.best) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      std::printf("  %s = %lld\n", name.c_str(), static_cast<long long>(*number));
    } else {
      std::printf("  %s = %s\n", name.c_str(), std::get<std::string>(value).c_str());
    }
  }
}
