#include "problems/readers/toml/toml_cuda_launch.h"

#include <algorithm>
#include <array>

#include "problems/readers/problem/cuda_problem.h"
#include "problems/readers/toml/toml_kernel.h"
#include "problems/readers/toml/toml_signatures.h"

namespace nightshift::problems {
namespace {

using search::Expression;

class LaunchReader {
 public:
  LaunchReader(TableReader& table, const KnownNames& names, const LaunchArguments& known,
               bool takes_maps)
      : table_(table), names_(names), known_(known), takes_maps_(takes_maps) {}

  std::optional<search::CudaLaunch> read() {
    if (table_.require("kernel") && table_.string("kernel", launch_.kernel) &&
        !is_kernel_name(launch_.kernel)) {
      wrong("kernel", "must be the name of a kernel, not " + in_quotes(launch_.kernel));
    }
    good_ = good_ && !launch_.kernel.empty();
    const bool told = takes_maps_ && known_.compiler_says;
    launch_.grid = extent("grid", !told);
    launch_.block = extent("block", !told);
    launch_.cluster = table_.has("cluster") ? extent("cluster", true) : ones();
    launch_.shared_bytes = table_.take("shared_bytes") ? amount("shared_bytes") : number("0");
    if (table_.take("when")) launch_.when = amount("when");
    if (takes_maps_ && table_.take("programmatic")) launch_.programmatic = amount("programmatic");
    read_arguments();
    table_.finish();
    if (!good_) return std::nullopt;
    return std::move(launch_);
  }

 private:
  static Expression number(std::string_view text) { return Expression::parse(text); }

  void wrong(std::string_view key, const std::string& message) {
    table_.error(key, message);
    good_ = false;
  }

  Expression amount(std::string_view key) {
    auto expression = read_amount(table_, key, names_);
    good_ = good_ && expression;
    return expression ? std::move(*expression) : number("1");
  }

  static std::array<Expression, 3> ones() { return {number("1"), number("1"), number("1")}; }

  // One expression, or a list of up to three. One that is not required is left to the compiler.
  std::array<Expression, 3> extent(std::string_view key, bool required) {
    std::array<Expression, 3> result = ones();
    const toml::node* node = table_.take(key);
    if (node == nullptr) {
      if (!required) return search::left_to_compiler();
      wrong(key, "is missing");
      return result;
    }
    const toml::array* list = node->as_array();
    if (list != nullptr && (list->empty() || list->size() > result.size())) {
      wrong(key, "must have one to three expressions: x, y and z");
      return result;
    }
    auto amounts = read_amounts(table_, key, names_);
    good_ = good_ && amounts;
    if (amounts) std::move(amounts->begin(), amounts->end(), result.begin());
    return result;
  }

  // Those of the file, else the parameters of the kernel as its source names them.
  bool given_arguments(std::vector<std::string>& given) {
    if (table_.has("arguments") || known_.signatures == nullptr || launch_.kernel.empty()) {
      return table_.require("arguments") && table_.strings("arguments", given);
    }
    std::string why;
    auto parameters = known_.signatures->parameters(launch_.kernel, why);
    if (!parameters) {
      wrong("arguments", "is missing, and the source does not tell them: " + why);
      return false;
    }
    given = std::move(*parameters);
    return true;
  }

  void read_arguments() {
    if (takes_maps_ && known_.compiler_says && !table_.has("arguments")) return;
    std::vector<std::string> given;
    if (!given_arguments(given)) {
      good_ = false;
      return;
    }
    const toml::node* list = table_.take("arguments");
    std::vector<std::string> names = known_.arguments;
    if (takes_maps_) names.insert(names.end(), known_.maps.begin(), known_.maps.end());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), given[i]);
      if (found != names.end()) {
        launch_.arguments.push_back(static_cast<std::uint32_t>(found - names.begin()));
        continue;
      }
      const bool is_map =
          std::find(known_.maps.begin(), known_.maps.end(), given[i]) != known_.maps.end();
      table_.diagnostics().add(
          list == nullptr ? table_.location() : location_of(list->as_array()->get(i)->source()),
          table_.full_name("arguments") + " has " + in_quotes(given[i]) +
              (is_map ? ", a tensor map, which only a [[cuda.launch]] may take"
                      : ", which is no argument" + suggestion(given[i], names)));
      good_ = false;
    }
  }

  TableReader& table_;
  const KnownNames& names_;
  const LaunchArguments& known_;
  const bool takes_maps_;
  search::CudaLaunch launch_;
  bool good_ = true;
};

// The parameter that an expression of the launch names; empty where there is none.
std::string parameter_of(const search::CudaLaunch& launch, const KnownNames& names) {
  std::vector<const Expression*> expressions = {&launch.shared_bytes};
  for (const auto* extent : {&launch.grid, &launch.block, &launch.cluster}) {
    for (const Expression& expression : *extent) expressions.push_back(&expression);
  }
  if (launch.when) expressions.push_back(&*launch.when);
  for (const std::string& parameter : names.parameters) {
    for (const Expression* expression : expressions) {
      if (expression->names().contains(parameter)) return parameter;
    }
  }
  return "";
}

}  // namespace

std::optional<search::CudaLaunch> read_launch(TableReader& table, const KnownNames& names,
                                              const LaunchArguments& arguments) {
  return LaunchReader(table, names, arguments, true).read();
}

std::optional<search::CudaLaunch> read_common_launch(TableReader& table, const KnownNames& names,
                                                     const LaunchArguments& arguments) {
  auto launch = LaunchReader(table, names, arguments, false).read();
  if (!launch) return std::nullopt;
  const std::string parameter = parameter_of(*launch, names);
  if (parameter.empty()) return launch;
  table.diagnostics().add(table.location(),
                          table.full_name("kernel") + " " + in_quotes(launch->kernel) +
                              " depends on the parameter " + in_quotes(parameter) +
                              ", but is launched once for all configurations");
  return std::nullopt;
}

}  // namespace nightshift::problems
