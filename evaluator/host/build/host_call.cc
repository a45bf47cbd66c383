#include "evaluator/host/build/host_call.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "search/value.h"

namespace nightshift::evaluator {
namespace {

std::map<std::string, search::Value, std::less<>> names_of(
    const search::HostBackend& host, const search::Configuration& configuration,
    std::size_t which) {
  std::map<std::string, search::Value, std::less<>> names;
  for (const auto& [name, size] : host.cases.at(which)) names[name] = size;
  for (const auto& [name, value] : configuration.entries()) names[name] = value;
  return names;
}

}  // namespace

std::vector<ArgumentShape> shapes_of(const search::HostBackend& host,
                                     const search::Configuration& configuration,
                                     std::size_t which) {
  const auto names = names_of(host, configuration, which);
  const search::Expression::Lookup lookup = [&](std::string_view name) -> const search::Value* {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  };
  std::vector<ArgumentShape> shapes;
  for (const search::Argument& argument : host.arguments) {
    shapes.push_back(shape_of(argument, lookup));
  }
  return shapes;
}

std::string call_of(const search::HostBackend& host, const search::Configuration& configuration,
                    std::size_t which) {
  const std::vector<ArgumentShape> shapes = shapes_of(host, configuration, which);
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const search::Argument& argument = host.arguments[i];
    const auto& names = (argument.scalar ? argument.value : argument.size)->names();
    const bool varies = std::ranges::any_of(
        names, [&](const std::string& name) { return configuration.find(name) != nullptr; });
    if (!varies) continue;
    text += std::to_string(i) + ":" + std::to_string(shapes[i].elements) + "," +
            std::to_string(std::bit_cast<std::uint64_t>(shapes[i].scalar)) + " ";
  }
  return text;
}

}  // namespace nightshift::evaluator
