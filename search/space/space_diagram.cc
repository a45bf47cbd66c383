#include "search/space/space_diagram.h"

#include <algorithm>
#include <stdexcept>

namespace nightshift::search {

SpaceDiagram::SpaceDiagram(std::vector<Layer> layers) : layers_(std::move(layers)) { count(); }

void SpaceDiagram::count() {
  std::vector<base::Wide> counts = {1};  // of the nodes of the layer behind
  low_.resize(layers_.size());
  std::vector<std::vector<std::uint64_t>> high(layers_.size());
  bool wide = false;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    std::vector<base::Wide> here;
    here.reserve(layer.first.size() - 1);
    low_[l].reserve(layer.digit.size());
    for (std::size_t node = 0; node + 1 < layer.first.size(); ++node) {
      base::Wide sum = 0;
      for (std::uint32_t arc = layer.first[node]; arc < layer.first[node + 1]; ++arc) {
        low_[l].push_back(static_cast<std::uint64_t>(sum));
        if (sum >> 64 != 0 && !wide) {
          wide = true;
          high[l].assign(low_[l].size() - 1, 0);
        }
        if (wide) {
          high[l].resize(low_[l].size() - 1);
          high[l].push_back(static_cast<std::uint64_t>(sum >> 64));
        }
        const base::Wide more = counts[layer.child[arc]];
        if (sum > ~base::Wide{0} - more) throw std::overflow_error("more than 128 bits");
        sum += more;
      }
      here.push_back(sum);
    }
    counts = std::move(here);
  }
  size_ = counts.front();
  if (!wide) return;
  for (std::size_t l = 0; l < layers_.size(); ++l) high[l].resize(low_[l].size());
  high_ = std::move(high);
}

void SpaceDiagram::read(base::Wide rank, std::span<std::uint32_t> row) const {
  std::uint32_t node = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    std::uint32_t low = layer.first[node];
    std::uint32_t end = layer.first[node + 1];
    while (end - low > 1) {  // the last arc that begins at or before the rank
      const std::uint32_t middle = low + (end - low) / 2;
      (before(l, middle) <= rank ? low : end) = middle;
    }
    rank -= before(l, low);
    row[layer.parameter] = layer.digit[low];
    node = layer.child[low];
  }
}

std::uint32_t SpaceDiagram::arc_of(const Layer& layer, std::uint32_t node,
                                   std::uint32_t digit) const {
  const std::uint32_t first = layer.first[node];
  const std::uint32_t end = layer.first[node + 1];
  // Where no digit is missing below it, the arc is known.
  if (digit < end - first && layer.digit[first + digit] == digit) return first + digit;
  const auto from = layer.digit.begin();
  const auto found = std::lower_bound(from + first, from + end, digit);
  return found != from + end && *found == digit ? static_cast<std::uint32_t>(found - from) : kNone;
}

std::optional<base::Wide> SpaceDiagram::rank_of(std::span<const std::uint32_t> row) const {
  std::uint32_t node = 0;
  base::Wide rank = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::uint32_t arc = arc_of(layers_[l], node, row[layers_[l].parameter]);
    if (arc == kNone) return std::nullopt;
    rank += before(l, arc);
    node = layers_[l].child[arc];
  }
  return rank;
}

void SpaceDiagram::alternatives(std::size_t at, std::span<const std::uint32_t> row,
                                const Places& places, const Each& each) const {
  std::uint32_t node = 0;
  base::Wide ahead = 0;
  for (std::size_t l = 0; l < at; ++l) {
    const std::uint32_t arc = arc_of(layers_[l], node, row[layers_[l].parameter]);
    if (arc == kNone) return;
    ahead += before(l, arc);
    node = layers_[l].child[arc];
  }
  const auto from_there = [&](std::uint32_t next) -> std::optional<base::Wide> {
    base::Wide sum = 0;
    for (std::size_t l = at + 1; l < layers_.size(); ++l) {
      const std::uint32_t arc = arc_of(layers_[l], next, row[layers_[l].parameter]);
      if (arc == kNone) return std::nullopt;
      sum += before(l, arc);
      next = layers_[l].child[arc];
    }
    return sum;
  };
  const Layer& layer = layers_[at];
  std::uint32_t known_child = kNone;  // neighbouring arcs often lead to the same node
  std::optional<base::Wide> behind;
  places.for_each(layer.first[node + 1] - layer.first[node], [&](std::size_t place) {
    const std::uint32_t arc = layer.first[node] + static_cast<std::uint32_t>(place);
    if (layer.digit[arc] == row[layer.parameter]) return;
    if (layer.child[arc] != known_child) {
      known_child = layer.child[arc];
      behind = from_there(known_child);
    }
    if (behind) each(layer.digit[arc], ahead + before(at, arc) + *behind);
  });
}

std::size_t SpaceDiagram::nodes() const {
  std::size_t count = 0;
  for (const Layer& layer : layers_) count += layer.first.size() - 1;
  return count;
}

std::size_t SpaceDiagram::arcs() const {
  std::size_t count = 0;
  for (const Layer& layer : layers_) count += layer.digit.size();
  return count;
}

}  // namespace nightshift::search
