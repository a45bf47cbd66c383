#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/confirmation/confirmation.h"

namespace nightshift::scheduler {

// The confirmations that have no verdict yet: the one that is evaluated, and duels that were set
// aside for it. The journal needs no word of that: which of them goes on is said by its next
// evaluation.
class OpenConfirmations {
 public:
  // It is the current one; the one before it is set aside.
  void open(std::unique_ptr<Confirmation> confirmation);
  void set_aside();  // the current one, a duel
  // That one is current again, where it was set aside.
  void go_on(search::ConfirmationId id);
  // The current one, which is open no more.
  std::unique_ptr<Confirmation> close() { return std::move(current_); }

  Confirmation* current() { return current_.get(); }  // nullptr: none is
  const Confirmation* current() const { return current_.get(); }
  const std::vector<std::unique_ptr<Confirmation>>& aside() const { return aside_; }
  bool any_aside() const { return !aside_.empty(); }
  // nullptr where there is none.
  const Confirmation* find(search::ConfirmationId id) const;
  Confirmation* find(search::ConfirmationId id);
  const Confirmation* duel_of(search::TrialId candidate) const;

  // Of all of them: the device takes no part any more, or none but these do.
  void drop(const std::string& device);
  void keep(const std::vector<std::string>& devices);

 private:
  std::unique_ptr<Confirmation> current_;
  std::vector<std::unique_ptr<Confirmation>> aside_;
};

}  // namespace nightshift::scheduler
