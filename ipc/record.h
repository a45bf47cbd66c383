#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace nightshift::ipc {

// Framing of one message in a block of bytes that somebody else may be writing to, or may have
// left half written: header, then payload. Works on any bytes; knows nothing of shared memory and
// does no synchronisation.
struct RecordHeader {
  std::uint32_t magic = 0;
  std::uint32_t kind = 0;      // MessageKind
  std::uint64_t epoch = 0;     // random per evaluator incarnation
  std::uint64_t sequence = 0;  // counts requests of this incarnation; the reply repeats it
  std::uint64_t trial = 0;
  std::uint32_t attempt = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the header with this field 0, then of the payload
  std::uint64_t length = 0;    // of the payload in bytes
};
static_assert(std::is_trivially_copyable_v<RecordHeader> && sizeof(RecordHeader) == 48);

constexpr std::uint32_t kRecordMagic = 0x4e534852;  // "NSHR"

// Continue a CRC-32C (Castagnoli) with `bytes`; start with 0. Uses SSE4.2 where the CPU has it.
std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes);

// Writes header and payload into `block`, filling magic, length and checksum.
// False when it does not fit; then nothing is written.
bool write_record(std::span<std::byte> block, RecordHeader header,
                  std::span<const std::byte> payload);

struct Record {
  RecordHeader header;
  std::vector<std::byte> payload;
};
struct CorruptRecord {
  std::string why;
};
// Copies header and payload out of `block` once, then validates the copy: magic, length within the
// block and checksum. Never reads outside `block`, whatever the bytes are.
std::variant<Record, CorruptRecord> read_record(std::span<const std::byte> block);

}  // namespace nightshift::ipc
