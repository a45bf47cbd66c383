#include "tools/library/callable_server.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "problems/json_scalar.h"

namespace nightshift {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json answer_to(const Space::Parts& space, const Configuration& baseline,
                       const Objective& objective, const ordered_json& request) {
  try {
    const std::vector<double> figures =
        objective(request.empty() ? baseline : configuration_in(space, json(request)));
    if (figures.empty()) throw Error("the objective returned no figure");
    return {{"configuration", request}, {"figure", figures}};
  } catch (const std::exception& error) {
    return {{"configuration", request}, {"error", error.what()}};
  } catch (...) {
    return {{"configuration", request}, {"error", "the objective threw what is no exception"}};
  }
}

}  // namespace

Configuration configuration_in(const Space::Parts& space, const json& object) {
  Configuration configuration;
  for (const auto& [name, value] : object.items()) {
    const std::optional<search::Value> scalar = problems::json_scalar(value);
    if (!scalar) throw Error(name + " is " + value.dump() + ", which is no value");
    configuration[name] = *scalar;
  }
  return outer_configuration(space.space.configuration(index_in(space.space, configuration)));
}

void serve_callable(const Space::Parts& space, const Configuration& baseline,
                    const Objective& objective, std::FILE* requests, std::FILE* answers) {
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t length = 0; (length = ::getline(&line, &room, requests)) > 0;) {
    const auto request = ordered_json::parse(line, line + length, nullptr, false);
    if (!request.is_object()) continue;
    const std::string answer = answer_to(space, baseline, objective, request)
                                   .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    std::fputs((answer + "\n").c_str(), answers);
    std::fflush(answers);
  }
  std::free(line);
}

}  // namespace nightshift
