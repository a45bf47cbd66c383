#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"

namespace nightshift::bench {

// What a device adds to the logarithm of a time, evaluation by evaluation. 0.03 of noise = 3 %.
enum class Noise : std::uint8_t {
  kIid1,      // normal, 1 %
  kIid3,      // 3 %
  kIid5,      // 5 %
  kDrift,     // AR(1), phi 0.98, sd 3 %, and 1 % white
  kBimodal,   // 30 % of the time 6 % slower, for 20 evaluations on average, and 1 % white
  kSpiky,     // 2 % white, and 5 % of the evaluations an exponential of mean 20 % on top
  kRecorded,  // medians of 25 launches in a row of a recorded kernel
};
struct NoiseModel {
  std::string name;
  Noise kind = Noise::kIid1;
  // kRecorded: for each device a series of logarithms, centred.
  std::shared_ptr<const std::vector<std::vector<double>>> series;
};

std::vector<NoiseModel> simulated_models();
// One for each kernel of a table with columns gpu,repetition,kernel,launch,time_us (plain or
// gzip). Throws std::runtime_error.
std::vector<NoiseModel> recorded_models(const std::string& file);

// One device: 4 % of standard deviation between devices, and the model's noise.
class NoisyDevice {
 public:
  NoisyDevice(const NoiseModel& model, int device, std::uint64_t seed);
  // Time of the next evaluation of something whose effect is ln(baseline) - ln(it).
  double evaluation(double effect);
  void pass(int evaluations) {
    for (int i = 0; i < evaluations; ++i) evaluation(0);
  }

 private:
  double noise();

  const NoiseModel& model_;
  base::Rng rng_;
  double offset_;
  double level_ = 0;   // of the drift
  bool slow_ = false;  // bimodal
  const std::vector<double>* series_ = nullptr;
  std::size_t next_ = 0;
};

}  // namespace nightshift::bench
