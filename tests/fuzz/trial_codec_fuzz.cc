// Any bytes are a message or a DecodeError; a message is written as it was read. The first byte
// says which message.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "ipc/messages.h"

namespace {

using namespace nightshift::ipc;

template <class Message>
void check(std::span<const std::byte> bytes) {
  try {
    const auto again = encode(decode<Message>(bytes));
    if (!std::ranges::equal(again, bytes)) std::abort();
  } catch (const DecodeError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 6) {
    case 0:
      check<ConfigureRequest>(bytes);
      break;
    case 1:
      check<ConfiguredReply>(bytes);
      break;
    case 2:
      check<BuildRequest>(bytes);
      break;
    case 3:
      check<BuiltReply>(bytes);
      break;
    case 4:
      check<EvaluateRequest>(bytes);
      break;
    default:
      check<EvaluatedReply>(bytes);
      break;
  }
  return 0;
}
