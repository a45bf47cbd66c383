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

std::string inside(const fs::path& folder, const std::string& path) {
  const fs::path relative = fs::path(path).lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

Json json_of(const Proposal& p, const fs::path& folder) {
  return {{"id", p.id},
          {"client", p.client},
          {"problem", p.problem},
          {"stage", static_cast<int>(p.stage)},
          {"settles", p.settles},
          {"settled", p.settled},
          {"source", inside(folder, p.source)},
          {"opponent", p.opponent},
          {"round", p.round},
          {"screens", p.screens},
          {"met", p.met},
          {"level", p.level},
          {"levels", p.levels},
          {"priority", p.priority},
          {"weight", p.weight},
          {"deadline", p.deadline},
          {"most_time", p.most_time},
          {"asked", p.asked},
          {"content", p.content},
          {"same_as", p.same_as}};
}

// Throws Json::exception.
Proposal proposal_of(const Json& json, const fs::path& folder) {
  Proposal p;
  json.at("id").get_to(p.id);
  json.at("client").get_to(p.client);
  json.at("problem").get_to(p.problem);
  p.stage = static_cast<Stage>(std::clamp(json.at("stage").get<int>(), 0, 3));
  json.at("settles").get_to(p.settles);
  p.settled = json.value("settled", std::uint64_t{0});
  const std::string source = json.at("source").get<std::string>();
  if (!source.empty()) p.source = (folder / source).string();
  json.at("opponent").get_to(p.opponent);
  json.at("round").get_to(p.round);
  p.screens = json.value("screens", false);
  p.met = json.value("met", p.round);
  json.at("level").get_to(p.level);
  p.levels = json.value("levels", p.levels);
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

bool is_answer(const Json& json) {
  const auto has = [&json](const char* name, auto is_right) {
    const auto found = json.find(name);
    return found != json.end() && is_right(*found);
  };
  const bool is_kept = has("kept", [](const Json& value) { return value == true; });
  return has("verdict", [](const Json& value) { return value.is_string(); }) &&
         has("kept", [](const Json& value) { return value.is_boolean(); }) &&
         (!is_kept || !json.contains("ratio") || json["ratio"].is_number());
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
  for (const auto& entry : fs::directory_iterator(folder_ + "/candidates")) {
    const std::uint64_t number = number_of(entry.path());
    last_ = std::max(last_, number);
    if (number > 0) load(entry.path().string(), number);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;  // in which order of their night, who
  for (const auto& [number, answer] : answers_) {
    if (answer.value("kept", false)) {
      kept.emplace_back(answer.value("kept_as", std::uint64_t{0}), number);
    }
  }
  std::ranges::sort(kept);
  for (const auto& [order, number] : kept) {
    if (!was_taken_back(number)) fold_answer(proposals_.at(number), answers_.at(number));
  }
}

void ServiceLedger::load(const std::string& folder, std::uint64_t number) {
  try {
    const auto request = json_in(folder + kRequest);
    if (!request) return;
    Proposal proposal = proposal_of(*request, folder_);
    proposal.number = number;
    auto answer = json_in(folder + kAnswer);
    if (answer && !is_answer(*answer)) answer.reset();
    Night& night = nights_[{proposal.client, proposal.problem}];
    const bool gives_back = answer && proposal.has_met() && !answer->contains("level");
    const std::size_t spent = proposal.levels.size() - (gives_back && !proposal.levels.empty());
    night.levels.insert(proposal.levels.begin(),
                        proposal.levels.begin() + static_cast<std::ptrdiff_t>(spent));
    by_id_[{proposal.client, proposal.settles, proposal.id}] = number;
    if (answer && proposal.settles && answer->contains("took_back")) {
      taken_back_.insert(proposal.settled);
    }
    if (answer) answers_[number] = std::move(*answer);
    proposals_[number] = std::move(proposal);
  } catch (const Json::exception&) {
    // Somebody else wrote it: nothing was asked here.
  }
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

void ServiceLedger::keep_request(const Proposal& proposal) const {
  base::write_whole_file(folder_of(proposal.number) + kRequest,
                         text_of(json_of(proposal, folder_)));
}

void ServiceLedger::enter(Proposal proposal) {
  keep_request(proposal);
  by_id_[{proposal.client, proposal.settles, proposal.id}] = proposal.number;
  (void)nights_[{proposal.client, proposal.problem}];
  proposals_[proposal.number] = std::move(proposal);
}

const Proposal& ServiceLedger::meet_incumbent(std::uint64_t number, double total) {
  Proposal& proposal = proposals_.at(number);
  Night& night = nights_[{proposal.client, proposal.problem}];
  if (proposal.settles) {
    proposal.opponent = 0;
    proposal.level = total;
  } else {
    proposal.opponent = night.incumbent();
    // A service that was killed before this round's study began has a level for it already.
    if (!proposal.has_met() && proposal.is_confirmed()) {
      proposal.levels.push_back(night.next_level());
      night.levels.insert(proposal.levels.back());
    }
    if (proposal.is_confirmed()) {
      proposal.level = search::night_level(total, proposal.levels.back(), expected_);
    }
  }
  proposal.met = proposal.round;
  keep_request(proposal);
  return proposal;
}

const Proposal& ServiceLedger::next_round(std::uint64_t number) {
  Proposal& proposal = proposals_.at(number);
  ++proposal.round;
  proposal.screens = false;
  keep_request(proposal);
  return proposal;
}

const Proposal& ServiceLedger::ask_again(std::uint64_t number, double deadline) {
  Proposal& proposal = proposals_.at(number);
  const bool gave_back = proposal.has_met() && !answers_.at(number).contains("level");
  if (gave_back && !proposal.levels.empty()) proposal.levels.pop_back();
  proposal.deadline = deadline;
  (void)next_round(number);
  fs::remove(folder_of(number) + kAnswer);
  answers_.erase(number);
  return proposal;
}

void ServiceLedger::answer(std::uint64_t number, Json answer, bool kept) {
  const Proposal& proposal = proposals_.at(number);
  Night& night = nights_[{proposal.client, proposal.problem}];
  answer["kept"] = kept;
  if (kept) answer["kept_as"] = night.kept.size() + 1;
  base::write_whole_file(folder_of(number) + kAnswer, text_of(answer));
  if (kept) fold_answer(proposal, answer);
  if (answer.contains("took_back")) fold_settlement(proposal);
  const bool gives_back = proposal.has_met() && !proposal.levels.empty();
  if (gives_back && !answer.contains("level")) night.levels.erase(proposal.levels.back());
  answers_[number] = std::move(answer);
}

std::uint64_t ServiceLedger::Night::next_level() const {
  std::uint64_t next = 1;
  for (const std::uint64_t level : levels) {
    if (level != next) break;
    ++next;
  }
  return next;
}

void ServiceLedger::fold_answer(const Proposal& proposal, const Json& answer) {
  Night& night = nights_[{proposal.client, proposal.problem}];
  night.kept.push_back(proposal.number);
  night.gains *= answer.value("ratio", 1.0);
}

void ServiceLedger::fold_settlement(const Proposal& proposal) {
  Night& night = nights_[{proposal.client, proposal.problem}];
  if (night.incumbent() != proposal.settled || night.kept.empty()) return;
  taken_back_.insert(proposal.settled);
  const std::vector<std::uint64_t> kept(night.kept.begin(), night.kept.end() - 1);
  night.kept.clear();
  night.gains = 1;
  for (const std::uint64_t number : kept) {
    fold_answer(proposals_.at(number), answers_.at(number));
  }
}

const Proposal* ServiceLedger::known(std::uint64_t number) const {
  const auto found = proposals_.find(number);
  return found == proposals_.end() ? nullptr : &found->second;
}

const Proposal* ServiceLedger::find(const std::string& client, const std::string& id,
                                    bool settles) const {
  const auto found = by_id_.find({client, settles, id});
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
    if (was_taken_back(number)) continue;
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
