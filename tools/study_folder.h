#pragma once

#include <string>

namespace nightshift::tools {

// The folder of one study, and every path name in it; nobody else puts one together.
//
//   journal.sqlite  the record (scheduler/journal/sqlite_journal.h)
//   artifacts/      finished builds, named by the hash of their content
//   scratch/        of the processes of a run; empty between runs
//   report.txt      what `nightshift report` says, as of the end of the last run
//   report.html     what `nightshift report --html` says, as of the last report of its batch
//   earlier/N/      what the study was until something changed that figures depend on: a study
//                   folder
class StudyFolder {
 public:
  explicit StudyFolder(const std::string& path);  // need not exist
  // Makes studies/NAME-YYYYmmdd-HHMMSS under the current folder (local time), with -2, -3, ...
  // behind where that is taken: no two runs get the same. Throws scheduler::JournalError.
  static StudyFolder fresh(const std::string& problem_name, double unix_seconds);

  const std::string& path() const { return path_; }    // absolute
  const std::string& shown() const { return shown_; }  // as the user would type it
  std::string journal() const { return path_ + "/journal.sqlite"; }
  std::string artifacts() const { return path_ + "/artifacts"; }
  std::string scratch() const { return path_ + "/scratch"; }
  std::string earlier(int number) const { return path_ + "/earlier/" + std::to_string(number); }
  std::string report() const { return path_ + "/report.txt"; }
  std::string page() const { return path_ + "/report.html"; }

  // Makes the folders for a run, and empties scratch of what a killed run left there.
  // Throws scheduler::JournalError.
  void prepare() const;

 private:
  std::string path_, shown_;
};

}  // namespace nightshift::tools
