#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/acceptance.h"
#include "search/configuration.h"
#include "search/id.h"
#include "search/identity.h"
#include "search/searcher.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// Which side of a confirmation a trial measures.
enum class Arm : std::uint8_t { kNone, kCandidate, kIncumbent, kBaseline };
std::string_view name_of(Arm arm);

// What a confirmation is for.
enum class Purpose : std::uint8_t {
  kDuel,       // a candidate against the incumbent: accept it?
  kSelfTest,   // A/A: the same configuration twice; is what is measured to be trusted?
  kCanary,     // a configuration known to be slower: do the parameters reach the kernel?
  kHoldOut,    // the last incumbent against the baseline, on new data: the claim
  kFinishing,  // something simpler against the last duel's winner: is it no worse?
  kFront,      // a member of the Pareto front beside the baseline, for its figures; claims nothing
};
std::string_view name_of(Purpose purpose);  // "duel", "self-test", "canary", "hold-out", ...

// A confirmation as it is opened.
struct ConfirmationSetup {
  search::ConfirmationId id;
  Purpose purpose = Purpose::kDuel;
  search::TrialId candidate;  // explore trial; 0 = the baseline, or the canary
  search::TrialId opponent;   // explore trial that was accepted; 0 = the baseline
  // Device::key() of those that take part; none where a finishing round needs no pairs, as the
  // machine code is the same.
  std::vector<std::string> devices;
  int pairs = 0;     // on each device, where their number, or the largest, is fixed beforehand
  double level = 0;  // of the test of a hold-out, or of a finishing round
  friend bool operator==(const ConfirmationSetup&, const ConfirmationSetup&) = default;
};

// A trial as it enters the queue.
struct ProposedTrial {
  search::TrialId id;
  search::JobKind job = search::JobKind::kExplore;
  std::optional<search::ConfigurationIndex> index;  // in the space; absent for the baseline
  search::Configuration configuration;              // empty = baseline
  std::string device;                               // Device::key(); empty = any
  search::ConfirmationId confirmation;              // 0 = none
  // Of a confirmation: the explore trial it confirms. Of an exploration: the winner that it is
  // simpler than, where a finishing round asks for it; else 0.
  search::TrialId candidate;
  int round = 0;
  Arm arm = Arm::kNone;
};

// Steps between proposal and end, for the record.
enum class TrialState : std::uint8_t { kProposed, kBuilding, kBuilt, kRunning, kRetry, kFinished };
std::string_view name_of(TrialState state);

// An exploration that the searcher has not asked for.
inline bool is_of_finishing(const ProposedTrial& trial) {
  return trial.job == search::JobKind::kExplore && trial.candidate.value != 0;
}
// The job, for tables: "explore" is what the searcher asked for.
inline std::string_view job_word(const ProposedTrial& trial) {
  return is_of_finishing(trial) ? "finish" : search::name_of(trial.job);
}

// A trial as it ended.
struct FinishedTrial {
  search::TrialId id;
  search::TrialReport report;
  std::uint32_t attempts = 1;
  std::string device;                       // Device::key(); empty when it never reached one
  std::string artifact;                     // hash; empty without a build
  std::optional<double> value;              // primary objective, median of the samples
  std::optional<search::Score> normalised;  // see search::Score
  // "exceeds limit on error: 0.02 > 0.001": measured, but no candidate, and not `normalised`. Empty
  // where the figures keep within the limits.
  std::string beyond_limits;
  double started = 0, finished = 0;  // Unix seconds
  // Seconds of it, on the device, which the next one of it is spared; not kept.
  double building = 0;
};

// How long another evaluation like it takes.
inline double evaluation_seconds(const FinishedTrial& trial) {
  return trial.finished - trial.started - trial.building;
}

// When what was measured was true, Unix seconds.
inline double middle_of(const FinishedTrial& trial) { return (trial.started + trial.finished) / 2; }

struct ConfirmationVerdict {
  search::ConfirmationId id;
  search::TrialId candidate;  // as in its setup
  search::Verdict verdict;
};

// What a study is made of, written once.
struct StudyHeader {
  std::string problem_name;
  std::string problem_file;
  std::string problem_text;  // the file as it was read, for resume
  std::vector<std::pair<std::string, std::string>> overrides;  // --set, --seed, ... as given
  std::string device_selection;
  std::vector<std::pair<std::string, std::string>> environment;  // cpu, memory, os, compiler, ...
  search::Identity identity;  // empty in studies of earlier versions
  double created = 0;         // Unix seconds
};

// The durable record. Calls between two end_turn() become visible together; end_turn() survives any
// SIGKILL of this process, commit_durably() a power failure as well.
// Every call throws JournalError when the record cannot be written; the journal on disk stays good.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual void propose(const ProposedTrial& trial, double at) = 0;
  virtual void note(search::TrialId trial, TrialState state, std::uint32_t attempt,
                    std::string_view device, std::string_view detail, double at) = 0;
  virtual void finish(const FinishedTrial& trial) = 0;
  virtual void open(const ConfirmationSetup& confirmation, double at) = 0;
  virtual void verdict(const ConfirmationVerdict& verdict, double at) = 0;
  virtual void remark(std::string_view what, std::string_view detail,
                      double at) = 0;  // quarantine, resume, ...
  // "running", "completed", "interrupted", "failed", with a reason; and the wall time of this run.
  virtual void status(std::string_view status, std::string_view reason, double run_seconds) = 0;
  virtual void end_turn() = 0;
  virtual void commit_durably() = 0;
};

}  // namespace nightshift::scheduler
