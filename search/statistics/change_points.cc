#include "search/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/rng.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

struct Segment {
  std::size_t begin = 0, end = 0;
};
struct Split {
  std::size_t first = 0;  // of the right side; 0: there is none
  double statistic = 0;
};

double pairs_of(std::size_t n) { return static_cast<double>(n) * static_cast<double>(n - 1) / 2; }

// Sums of distances from `at` to the values before it and behind it, within the segment.
struct Reach {
  double before = 0, behind = 0;
};
Reach reach_of(const std::vector<double>& values, const Segment& segment, std::size_t at) {
  Reach reach;
  for (std::size_t i = segment.begin; i < at; ++i) reach.before += std::abs(values[i] - values[at]);
  for (std::size_t i = at + 1; i < segment.end; ++i) {
    reach.behind += std::abs(values[i] - values[at]);
  }
  return reach;
}

// All sums of a division follow from those of the one before it: one value changes its side.
Split best_split(const std::vector<double>& values, const Segment& segment, std::size_t shortest) {
  Split best;
  const std::size_t count = segment.end - segment.begin;
  if (count < 2 * shortest) return best;
  double between = 0, left = 0, right = 0;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    right += reach_of(values, segment, i).behind;
  }
  for (std::size_t at = segment.begin; at + 1 < segment.end; ++at) {
    const Reach reach = reach_of(values, segment, at);
    between += reach.behind - reach.before;
    left += reach.before;
    right -= reach.behind;
    const std::size_t m = at + 1 - segment.begin, n = segment.end - at - 1;
    if (m < shortest || n < shortest) continue;
    const auto a = static_cast<double>(m), b = static_cast<double>(n);
    const double energy = 2 * between / (a * b) - left / pairs_of(m) - right / pairs_of(n);
    const double statistic = a * b / (a + b) * energy;
    if (best.first == 0 || statistic > best.statistic) best = {at + 1, statistic};
  }
  return best;
}

Split best_split(const std::vector<double>& values, const std::vector<Segment>& segments,
                 std::size_t shortest) {
  Split best;
  for (const Segment& segment : segments) {
    const Split split = best_split(values, segment, shortest);
    if (split.first != 0 && (best.first == 0 || split.statistic > best.statistic)) best = split;
  }
  return best;
}

void shuffle_within(std::vector<double>& values, const std::vector<Segment>& segments,
                    base::Rng& rng) {
  for (const Segment& s : segments) {
    for (std::size_t i = s.end - s.begin; i > 1; --i) {
      std::swap(values[s.begin + i - 1], values[s.begin + rng.below(i)]);
    }
  }
}

// Rounding must not tell a permutation from the order that it repeats.
constexpr double kRounding = 1e-9;

double p_value_of(const std::vector<double>& values, const std::vector<Segment>& segments,
                  const Split& found, const ChangeSearch& search, base::Rng& rng) {
  std::vector<double> shuffled = values;
  int reached = 0;
  for (int i = 0; i < search.permutations; ++i) {
    shuffle_within(shuffled, segments, rng);
    const Split other = best_split(shuffled, segments, search.shortest);
    reached += other.statistic >= found.statistic - kRounding * std::abs(found.statistic) ? 1 : 0;
  }
  return (1.0 + reached) / (1.0 + search.permutations);
}

double median_between(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return median_of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                    values.begin() + static_cast<std::ptrdiff_t>(end)});
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& all, const ChangeSearch& search) {
  const std::size_t skipped = all.size() - std::min(all.size(), search.longest);
  const std::vector<double> values(all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end());
  std::vector<Segment> segments = {{0, values.size()}};
  std::vector<ChangePoint> found;
  base::Rng rng(search.seed);
  while (true) {
    const Split split = best_split(values, segments, search.shortest);
    if (split.first == 0 || split.statistic <= 0) break;
    const double p = p_value_of(values, segments, split, search, rng);
    if (p > search.level) break;
    const auto divided = std::ranges::find_if(
        segments, [&](const Segment& s) { return s.begin < split.first && split.first < s.end; });
    const std::size_t end = std::exchange(divided->end, split.first);
    segments.insert(divided + 1, {split.first, end});
    found.push_back({split.first, 0, 0, p});
  }
  std::ranges::sort(found, {}, &ChangePoint::first);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = segments[i].begin, end = segments[i + 1].end;
    found[i].before = median_between(values, begin, found[i].first);
    found[i].after = median_between(values, found[i].first, end);
    found[i].first += skipped;
  }
  return found;
}

}  // namespace nightshift::search
