#include "tools/serve/service_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "base/file_text.h"
#include "search/acceptance/night_levels.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using Json = ServiceLedger::Json;

constexpr const char* kRequest = "/request.json";
constexpr const char* kAnswer = "/answer.json";

Json json_of(const Proposal& p) {
  return {{"id", p.id},
          {"client", p.client},
          {"problem", p.problem},
          {"stage", static_cast<int>(p.stage)},
          {"settles", p.settles},
          {"source", p.source},
          {"opponent", p.opponent},
          {"round", p.round},
          {"level", p.level},
          {"priority", p.priority},
          {"weight", p.weight},
          {"deadline", p.deadline},
          {"most_time", p.most_time},
          {"asked", p.asked},
          {"content", p.content},
          {"same_as", p.same_as}};
}

Proposal proposal_of(const Json& json) {
  Proposal p;
  json.at("id").get_to(p.id);
  json.at("client").get_to(p.client);
  json.at("problem").get_to(p.problem);
  p.stage = static_cast<Stage>(std::clamp(json.at("stage").get<int>(), 0, 3));
  json.at("settles").get_to(p.settles);
  json.at("source").get_to(p.source);
  json.at("opponent").get_to(p.opponent);
  json.at("round").get_to(p.round);
  json.at("level").get_to(p.level);
  json.at("priority").get_to(p.priority);
  json.at("weight").get_to(p.weight);
  json.at("deadline").get_to(p.deadline);
  json.at("most_time").get_to(p.most_time);
  p.asked = json.value("asked", 0.0);
  p.content = json.value("content", "");
  p.same_as = json.value("same_as", std::uint64_t{0});
  return p;
}

// A service that is killed while it writes leaves the file out, and never half of it.
std::optional<Json> json_in(const std::string& path) {
  Json json = Json::parse(base::text_if_there(path), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::uint64_t number_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const bool is_number =
      name.size() >= 6 && name.find_first_not_of("0123456789") == std::string::npos;
  return is_number && name.size() < 19 ? std::stoull(name) : 0;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string Proposal::study() const {
  const std::string name = fmt::format("{}-{:06}", problem, number);
  return round == 1 ? name : fmt::format("{}.{}", name, round);
}

ServiceLedger::ServiceLedger(std::string folder, std::uint64_t expected)
    : folder_(std::move(folder)), expected_(expected) {
  fs::create_directories(folder_ + "/candidates");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;  // in which order of their night, who
  for (const auto& entry : fs::directory_iterator(folder_ + "/candidates")) {
    const std::uint64_t number = number_of(entry.path());
    last_ = std::max(last_, number);
    const auto request = number > 0 ? json_in(entry.path().string() + kRequest) : std::nullopt;
    if (!request) continue;
    Proposal proposal = proposal_of(*request);
    proposal.number = number;
    by_id_[{proposal.client, proposal.id}] = number;
    Night& night = nights_[{proposal.client, proposal.problem}];
    if (proposal.is_confirmed() && !proposal.settles) {
      night.confirmed += static_cast<std::uint64_t>(proposal.round);
    }
    if (auto answer = json_in(entry.path().string() + kAnswer)) {
      if (answer->value("kept", false)) {
        kept.emplace_back(answer->value("kept_as", std::uint64_t{0}), number);
      }
      answers_[number] = std::move(*answer);
    }
    proposals_[number] = std::move(proposal);
  }
  std::ranges::sort(kept);
  for (const auto& [order, number] : kept) fold_answer(proposals_.at(number), answers_.at(number));
}

std::string ServiceLedger::folder_of(std::uint64_t number) const {
  return fmt::format("{}/candidates/{:06}", folder_, number);
}

std::string ServiceLedger::begin(Proposal& proposal) {
  proposal.number = ++last_;
  std::string folder = folder_of(proposal.number);
  fs::create_directories(folder);
  return folder;
}

void ServiceLedger::spend(Proposal& proposal, double total) {
  Night& night = nights_[{proposal.client, proposal.problem}];
  if (proposal.settles) {
    proposal.opponent = 0;
    proposal.level = total;
    return;
  }
  proposal.opponent = night.incumbent();
  const std::uint64_t spent = night.confirmed + 1;
  proposal.level = search::night_level(total, spent, expected_);
  if (proposal.is_confirmed()) night.confirmed = spent;
}

void ServiceLedger::keep_request(const Proposal& proposal) const {
  base::write_whole_file(folder_of(proposal.number) + kRequest, text_of(json_of(proposal)));
}

void ServiceLedger::enter(Proposal proposal, double total) {
  spend(proposal, total);
  keep_request(proposal);
  by_id_[{proposal.client, proposal.id}] = proposal.number;
  proposals_[proposal.number] = std::move(proposal);
}

const Proposal& ServiceLedger::meet_incumbent(std::uint64_t number, double total) {
  Proposal& proposal = proposals_.at(number);
  ++proposal.round;
  spend(proposal, total);
  keep_request(proposal);
  return proposal;
}

void ServiceLedger::answer(std::uint64_t number, Json answer, bool kept) {
  const Proposal& proposal = proposals_.at(number);
  answer["kept"] = kept;
  if (kept) answer["kept_as"] = night(proposal.client, proposal.problem).kept.size() + 1;
  base::write_whole_file(folder_of(number) + kAnswer, text_of(answer));
  if (kept) fold_answer(proposal, answer);
  answers_[number] = std::move(answer);
}

void ServiceLedger::fold_answer(const Proposal& proposal, const Json& answer) {
  Night& night = nights_[{proposal.client, proposal.problem}];
  night.kept.push_back(proposal.number);
  night.gains *= answer.value("ratio", 1.0);
}

const Proposal* ServiceLedger::known(std::uint64_t number) const {
  const auto found = proposals_.find(number);
  return found == proposals_.end() ? nullptr : &found->second;
}

const Proposal* ServiceLedger::find(const std::string& client, const std::string& id) const {
  const auto found = by_id_.find({client, id});
  return found == by_id_.end() ? nullptr : &proposals_.at(found->second);
}

const ServiceLedger::Json* ServiceLedger::answer_to(std::uint64_t number) const {
  const auto found = answers_.find(number);
  return found == answers_.end() ? nullptr : &found->second;
}

std::uint64_t ServiceLedger::judged_before(const Proposal& proposal) const {
  static constexpr std::array kSettled{"refused", "right", "faster", "not_faster", "same_code"};
  const std::uint64_t incumbent = night(proposal.client, proposal.problem).incumbent();
  for (const auto& [number, earlier] : proposals_) {
    const bool is_same = earlier.client == proposal.client && earlier.problem == proposal.problem &&
                         earlier.content == proposal.content && !earlier.content.empty();
    if (!is_same || earlier.settles || earlier.same_as > 0 || earlier.stage < proposal.stage)
      continue;
    const Json* answer = answer_to(number);
    if (answer == nullptr || number == incumbent || earlier.opponent != incumbent) continue;
    if (std::ranges::count(kSettled, answer->value("verdict", "")) > 0) return number;
  }
  return 0;
}

std::vector<std::uint64_t> ServiceLedger::open() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, proposal] : proposals_) {
    if (!answers_.contains(number)) numbers.push_back(number);
  }
  return numbers;
}

const ServiceLedger::Night& ServiceLedger::night(const std::string& client,
                                                 const std::string& problem) const {
  static const Night kNone;
  const auto found = nights_.find({client, problem});
  return found == nights_.end() ? kNone : found->second;
}

}  // namespace nightshift::tools
