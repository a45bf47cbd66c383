#include "problems/readers/problem/cuda_problem.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "problems/readers/amount.h"
#include "problems/readers/problem/host_problem.h"
#include "problems/readers/problem/own_figures.h"
#include "search/element_type.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::CudaBackend;
using search::CudaLaunch;
using search::Direction;
using search::OwnFigure;
using search::OwnFigureRule;

// Empty where nothing is wrong.
std::string complaint(const search::Objective& objective, const OwnFigureRule& rule,
                      const CudaBackend& backend) {
  const std::string who = "objective " + in_quotes(objective.name);
  if (std::string wrong = figure_complaint(objective, rule.of_cuda, rule.direction);
      !wrong.empty()) {
    return wrong;
  }
  const bool moves = rule.figure == OwnFigure::kBandwidth || rule.figure == OwnFigure::kCeiling;
  if (moves && !backend.bytes) return who + " needs cuda.bytes, what one execution moves";
  if (rule.figure == OwnFigure::kCompute && !backend.flops) {
    return who + " needs cuda.flops, what one execution computes";
  }
  return "";
}

// `position` may be of an argument or, from their number on, of a tensor map.
bool takes(const CudaLaunch& launch, std::size_t position) {
  return std::find(launch.arguments.begin(), launch.arguments.end(), position) !=
         launch.arguments.end();
}

bool is_taken(const std::vector<CudaLaunch>& launches, std::size_t position) {
  return std::any_of(launches.begin(), launches.end(),
                     [&](const CudaLaunch& launch) { return takes(launch, position); });
}

// As itself or by a map.
bool is_launched(const CudaBackend& backend, std::size_t argument) {
  if (is_taken(backend.launches, argument)) return true;
  for (std::size_t i = 0; i < backend.tensor_maps.size(); ++i) {
    if (backend.tensor_maps[i].argument == argument &&
        is_taken(backend.launches, backend.arguments.size() + i)) {
      return true;
    }
  }
  return false;
}

// Notes what is wrong with the amounts of one case.
class AmountCheck {
 public:
  AmountCheck(const search::Problem& problem, const PlacedCuda& cuda,
              const CudaBackend::Sizes& sizes, Diagnostics& diagnostics)
      : cuda_(cuda), names_(search::resolved(problem, {})), diagnostics_(diagnostics) {
    for (const auto& [name, size] : sizes) names_.set(name, size);
    if (cuda.backend.dtype)
      names_.set(kElementBytes, static_cast<std::int64_t>(search::bytes_of(*cuda.backend.dtype)));
  }

  // Whether all was well.
  bool run() {
    const CudaBackend& backend = cuda_.backend;
    for (std::size_t i = 0; i < backend.arguments.size(); ++i) {
      const Argument& argument = backend.arguments[i];
      const AmountRule rule = argument.scalar ? value_rule(argument.type) : kElements;
      check(argument.scalar ? argument.value : argument.size, rule, cuda_.arguments[i],
            std::string(argument.scalar ? "value" : "size") + " of argument " +
                in_quotes(argument.name));
      if (good_ && !argument.scalar) contents(argument, cuda_.arguments[i]);
    }
    for (std::size_t i = 0; i < backend.tensor_maps.size(); ++i) {
      if (is_used(backend.arguments.size() + i)) tensor_map(i);
    }
    launches(backend.launches, cuda_.launches);
    launches(backend.prepare, cuda_.prepare);
    launches(backend.reference_launches, cuda_.reference_launches);
    constexpr double kLeast = std::numeric_limits<double>::min();
    check(backend.bytes, {kLeast, false, ", which is no amount to move"}, cuda_.location,
          "'bytes'");
    check(backend.flops, {kLeast, false, ", which is no amount to compute"}, cuda_.location,
          "'flops'");
    return good_;
  }

 private:
  void check(const std::optional<search::Expression>& expression, const AmountRule& rule,
             const SourceLocation& location, const std::string& what) {
    if (!expression || expression->names().contains(kMultiprocessors)) return;
    const std::string wrong = amount_complaint(
        *expression, [&](std::string_view name) { return names_.find(name); }, rule);
    if (wrong.empty()) return;
    good_ = false;
    diagnostics_.add(location, "the " + what + ", " + in_quotes(expression->text()) + ", " + wrong);
  }

  void contents(const Argument& argument, const SourceLocation& location) {
    if (argument.size && argument.size->names().contains(kMultiprocessors)) return;
    const auto lookup = [&](std::string_view name) { return names_.find(name); };
    std::string wrong = sequence_complaint(argument, lookup);
    if (wrong.empty() && diagnostics_.needs_files()) wrong = file_complaint(argument, lookup);
    if (wrong.empty()) return;
    good_ = false;
    diagnostics_.add(location, wrong);
  }

  // Whether the baseline takes the argument or map at `position`.
  bool is_used(std::size_t position) const {
    const auto& launches = cuda_.backend.launches;
    return std::any_of(launches.begin(), launches.end(), [&](const CudaLaunch& launch) {
      return !is_left_out(launch) && takes(launch, position);
    });
  }

  void tensor_map(std::size_t which) {
    constexpr AmountRule kBytes = {0, true, ", which is no number of bytes"};
    const search::TensorMap& map = cuda_.backend.tensor_maps[which];
    const SourceLocation& location = cuda_.tensor_maps[which];
    const std::string of = " of tensor map " + in_quotes(map.name);
    for (const auto& extent : map.extent) check(extent, kElements, location, "extent" + of);
    for (const auto& pitch : map.pitch) check(pitch, kElements, location, "pitch" + of);
    for (const auto& box : map.box) check(box, kElements, location, "box" + of);
    check(map.swizzle, kBytes, location, "swizzle" + of);
    check(map.l2_promotion, kBytes, location, "L2 promotion" + of);
  }

  void launches(const std::vector<CudaLaunch>& launches,
                const std::vector<SourceLocation>& locations) {
    constexpr AmountRule kExtent = {1, true, ", which is no number of them"};
    constexpr AmountRule kBytes = {0, true, ", which is no number of bytes"};
    constexpr AmountRule kTruth = {-std::numeric_limits<double>::infinity(), false, ""};
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const CudaLaunch& launch = launches[i];
      const std::string of = " of kernel " + in_quotes(launch.kernel);
      check(launch.when, kTruth, locations[i], "'when'" + of);
      if (is_left_out(launch)) continue;
      for (const auto& [part, name] : {std::pair{&launch.grid, "grid"},
                                       {&launch.block, "block"},
                                       {&launch.cluster, "cluster"}}) {
        if (search::is_left_to_compiler(*part)) continue;
        for (const auto& extent : *part) check(extent, kExtent, locations[i], name + of);
      }
      check(launch.shared_bytes, kBytes, locations[i], "shared memory" + of);
      check(launch.programmatic, kTruth, locations[i], "'programmatic'" + of);
    }
  }

  bool is_left_out(const CudaLaunch& launch) const {
    if (!launch.when || launch.when->names().contains(kMultiprocessors)) return false;
    try {
      return !launch.when->holds([&](std::string_view name) { return names_.find(name); });
    } catch (const search::ExpressionError&) {
      return true;
    }
  }

  const PlacedCuda& cuda_;
  search::Configuration names_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

}  // namespace

bool is_output(const Argument& argument) {
  return !argument.scalar &&
         (argument.access == Argument::Access::kOut || argument.access == Argument::Access::kInOut);
}

bool is_kernel_name(std::string_view text) {
  const std::size_t open = text.find('<');
  return is_function_name(text.substr(0, open)) &&
         (open == std::string_view::npos || text.back() == '>');
}

double default_gate(search::ElementType type) {
  switch (type) {
    case search::ElementType::kFloat64:
      return 1e-12;
    case search::ElementType::kFloat32:
      return 2e-6;
    case search::ElementType::kFloat16:
      return 6e-4;
    case search::ElementType::kBfloat16:
      return 4e-3;
    case search::ElementType::kFloat8E4M3:
    case search::ElementType::kFloat8E5M2:
      return 0.1;
    default:
      return 0;
  }
}

void set_cuda_defaults(search::Objective& objective) {
  const OwnFigureRule* rule = search::find_own_figure(objective.name, &OwnFigureRule::of_cuda);
  if (rule == nullptr) return;
  objective.unit = rule->of_cuda.front().name;
  objective.direction = rule->direction;
}

std::vector<OwnFigure> figures_of(const search::Problem& problem, const CudaBackend& backend,
                                  const std::vector<SourceLocation>& locations,
                                  Diagnostics& diagnostics) {
  const std::vector<std::string> known = search::own_figure_names(&OwnFigureRule::of_cuda);
  std::vector<OwnFigure> figures;
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const search::Objective& objective = problem.objectives[i];
    const SourceLocation location = i < locations.size() ? locations[i] : SourceLocation{};
    const OwnFigureRule* rule = search::find_own_figure(objective.name, &OwnFigureRule::of_cuda);
    if (rule == nullptr) {
      diagnostics.add(location, "objective " + in_quotes(objective.name) +
                                    " is no figure of a CUDA kernel; it has " +
                                    alternatives(known) + suggestion(objective.name, known));
      continue;
    }
    const std::string wrong = complaint(objective, *rule, backend);
    if (!wrong.empty()) diagnostics.add(location, wrong);
    figures.push_back(rule->figure);
  }
  return figures;
}

void check_uses(const PlacedCuda& cuda, Diagnostics& diagnostics) {
  const CudaBackend& backend = cuda.backend;
  // What its kernels take is seen when the first one is made.
  const bool compiler_says = backend.compiler == CudaBackend::Compiler::kServed;
  bool written = false;
  for (std::size_t i = 0; i < backend.arguments.size(); ++i) {
    const Argument& argument = backend.arguments[i];
    const std::string who = "argument " + in_quotes(argument.name);
    const bool launched = compiler_says || is_launched(backend, i);
    const bool prepared = is_taken(backend.prepare, i);
    const bool referred = is_taken(backend.reference_launches, i);
    written = written || is_output(argument);
    if (is_output(argument) && !launched) {
      diagnostics.add(cuda.arguments[i], who + " is written by no [[cuda.launch]]");
    } else if (!launched && !prepared && !referred) {
      diagnostics.add(cuda.arguments[i], who + " is taken by no launch");
    }
    if (is_output(argument) && !backend.reference.file.empty() && !referred) {
      diagnostics.add(cuda.arguments[i], who +
                                             " is written by no [[cuda.reference.launch]], so that "
                                             "there is no answer to compare it with");
    }
    const bool computed = argument.fill == Argument::Fill::kComputed &&
                          argument.access != Argument::Access::kOut;  // of that it was noted
    if (computed && !prepared) {
      diagnostics.add(cuda.arguments[i],
                      who + " is to be computed, but no [[cuda.prepare]] launch takes it");
    }
  }
  for (std::size_t i = 0; i < backend.tensor_maps.size(); ++i) {
    if (compiler_says || is_taken(backend.launches, backend.arguments.size() + i)) continue;
    diagnostics.add(cuda.tensor_maps[i], "tensor map " + in_quotes(backend.tensor_maps[i].name) +
                                             " is taken by no [[cuda.launch]]");
  }
  if (!written) {
    diagnostics.add(cuda.location,
                    "no argument is written (access 'out' or 'inout'), so there is no answer to "
                    "check");
  }
}

void check_amounts(const search::Problem& problem, const PlacedCuda& cuda, Diagnostics& diagnostics,
                   bool one_size) {
  for (CudaBackend::Sizes sizes : cuda.backend.cases) {
    if (!AmountCheck(problem, cuda, sizes, diagnostics).run()) return;
    if (cuda.backend.dtype) {
      sizes.emplace_back(kElementBytes, search::bytes_of(*cuda.backend.dtype));
    }
    for (std::size_t i = 0; one_size && i < cuda.backend.arguments.size(); ++i) {
      std::string wrong = size_complaint(problem, cuda.backend.arguments[i], sizes);
      if (wrong.empty()) continue;
      wrong += "; scratch memory has access = \"work\", and may change";
      diagnostics.add(cuda.arguments[i], wrong);
      one_size = false;
    }
  }
}

}  // namespace nightshift::problems
