#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "scheduler/clock.h"
#include "tools/batch/batch_door.h"
#include "tools/serve/line_channels.h"
#include "tools/serve/own_sources.h"
#include "tools/serve/served_problem.h"
#include "tools/serve/service_ledger.h"
#include "tools/serve/service_request.h"

namespace nightshift::tools {

struct ServiceOptions {
  std::string folder;            // of the night: a batch's
  bool standard = true;          // clients on standard input and output
  std::string socket;            // path; empty: none
  std::uint64_t expected = 500;  // confirmations of a night
};

// Judges candidates that clients propose while it runs: each is a study of two configurations, the
// incumbent as the baseline and the candidate, in a batch that does not end (BatchDoor). So all
// that studies have (isolation, pairs, hold-outs, journals, resuming) is the candidates' too. The
// incumbent is that of when the study begins. Where several wait, a candidate is screened first, in a
// study of two evaluations that comes before all duels, so that most refusals come at once.
//
// A client's night with a problem has an incumbent, at first the problem's own source. A candidate
// whose claim holds is kept: it is the incumbent from then on. One that was confirmed against an
// incumbent that has been replaced meanwhile meets the new one, at a level of its own.
class Service final : public BatchDoor {
 public:
  // Throws UsageError: no problem, one that has no source to be replaced, names that come twice.
  Service(ServiceOptions options, std::vector<problems::BatchEntry> problems,
          const scheduler::Clock& clock);

  std::vector<scheduler::BatchStudyTerms> kinds() const override;
  std::vector<scheduler::BatchRequest> requests() override;
  bool is_open() const override {
    return failure_.empty() && (channels_.is_open() || !settled_ || !asked_.empty());
  }
  std::set<std::string> awaited() const override;
  void added(const BatchMember& member) override;
  void begins(BatchMember& member) override;
  void ended(const BatchMember& member, const scheduler::History* history) override;

  // Sends what is left. Throws JournalError where the ledger could not be written.
  void finish();

 private:
  using Json = nlohmann::ordered_json;
  using Channel = LineChannels::Channel;
  void take_up_open();
  void take_up_ended(const Proposal& proposal, const scheduler::BatchStudyRecord& study);
  void answer(Channel from, const std::string& line);
  Json on(Channel from, const BadRequest& bad);
  Json on(Channel from, const CandidateRequest& request);
  Json on(Channel from, const CancelRequest& request);
  Json on(Channel from, const SettleRequest& request);
  Json on(Channel from, const StatusRequest& request);
  const ServedProblem& problem_of(std::string& name) const;
  Json repeated(Proposal proposal);
  Json again(const Proposal& known, Channel from, double deadline);
  void take(Proposal proposal, Channel from);
  void submit(const Proposal& proposal);
  void settle_at_the_end();
  bool owes() const { return !members_.empty() || !asked_.empty(); }
  void conclude(const Proposal& proposal, Json answer);
  void conclude_settlement(const Proposal& proposal, Json answer);
  std::optional<Json> told(std::uint64_t number) const;
  void tell(const Proposal& proposal);
  Json hello() const;

  ServiceOptions options_;
  const scheduler::Clock& clock_;
  std::map<std::string, ServedProblem> problems_;
  ServiceLedger ledger_;
  OwnSources own_sources_;
  LineChannels channels_;
  std::map<std::string, std::uint64_t> members_;   // studies under way, and whose they are
  std::multimap<std::uint64_t, Channel> waiting_;  // for the answer to a proposal
  std::vector<scheduler::BatchRequest> asked_;     // not handed on yet
  double first_start_ = 0;                         // of the batch, Unix seconds
  bool taken_up_ = false, settled_ = false;
  std::string failure_;  // of the ledger: nothing is promised any more
};

}  // namespace nightshift::tools
