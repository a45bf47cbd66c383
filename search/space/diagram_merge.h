#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "search/space/space_diagram.h"
#include "search/space/tuple_set.h"

namespace nightshift::search {

// What some of a layer's states lead to.
struct StateChunk {
  explicit StateChunk(std::size_t width) : states(width) {}
  std::vector<std::uint32_t> first;  // by state: one past its last arc
  std::vector<std::uint32_t> digit;  // by arc
  std::vector<std::uint32_t> child;  // by arc: number in `states`
  TupleSet states;                   // of the next layer

  std::size_t bytes() const {
    return 4 * (first.size() + digit.size() + child.size()) + states.bytes();
  }
};

struct Expansion {
  std::size_t width = 0;        // words of the next states
  std::size_t states = 0;       // of this layer
  std::size_t transitions = 0;  // to be tried, for all states together
  // Fills a chunk for the states [begin, end); called from several threads at once.
  std::function<void(std::size_t begin, std::size_t end, StateChunk&)> expand = {};
};

// One layer forward: sets the arcs of `layer` and the states of the next. False where that takes
// more than `max_bytes`. What is cut into pieces depends on the work only, so the numbers of the
// states do not depend on threads.
bool expand_layer(const Expansion& expansion, std::size_t max_bytes, SpaceDiagram::Layer& layer,
                  TupleSet& next);

// Backward: drops what leads nowhere, joins nodes of equal arcs. The root stays node 0; some way
// leads from it through all layers.
void reduce_layers(std::vector<SpaceDiagram::Layer>& layers);

}  // namespace nightshift::search
