#include "scheduler/journal/file/journal_form.h"

#include <fmt/format.h>

namespace nightshift::scheduler {

std::string JournalForm::to_start(const std::string& folder) const {
  return fmt::format(fmt::runtime(starts), folder);
}

std::string JournalForm::to_go_on(const std::string& folder) const {
  return fmt::format(fmt::runtime(goes_on), folder);
}

}  // namespace nightshift::scheduler
