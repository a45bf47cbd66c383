#pragma once

#include <cmath>
#include <map>
#include <string>

namespace nightshift::scheduler {

// Which movements of a device's baseline are worth telling: a level may be shown to have moved by
// less than anybody asks for.
class LevelNews {
 public:
  // `least`: as a share of the level (acceptance.min_improvement).
  explicit LevelNews(double least) : least_(least) {}

  // What others are compared with; the first of a device.
  void begins_at(const std::string& device, double level) { told_.emplace(device, level); }
  // Whether `level` is so far from what was told last; then it is told.
  bool is_news(const std::string& device, double level) {
    double& told = told_.emplace(device, level).first->second;
    const bool have_ratio = told > 0 && level > 0;
    if (have_ratio && std::fabs(std::log(level / told)) <= std::log1p(least_)) return false;
    told = level;
    return true;
  }

 private:
  double least_;
  std::map<std::string, double> told_;
};

}  // namespace nightshift::scheduler
