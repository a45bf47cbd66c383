#pragma once

#include <nlohmann/json.hpp>

#include "problems/readers/diagnostics.h"
#include "problems/readers/json_reader.h"

namespace nightshift::problems {

// Notes members of a T1 file that nearly have the name of one which is read and is not there:
// "Conditons". Others are left alone, since T1 allows them.
void check_t1_members(const nlohmann::json& json, const JsonLocations& locations,
                      Diagnostics& diagnostics);

}  // namespace nightshift::problems
