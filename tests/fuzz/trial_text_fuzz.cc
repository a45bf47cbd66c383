// Any text is a configuration or an outcome, or a std::invalid_argument; what was read is written
// to a text that reads as the same.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "ipc/trial_text.h"

namespace {

using namespace nightshift;

void check_outcome(std::string_view text) {
  try {
    const std::string once = ipc::to_json(ipc::outcome_from_json(text));
    if (ipc::to_json(ipc::outcome_from_json(once)) != once) std::abort();
  } catch (const std::invalid_argument&) {
  }
}

void check_configuration(std::string_view text) {
  search::Configuration configuration;
  try {
    configuration = ipc::configuration_from_json(text);
  } catch (const std::invalid_argument&) {
    return;
  }
  // What was read can be read again: an exception from here on is a finding.
  const std::string once = configuration.to_json();
  if (ipc::configuration_from_json(once).to_json() != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_outcome(text);
  check_configuration(text);
  return 0;
}
