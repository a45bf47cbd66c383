#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::search {

enum class Direction { kMinimise, kMaximise };

// How the scores of several objectives become one. kWeighted: their weighted geometric mean.
// kEfficiency: speed-up times compression over 1 + |change of accuracy|; the roles say which is
// which.
enum class Scalarisation : std::uint8_t { kWeighted, kEfficiency };
enum class Role : std::uint8_t { kNone, kTime, kSize, kAccuracy };
// Which figure of an evaluation's samples counts.
enum class Statistic : std::uint8_t { kMedian, kMean, kP95, kP99, kTrimmedMean, kMin, kMax };
inline constexpr std::array kStatistics = {
    Statistic::kMedian,      Statistic::kMean, Statistic::kP95, Statistic::kP99,
    Statistic::kTrimmedMean, Statistic::kMin,  Statistic::kMax};
// The more samples there are, the further out it is: only equal numbers of them compare.
constexpr bool is_extreme(Statistic s) { return s == Statistic::kMin || s == Statistic::kMax; }
inline std::string_view name_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::kMean:
      return "mean";
    case Statistic::kP95:
      return "p95";
    case Statistic::kP99:
      return "p99";
    case Statistic::kTrimmedMean:
      return "trimmed-mean";
    case Statistic::kMin:
      return "min";
    case Statistic::kMax:
      return "max";
    case Statistic::kMedian:
      break;
  }
  return "median";
}

inline std::string_view name_of(Role role) {
  switch (role) {
    case Role::kTime:
      return "time";
    case Role::kSize:
      return "size";
    case Role::kAccuracy:
      return "accuracy";
    case Role::kNone:
      break;
  }
  return "none";
}

// A figure that is to become better, or that has to keep within a limit. What the objectives of a
// problem mean together is said by Scoring (search/scoring.h).
struct Objective {
  std::string name = "time";
  std::string unit = "ms";
  Direction direction = Direction::kMinimise;
  std::optional<double> weight = std::nullopt;  // > 0; for kWeighted
  Role role = Role::kNone;                      // for kEfficiency
  Statistic statistic = Statistic::kMedian;     // of p95 and p99 the bad side: low where maximised
  // Limits in the objective's unit: a trial beyond one is no candidate, however good the rest is.
  std::optional<double> at_most = std::nullopt;
  std::optional<double> at_least = std::nullopt;
  // Above 0: figures may have any sign, and are compared by their difference over this instead of
  // by their ratio, whose logarithm the difference then stands for: a figure that is better by 1 %
  // of it scores as one whose ratio is better by 1 %. For figures that nothing may be divided by.
  double difference_scale = 0;

  friend bool operator==(const Objective&, const Objective&) = default;
};

inline bool is_difference(const Objective& o) { return o.difference_scale > 0; }
// Candidate less baseline, in the objective's unit, of such a figure whose score is `ratio`.
inline double difference_of(const Objective& o, double ratio) {
  const double scaled = std::log(ratio) * o.difference_scale;
  return o.direction == Direction::kMinimise ? scaled : -scaled;
}
inline bool is_limited(const Objective& o) { return o.at_most || o.at_least; }

// Whether `value` is more than `limit`, beside what conversions round: 2300 ns are 2.3 us.
inline bool is_beyond(double value, double limit) {
  constexpr double kRoundings = 4;
  return value - limit > kRoundings * std::numeric_limits<double>::epsilon() * std::abs(limit);
}

// What the figures of several cases are together. kWorst: the figure is their geometric mean, and
// the score is that of the case in which the configuration does worst by the baseline.
enum class Aggregate : std::uint8_t { kGeometricMean, kSum, kWorst };

// The cases of a problem, whatever it is made of; those of sizes stand in its backend.
struct CaseTerms {
  Aggregate aggregate = Aggregate::kGeometricMean;
  std::vector<std::string> names;  // for people; fewer than two: there is one case
  std::vector<double> weights;     // one for each, > 0; empty: all count alike
};

inline bool has_cases(const CaseTerms& terms) { return terms.names.size() > 1; }
// A score is that of the worst case, which needs the baseline's figure of each.
inline bool judges_worst(const CaseTerms& terms) {
  return has_cases(terms) && terms.aggregate == Aggregate::kWorst;
}

}  // namespace nightshift::search
