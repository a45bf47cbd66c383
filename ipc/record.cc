#include "ipc/record.h"

#include <cstring>

namespace nightshift::ipc {

namespace {

std::uint32_t checksum_of(RecordHeader header, std::span<const std::byte> payload) {
  header.checksum = 0;
  return crc32c(crc32c(0, std::as_bytes(std::span(&header, 1))), payload);
}

// From here on `copy` is what was read, whatever the source has become: without this the compiler
// may load the source again where the program says `copy`, after the copy was validated.
template <class T>
void forget_source_of(T& copy) {
  asm volatile("" : : "r"(&copy) : "memory");
}

}  // namespace

bool write_record(std::span<std::byte> block, RecordHeader header,
                  std::span<const std::byte> payload) {
  if (block.size() < sizeof header || payload.size() > block.size() - sizeof header) return false;
  header.magic = kRecordMagic;
  header.length = payload.size();
  header.checksum = checksum_of(header, payload);
  std::memcpy(block.data(), &header, sizeof header);
  if (!payload.empty()) std::memcpy(block.data() + sizeof header, payload.data(), payload.size());
  return true;
}

std::variant<Record, CorruptRecord> read_record(std::span<const std::byte> block) {
  Record record;
  RecordHeader& header = record.header;
  if (block.size() < sizeof header) return CorruptRecord{"shorter than a record header"};
  std::memcpy(&header, block.data(), sizeof header);
  forget_source_of(header);

  if (header.magic != kRecordMagic) return CorruptRecord{"no record here (wrong magic number)"};
  if (header.length > block.size() - sizeof header) {
    return CorruptRecord{"length " + std::to_string(header.length) + " exceeds the slot's " +
                         std::to_string(block.size() - sizeof header) + " bytes"};
  }
  const auto source = block.subspan(sizeof header, header.length);
  record.payload.assign(source.begin(), source.end());
  forget_source_of(record.payload);

  if (checksum_of(header, record.payload) != header.checksum) {
    return CorruptRecord{"checksum does not match"};
  }
  return record;
}

}  // namespace nightshift::ipc
