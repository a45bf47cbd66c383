#include "scheduler/journal/evidence_text.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

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

search::Look look_from(const ordered_json& json) {
  return {json.at("pairs").get<int>(), number_in(json, "effect"), number_in(json, "error"),
          number_in(json, "p"), number_in(json, "level")};
}

search::DeviceEffect device_from(const ordered_json& json) {
  return {json.at("device").get<std::string>(), json.at("pairs").get<int>(),
          json.at("voided").get<int>(), number_in(json, "effect"), number_in(json, "error")};
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
  ordered_json looks = ordered_json::array(), devices = ordered_json::array();
  for (const search::Look& look : verdict.looks) {
    looks.push_back({{"pairs", look.pairs},
                     {"effect", number(look.effect)},
                     {"error", number(look.standard_error)},
                     {"p", number(look.p_value)},
                     {"level", number(look.level)}});
  }
  for (const search::DeviceEffect& d : verdict.devices) {
    devices.push_back({{"device", d.device},
                       {"pairs", d.pairs},
                       {"voided", d.voided},
                       {"effect", number(d.effect)},
                       {"error", number(d.standard_error)}});
  }
  const search::Heterogeneity& h = verdict.heterogeneity;
  return ordered_json({{"looks", looks},
                       {"devices", devices},
                       {"heterogeneity",
                        {{"p", number(h.p_value)},
                         {"tau", number(h.tau)},
                         {"prediction", ordered_json::array(
                                            {number(h.prediction.low), number(h.prediction.high)})},
                         {"depends", h.depends}}},
                       {"shape", verdict.shape}})
      .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void evidence_from_json(std::string_view text, search::Verdict& verdict) {
  reading(text, [&](const ordered_json& json) {
    for (const ordered_json& look : json.at("looks")) verdict.looks.push_back(look_from(look));
    for (const ordered_json& d : json.at("devices")) verdict.devices.push_back(device_from(d));
    const ordered_json& h = json.at("heterogeneity");
    verdict.heterogeneity = {
        number_in(h, "p"),
        number_in(h, "tau"),
        {h.at("prediction").at(0).get<double>(), h.at("prediction").at(1).get<double>()},
        h.at("depends").get<bool>()};
    verdict.shape = json.at("shape").get<std::string>();
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
