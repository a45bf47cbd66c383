#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "problems/override.h"
#include "scheduler/journal/batch_record.h"
#include "search/identity.h"
#include "tools/serve/service_ledger.h"
#include "tools/serve/service_request.h"

namespace nightshift::tools {

// A problem for which candidates are proposed, and how they take the place of what is its own.
inline constexpr const char* kJudgedSource = "judged.source";  // key of a contest's sources

class ServedProblem {
 public:
  // Throws UsageError where nothing of the problem can be replaced.
  explicit ServedProblem(problems::BatchEntry entry);

  const std::string& name() const { return name_; }  // of letters, digits, _ and -
  const problems::BatchEntry& entry() const { return entry_; }
  double level() const { return level_; }  // of a night

  // Throws UsageError where these are not what this problem needs.
  void check(const CandidateFiles& files) const;
  // Writes what the client sent to a folder of the candidate's own, and says where its source is: a
  // file, or the folder of its files. Throws UsageError, std::system_error.
  std::string keep_sources(const std::string& folder, const CandidateFiles& files) const;

  // Of a study of its own in the night's batch, by the name that the proposal gives it. `start`: of the
  // batch, Unix seconds, from which deadlines count. What makes it a contest comes when it begins.
  scheduler::BatchStudyTerms terms(const Proposal& proposal, double start) const;

  // What its own side is made of: evaluator/files_behind.h, and the files that the candidate
  // replaces. Throws what reading the problem throws.
  search::Identity own_identity(const Proposal& proposal) const;

  // What makes the problem a contest between the proposal and its opponent, both kept by
  // keep_sources() (`opponent_source` is empty where it is the problem's own). `folder`: of the
  // candidate. Throws UsageError, std::system_error.
  std::vector<problems::Override> contest(const Proposal& proposal,
                                          const std::string& opponent_source,
                                          const std::string& folder) const;

 private:
  enum class Kind : std::uint8_t {
    kSource,   // [host], [cuda]: one source that includes all
    kProgram,  // [command]: a copy of its folder with the candidate's files
    kPython,   // a folder of files that its ns.candidate() loads
  };
  void check_replaceable(const std::string& file) const;
  std::string judged_source(const Proposal& proposal, const std::string& opponent_source,
                            const std::string& folder) const;

  problems::BatchEntry entry_;
  std::string name_;
  Kind kind_ = Kind::kSource;
  std::string own_;                       // its source, or the folder of its program
  std::vector<std::string> replaceable_;  // kProgram: CommandBackend::candidates
  std::string suffix_;                    // of sources: ".cu", ".cc"
  std::string ending_;                    // of what includes them
  double level_ = 0.01;
  int hold_out_least_ = 0;  // pairs
};

}  // namespace nightshift::tools
