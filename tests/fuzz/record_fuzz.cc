// Any bytes are a record or are corrupt; a record that was read is written back as the same bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "ipc/crc32c.h"
#include "ipc/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::ipc;
  const auto block = std::as_bytes(std::span(data, size));
  if (crc32c(0, block) != crc32c_by_table(0, block)) std::abort();

  auto read = read_record(block);
  if (auto* record = std::get_if<Record>(&read)) {
    std::vector<std::byte> again(sizeof(RecordHeader) + record->payload.size());
    if (!write_record(again, record->header, record->payload)) std::abort();
    if (!std::equal(again.begin(), again.end(), block.begin())) std::abort();
  }
  // The same bytes as the payload of a good record.
  std::vector<std::byte> framed(sizeof(RecordHeader) + size);
  if (!write_record(framed, RecordHeader{}, block)) std::abort();
  read = read_record(framed);
  auto* record = std::get_if<Record>(&read);
  if (record == nullptr || !std::ranges::equal(record->payload, block)) std::abort();
  return 0;
}
