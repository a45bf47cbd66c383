#include "evaluator/cuda/launch/made_launch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/element_type.h"

namespace nightshift::evaluator::cuda {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostArguments = 4096;
constexpr std::size_t kMostSymbol = 4096;  // bytes

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw std::runtime_error("launch.json of the compiler: " + where + " " + what);
}

std::uint32_t count(const Json& value, std::uint32_t least, std::uint32_t most,
                    const std::string& where) {
  if (!value.is_number_integer() || value < least || value > most) {
    fail(where,
         "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<std::uint32_t>();
}

std::optional<Dimensions> dimensions(const Json& launch, const char* key, std::uint32_t most,
                                     const std::string& kernel) {
  const auto found = launch.find(key);
  if (found == launch.end()) return std::nullopt;
  const std::string where = kernel + "." + key;
  Dimensions result{1, 1, 1};
  if (!found->is_array()) {
    result[0] = count(*found, 1, most, where);
    return result;
  }
  if (found->empty() || found->size() > result.size())
    fail(where, "must have one to three numbers");
  for (std::size_t i = 0; i < found->size(); ++i) result[i] = count((*found)[i], 1, most, where);
  return result;
}

template <class Number>
Literal bytes_of(Number value) {
  Literal bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class Number>
Literal integer(const Json& value, const std::string& where) {
  if (value.is_number_unsigned()) {
    const auto given = value.get<std::uint64_t>();
    if (given <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) {
      return bytes_of(static_cast<Number>(given));
    }
  } else if (value.is_number_integer()) {
    const auto given = value.get<std::int64_t>();  // below 0
    if (std::numeric_limits<Number>::is_signed &&
        given >= static_cast<std::int64_t>(std::numeric_limits<Number>::min())) {
      return bytes_of(static_cast<Number>(given));
    }
  }
  fail(where, "is no number of its type");
}

template <class Number>
Literal floating(const Json& value, const std::string& where) {
  if (!value.is_number()) fail(where, "is no number of its type");
  return bytes_of(static_cast<Number>(value.get<double>()));
}

struct LiteralForm {
  const char* type;
  Literal (*read)(const Json& value, const std::string& where);
};
constexpr std::array<LiteralForm, 6> kLiterals = {{
    {"int32", integer<std::int32_t>},
    {"int64", integer<std::int64_t>},
    {"uint32", integer<std::uint32_t>},
    {"uint64", integer<std::uint64_t>},
    {"float32", floating<float>},
    {"float64", floating<double>},
}};

Literal literal(const Json& value, const std::string& where) {
  if (value.is_null()) return Literal{};
  if (value.is_object() && value.size() == 1) {
    for (const LiteralForm& form : kLiterals) {
      if (value.contains(form.type)) return form.read(value[form.type], where);
    }
  }
  fail(where, "must be an argument's name, null or {\"int32\": 7}");
}

std::uint32_t position_of(const std::string& name, const search::CudaBackend& cuda,
                          const std::string& where) {
  std::uint32_t position = 0;
  for (const search::Argument& argument : cuda.arguments) {
    if (argument.name == name) return position;
    ++position;
  }
  for (const search::TensorMap& map : cuda.tensor_maps) {
    if (map.name == name) return position;
    ++position;
  }
  fail(where, "is '" + name.substr(0, 100) + "', which is no argument of the problem");
}

// The position of what is named with the type that the kernel takes it for.
std::uint32_t typed_argument(const Json& given, const search::CudaBackend& cuda,
                             const std::string& where) {
  const auto name = given.find("argument"), type = given.find("type");
  if (given.size() != 2 || type == given.end() || !name->is_string() || !type->is_string()) {
    fail(where, "must be {\"argument\": NAME, \"type\": TYPE}");
  }
  const std::uint32_t position = position_of(name->get<std::string>(), cuda, where);
  const std::string told = type->get<std::string>();
  if (position >= cuda.arguments.size()) fail(where, "is a tensor map, which has no type");
  const std::string_view own = search::name_of(cuda.arguments[position].type);
  if (told != own) {
    fail(where, "is '" + name->get<std::string>() + "', which is " + told.substr(0, 100) +
                    " in the kernel and " + std::string(own) + " in the problem");
  }
  return position;
}

void read_arguments(const Json& given, const search::CudaBackend& cuda, const std::string& kernel,
                    MadeLaunch& launch) {
  const std::string where = kernel + ".arguments";
  if (!given.is_array() || given.size() > kMostArguments) fail(where, "must be a list");
  auto& arguments = launch.arguments.emplace();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string which = where + "[" + std::to_string(i) + "]";
    if (given[i].is_string()) {
      arguments.push_back(position_of(given[i].get<std::string>(), cuda, which));
      continue;
    }
    if (given[i].is_object() && given[i].contains("argument")) {
      arguments.push_back(typed_argument(given[i], cuda, which));
      continue;
    }
    arguments.push_back(kFirstLiteral + static_cast<std::uint32_t>(launch.literals.size()));
    launch.literals.push_back(literal(given[i], which));
  }
}

MadeLaunch read_launch(const Json& given, const std::string& kernel,
                       const search::CudaBackend& cuda) {
  if (!given.is_object()) fail(kernel, "must be an object");
  MadeLaunch launch;
  launch.symbol = kernel;
  if (const auto symbol = given.find("symbol"); symbol != given.end()) {
    if (!symbol->is_string()) fail(kernel + ".symbol", "must be text");
    launch.symbol = symbol->get<std::string>();
  }
  if (launch.symbol.empty() || launch.symbol.size() > kMostSymbol ||
      launch.symbol.find_first_of(std::string("\n\0", 2)) != std::string::npos) {
    fail(kernel + ".symbol", "is no name");
  }
  launch.grid = dimensions(given, "grid", kMostGridBlocks, kernel);
  launch.block = dimensions(given, "block", kMostBlockThreads, kernel);
  launch.cluster = dimensions(given, "cluster", kMostClusterBlocks, kernel);
  if (const auto shared = given.find("shared"); shared != given.end()) {
    launch.shared_bytes = count(*shared, 0, kMostDynamicShared, kernel + ".shared");
  }
  if (const auto told = given.find("programmatic"); told != given.end()) {
    if (!told->is_boolean()) fail(kernel + ".programmatic", "must be true or false");
    launch.programmatic = told->get<bool>();
  }
  if (const auto arguments = given.find("arguments"); arguments != given.end()) {
    read_arguments(*arguments, cuda, kernel, launch);
  }
  return launch;
}

}  // namespace

MadeLaunches read_made_launches(std::string_view text, const search::CudaBackend& cuda) {
  const Json whole = Json::parse(text, nullptr, false);
  if (!whole.is_object()) fail("it", "is no JSON object");
  const auto given = whole.find("launches");
  if (given == whole.end() || !given->is_object()) fail("launches", "must be an object");
  MadeLaunches launches;
  for (const search::CudaLaunch& launch : cuda.launches) {
    const auto one = given->find(launch.kernel);
    if (one == given->end()) fail("launches", "has no " + launch.kernel);
    launches[launch.kernel] = read_launch(*one, launch.kernel, cuda);
  }
  return launches;
}

}  // namespace nightshift::evaluator::cuda
