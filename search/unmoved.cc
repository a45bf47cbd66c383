#include "search/unmoved.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "base/rng.h"
#include "search/importance/one_code.h"
#include "search/statistics/distributions.h"
#include "search/value.h"

namespace nightshift::search {
namespace {

constexpr double kChance = 0.01;         // of the scatter within groups, by its errors alone
constexpr double kFarApart = 2.6;        // standard errors of a value's mean; 1 % of normal ones
constexpr int kFewestRepeats = 3;        // of a baseline, before its scatter counts
constexpr double kBoundQuantile = 1.96;  // of what a value may yet differ by

bool same(const Figures& a, const Figures& b) {
  return std::ranges::equal(a, b, {}, &Figure::value, &Figure::value);
}

std::string configurations_text(std::size_t count) {
  return std::to_string(count) + " configurations";
}

}  // namespace

// Points that differ in one parameter alone.
struct Unmoved::Groups {
  std::size_t compared = 0;  // with another one of their group, besides the first ones
  bool same_code = true, same_figures = true;
  // Of what has a level in each group, what is left of it without the group's mean.
  struct Residual {
    std::uint64_t value = 0;
    double residual = 0, variance = 0;
  };
  std::vector<Residual> residuals;
  double scatter = 0;  // sum of squares over variances
  double freedom = 0;

  double floor = 0;  // of variances, see variance_of()

  void add(const std::vector<const Point*>& group, std::size_t parameter);
  // Of a level, whose evaluation and whose baseline scatter as baselines do at least.
  double variance_of(const Known& known) const { return std::max(known.variance, floor) + floor; }
  // What values may yet differ by, as a share; 1 where they do differ, or nothing is known.
  double bound() const;
};

Unmoved::Unmoved(const Problem& problem) : problem_(problem), scoring_(problem) {}

// --- What was measured ---

Unmoved::Known Unmoved::known_of(const std::string& device, const Measurement& measurement) const {
  Known known;
  const auto figures = scoring_.figures_of(measurement);
  if (!figures || measurement.censored) return known;
  for (const std::size_t i : scoring_.sought()) known.figures.push_back((*figures)[i]);
  const Figure& first = known.figures.front();
  const auto repeats = repeats_.find(device);
  if (!(first.value > 0) || repeats == repeats_.end()) return known;
  known.is_level = true;
  known.level = std::log(first.value) - repeats->second.last;
  known.variance = std::pow(first.standard_error / first.value, 2);
  return known;
}

void Unmoved::baseline_measured(TrialId trial, const std::string& device,
                                const Measurement& measurement) {
  if (points_.size() >= kMost) return;
  Known known = known_of(device, measurement);
  if (known.figures.empty()) return;
  baselines_.push_back(known.figures);
  if (known.figures.front().value > 0) {
    const double level = std::log(known.figures.front().value);
    Repeats& r = repeats_[device];
    if (r.count++ == 0) r.first = level;
    r.last = level;
    r.sum += level - r.first;
    r.squares += std::pow(level - r.first, 2);
  }
  known_[trial.value] = std::move(known);
}

void Unmoved::measured(TrialId trial, const Configuration& configuration, const std::string& device,
                       const Measurement& measurement) {
  if (points_.size() >= kMost) return;
  Known known = known_of(device, measurement);
  if (known.figures.empty()) return;
  known_[trial.value] = known;
  add(configuration, trial, std::move(known));
}

void Unmoved::skipped(const Configuration& configuration, TrialId twin) {
  const auto found = known_.find(twin.value);
  add(configuration, twin, found == known_.end() ? Known{} : found->second);
}

void Unmoved::add(const Configuration& configuration, TrialId code, Known known) {
  if (points_.size() >= kMost) return;
  Point point;
  for (const Parameter& parameter : problem_.parameters) {
    const Value* value = configuration.find(parameter.name);
    const std::size_t text = std::hash<std::string>()(value == nullptr ? "" : to_json(*value));
    point.values.push_back(base::mix_seed(point.values.size() + 1, text));
    point.all += point.values.back();
  }
  point.code = code.value;
  point.known = std::move(known);
  points_.push_back(std::move(point));
}

double Unmoved::repeat_variance() const {
  double squares = 0;
  int freedom = 0;
  for (const auto& [device, r] : repeats_) {
    if (r.count < kFewestRepeats) continue;
    squares += r.squares - r.sum * r.sum / r.count;
    freedom += r.count - 1;
  }
  return freedom > 0 ? std::max(squares, 0.0) / freedom : 0;
}

// --- Figures ---

std::string one_code_words(std::size_t configurations) {
  return one_code_words("all " + configurations_text(configurations));
}

bool Unmoved::is_one_code() const {
  const auto differs = [&](const Point& point) { return point.code != points_.front().code; };
  return points_.size() >= kFew && std::ranges::none_of(points_, differs);
}

bool Unmoved::is_constant(std::size_t sought) const {
  if (baselines_.empty()) return false;
  const double value = baselines_.front()[sought].value;
  const auto differs = [&](const Figures& f) { return f[sought].value != value; };
  if (std::ranges::any_of(baselines_, differs)) return false;
  std::size_t count = 0;
  for (const Point& point : points_) {
    if (point.known.figures.empty()) continue;
    if (differs(point.known.figures)) return false;
    ++count;
  }
  return count >= kFew;
}

std::string Unmoved::constant_text(std::size_t sought) const {
  if (is_one_code()) return one_code_words(points_.size());
  const Objective& objective = scoring_.all()[scoring_.sought()[sought]];
  char value[64];
  std::snprintf(value, sizeof value, "%.6g", baselines_.front()[sought].value);
  return "'" + objective.name + "' is " + value +
         (objective.unit.empty() ? "" : " " + objective.unit) + " in the baseline and in all " +
         configurations_text(points_.size()) +
         ", to the last digit: either nothing that was tried matters to it, or the program does "
         "not "
         "get the parameters, or prints something else";
}

std::string Unmoved::constant() const {
  for (std::size_t i = 0; i < scoring_.sought().size(); ++i) {
    if (!is_constant(i)) return "";
  }
  return constant_text(0);
}

// --- Parameters ---

void Unmoved::Groups::add(const std::vector<const Point*>& group, std::size_t parameter) {
  double weights = 0, sum = 0;
  std::size_t levels = 0;
  for (const Point* point : group) {
    const Point& first = *group.front();
    const bool twin = point->code == first.code;
    same_code = same_code && twin;
    const bool unknown = point->known.figures.empty() || first.known.figures.empty();
    same_figures =
        same_figures && (twin || (!unknown && same(point->known.figures, first.known.figures)));
    const double variance = variance_of(point->known);
    if (!point->known.is_level || !(variance > 0)) continue;
    weights += 1 / variance;
    sum += point->known.level / variance;
    ++levels;
  }
  compared += group.size() - 1;
  if (levels < 2) return;
  for (const Point* point : group) {
    const double variance = variance_of(point->known);
    if (!point->known.is_level || !(variance > 0)) continue;
    const double residual = point->known.level - sum / weights;
    residuals.push_back({point->values[parameter], residual, variance});
    scatter += residual * residual / variance;
  }
  freedom += static_cast<double>(levels - 1);
}

double Unmoved::Groups::bound() const {
  const double far = 1;
  if (freedom < kFew || chi_squared_upper_tail(scatter, freedom) < kChance) return far;
  std::map<std::uint64_t, std::pair<double, double>> sums;  // by value: of residuals, of weights
  for (const Residual& r : residuals) {
    sums[r.value].first += r.residual / r.variance;
    sums[r.value].second += 1 / r.variance;
  }
  double bound = 0;
  for (const auto& [value, sum] : sums) {
    const double mean = std::abs(sum.first / sum.second), error = std::sqrt(1 / sum.second);
    if (mean > kFarApart * error) return far;
    bound = std::max(bound, mean + kBoundQuantile * error);
  }
  return bound;
}

Unmoved::Groups Unmoved::groups_of(std::size_t parameter) const {
  std::vector<std::pair<std::uint64_t, const Point*>> keyed;
  keyed.reserve(points_.size());
  for (const Point& point : points_)
    keyed.emplace_back(point.all - point.values[parameter], &point);
  std::ranges::sort(keyed);  // within a group in the order of the points
  Groups groups;
  groups.floor = repeat_variance();
  std::vector<const Point*> group;
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    group.push_back(keyed[i].second);
    if (i + 1 < keyed.size() && keyed[i + 1].first == keyed[i].first) continue;
    if (group.size() > 1) groups.add(group, parameter);
    group.clear();
  }
  return groups;
}

std::string Unmoved::idle_text(std::size_t parameter, bool is_over) const {
  const Groups groups = groups_of(parameter);
  if (groups.compared < kFew) return "";
  const std::string& name = problem_.parameters[parameter].name;
  const std::string differing =
      configurations_text(groups.compared) + " that differ from others in it alone have ";
  const std::string nothing =
      "'" + name + (is_over ? "' changed nothing: " : "' changes nothing so far: ") + differing;
  if (groups.same_code) return nothing + "their machine code";
  if (groups.same_figures) return nothing + "their figures to the last digit";
  // Of the only parameter the result of the study says as much.
  const bool is_alone = problem_.parameters.size() < 2 || scoring_.sought().size() > 1;
  const double bound = is_alone ? 1 : groups.bound();
  if (bound > kNegligible) return "";
  char share[32];
  std::snprintf(share, sizeof share, "%.2g %%", 100 * bound);
  return "'" + name + "' seems to change nothing: " + differing +
         "their figures within the noise, which would hide no more than " + share;
}

std::vector<Unmoved::Observation> Unmoved::observations(bool is_over) const {
  std::vector<Observation> list;
  std::size_t constants = 0;
  for (std::size_t i = 0; i < scoring_.sought().size(); ++i) {
    if (!is_constant(i)) continue;
    list.push_back({scoring_.all()[scoring_.sought()[i]].name, constant_text(i)});
    ++constants;
  }
  if (constants == scoring_.sought().size()) return list;  // the parameters go without saying
  if (is_one_code()) return {{problem_.name, one_code_words(points_.size())}};
  for (std::size_t p = 0; p < problem_.parameters.size(); ++p) {
    std::string words = idle_text(p, is_over);
    if (!words.empty()) list.push_back({problem_.parameters[p].name, std::move(words)});
  }
  return list;
}

}  // namespace nightshift::search
