#include "scheduler/journal/batch_terms_text.h"

#include <nlohmann/json.hpp>

namespace nightshift::scheduler {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string terms_to_json(const BatchStudyTerms& terms) {
  Json json;
  json["name"] = terms.name;
  json["problem"] = terms.problem;
  json["overrides"] = terms.overrides;
  json["weight"] = terms.weight;
  json["devices_least"] = terms.devices_least;
  json["devices_most"] = terms.devices_most;
  json["after"] = terms.after;
  json["patience"] = terms.patience;
  json["warm_start"] = terms.warm_start;
  json["deadline_seconds"] = terms.deadline_seconds ? Json(*terms.deadline_seconds) : Json();
  json["added"] = terms.added;
  json["builds_ahead"] = terms.builds_ahead;
  json["priority"] = terms.priority;
  json["client"] = terms.client;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

BatchStudyTerms terms_from_json(std::string_view text) {
  const Json json = Json::parse(text);
  BatchStudyTerms terms;
  json.at("name").get_to(terms.name);
  json.at("problem").get_to(terms.problem);
  json.at("overrides").get_to(terms.overrides);
  json.at("weight").get_to(terms.weight);
  json.at("devices_least").get_to(terms.devices_least);
  json.at("devices_most").get_to(terms.devices_most);
  json.at("after").get_to(terms.after);
  json.at("patience").get_to(terms.patience);
  json.at("warm_start").get_to(terms.warm_start);
  const Json& deadline = json.at("deadline_seconds");
  if (!deadline.is_null()) terms.deadline_seconds = deadline.get<double>();
  json.at("added").get_to(terms.added);
  terms.builds_ahead = json.value("builds_ahead", false);  // batches of before have none of these
  terms.priority = json.value("priority", 0);
  terms.client = json.value("client", "");
  return terms;
}

}  // namespace nightshift::scheduler
