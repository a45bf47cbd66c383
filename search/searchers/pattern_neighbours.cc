#include "search/searchers/pattern_neighbours.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "search/model/one_hot.h"

namespace nightshift::search {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

bool names_a_block(std::string_view name) {
  constexpr std::array<std::string_view, 5> kParts = {"block", "tile", "wg", "workgroup", "chunk"};
  constexpr std::array<std::string_view, 6> kWhole = {"bx", "by", "bz", "bm", "bn", "bk"};
  const std::string low = lower(name);
  return std::ranges::any_of(
             kParts, [&](std::string_view part) { return low.find(part) != std::string::npos; }) ||
         std::ranges::find(kWhole, low) != kWhole.end();
}

bool names_warps(std::string_view name) { return lower(name).find("warps") != std::string::npos; }

}  // namespace

PatternNeighbours::PatternNeighbours(const ParameterSpace& space) {
  std::vector<std::size_t> geometric, numbers;
  for (std::size_t k = 0; k < space.parameters().size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    const ParameterKind kind = kind_of(parameter);
    counts_.push_back(static_cast<std::uint32_t>(parameter.values.size()));
    ordered_.push_back(kind != ParameterKind::kChoice);
    if (parameter.values.size() < 2) continue;
    free_.push_back(k);
    if (kind == ParameterKind::kChoice) continue;
    if (names_warps(parameter.name)) {
      warps_ = k;
      continue;
    }
    if (names_a_block(parameter.name)) block_sizes_.push_back(k);
    if (kind == ParameterKind::kGeometric) geometric.push_back(k);
    numbers.push_back(k);
  }
  if (block_sizes_.empty()) block_sizes_ = geometric.empty() ? numbers : geometric;
}

std::vector<std::uint32_t> PatternNeighbours::around(std::size_t parameter, std::uint32_t digit,
                                                     std::uint32_t radius) const {
  const std::uint32_t last = counts_[parameter] - 1;
  if (!ordered_[parameter]) radius = last;
  std::vector<std::uint32_t> digits;
  for (std::uint32_t d = digit - std::min(digit, radius); d <= last && d <= digit + radius; ++d) {
    if (d != digit) digits.push_back(d);
  }
  return digits;
}

std::vector<std::vector<std::uint32_t>> PatternNeighbours::steps(
    std::span<const std::uint32_t> from) const {
  const std::vector<std::uint32_t> base(from.begin(), from.end());
  std::vector<std::vector<std::uint32_t>> moves;
  for (const std::size_t k : free_) {
    for (const std::uint32_t digit : around(k, base[k], 1)) {
      moves.push_back(base);
      moves.back()[k] = digit;
    }
  }
  for (std::size_t i = 0; i < block_sizes_.size(); ++i) {
    for (std::size_t j = i + 1; j < block_sizes_.size(); ++j) {
      const std::size_t first = block_sizes_[i], second = block_sizes_[j];
      for (const std::uint32_t digit : around(first, base[first], 1)) {
        for (const std::uint32_t other : around(second, base[second], 1)) {
          moves.push_back(base);
          moves.back()[first] = digit;
          moves.back()[second] = other;
        }
      }
    }
  }
  return moves;
}

void PatternNeighbours::change(std::vector<std::uint32_t>& digits, std::size_t parameter,
                               std::uint32_t radius, base::Rng& rng) const {
  const std::vector<std::uint32_t> options = around(parameter, digits[parameter], radius);
  digits[parameter] = options[rng.below(options.size())];
}

std::vector<std::uint32_t> PatternNeighbours::random_move(std::span<const std::uint32_t> from,
                                                          std::uint32_t radius,
                                                          base::Rng& rng) const {
  std::vector<std::uint32_t> digits(from.begin(), from.end());
  std::vector<std::size_t> others = free_;
  if (!block_sizes_.empty()) {
    const std::size_t block = block_sizes_[rng.below(block_sizes_.size())];
    change(digits, block, radius, rng);
    std::erase(others, block);
  }
  if (warps_) {
    change(digits, *warps_, radius, rng);
    std::erase(others, *warps_);
  }
  const std::size_t count = rng.below(std::min<std::size_t>(2, others.size()) + 1);
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(others[k], others[k + rng.below(others.size() - k)]);
    change(digits, others[k], 1, rng);
  }
  return digits;
}

}  // namespace nightshift::search
