// Any line from either end is a message or is refused; what was read is written as a line that
// reads as the same. Any bytes are a parcel or are refused, and none leaves its folder.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "scheduler/nodes/base64.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/parcel.h"

namespace {

using namespace nightshift::scheduler;

template <class Read>
void try_line(std::string_view text, const Read& read) {
  try {
    std::string line = line_of(read(text));
    line.pop_back();
    if (line_of(read(line)) != line + "\n") std::abort();
  } catch (const LineError&) {
  }
}

void try_parcel(std::string_view text) {
  namespace fs = std::filesystem;
  const auto bytes = from_base64(text);
  if (!bytes) return;
  if (to_base64(*bytes) != text) std::abort();
  const fs::path folder =
      fs::temp_directory_path() / ("node-line-fuzz-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  try {
    unpack(*bytes, (folder / "parcel").string());
  } catch (const LineError&) {
  } catch (const std::exception&) {
    // A name that this file system does not take.
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("parcel")) std::abort();
  }
  fs::remove_all(folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_line(text, head_line);
  try_line(text, agent_line);
  try_parcel(text);
  return 0;
}
