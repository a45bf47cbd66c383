#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/figures/own_figure.h"
#include "search/figures/usual_gate.h"
#include "search/problem.h"

namespace nightshift::problems {

// Names that every [cuda] problem has: bytes of an element of DTYPE, multiprocessors of the device.
inline constexpr const char* kElementBytes = "ELEMENT_BYTES";
using search::kMultiprocessors;

// A CUDA backend together with where its parts stand in the file.
struct PlacedCuda {
  search::CudaBackend backend;
  SourceLocation location;
  std::vector<SourceLocation> arguments, tensor_maps;  // of each
  std::vector<SourceLocation> launches, prepare, reference_launches;
  std::vector<std::string> notes = {};  // what is odd, and no mistake
  bool whole = true;  // false: a launch or map has a mistake, so that it is unknown what is used
};

// How far off an answer may be where the file does not say: a norm of errors that rounding to the
// type leaves behind with room to spare; of elements see search::usual_element_gate(). Integers are
// exact.
double default_gate(search::ElementType type);

// Whether the kernel's answer is in it.
bool is_output(const search::Argument& argument);

// A function, or an instance of a template.
bool is_kernel_name(std::string_view text);

// What an objective of that name is measured as when the file says no more: unit and direction.
// Other names are left alone.
void set_cuda_defaults(search::Objective& objective);

// CudaBackend::figures. Notes names that are no figure, and units and directions that do not fit;
// `locations` are those of the problem's objectives.
std::vector<search::OwnFigure> figures_of(const search::Problem& problem,
                                          const search::CudaBackend& backend,
                                          const std::vector<SourceLocation>& locations,
                                          Diagnostics& diagnostics);

// Notes arguments and maps that nobody uses, outputs that nobody computes, and inputs that nobody
// prepares.
void check_uses(const PlacedCuda& cuda, Diagnostics& diagnostics);

// Sizes, values, grids and the rest must come out as numbers for the baseline of `problem`, in
// every case. What depends on the device is left to it. `one_size`: as of check_arguments().
void check_amounts(const search::Problem& problem, const PlacedCuda& cuda, Diagnostics& diagnostics,
                   bool one_size = false);

}  // namespace nightshift::problems
