#include "tools/bench/accept/noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "problems/recorded_space.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

constexpr double kBetweenDevices = 0.04;
constexpr std::size_t kLaunchesPerEvaluation = 25;

}  // namespace

std::vector<NoiseModel> simulated_models() {
  return {{"iid 1 %", Noise::kIid1, {}},    {"iid 3 %", Noise::kIid3, {}},
          {"iid 5 %", Noise::kIid5, {}},    {"drift", Noise::kDrift, {}},
          {"bimodal", Noise::kBimodal, {}}, {"spiky", Noise::kSpiky, {}}};
}

std::vector<NoiseModel> recorded_models(const std::string& file) {
  std::istringstream rows(problems::read_maybe_gzip(file));
  std::string line;
  std::getline(rows, line);
  if (line.find("gpu,repetition,kernel,launch,time_us") != 0) {
    throw std::runtime_error(file +
                             ": the first line must be gpu,repetition,kernel,launch,time_us");
  }
  // kernel -> gpu -> launches in a row; a repetition is a process of its own.
  std::map<std::string, std::map<std::string, std::vector<double>>> launches, evaluations;
  std::map<std::string, std::string> repetition_of;
  while (std::getline(rows, line)) {
    std::istringstream cells(line);
    std::string gpu, repetition, kernel, launch, time;
    std::getline(cells, gpu, ',');
    std::getline(cells, repetition, ',');
    std::getline(cells, kernel, ',');
    std::getline(cells, launch, ',');
    std::getline(cells, time);
    std::vector<double>& block = launches[kernel][gpu];
    std::string& current = repetition_of[kernel + "/" + gpu];
    if (current != repetition) block.clear();
    current = repetition;
    block.push_back(std::stod(time));
    if (block.size() < kLaunchesPerEvaluation) continue;
    evaluations[kernel][gpu].push_back(std::log(search::median_of(block)));
    block.clear();
  }
  std::vector<NoiseModel> models;
  for (auto& [kernel, gpus] : evaluations) {
    auto series = std::make_shared<std::vector<std::vector<double>>>();
    for (auto& [gpu, values] : gpus) {
      const double centre = search::mean_of(values);
      for (double& v : values) v -= centre;
      series->push_back(std::move(values));
    }
    models.push_back({"H200 " + kernel, Noise::kRecorded, std::move(series)});
  }
  return models;
}

NoisyDevice::NoisyDevice(const NoiseModel& model, int device, std::uint64_t seed)
    : model_(model),
      rng_(base::mix_seed(seed, static_cast<std::uint64_t>(device))),
      offset_(kBetweenDevices * rng_.normal()) {
  level_ = 0.03 * rng_.normal();
  slow_ = rng_.uniform() < 0.3;
  if (model.kind != Noise::kRecorded) return;
  series_ = &(*model.series)[static_cast<std::size_t>(device) % model.series->size()];
  next_ = rng_.below(series_->size());
}

double NoisyDevice::noise() {
  switch (model_.kind) {
    case Noise::kIid1:
      return 0.01 * rng_.normal();
    case Noise::kIid3:
      return 0.03 * rng_.normal();
    case Noise::kIid5:
      return 0.05 * rng_.normal();
    case Noise::kDrift:
      level_ = 0.98 * level_ + std::sqrt(1 - 0.98 * 0.98) * 0.03 * rng_.normal();
      return level_ + 0.01 * rng_.normal();
    case Noise::kBimodal:
      // Dwells 20 evaluations when slow; 20 * 7/3 when not, so that 30 % are slow.
      if (rng_.uniform() < (slow_ ? 1.0 / 20 : 3.0 / 140)) slow_ = !slow_;
      return (slow_ ? 0.06 : 0) + 0.01 * rng_.normal();
    case Noise::kSpiky:
      return 0.02 * rng_.normal() +
             (rng_.uniform() < 0.05 ? -0.2 * std::log(1 - rng_.uniform()) : 0);
    case Noise::kRecorded:
      next_ = (next_ + 1) % series_->size();
      return (*series_)[next_];
  }
  return 0;
}

double NoisyDevice::evaluation(double effect) { return std::exp(offset_ + noise() - effect); }

}  // namespace nightshift::bench
