#pragma once

#include <set>
#include <string>
#include <vector>

#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/history.h"
#include "tools/batch/batch_member.h"

namespace nightshift::tools {

// Somebody who adds studies to a batch while it runs, cancels them, and is told how they end. A
// batch with a door says nothing itself, and does not end while the door is open.
class BatchDoor {
 public:
  virtual ~BatchDoor() = default;

  // One study of each problem that is to come: the batch takes devices for these. Asked once.
  virtual std::vector<scheduler::BatchStudyTerms> kinds() const = 0;
  // What is asked since the last call; once a turn of the loop, at least ten times a second.
  virtual std::vector<scheduler::BatchRequest> requests() = 0;
  virtual bool is_open() const = 0;

  // Studies of an earlier run, for the end of which somebody waits. Asked once.
  virtual std::set<std::string> awaited() const = 0;
  // The study waits for its turn, or cannot begin: member.error.
  virtual void added(const BatchMember& member) = 0;
  // It begins for the first time: the last moment to change its overrides, after which the door
  // reads it again. Throws what the study fails with.
  virtual void begins(BatchMember& member) = 0;
  // How it ended stands in member.state and member.reason; `history` is nullptr where it has none.
  // One that stopped alone, as where a disk is full, has failed: nothing goes on with it.
  virtual void ended(const BatchMember& member, const scheduler::History* history) = 0;
};

}  // namespace nightshift::tools
