#include "problems/readers/t1/t1_launch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "problems/readers/problem/cuda_problem.h"

namespace nightshift::problems {
namespace {

using search::Expression;
using Extent = std::array<Expression, 3>;

constexpr std::array<const char*, 3> kAxes = {"X", "Y", "Z"};
constexpr std::array<const char*, 3> kGridDivisors = {"GridDivX", "GridDivY", "GridDivZ"};
constexpr std::array<const char*, 3> kBlockSizes = {"block_size_x", "block_size_y", "block_size_z"};
constexpr std::array<std::int64_t, 3> kUsualBlock = {256, 1, 1};

Extent ones() {
  const Expression one = Expression::parse("1");
  return {one, one, one};
}

bool is_parameter(const T1Names& names, std::string_view name) {
  const auto& parameters = names.known.parameters;
  return std::find(parameters.begin(), parameters.end(), name) != parameters.end();
}

// The members X, Y and Z, of which Y and Z are 1 where they are absent.
Extent read_extent(const JsonReader& kernel, std::string_view key, const T1Names& names) {
  Extent extent = ones();
  if (kernel.require(key) == nullptr) return extent;
  const auto sizes = kernel.object(key);
  if (!sizes) return extent;
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    if (i > 0 && sizes->find(kAxes[i]) == nullptr) continue;
    if (auto size = read_t1_amount(*sizes, kAxes[i], names)) extent[i] = std::move(*size);
  }
  return extent;
}

// As many of `divisor` as cover `amount`; notes at `key` where the two are too long together.
Expression quotient(const JsonReader& kernel, const char* key, const std::string& amount,
                    const std::string& divisor) {
  try {
    return Expression::parse("ceil((" + amount + ") / (" + divisor + "))");
  } catch (const search::ExpressionError& error) {
    kernel.error(key, std::string("over its divisor: ") + error.what());
    return Expression::parse("1");
  }
}

bool counts_threads(const JsonReader& kernel) {
  std::string type;
  if (!kernel.string("GlobalSizeType", type)) return false;
  const std::vector<std::string> known = {"CUDA", "OpenCL"};
  if (type != known[0] && type != known[1]) {
    kernel.error("GlobalSizeType", "must be " + alternatives(known) + ", not " + in_quotes(type) +
                                       suggestion(type, known));
  }
  return type == known[1];
}

// Blocks by GlobalSize.
Extent read_global_size(const JsonReader& kernel, const T1Names& names, const Extent& block) {
  Extent grid = read_extent(kernel, "GlobalSize", names);
  if (!counts_threads(kernel)) return grid;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    grid[i] = quotient(kernel, "GlobalSize", grid[i].text(), block[i].text());
  }
  return grid;
}

Extent read_block(const JsonReader& kernel, const T1Names& names) {
  if (names.problem_size.empty() || kernel.find("LocalSize") != nullptr) {
    return read_extent(kernel, "LocalSize", names);
  }
  Extent block;
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] =
        Expression::parse(is_parameter(names, kBlockSizes[i]) ? std::string(kBlockSizes[i])
                                                              : std::to_string(kUsualBlock[i]));
  }
  return block;
}

// Macros that Kernel Tuner defines besides the parameters, as far as they are constants.
void add_macros(T1Names& names, const Extent& block) {
  Constants constants = {{"kernel_tuner", 1}};
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (is_parameter(names, kBlockSizes[i]) || !block[i].names().empty()) continue;
    try {
      const search::Value extent = block[i].evaluate([](std::string_view) { return nullptr; });
      const auto* whole = std::get_if<std::int64_t>(&extent);
      if (whole != nullptr) constants.emplace_back(kBlockSizes[i], *whole);
    } catch (const search::ExpressionError&) {
      // The check of amounts says so.
    }
  }
  std::erase_if(constants, [&](const auto& c) { return is_parameter(names, c.first); });
  names.known.cases = {std::move(constants)};
}

// The texts of GridDivX, which is a text, a number, or a list of them.
std::vector<std::string> divisor_texts(const JsonReader& kernel, const char* key) {
  std::vector<std::string> texts;
  const nlohmann::json* node = kernel.find(key);
  if (node == nullptr) return texts;
  const auto add = [&](const nlohmann::json& element) {
    const auto text = t1_expression_text(element);
    if (!text) {
      kernel.error(key, "must be a list of expressions as text; here is " + describe(element));
    } else if (!text->empty()) {
      texts.push_back(*text);
    }
  };
  if (node->is_array()) {
    for (const nlohmann::json& element : *node) add(element);
  } else {
    add(*node);
  }
  return texts;
}

std::string divisor_of(const JsonReader& kernel, std::size_t axis, const T1Names& names) {
  std::string product;
  for (const std::string& text : divisor_texts(kernel, kGridDivisors[axis])) {
    const auto divisor = t1_expression(kernel, kGridDivisors[axis], text, names);
    if (!divisor) return "1";
    product += (product.empty() ? "(" : " * (") + divisor->text() + ")";
  }
  if (!product.empty()) return product;
  return is_parameter(names, kBlockSizes[axis]) ? kBlockSizes[axis] : "1";
}

Extent grid_of_problem(const JsonReader& kernel, const T1Names& names) {
  Extent grid = ones();
  for (std::size_t i = 0; i < names.problem_size.size(); ++i) {
    const auto extent = t1_expression(kernel, "ProblemSize", names.problem_size[i], names);
    const std::string divisor = divisor_of(kernel, i, names);
    if (extent) grid[i] = quotient(kernel, kGridDivisors[i], extent->text(), divisor);
  }
  return grid;
}

// Kernels of published files are extern "C" or not; the C++ name is that of both.
std::string read_name(const JsonReader& kernel) {
  std::string name;
  if (kernel.require("KernelName") == nullptr || !kernel.string("KernelName", name)) return name;
  if (!is_kernel_name(name)) {
    kernel.error("KernelName", "must be the name of a kernel, not " + in_quotes(name));
  }
  return name.find("::") == std::string::npos ? "::" + name : name;
}

}  // namespace

search::CudaLaunch read_t1_launch(const JsonReader& kernel, T1Names& names,
                                  std::vector<std::string>& notes) {
  search::CudaLaunch launch;
  launch.kernel = read_name(kernel);
  launch.block = read_block(kernel, names);
  if (names.problem_size.empty()) {
    launch.grid = read_global_size(kernel, names, launch.block);
  } else {
    add_macros(names, launch.block);
    launch.grid = grid_of_problem(kernel, names);
    if (kernel.find("GlobalSize") != nullptr) {
      notes.push_back(
          "the grid is ProblemSize over GridDivX, GridDivY and GridDivZ, as Kernel Tuner launches "
          "it; GlobalSize is not looked at");
    }
  }
  launch.cluster = ones();
  launch.shared_bytes = Expression::parse("0");
  if (kernel.find("SharedMemory") != nullptr) {
    if (auto bytes = read_t1_amount(kernel, "SharedMemory", names)) {
      launch.shared_bytes = std::move(*bytes);
    }
  }
  return launch;
}

}  // namespace nightshift::problems
