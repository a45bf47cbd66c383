#pragma once

#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/history.h"

namespace nightshift::scheduler {

// Where paths that a journal keeps lead to after its folder was moved or copied, alone or with the
// project around it. What the folder's old and new place end with alike has moved along: a journal
// of /work/p/studies/a that is in /copy/p2/studies/a now has its problem in /copy/p2 rather than in
// /work/p, where a file of the same problem is there. Else it has it where it was.
class MovedFolder {
 public:
  // Nothing has moved where both are the same folder, or `then` is not known.
  MovedFolder(const std::string& then, const std::string& now);

  bool has_moved() const { return !from_.empty(); }
  // What stands there now at the place of `path`; `path` itself where it is not of what has moved.
  std::string beside(const std::string& path) const;
  // Of a problem file: the one beside, where it is there and is of the same problem: as the file at
  // `path` or as `text`, which a journal kept of it, or edited since.
  std::string problem(const std::string& path, const std::string& text) const;
  // The text of a problem that a Python file describes names that file, its folder and its modules by
  // absolute paths: those beside that are there. Any other text is as somebody wrote it.
  std::string described(const std::string& text) const;
  // The folders in a list of quoted paths: those beside that are there.
  std::string folders(const std::string& list) const;

 private:
  std::string from_, to_;
};

// A study as it is read in the folder where it is now: its problem file, the files that it is made
// of, and the studies that it learns from.
void follow(const MovedFolder& moved, History& history);
// Likewise the studies of a batch.
void follow(const MovedFolder& moved, std::vector<BatchStudyRecord>& studies);

}  // namespace nightshift::scheduler
