#include "tools/code/code_difference.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace nightshift::tools {
namespace {

using Side = CodeRun::Side;
using Code = std::span<const CodeInstruction>;

bool same(const CodeInstruction& a, const CodeInstruction& b) { return a.normal == b.normal; }

// Runs that are built from single instructions.
class Runs {
 public:
  void add(Side side, std::size_t at, std::size_t count) {
    if (count == 0) return;
    const bool goes_on = !runs_.empty() && runs_.back().side == side &&
                         runs_.back().begin + runs_.back().count == at;
    if (goes_on) {
      runs_.back().count += count;
    } else {
      runs_.push_back({side, at, count});
    }
  }
  std::vector<CodeRun> take() { return std::move(runs_); }

 private:
  std::vector<CodeRun> runs_;
};

// The furthest x on each diagonal after 0, 1, ... edits; the last reaches both ends. nullopt: more
// than kMostEdits are needed.
std::optional<std::vector<std::vector<std::ptrdiff_t>>> reached(Code a, Code b) {
  const auto n = std::ssize(a), m = std::ssize(b);
  std::vector<std::vector<std::ptrdiff_t>> trace;
  for (std::ptrdiff_t d = 0; d <= std::min<std::ptrdiff_t>(n + m, kMostEdits); ++d) {
    std::vector<std::ptrdiff_t> furthest(2 * static_cast<std::size_t>(d) + 1, -1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0) {
        const auto before = [&](std::ptrdiff_t diagonal) {
          const std::ptrdiff_t at = diagonal + d - 1;
          return at < 0 || at >= std::ssize(trace.back()) ? -1 : trace.back()[at];
        };
        const std::ptrdiff_t down = before(k + 1), right = before(k - 1);
        x = k == -d || (k != d && right < down) ? down : right + 1;
      }
      std::ptrdiff_t y = x - k;
      while (x >= 0 && y >= 0 && x < n && y < m && same(a[x], b[y])) ++x, ++y;
      furthest[k + d] = x;
      if (x >= n && y >= m) {
        trace.push_back(std::move(furthest));
        return trace;
      }
    }
    trace.push_back(std::move(furthest));
  }
  return std::nullopt;
}

// Steps from the ends back to the beginnings, as (side, position in that side).
std::vector<std::pair<Side, std::size_t>> steps_back(
    const std::vector<std::vector<std::ptrdiff_t>>& trace, std::ptrdiff_t n, std::ptrdiff_t m) {
  std::vector<std::pair<Side, std::size_t>> steps;
  std::ptrdiff_t x = n, y = m;
  for (auto d = std::ssize(trace) - 1; d > 0; --d) {
    const auto& before = trace[d - 1];
    const auto at = [&](std::ptrdiff_t diagonal) {
      const std::ptrdiff_t i = diagonal + d - 1;
      return i < 0 || i >= std::ssize(before) ? -1 : before[i];
    };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    const std::ptrdiff_t from_x = down ? at(k + 1) : at(k - 1);
    const std::ptrdiff_t from_y = from_x - (down ? k + 1 : k - 1);
    const std::ptrdiff_t snake_x = down ? from_x : from_x + 1;
    while (x > snake_x) --x, --y, steps.emplace_back(Side::kBoth, y);
    steps.emplace_back(down ? Side::kSecond : Side::kFirst, down ? from_y : from_x);
    x = from_x, y = from_y;
  }
  while (x > 0) --x, --y, steps.emplace_back(Side::kBoth, y);
  return steps;
}

}  // namespace

std::vector<CodeRun> difference(const std::vector<CodeInstruction>& first,
                                const std::vector<CodeInstruction>& second) {
  const std::size_t shorter = std::min(first.size(), second.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && same(first[head], second[head])) ++head;
  while (tail < shorter - head &&
         same(first[first.size() - 1 - tail], second[second.size() - 1 - tail])) {
    ++tail;
  }
  const Code a = Code(first).subspan(head, first.size() - head - tail);
  const Code b = Code(second).subspan(head, second.size() - head - tail);
  Runs runs;
  runs.add(Side::kBoth, 0, head);
  if (const auto trace = reached(a, b)) {
    const auto steps = steps_back(*trace, std::ssize(a), std::ssize(b));
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      runs.add(step->first, head + step->second, 1);
    }
  } else {
    runs.add(Side::kFirst, head, a.size());
    runs.add(Side::kSecond, head, b.size());
  }
  runs.add(Side::kBoth, second.size() - tail, tail);
  return runs.take();
}

}  // namespace nightshift::tools
