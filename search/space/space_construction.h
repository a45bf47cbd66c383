#pragma once

#include <memory>
#include <vector>

#include "search/parameter.h"
#include "search/space/space_group.h"

namespace nightshift::search {

// The groups of the space that the constraints and conditions leave, by their first parameters.
//
//   split      constraints into parts that hold together (TermGraph)
//   prune      values that parts over one parameter exclude
//   group      parameters that the other parts tie together
//   order      each group's parameters (order_parameters)
//   reduce     each part to a diagram of its own, smallest first; prune again (CheckDiagram)
//   multiply   the parts of a group to one diagram (build_diagram), or leave it implicit
//
// Throws SpaceError.
std::vector<std::unique_ptr<SpaceGroup>> construct_space(const std::vector<Parameter>& parameters,
                                                         const std::vector<Expression>& constraints,
                                                         const SpaceLimits& limits = {});

}  // namespace nightshift::search
