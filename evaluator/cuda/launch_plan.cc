#include "evaluator/cuda/launch_plan.h"
#include "kernels/element_type.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

using Names = std::map<std::string, search::Value, std::less<>>;

constexpr double kMostBlocks = 2147483647;
constexpr double kMostThreads = 1024;
constexpr double kMostCluster = 16;
constexpr double kMostSharedBytes = 1 << 20;

// Whole numbers without a point.
std::string text_of(double number) {
  constexpr double kExact = 9e15;
  const bool whole = number == std::floor(number) && std::abs(number) < kExact;
  return whole ? std::to_string(static_cast<std::int64_t>(number))
               : search::to_text(search::Value(number));
}

// Evaluates expressions, and says of which part of the problem one was that fails.
class Reader {
 public:
  explicit Reader(Names names) : names_(std::move(names)) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const search::Expression::Lookup& lookup() const { return lookup_; }

  double number(const search::Expression& expression, const std::string& what) const {
    try {
      return search::as_number(expression.evaluate(lookup_));
    } catch (const std::exception& e) {
      throw std::runtime_error(what + ", '" + expression.text() + "': " + e.what());
    }
  }

  std::uint32_t count(const search::Expression& expression, const std::string& what, double least,
                      double most) const {
    const double value = number(expression, what);
    if (!(value >= least) || value > most || value != std::floor(value)) {
      throw std::runtime_error(what + ", '" + expression.text() + "', is " + text_of(value) +
                               ", not a whole number from " + text_of(least) + " to " +
                               text_of(most));
    }
    return static_cast<std::uint32_t>(value);
  }

  Dimensions dimensions(const std::array<search::Expression, 3>& expressions,
                        const std::string& what, double most) const {
    constexpr std::string_view kAxes = "xyz";
    Dimensions result{};
    for (std::size_t i = 0; i < 3; ++i) {
      result[i] = count(expressions[i], what + "." + kAxes[i], 1, most);
    }
    return result;
  }

 private:
  Names names_;
  search::Expression::Lookup lookup_ = [this](std::string_view name) -> const search::Value* {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
  };
};

Names names_of(const search::CudaBackend& cuda, std::size_t which,
               const search::Configuration& configuration, const ipc::GpuTarget& gpu) {
  Names names;
  for (const auto& [name, size] : cuda.cases.at(which)) names[name] = size;
  for (const auto& [name, value] : configuration.entries()) names[name] = value;
  names["SM_COUNT"] = std::int64_t{gpu.multiprocessors};
  if (cuda.dtype) {
    names["ELEMENT_BYTES"] = static_cast<std::int64_t>(kernels::bytes_of(*cuda.dtype));
  }
  return names;
}

PlannedLaunch planned(const search::CudaLaunch& launch, const Reader& reader) {
  const std::string what = "launch of " + launch.kernel + ": ";
  PlannedLaunch result;
  result.kernel = launch.kernel;
  result.grid = reader.dimensions(launch.grid, what + "grid", kMostBlocks);
  result.block = reader.dimensions(launch.block, what + "block", kMostThreads);
  result.cluster = reader.dimensions(launch.cluster, what + "cluster", kMostCluster);
  result.shared_bytes =
      reader.count(launch.shared_bytes, what + "shared_bytes", 0, kMostSharedBytes);
  result.arguments = launch.arguments;
  return result;
}

std::vector<PlannedLaunch> planned(const std::vector<search::CudaLaunch>& launches,
                                   const Reader& reader) {
  std::vector<PlannedLaunch> result;
  for (const search::CudaLaunch& launch : launches) {
    if (launch.when && reader.number(*launch.when, "launch of " + launch.kernel + ": when") == 0) {
      continue;
    }
    result.push_back(planned(launch, reader));
  }
  return result;
}

std::string text_of(const Dimensions& d) {
  return std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]);
}

}  // namespace

CasePlan plan_case(const search::CudaBackend& cuda, std::size_t which,
                   const search::Configuration& configuration, const ipc::GpuTarget& gpu) {
  const Reader reader(names_of(cuda, which, configuration, gpu));
  CasePlan plan;
  for (const search::Argument& argument : cuda.arguments) {
    plan.shapes.push_back(shape_of(argument, reader.lookup()));
  }
  plan.launches = planned(cuda.launches, reader);
  if (plan.launches.empty()) throw std::runtime_error("every launch is left out by its 'when'");
  plan.prepare = planned(cuda.prepare, reader);
  plan.reference = planned(cuda.reference_launches, reader);
  if (cuda.bytes) plan.bytes = reader.number(*cuda.bytes, "bytes");
  if (cuda.flops) plan.flops = reader.number(*cuda.flops, "flops");
  return plan;
}

std::string text_of(const CasePlan& plan) {
  std::string text;
  for (const PlannedLaunch& launch : plan.launches) {
    text += launch.kernel + "<" + text_of(launch.grid) + ";" + text_of(launch.block) + ";" +
            text_of(launch.cluster) + ";" + std::to_string(launch.shared_bytes) + ">(";
    for (const std::uint32_t argument : launch.arguments) {
      const ArgumentShape& shape = plan.shapes.at(argument);
      text += std::to_string(argument) + ":" + std::to_string(shape.elements);
      for (const std::byte byte : shape.scalar)
        text += "." + std::to_string(std::to_integer<int>(byte));
      text += " ";
    }
    text += ")\n";
  }
  return text;
}

std::vector<std::string> functions_of(const std::vector<search::CudaLaunch>& launches) {
  std::vector<std::string> functions;
  for (const search::CudaLaunch& launch : launches) {
    if (std::find(functions.begin(), functions.end(), launch.kernel) == functions.end()) {
      functions.push_back(launch.kernel);
    }
  }
  return functions;
}

}  // namespace nightshift::evaluator::cuda
