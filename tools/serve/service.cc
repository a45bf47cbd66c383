#include "tools/serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "scheduler/errors.h"
#include "search/acceptance/night_levels.h"
#include "tools/problem/journaled_problem.h"
#include "tools/serve/candidate_files.h"
#include "tools/serve/service_answer.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchRequest;
using Json = nlohmann::ordered_json;

constexpr std::size_t kFew = 2;  // studies, behind which a candidate waits little

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json error_line(const std::string& id, const std::string& error) {
  Json json;
  if (!id.empty()) json["id"] = id;
  json["error"] = error;
  return json;
}

}  // namespace

Service::Service(ServiceOptions options, std::vector<problems::BatchEntry> problems,
                 const scheduler::Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      ledger_(options_.folder, options_.expected),
      own_sources_(options_.folder),
      channels_(options_.standard, options_.socket) {
  if (problems.empty()) throw UsageError("serve: there is no problem to serve");
  for (problems::BatchEntry& entry : problems) {
    ServedProblem problem(std::move(entry));
    // Several studies of one problem, as batch files have them, go by the names of the studies.
    const bool is_known = problems_.contains(problem.name());
    const std::string name = is_known ? problem.entry().name : problem.name();
    if (!problems_.emplace(name, std::move(problem)).second) {
      throw UsageError("serve: two problems are called " + name);
    }
  }
}

Json Service::hello() const {
  Json names = Json::array();
  for (const auto& [name, problem] : problems_) names.push_back(name);
  return {{"nightshift", version()}, {"protocol", kProtocol}, {"problems", names}};
}

std::vector<scheduler::BatchStudyTerms> Service::kinds() const {
  std::vector<scheduler::BatchStudyTerms> kinds;
  for (const auto& [name, problem] : problems_) kinds.push_back(terms_of(problem.entry()));
  return kinds;
}

// --- What clients ask ---

std::vector<BatchRequest> Service::requests() {
  try {
    if (!std::exchange(taken_up_, true)) {
      if (options_.standard) channels_.send(LineChannels::kStandard, line_of(hello()));
      take_up_open();
    }
    for (const Channel other : channels_.take_new()) channels_.send(other, line_of(hello()));
    for (const LineChannels::Line& line : channels_.take()) {
      if (!line.text.empty()) answer(line.from, line.text);
    }
    if (!channels_.is_open() && !owes() && !std::exchange(settled_, true)) settle_at_the_end();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  channels_.flush(false);
  std::set<Channel> owed;
  for (const auto& [number, channel] : waiting_) owed.insert(channel);
  channels_.let_go(owed);
  return std::exchange(asked_, {});
}

void Service::answer(Channel from, const std::string& line) {
  const ServiceRequest request = parse_request(line);
  Json said;
  try {
    said = std::visit([&](const auto& one) { return on(from, one); }, request);
  } catch (const UsageError& error) {
    said = error_line(std::visit([](const auto& one) { return one.id; }, request), error.what());
  }
  if (!said.is_null()) channels_.send(from, line_of(said));
}

Json Service::on(Channel, const BadRequest& bad) { return error_line(bad.id, bad.error); }

// Where there is one problem nobody has to name it.
const ServedProblem& Service::problem_of(std::string& name) const {
  if (name.empty() && problems_.size() == 1) name = problems_.begin()->first;
  const auto found = problems_.find(name);
  if (found != problems_.end()) return found->second;
  std::string names;
  for (const auto& [known, problem] : problems_) names += (names.empty() ? "" : ", ") + known;
  throw UsageError(name.empty() ? "'problem' is missing: one of " + names
                                : "no problem is called '" + name + "'; there are " + names);
}

Json Service::on(Channel from, const CandidateRequest& request) {
  const CandidateFiles files = files_of(request);
  const double deadline = request.deadline ? clock_.unix_seconds() + *request.deadline : 0;
  if (const Proposal* known = ledger_.find(request.client, request.id)) {
    if (known->content != content_of(files)) {
      throw UsageError("another candidate was asked under this id: ids are for one text each");
    }
    return again(*known, from, deadline);
  }
  Proposal proposal;
  proposal.problem = request.problem;
  const ServedProblem& problem = problem_of(proposal.problem);
  problem.check(files);
  proposal.id = request.id;
  proposal.client = request.client;
  proposal.stage = request.stage;
  proposal.priority = request.priority;
  proposal.weight = request.weight;
  proposal.most_time = request.most_time.value_or(0);
  proposal.deadline = deadline;
  proposal.content = content_of(files);
  proposal.same_as = ledger_.judged_before(proposal);
  if (proposal.same_as > 0) return repeated(std::move(proposal));
  proposal.source = problem.keep_sources(ledger_.begin(proposal), files);
  take(std::move(proposal), from);
  return nullptr;
}

// What was judged against the same opponent is not judged again: another look is another chance.
Json Service::repeated(Proposal proposal) {
  Json answer = *ledger_.answer_to(proposal.same_as);
  answer["id"] = proposal.id;
  answer["same_as"] = ledger_.proposal(proposal.same_as).id;
  answer["answered"] = clock_.unix_seconds();
  answer.erase("kept_as");
  proposal.asked = clock_.unix_seconds();
  (void)ledger_.begin(proposal);
  const std::uint64_t number = proposal.number;
  ledger_.enter(std::move(proposal));
  ledger_.answer(number, std::move(answer), false);
  return *told(number);
}

void Service::take(Proposal proposal, Channel from) {
  const std::uint64_t number = proposal.number;
  proposal.asked = clock_.unix_seconds();
  // Where others wait, what is no good is told before their duels have ended.
  proposal.screens = proposal.is_confirmed() && !proposal.settles && members_.size() >= kFew;
  waiting_.emplace(number, from);
  ledger_.enter(std::move(proposal));
  submit(ledger_.proposal(number));
}

Json Service::on(Channel, const CancelRequest& request) {
  const Proposal* known = ledger_.find(request.client, request.id);
  if (known == nullptr) return error_line(request.id, "nothing was asked under that id");
  if (ledger_.answer_to(known->number) != nullptr) {
    return error_line(request.id, "it has been answered already");
  }
  BatchRequest cancel;
  cancel.kind = BatchRequest::Kind::kCancel;
  cancel.names = {known->study()};
  asked_.push_back(std::move(cancel));
  return nullptr;  // the candidate's answer says so
}

Json Service::on(Channel from, const SettleRequest& request) {
  Proposal proposal;
  proposal.problem = request.problem;
  (void)problem_of(proposal.problem);
  const ServiceLedger::Night& night = ledger_.night(request.client, proposal.problem);
  if (night.kept.empty()) return error_line(request.id, "nothing was kept");
  const Proposal& incumbent = ledger_.proposal(night.incumbent());
  proposal.client = request.client;
  proposal.id = request.id.empty() ? "settle " + incumbent.id : request.id;
  if (const Proposal* known = ledger_.find(proposal.client, proposal.id, true)) {
    return again(*known, from, 0);
  }
  proposal.settles = true;
  proposal.settled = incumbent.number;
  proposal.source = incumbent.source;
  (void)ledger_.begin(proposal);
  take(std::move(proposal), from);
  return nullptr;
}

// What all that was kept comes to.
void Service::settle_at_the_end() {
  const auto nights = ledger_.nights();
  for (const auto& [whose, night] : nights) {
    if (night.kept.empty() || !problems_.contains(whose.second)) continue;
    const Json said = on(LineChannels::kStandard, SettleRequest{"", whose.first, whose.second});
    if (!said.is_null()) channels_.send(LineChannels::kStandard, line_of(said));
  }
}

Json Service::on(Channel, const StatusRequest& request) {
  Json nights = Json::array();
  for (const auto& [whose, night] : ledger_.nights()) {
    Json one{{"client", whose.first},
             {"problem", whose.second},
             {"confirmed", night.levels.size()},
             {"kept", night.kept.size()},
             {"ratio_kept", night.gains}};
    if (night.incumbent() > 0) one["incumbent"] = ledger_.proposal(night.incumbent()).id;
    nights.push_back(std::move(one));
  }
  Json json;
  if (!request.id.empty()) json["id"] = request.id;
  json["asked"] = ledger_.count();
  json["open"] = ledger_.open().size();
  json["nights"] = std::move(nights);
  return json;
}

// --- To the batch ---

void Service::submit(const Proposal& proposal) {
  members_[proposal.study()] = proposal.number;
  BatchRequest add;
  add.kind = BatchRequest::Kind::kAdd;
  add.studies.push_back(problems_.at(proposal.problem).terms(proposal, first_start_));
  asked_.push_back(std::move(add));
}

void Service::begins(BatchMember& member) {
  const auto found = members_.find(member.name());
  if (found == members_.end()) return;
  const ServedProblem& problem = problems_.at(ledger_.proposal(found->second).problem);
  own_sources_.hold(problem.name(), problem.own_identity(ledger_.proposal(found->second)));
  const Proposal& proposal = ledger_.meet_incumbent(found->second, problem.level());
  if (std::string why = why_no_level(proposal); !why.empty()) throw UsageError(why);
  const std::string opponent =
      proposal.opponent > 0 ? ledger_.proposal(proposal.opponent).source : std::string();
  member.terms.overrides = problem.contest(proposal, opponent, ledger_.folder_of(proposal.number));
  read(member);
  if (!member.error.empty()) throw UsageError(member.error);
}

void Service::added(const BatchMember& member) {
  const auto found = members_.find(member.name());
  if (found == members_.end() || member.error.empty()) return;
  const Proposal& proposal = ledger_.proposal(found->second);
  conclude(proposal, answer_without(proposal, "error", member.error));
}

void Service::ended(const BatchMember& member, const scheduler::History* history) {
  const auto found = members_.find(member.name());
  if (found == members_.end() || member.state == scheduler::BatchStudyState::kInterrupted) return;
  const Proposal& proposal = ledger_.proposal(found->second);
  Json answer = answer_to(proposal, member, history);
  if (history != nullptr && held_duel(proposal, *history)) answer["level"] = proposal.level;
  conclude(proposal, std::move(answer));
}

// --- Answers ---

void Service::conclude(const Proposal& proposal, Json answer) {
  members_.erase(proposal.study());
  try {
    const ServiceLedger::Night& night = ledger_.night(proposal.client, proposal.problem);
    const bool is_claim = answer["verdict"] == "faster" && proposal.stage == Stage::kHoldOut;
    const bool is_old = !proposal.settles && proposal.opponent != night.incumbent();
    if (is_claim && is_old) return submit(ledger_.next_round(proposal.number));
    if (proposal.screens && answer["verdict"] == "right") {
      if (answer.value("ratio", 1.0) < 1 + search::kNightDuelMargin) {
        return submit(ledger_.next_round(proposal.number));
      }
      answer["verdict"] = "not_faster";
      answer["reason"] = "one evaluation of each promised no gain worth a duel";
    }
    if (proposal.has_met()) {
      answer["opponent"] = proposal.opponent > 0 ? ledger_.proposal(proposal.opponent).id
                                                 : std::string("the problem's own");
    }
    answer["answered"] = clock_.unix_seconds();
    if (proposal.settles) return conclude_settlement(proposal, std::move(answer));
    ledger_.answer(proposal.number, std::move(answer), is_claim);
    tell(proposal);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

// What does not hold against the problem's own is taken back. What was kept before it is the
// incumbent again, which is settled next, until one stands or none is left.
void Service::conclude_settlement(const Proposal& proposal, Json answer) {
  const ServiceLedger::Night& night = ledger_.night(proposal.client, proposal.problem);
  const bool is_refuted = disproves(answer) && night.incumbent() == proposal.settled;
  answer["ratio_kept"] = night.gains;
  if (is_refuted) {
    const std::uint64_t before = night.before_incumbent();
    answer["took_back"] = ledger_.proposal(proposal.settled).id;
    answer["incumbent"] = before > 0 ? ledger_.proposal(before).id : "the problem's own";
  }
  const auto waits = waiting_.find(proposal.number);
  const Channel asker = waits == waiting_.end() ? LineChannels::kStandard : waits->second;
  ledger_.answer(proposal.number, std::move(answer), false);
  tell(proposal);
  if (!is_refuted || night.kept.empty()) return;
  const Json said = on(asker, SettleRequest{"", proposal.client, proposal.problem});
  if (!said.is_null()) channels_.send(asker, line_of(said));
}

// As its client is told. Kept is the study's name alone: the night may be moved.
std::optional<Service::Json> Service::told(std::uint64_t number) const {
  const Json* kept = ledger_.answer_to(number);
  if (kept == nullptr) return std::nullopt;
  Json answer = *kept;
  if (answer.contains("study")) {
    answer["study"] = options_.folder + "/" + answer["study"].get<std::string>();
  }
  if (ledger_.was_taken_back(number)) answer["taken_back"] = true;
  return answer;
}

void Service::tell(const Proposal& proposal) {
  const auto [from, to] = waiting_.equal_range(proposal.number);
  for (auto it = from; it != to; ++it) {
    channels_.send(it->second, line_of(*told(proposal.number)));
  }
  waiting_.erase(from, to);
}

void Service::finish() {
  channels_.flush(true);
  if (failure_.empty()) return;
  throw scheduler::JournalError(failure_ + "; the same command goes on, once that is mended");
}

}  // namespace nightshift::tools
