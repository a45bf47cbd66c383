#include "scheduler/journal/batch_terms_text.h"

#include <cmath>
#include <exception>

#include "base/json_members.h"

namespace nightshift::scheduler {
namespace {

using Json = nlohmann::ordered_json;
using base::member;

using Terms = BatchStudyTerms;
constexpr auto kTerms = base::json_members(
    member("name", &Terms::name), member("problem", &Terms::problem),
    member("overrides", &Terms::overrides), member("weight", &Terms::weight),
    member("devices_least", &Terms::devices_least), member("devices_most", &Terms::devices_most),
    member("after", &Terms::after), member("patience", &Terms::patience),
    member("warm_start", &Terms::warm_start), member("deadline_seconds", &Terms::deadline_seconds),
    member("added", &Terms::added),
    // Batches of before have none of these.
    member("builds_ahead", &Terms::builds_ahead).or_default(),
    member("priority", &Terms::priority).or_default(),
    member("client", &Terms::client).or_default(), member("shape", &Terms::shape).or_default(),
    member("calls", &Terms::calls).or_default());

constexpr auto kShortage = base::json_members(
    member("seconds", &BatchShortage::seconds),
    member("whole_seconds", &BatchShortage::whole_seconds), member("left", &BatchShortage::left));

}  // namespace

std::string terms_to_json(const BatchStudyTerms& terms) {
  return base::json_of(terms, kTerms).dump(-1, ' ', false, Json::error_handler_t::replace);
}

BatchStudyTerms terms_from_json(std::string_view text) {
  BatchStudyTerms terms;
  base::read_members(Json::parse(text), kTerms, terms);
  return terms;
}

std::string shortage_to_json(const BatchShortage& shortage) {
  return base::json_of(shortage, kShortage).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<BatchShortage> shortage_from_json(std::string_view text) {
  try {
    BatchShortage shortage;
    base::read_members(Json::parse(text), kShortage, shortage);
    return shortage;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string shift_to_text(double seconds) { return Json(seconds).dump(); }

double shift_from_text(std::string_view text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() && std::isfinite(value.get<double>()) ? value.get<double>() : 0;
}

}  // namespace nightshift::scheduler
