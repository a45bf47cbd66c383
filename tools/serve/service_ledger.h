#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/serve/service_request.h"

namespace nightshift::tools {

// A candidate that somebody proposed, from its request to its answer.
struct Proposal {
  std::uint64_t number = 0;  // in the order in which they came, from 1; of its folder
  std::string id, client, problem;
  Stage stage = Stage::kHoldOut;
  bool settles = false;        // the incumbent against the problem's own: a SettleRequest
  std::uint64_t settled = 0;   // which incumbent that is
  std::string source;          // absolute path, as ServedProblem keeps it
  std::uint64_t opponent = 0;  // the incumbent that it meets; 0: the problem's own source
  // Of studies: another one where the incumbent changed meanwhile, or after one that screened.
  int round = 1;
  bool screens = false;  // this round goes no further than one evaluation of each
  int met = 0;           // the round for which opponent and level are known; 0: none yet
  double level = 0;      // of its duel and its hold-out in that round
  // Which of its night's levels its rounds took, from 1. Of a round without a duel it is given back.
  std::vector<std::uint64_t> levels;
  int priority = 0;
  double weight = 1;
  double deadline = 0;   // Unix seconds; 0: none
  double most_time = 0;  // seconds of a device; 0: as the problem says
  double asked = 0;      // Unix seconds
  std::string content;   // hash of what was sent
  // An earlier one of the same client and content that met the same opponent, whose answer is this
  // one's; 0: none.
  std::uint64_t same_as = 0;

  Stage stage_now() const { return screens ? std::min(stage, Stage::kScreen) : stage; }
  bool is_confirmed() const { return stage_now() >= Stage::kConfirm && same_as == 0; }
  bool has_met() const { return met == round; }
  // Of its study in the batch.
  std::string study() const;
};

// All that was asked of a service and answered, a folder for each candidate under `folder`:
//
//   candidates/000017/request.json   on the disk before anything is done for it
//   candidates/000017/answer.json    before anybody is told
//
// So a service that was killed goes on where it stopped, and answers again what it has answered.
// Incumbents, and which levels were spent, are a fold over the two. Paths in them are relative to
// `folder`, which may be moved. A request or an answer that cannot be read is none. Throws
// std::system_error where the disk takes no more.
class ServiceLedger {
 public:
  using Json = nlohmann::ordered_json;

  // `expected`: confirmations of a night; `total`: their joint level, by problem as it is asked.
  ServiceLedger(std::string folder, std::uint64_t expected);

  // Numbers the proposal, makes its folder and says where that is; enter() comes behind.
  std::string begin(Proposal& proposal);
  std::string folder_of(std::uint64_t number) const;
  // Keeps the request.
  void enter(Proposal proposal);
  // Its round begins: against the incumbent of now, at a level of its own. `total`: the level of
  // the night.
  const Proposal& meet_incumbent(std::uint64_t number, double total);
  // It is to meet an incumbent as far as it was asked for, in a study of its own.
  const Proposal& next_round(std::uint64_t number);
  // It was asked again, and its answer was no judgement: it has none from now on, and another round.
  // `deadline`: as of a proposal.
  const Proposal& ask_again(std::uint64_t number, double deadline);
  // Keeps the answer. `kept`: the proposal is the incumbent from now on. An answer without "level"
  // came without a duel, and gives the level of its round back. A settlement's with "took_back" makes
  // the one that was kept before it the incumbent again, or the problem's own.
  void answer(std::uint64_t number, Json answer, bool kept);

  // nullptr where nothing was asked under that name. Settlements have names of their own.
  const Proposal* find(const std::string& client, const std::string& id,
                       bool settles = false) const;
  const Proposal& proposal(std::uint64_t number) const { return proposals_.at(number); }
  const Json* answer_to(std::uint64_t number) const;  // nullptr: none yet
  // It was kept, and did not hold against the problem's own in the end.
  bool was_taken_back(std::uint64_t number) const { return taken_back_.contains(number); }
  // One that was asked as far as `proposal` is, of the same content, against its night's incumbent,
  // and has been judged or refused; 0: none.
  std::uint64_t judged_before(const Proposal& proposal) const;
  std::vector<std::uint64_t> open() const;  // without an answer, in order
  std::uint64_t count() const { return proposals_.size(); }
  std::uint64_t last() const { return last_; }
  const Proposal* known(std::uint64_t number) const;  // nullptr: nothing was asked under it

  // --- Of a night: what one client proposed for one problem ---
  struct Night {
    std::set<std::uint64_t> levels;   // those that were spent, or are held by who is under way
    std::vector<std::uint64_t> kept;  // in order; the last one is the incumbent
    double gains = 1;                 // product of their ratios, each to the one before
    std::uint64_t incumbent() const { return kept.empty() ? 0 : kept.back(); }
    std::uint64_t before_incumbent() const { return kept.size() < 2 ? 0 : kept[kept.size() - 2]; }
    std::uint64_t next_level() const;
  };
  const Night& night(const std::string& client, const std::string& problem) const;
  const std::map<std::pair<std::string, std::string>, Night>& nights() const { return nights_; }

 private:
  void load(const std::string& folder, std::uint64_t number);
  void keep_request(const Proposal& proposal) const;
  void fold_answer(const Proposal& proposal, const Json& answer);
  void fold_settlement(const Proposal& proposal);

  std::string folder_;
  std::uint64_t expected_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Proposal> proposals_;
  std::map<std::uint64_t, Json> answers_;
  std::set<std::uint64_t> taken_back_;
  std::map<std::tuple<std::string, bool, std::string>, std::uint64_t>
      by_id_;                                                    // client, settles, id
  std::map<std::pair<std::string, std::string>, Night> nights_;  // client and problem
};

}  // namespace nightshift::tools
