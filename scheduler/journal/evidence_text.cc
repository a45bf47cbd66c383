#include "scheduler/journal/evidence_text.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/json_members.h"

namespace nightshift::scheduler {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

double number_in(const ordered_json& object, const char* name) {
  const ordered_json& value = object.at(name);
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

using search::DeviceEffect;
using search::Look;
constexpr auto kLook = base::json_members(
    base::member("pairs", &Look::pairs), base::infinite_member("effect", &Look::effect),
    base::infinite_member("error", &Look::standard_error),
    base::infinite_member("p", &Look::p_value), base::infinite_member("level", &Look::level));
constexpr auto kDevice = base::json_members(
    base::member("device", &DeviceEffect::device), base::member("pairs", &DeviceEffect::pairs),
    base::member("voided", &DeviceEffect::voided),
    base::infinite_member("effect", &DeviceEffect::effect),
    base::infinite_member("error", &DeviceEffect::standard_error));

template <class Item, class Members>
ordered_json list_of(const std::vector<Item>& items, const Members& members) {
  ordered_json list = ordered_json::array();
  for (const Item& item : items) list.push_back(base::json_of(item, members));
  return list;
}
template <class Item, class Members>
void read_list(const ordered_json& list, const Members& members, std::vector<Item>& items) {
  for (const ordered_json& json : list) base::read_members(json, members, items.emplace_back());
}

template <class Read>
auto reading(std::string_view text, Read&& read) {
  try {
    return read(ordered_json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace

std::string evidence_to_json(const search::Verdict& verdict) {
  const search::Heterogeneity& h = verdict.heterogeneity;
  return ordered_json({{"looks", list_of(verdict.looks, kLook)},
                       {"devices", list_of(verdict.devices, kDevice)},
                       {"heterogeneity",
                        {{"p", number(h.p_value)},
                         {"tau", number(h.tau)},
                         {"prediction", ordered_json::array(
                                            {number(h.prediction.low), number(h.prediction.high)})},
                         {"depends", h.depends}}},
                       {"shape", verdict.shape},
                       {"confidence", verdict.interval.confidence}})
      .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void evidence_from_json(std::string_view text, search::Verdict& verdict) {
  reading(text, [&](const ordered_json& json) {
    read_list(json.at("looks"), kLook, verdict.looks);
    read_list(json.at("devices"), kDevice, verdict.devices);
    const ordered_json& h = json.at("heterogeneity");
    verdict.heterogeneity = {
        number_in(h, "p"),
        number_in(h, "tau"),
        {h.at("prediction").at(0).get<double>(), h.at("prediction").at(1).get<double>()},
        h.at("depends").get<bool>()};
    verdict.shape = json.at("shape").get<std::string>();
    verdict.interval.confidence = json.value("confidence", search::Interval{}.confidence);
    return true;
  });
}

std::string devices_to_json(const std::vector<std::string>& devices) {
  return ordered_json(devices).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<std::string> devices_from_json(std::string_view text) {
  return reading(text,
                 [](const ordered_json& json) { return json.get<std::vector<std::string>>(); });
}

}  // namespace nightshift::scheduler
