#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/objective.h"

namespace nightshift::search {

// What an evaluator finds out by itself of a kernel, or of a program and its build.
enum class OwnFigure : std::uint8_t {
  kTime,          // of a call, or of one execution of all launches
  kInstructions,  // in user space, of a call or of a run with all that it starts
  kCycles,
  kCacheMisses,  // of the last-level cache, as the processor counts them
  kBranchMisses,
  kBandwidth,  // CudaBackend::bytes over time
  kCompute,    // CudaBackend::flops over time
  kCeiling,    // bandwidth over that of a copy on the same device, percent
  kEnergy,  // of one execution on a GPU; else of the processor's packages, whoever else works there
  kPower,   // mean while executing
  kRegisters,     // a thread, largest of the kernels
  kSpills,        // bytes of local memory a thread, largest of the kernels
  kSharedMemory,  // static and dynamic, bytes a block, largest of the kernels
  kBinarySize,    // machine code; on a CPU code and data in the file of what was built
  kBuildTime,     // of the first build of that machine code
  kError,         // norm(got - expected) over norm(expected), largest of the outputs
  kPeakMemory,    // bytes: the largest resident set of one process of a run, or of a request
};

struct FigureUnit {
  std::string name;      // empty: a figure without a unit
  double per_base_unit;  // how many of it are one s, B/s, FLOP/s, J, W, B or 1
};

// Units that a figure may have; the first where the file names none.
using FigureUnits = std::vector<FigureUnit>;
// How many of `unit` are one of the base unit; nullopt where it is none of them.
std::optional<double> per_base_unit(const FigureUnits& units, std::string_view unit);

// What such an objective may be called, and what that is: the one table of it. A backend without
// units has no such figure.
struct OwnFigureRule {
  std::string_view name;
  OwnFigure figure;
  Direction direction;
  FigureUnits of_host, of_command, of_cuda;
};

const std::vector<OwnFigureRule>& own_figure_rules();
const OwnFigureRule& rule_of(OwnFigure figure);
// nullptr where that backend, a member of the rule, has no such figure.
const OwnFigureRule* find_own_figure(std::string_view name, FigureUnits OwnFigureRule::*backend);
// Those that the backend has, in the table's order.
std::vector<std::string> own_figure_names(FigureUnits OwnFigureRule::*backend);

// Counted by the processor (evaluator/counters/hardware_counters.h).
constexpr bool is_counted(OwnFigure figure) {
  return figure >= OwnFigure::kInstructions && figure <= OwnFigure::kBranchMisses;
}

}  // namespace nightshift::search
