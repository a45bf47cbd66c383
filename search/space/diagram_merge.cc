#include "search/space/diagram_merge.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/parallel.h"

namespace nightshift::search {

namespace {

using Layer = SpaceDiagram::Layer;

constexpr std::size_t kTransitionsPerChunk = std::size_t{1} << 15;
constexpr std::size_t kShards = 64;
// Reduced layers are mostly far smaller than what they come from, which only then does not matter.
constexpr std::size_t kFewArcs = 1 << 10;

std::size_t shard_of(const std::uint64_t* tuple, std::size_t width) {
  // TupleSet takes the high bits.
  return TupleSet::hash_of(tuple, width) % kShards;
}

// The states of all chunks as one set: every shard of them is gathered by itself.
class Gathering {
 public:
  explicit Gathering(std::vector<StateChunk>& chunks, std::size_t width)
      : chunks_(chunks), width_(width), numbers_(chunks.size()), buckets_(chunks.size()) {
    for (std::size_t s = 0; s < kShards; ++s) shards_.emplace_back(width);
  }

  void run() {
    base::in_parallel(chunks_.size(), [&](std::size_t c) { distribute(c); });
    base::in_parallel(kShards, [&](std::size_t s) { gather(s); });
    std::uint32_t base = 0;
    for (const TupleSet& shard : shards_) {
      bases_.push_back(base);
      base += shard.size();
    }
    base::in_parallel(chunks_.size(), [&](std::size_t c) { renumber(c); });
  }

  // Concatenated in the order of the shards, which is the order of the numbers.
  TupleSet joined() const {
    TupleSet all(width_);
    for (const TupleSet& shard : shards_) all.append_unequal(shard);
    return all;
  }

 private:
  void distribute(std::size_t c) {
    const TupleSet& states = chunks_[c].states;
    buckets_[c].resize(kShards);
    numbers_[c].resize(states.size());
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      buckets_[c][shard_of(states[i], width_)].push_back(i);
    }
  }
  void gather(std::size_t s) {
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      for (const std::uint32_t i : buckets_[c][s]) {
        numbers_[c][i] = shards_[s].insert(chunks_[c].states[i]).first;
      }
    }
    shards_[s].freeze();
  }
  void renumber(std::size_t c) {
    for (std::size_t s = 0; s < kShards; ++s) {
      for (const std::uint32_t i : buckets_[c][s]) numbers_[c][i] += bases_[s];
    }
    for (std::uint32_t& child : chunks_[c].child) child = numbers_[c][child];
  }

  std::vector<StateChunk>& chunks_;
  std::size_t width_;
  std::vector<std::vector<std::uint32_t>> numbers_;               // by chunk and state
  std::vector<std::vector<std::vector<std::uint32_t>>> buckets_;  // by chunk and shard
  std::vector<TupleSet> shards_;
  std::vector<std::uint32_t> bases_;
};

void join_arcs(std::vector<StateChunk>& chunks, Layer& layer) {
  std::size_t arcs = 0;
  std::vector<std::size_t> begin;
  for (const StateChunk& chunk : chunks) {
    begin.push_back(arcs);
    for (const std::uint32_t end : chunk.first) {
      layer.first.push_back(static_cast<std::uint32_t>(arcs + end));
    }
    arcs += chunk.digit.size();
  }
  layer.digit.resize(arcs);
  layer.child.resize(arcs);
  base::in_parallel(chunks.size(), [&](std::size_t c) {
    const auto at = static_cast<std::ptrdiff_t>(begin[c]);
    std::ranges::copy(chunks[c].digit, layer.digit.begin() + at);
    std::ranges::copy(chunks[c].child, layer.child.begin() + at);
  });
}

// Nodes of the same arcs are one. The arcs of all nodes lie one behind the other in a Layer.
class NodeSet {
 public:
  explicit NodeSet(Layer& layer) : layer_(layer) {}

  // The node whose arcs were appended last, or the known one that is like it, whose arcs then are
  // the only ones.
  std::uint32_t close_node() {
    const auto nodes = static_cast<std::uint32_t>(layer_.first.size() - 1);
    if (2 * (std::size_t{nodes} + 1) > places_.size()) grow();
    const std::uint32_t begin = layer_.first.back();
    const auto end = static_cast<std::uint32_t>(layer_.digit.size());
    std::size_t place = hash_of(begin, end) & (places_.size() - 1);
    for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
      const std::uint32_t known = places_[place] - 1;
      if (!equal(known, begin, end)) continue;
      layer_.digit.resize(begin);
      layer_.child.resize(begin);
      return known;
    }
    layer_.first.push_back(end);
    places_[place] = nodes + 1;
    return nodes;
  }

 private:
  std::size_t hash_of(std::uint32_t begin, std::uint32_t end) const {
    std::uint64_t hash = end - begin;
    for (std::uint32_t arc = begin; arc < end; ++arc) {
      hash ^= std::uint64_t{layer_.digit[arc]} << 32 | layer_.child[arc];
      hash *= 0xFF51AFD7ED558CCDU;
      hash ^= hash >> 32;
    }
    return hash;
  }
  bool equal(std::uint32_t known, std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t from = layer_.first[known];
    const std::uint32_t count = layer_.first[known + 1] - from;
    return count == end - begin &&
           std::equal(layer_.digit.data() + from, layer_.digit.data() + from + count,
                      layer_.digit.data() + begin) &&
           std::equal(layer_.child.data() + from, layer_.child.data() + from + count,
                      layer_.child.data() + begin);
  }
  void grow() {
    const std::size_t count = places_.empty() ? 16 : 2 * places_.size();
    places_.assign(count, 0);
    for (std::uint32_t node = 0; node + 1 < layer_.first.size(); ++node) {
      std::size_t place = hash_of(layer_.first[node], layer_.first[node + 1]) & (count - 1);
      while (places_[place] != 0) place = (place + 1) & (count - 1);
      places_[place] = node + 1;
    }
  }

  Layer& layer_;
  std::vector<std::uint32_t> places_;  // open addressing: node + 1; 0 = free
};

}  // namespace

bool expand_layer(const Expansion& expansion, std::size_t max_bytes, Layer& layer, TupleSet& next) {
  layer.first = {0};
  if (expansion.transitions < base::kWorthThreads) {
    StateChunk all(expansion.width);
    all.first.reserve(expansion.states);
    all.digit.reserve(expansion.transitions);
    all.child.reserve(expansion.transitions);
    expansion.expand(0, expansion.states, all);
    layer.first.reserve(expansion.states + 1);
    layer.first.insert(layer.first.end(), all.first.begin(), all.first.end());
    layer.digit = std::move(all.digit);
    layer.child = std::move(all.child);
    next = std::move(all.states);
    next.freeze();
    return true;
  }
  const std::size_t pieces =
      std::min(expansion.states, expansion.transitions / kTransitionsPerChunk);
  std::vector<StateChunk> chunks(pieces, StateChunk(expansion.width));
  std::atomic<std::size_t> bytes = 0;
  base::in_parallel(pieces, [&](std::size_t c) {
    if (bytes > max_bytes) return;
    expansion.expand(expansion.states * c / pieces, expansion.states * (c + 1) / pieces, chunks[c]);
    chunks[c].states.freeze();
    bytes += chunks[c].bytes();
  });
  if (2 * bytes > max_bytes) return false;  // gathering copies the states
  Gathering gathering(chunks, expansion.width);
  gathering.run();
  next = gathering.joined();
  join_arcs(chunks, layer);
  return true;
}

void reduce_layers(std::vector<Layer>& layers) {
  constexpr std::uint32_t kDead = ~std::uint32_t{0};
  std::vector<std::uint32_t> node_of;  // of the layer behind, by its old number
  for (std::size_t l = layers.size(); l-- > 0;) {
    const Layer old = std::move(layers[l]);
    Layer& layer = layers[l] = {.parameter = old.parameter, .first = {0}, .digit = {}, .child = {}};
    const bool last = l + 1 == layers.size();
    if (old.digit.size() < kFewArcs) {
      layer.digit.reserve(old.digit.size());
      layer.child.reserve(old.digit.size());
    }
    NodeSet nodes(layer);
    std::vector<std::uint32_t> renumbered;
    renumbered.reserve(old.first.size() - 1);
    for (std::size_t node = 0; node + 1 < old.first.size(); ++node) {
      const std::size_t begin = layer.digit.size();
      for (std::uint32_t arc = old.first[node]; arc < old.first[node + 1]; ++arc) {
        const std::uint32_t child = last ? 0 : node_of[old.child[arc]];
        if (child == kDead) continue;
        layer.digit.push_back(old.digit[arc]);
        layer.child.push_back(child);
      }
      renumbered.push_back(layer.digit.size() == begin ? kDead : nodes.close_node());
    }
    node_of = std::move(renumbered);
  }
}

}  // namespace nightshift::search
