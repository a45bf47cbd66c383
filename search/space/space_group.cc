#include "search/space/space_group.h"

#include <algorithm>

namespace nightshift::search {

DiagramGroup::DiagramGroup(std::vector<SpaceDiagram::Layer> layers) : diagram_(std::move(layers)) {
  for (const SpaceDiagram::Layer& layer : diagram_.layers()) {
    parameters_.push_back(layer.parameter);
  }
}

void DiagramGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                                const Places& places, const Each& each) const {
  const auto place = std::ranges::find(parameters_, parameter);
  diagram_.alternatives(static_cast<std::size_t>(place - parameters_.begin()), row, places, each);
}

}  // namespace nightshift::search
