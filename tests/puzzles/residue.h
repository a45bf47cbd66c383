#pragma once

#include <set>
#include <string>
#include <vector>

namespace nightshift::puzzles {

// What a run must not leave behind, counted before and after it. From construction on, every
// process that this one starts carries a random tag in its environment, and so do their descendants
// unless they start with an environment of their own.
class Residue {
 public:
  Residue();

  // Processes that carry the tag, and children of this process, zombies included, that were not
  // there before; as "pid: command line".
  std::vector<std::string> processes() const;
  // The same, once it is empty or ten seconds have passed: for what dies after the run. Reaps what
  // this process inherited (it is a subreaper once it had a pool), so it must have no child of its
  // own.
  std::vector<std::string> processes_after_a_while() const;
  int extra_descriptors() const;       // of this process
  int memory_files() const;            // mapped into this process
  bool shared_memory_changed() const;  // /dev/shm

  const std::string& tag() const { return tag_; }  // "NAME=value"

 private:
  std::string tag_;
  std::set<int> children_;
  int descriptors_ = 0;
  std::set<std::string> shared_memory_;
};

}  // namespace nightshift::puzzles
