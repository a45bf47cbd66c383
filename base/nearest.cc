#include "base/nearest.h"

#include <algorithm>

#include "base/text.h"

namespace nightshift::base {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // longer words are no slips of the pen
  if (word.empty() || word.size() > kLongest) return "";
  const std::string wanted = in_small_letters(word);
  const std::size_t allowed = wanted.size() < 3 ? 0 : std::max<std::size_t>(1, wanted.size() / 3);
  std::string best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& name : known) {
    if (name.size() > wanted.size() + allowed || name.size() + allowed < wanted.size()) continue;
    const std::size_t distance = edit_distance(wanted, in_small_letters(name));
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace nightshift::base
