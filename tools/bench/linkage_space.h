#pragma once

#include <cstdint>
#include <string>

#include "tools/bench/known_space.h"

namespace nightshift::bench {

// Record linkage of ATF for inputs of n x n; gaussian, also of ATF, is the same with n = 4096.
inline KnownSpace linkage_space(const std::string& name, std::int64_t n, const std::string& valid) {
  using namespace detail;
  KnownSpace space{
      name,
      {parameter("CACHE_L_CB", {0, 1}), parameter("CACHE_P_CB", {0, 1}), parameter("G_DEST", {2}),
       parameter("L_DEST", {2, 1, 0}), parameter("P_DEST", {2, 1, 0})},
      {"L_DEST <= G_DEST", "P_DEST <= L_DEST"},
      valid};
  for (const std::string d : {"L1", "R1"}) {
    space.parameters.push_back(parameter("INPUT_" + d, {n}));
    for (const std::string kind : {"LCB_", "PCB_", "WG_", "WI_"}) {
      space.parameters.push_back(parameter(kind + d, range(1, n)));
    }
    space.parameters.push_back(parameter("OCL_DIM_" + d, {0, 1}));
    const std::string input = "INPUT_" + d, lcb = "LCB_" + d, pcb = "PCB_" + d;
    const std::string wg = "WG_" + d, wi = "WI_" + d;
    for (const std::string& constraint :
         {input + " % " + lcb + " == 0", lcb + " % " + pcb + " == 0",
          "(" + input + " / " + lcb + ") % " + wg + " == 0",
          "(" + lcb + " / " + pcb + ") % " + wi + " == 0",
          wi + " <= " + input + " + " + wg + " - 1 / " + wg}) {
      space.constraints.push_back(constraint);
    }
  }
  space.constraints.push_back("OCL_DIM_R1 != OCL_DIM_L1");
  space.constraints.push_back("WG_R1 == 1 or WG_R1 % LCB_R1 == 0");
  for (const char* name_of_one : {"L_REDUCTION", "P_WRITE_BACK", "L_WRITE_BACK"}) {
    space.parameters.push_back(parameter(name_of_one, {name_of_one[0] == 'P' ? 0 : 1}));
  }
  return space;
}

}  // namespace nightshift::bench
