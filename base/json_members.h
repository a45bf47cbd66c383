#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// The JSON form of a struct that is written and read again: one list of its members, from which
// both come, so that none can be written and not read.
//
//   constexpr auto kCake = base::json_members(
//       base::member("name", &Cake::name),
//       base::member("candles", &Cake::candles).or_default());  // cakes of before have none
//
//   Json json = base::json_of(cake, kCake);
//   base::read_members(json, kCake, cake);  // throws nlohmann::json::exception
namespace nightshift::base {

// How a member stands there: as itself, and as null where an optional has nothing.
struct PlainForm {
  template <class Json, class Value>
  static void write(Json& json, const Value& value) {
    json = value;
  }
  template <class Json, class Value>
  static void write(Json& json, const std::optional<Value>& value) {
    json = value ? Json(*value) : Json();
  }
  template <class Json, class Value>
  static void read(const Json& json, Value& value) {
    json.get_to(value);
  }
  template <class Json, class Value>
  static void read(const Json& json, std::optional<Value>& value) {
    value = json.is_null() ? std::nullopt : std::optional(json.template get<Value>());
  }
};
// A number that may be infinite, which JSON has no word for: null.
struct InfiniteForm {
  template <class Json>
  static void write(Json& json, double value) {
    json = std::isfinite(value) ? Json(value) : Json();
  }
  template <class Json>
  static void read(const Json& json, double& value) {
    value = json.is_null() ? std::numeric_limits<double>::infinity() : json.template get<double>();
  }
};
// The number of an enumerator; of one that nobody knows the nearest.
template <class Enum>
struct EnumeratorForm {
  Enum last;
  template <class Json>
  void write(Json& json, Enum value) const {
    json = static_cast<int>(value);
  }
  template <class Json>
  void read(const Json& json, Enum& value) const {
    value = static_cast<Enum>(std::clamp(json.template get<int>(), 0, static_cast<int>(last)));
  }
};

template <class Owner, class Value, class Form>
struct JsonMember {
  const char* name;
  Value Owner::*value;
  Form form;
  bool optional = false;

  // Where it is absent, the member stays as it is: as the struct begins.
  constexpr JsonMember or_default() const { return {name, value, form, true}; }
};
template <class Owner, class Value>
constexpr JsonMember<Owner, Value, PlainForm> member(const char* name, Value Owner::*value) {
  return {name, value, {}};
}
template <class Owner>
constexpr JsonMember<Owner, double, InfiniteForm> infinite_member(const char* name,
                                                                  double Owner::*value) {
  return {name, value, {}};
}
template <class Owner, class Enum>
constexpr JsonMember<Owner, Enum, EnumeratorForm<Enum>> enumerator_member(const char* name,
                                                                          Enum Owner::*value,
                                                                          Enum last) {
  return {name, value, {last}};
}

template <class... Members>
constexpr std::tuple<Members...> json_members(Members... members) {
  return {members...};
}

// In the order of the list.
template <class Json = nlohmann::ordered_json, class Owner, class... Members>
Json json_of(const Owner& owner, const std::tuple<Members...>& members) {
  Json json = Json::object();
  const auto write = [&](const auto& m) { m.form.write(json[m.name], owner.*m.value); };
  std::apply([&](const auto&... each) { (write(each), ...); }, members);
  return json;
}

template <class Json, class Owner, class... Members>
void read_members(const Json& json, const std::tuple<Members...>& members, Owner& owner) {
  const auto read = [&](const auto& m) {
    if (!m.optional || json.contains(m.name)) m.form.read(json.at(m.name), owner.*m.value);
  };
  std::apply([&](const auto&... each) { (read(each), ...); }, members);
}

}  // namespace nightshift::base
