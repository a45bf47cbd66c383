#include "scheduler/confirmation/open_confirmations.h"

#include <algorithm>
#include <utility>

namespace nightshift::scheduler {

void OpenConfirmations::open(std::unique_ptr<Confirmation> confirmation) {
  if (current_) set_aside();
  current_ = std::move(confirmation);
}

void OpenConfirmations::set_aside() { aside_.push_back(std::move(current_)); }

void OpenConfirmations::go_on(search::ConfirmationId id) {
  const auto found = std::ranges::find(aside_, id, [](const auto& c) { return c->id(); });
  if (found == aside_.end()) return;
  std::unique_ptr<Confirmation> next = std::move(*found);
  aside_.erase(found);
  open(std::move(next));
}

const Confirmation* OpenConfirmations::find(search::ConfirmationId id) const {
  if (current_ && current_->id() == id) return current_.get();
  const auto found = std::ranges::find(aside_, id, [](const auto& c) { return c->id(); });
  return found == aside_.end() ? nullptr : found->get();
}

Confirmation* OpenConfirmations::find(search::ConfirmationId id) {
  return const_cast<Confirmation*>(std::as_const(*this).find(id));
}

const Confirmation* OpenConfirmations::duel_of(search::TrialId candidate) const {
  const auto is_its = [&](const std::unique_ptr<Confirmation>& c) {
    return c && c->setup().purpose == Purpose::kDuel && c->setup().candidate == candidate;
  };
  if (is_its(current_)) return current_.get();
  const auto found = std::ranges::find_if(aside_, is_its);
  return found == aside_.end() ? nullptr : found->get();
}

void OpenConfirmations::drop(const std::string& device) {
  if (current_) current_->drop(device);
  for (const auto& c : aside_) c->drop(device);
}

void OpenConfirmations::keep(const std::vector<std::string>& devices) {
  if (current_) current_->keep(devices);
  for (const auto& c : aside_) c->keep(devices);
}

}  // namespace nightshift::scheduler
