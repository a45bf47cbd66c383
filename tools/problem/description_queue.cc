#include "tools/problem/description_queue.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace nightshift::tools {

void DescriptionQueue::announce(Arguments arguments) {
  questions_.push_back({std::move(arguments), {}});
  start_more();
}

// One that cannot be started is told to who takes it.
void DescriptionQueue::start_more() {
  std::size_t left = most_;
  for (Question& question : questions_) {
    if (left-- == 0) return;
    if (question.child) continue;
    try {
      question.child = start_(question.arguments);
    } catch (const std::system_error&) {
      return;
    }
  }
}

ipc::ChildProcess DescriptionQueue::take(const Arguments& arguments) {
  const auto found = std::ranges::find(questions_, arguments, &Question::arguments);
  ipc::ChildProcess child;
  if (found != questions_.end()) {
    child = std::move(found->child);
    questions_.erase(found);
  }
  if (!child) child = start_(arguments);
  start_more();
  return child;
}

}  // namespace nightshift::tools
