// Products of matrices by a warp and by a warpgroup (PTX ISA, "mma", "ldmatrix", "wgmma"). Layouts
// are those that the PTX ISA draws; sums of products are rounded once an instruction, where the
// hardware rounds as it likes.
#include <cstdlib>
#include <cstring>

#include "tests/fakes/gpu/include/cuda_bf16.h"
#include "tests/fakes/gpu/include/cuda_fp16.h"
#include "tests/fakes/gpu/ptx.h"
#include "tests/fakes/gpu/shared_memory.h"
#include "tests/fakes/gpu/thread_blocks.h"

namespace fake_gpu {
namespace {

template <float (*kValue)(unsigned short)>
struct TwoBytes {
  using Sum = float;
  using Exact = double;
  static constexpr unsigned kBytes = 2;
  static double at(const unsigned char* from) {
    unsigned short bits;
    std::memcpy(&bits, from, sizeof bits);
    return kValue(bits);
  }
};
using Bfloat16 = TwoBytes<bfloat16_value>;
using Float16 = TwoBytes<half_value>;
struct Float8 {
  using Sum = float;
  using Exact = double;
  static constexpr unsigned kBytes = 1;
  static double at(const unsigned char* from) {
    const int exponent = *from >> 3 & 15, mantissa = *from & 7;
    const double size =
        exponent == 0 ? mantissa * 0x1p-9 : (8 + mantissa) * __builtin_ldexp(1.0, exponent - 10);
    return (*from & 0x80) != 0 ? -size : size;
  }
};
struct Int8 {
  using Sum = int;
  using Exact = int;
  static constexpr unsigned kBytes = 1;
  static int at(const unsigned char* from) { return static_cast<signed char>(*from); }
};

void load_matrices(const Frame& frame, std::string_view) {
  const unsigned address = frame.number(4);
  const unsigned lane = current().lane;
  unsigned addresses[32];
  const unsigned char* const slots = exchange(0xffffffffU, &address, sizeof address);
  for (unsigned i = 0; i < 32; ++i) std::memcpy(&addresses[i], slots + i * kSlotBytes, 4);
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    unsigned word;
    std::memcpy(&word, at_shared(addresses[matrix * 8 + lane / 4]) + lane % 4 * 4, sizeof word);
    frame.set(matrix, word);
  }
}

void store_matrices(const Frame& frame, std::string_view) {
  const unsigned address = frame.number(0);
  const unsigned lane = current().lane;
  if (address % 16 != 0) fail(kIllegalInstruction, "stmatrix to a row that is not aligned");
  unsigned addresses[32];
  const unsigned char* const slots = exchange(0xffffffffU, &address, sizeof address);
  for (unsigned i = 0; i < 32; ++i) std::memcpy(&addresses[i], slots + i * kSlotBytes, 4);
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    const unsigned word = frame.number(1 + matrix);
    std::memcpy(at_shared(addresses[matrix * 8 + lane / 4]) + lane % 4 * 4, &word, sizeof word);
  }
}

// sums[16 x 8] += a[16 x k] * b[k x 8], where k is 32 bytes. Of both, a lane has words of 4 bytes
// of a row: lane / 4 is the row of a (and the row plus 8), and the column of b.
template <class Number>
void multiply_by_warp(const Frame& frame, std::string_view) {
  struct Share {
    unsigned a[4], b[2];
  } own;
  for (unsigned i = 0; i < 4; ++i) own.a[i] = frame.number(4 + i);
  for (unsigned i = 0; i < 2; ++i) own.b[i] = frame.number(8 + i);
  const unsigned char* const slots = exchange(0xffffffffU, &own, sizeof own);
  const auto share = [&](unsigned lane) {
    return reinterpret_cast<const Share*>(slots + lane * kSlotBytes);
  };
  const unsigned lane = current().lane;
  for (unsigned i = 0; i < 4; ++i) {  // rows lane / 4 and 8 more, two columns each
    const unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
    typename Number::Exact sum = frame.get<typename Number::Sum>(10 + i);
    for (unsigned byte = 0; byte < 32; byte += Number::kBytes) {
      const unsigned half = byte / 16, word = byte % 16 / 4;
      const auto* const a =
          reinterpret_cast<const unsigned char*>(&share(row * 4 + word)->a[half * 2 + i / 2]);
      const auto* const b =
          reinterpret_cast<const unsigned char*>(&share(column * 4 + word)->b[half]);
      sum += Number::at(a + byte % 4) * Number::at(b + byte % 4);
    }
    frame.set(i, static_cast<typename Number::Sum>(sum));
  }
}

// A tile in shared memory, whose rows of k are permuted in groups of 8.
class Tile {
 public:
  explicit Tile(std::uint64_t descriptor)
      : begin_(static_cast<unsigned>(descriptor & 0x3fff) * 16),
        between_groups_(static_cast<unsigned>(descriptor >> 32 & 0x3fff) * 16) {
    const auto swizzle = static_cast<unsigned>(descriptor >> 62);
    if (swizzle == 0) fail(kIllegalInstruction, "wgmma from a tile that is not swizzled");
    row_bytes_ = 256U >> swizzle;
  }
  const unsigned char* at(unsigned row, unsigned byte) const {
    const unsigned plain = begin_ + row / 8 * between_groups_ + row % 8 * row_bytes_ + byte;
    return at_shared(plain ^ (plain >> 7 & (row_bytes_ / 16 - 1)) << 4);
  }

 private:
  unsigned begin_, between_groups_, row_bytes_ = 0;
};

// A tile of rows of k in shared memory, whose columns are contiguous, in slabs of 64 that are
// swizzled by 128 bytes.
class RowsTile {
 public:
  explicit RowsTile(std::uint64_t descriptor)
      : begin_(static_cast<unsigned>(descriptor & 0x3fff) * 16),
        between_slabs_(static_cast<unsigned>(descriptor >> 16 & 0x3fff) * 16),
        between_groups_(static_cast<unsigned>(descriptor >> 32 & 0x3fff) * 16) {
    if (descriptor >> 62 != 1)
      fail(kIllegalInstruction, "wgmma of rows without 128 bytes of swizzle");
  }
  const unsigned char* at(unsigned row, unsigned column) const {
    const unsigned plain = begin_ + column / 64 * between_slabs_ + row / 8 * between_groups_ +
                           row % 8 * 128 + column % 64 * 2;
    return at_shared(plain ^ (plain >> 7 & 7) << 4);
  }

 private:
  unsigned begin_, between_slabs_, between_groups_;
};

// sums[64 x columns] (+)= a[64 x 16] * b[16 x columns] with a in registers, whose layout is that of
// sums.
template <class Number>
void multiply_from_registers(const Frame& frame, unsigned columns) {
  const std::size_t sums = columns / 2;
  unsigned own[4];
  for (unsigned i = 0; i < 4; ++i) own[i] = frame.number(sums + i);
  const unsigned char* const slots = exchange(0xffffffffU, own, sizeof own);
  const RowsTile b(frame.get<std::uint64_t>(sums + 4));
  const bool adds = frame.number(sums + 5) != 0;
  if (frame.number(sums + 8) != 1) fail(kIllegalInstruction, "wgmma from registers by columns");
  const unsigned lane = current().lane;
  double rows[2][16];
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned from = lane / 4 * 4 + k % 8 / 2;
      rows[i][k] = Number::at(slots + from * kSlotBytes + (k / 8 * 2 + i) * 4 + k % 2 * 2);
    }
  }
  for (unsigned at = 0; at < sums; ++at) {
    const unsigned column = at / 4 * 8 + lane % 4 * 2 + at % 2, i = at / 2 % 2;
    double sum = adds ? frame.get<float>(at) : 0;
    for (unsigned k = 0; k < 16; ++k) sum += rows[i][k] * Number::at(b.at(k, column));
    frame.set(at, static_cast<float>(sum));
  }
}

// sums[64 x columns] (+)= a[64 x k] * b[columns x k], where k is 32 bytes.
template <class Number>
void multiply_by_warpgroup(const Frame& frame, std::string_view name) {
  constexpr unsigned kNumbers = 32 / Number::kBytes;
  const auto columns =
      static_cast<unsigned>(std::strtoul(name.data() + name.find(".m64n") + 5, nullptr, 10));
  const std::size_t sums = columns / 2;
  if constexpr (Number::kBytes == 2) {  // four registers in the place of a descriptor
    if (frame.count() == sums + 9) return multiply_from_registers<Number>(frame, columns);
  }
  const Tile a(frame.get<std::uint64_t>(sums)), b(frame.get<std::uint64_t>(sums + 1));
  const bool adds = frame.number(sums + 2) != 0;
  const Thread& thread = current();
  const unsigned warp = (thread.index[0] / 32) % 4;
  typename Number::Exact rows[2][kNumbers];
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned row = warp * 16 + thread.lane / 4 + 8 * i;
    for (unsigned k = 0; k < kNumbers; ++k) rows[i][k] = Number::at(a.at(row, k * Number::kBytes));
  }
  for (unsigned pair = 0; pair < columns / 4; ++pair) {
    const unsigned column = pair / 2 * 8 + thread.lane % 4 * 2 + pair % 2;
    typename Number::Exact numbers[kNumbers];
    for (unsigned k = 0; k < kNumbers; ++k)
      numbers[k] = Number::at(b.at(column, k * Number::kBytes));
    for (unsigned i = 0; i < 2; ++i) {
      const std::size_t at = pair / 2 * 4 + 2 * i + pair % 2;
      typename Number::Exact sum = adds ? frame.get<typename Number::Sum>(at) : 0;
      for (unsigned k = 0; k < kNumbers; ++k) sum += rows[i][k] * numbers[k];
      frame.set(at, static_cast<typename Number::Sum>(sum));
    }
  }
}

// Products of a warpgroup are there when they are ordered, and have been waited for when all of its
// warps have ordered them.
void nothing(const Frame&, std::string_view) {}
void await_products(const Frame&, std::string_view) { meet_warpgroup(); }

template <class Number>
constexpr KnownOperation kWarpgroup = {"wgmma.mma_async.sync.aligned.m64n",
                                       multiply_by_warpgroup<Number>, 90};

constexpr KnownOperation kKnown[] = {
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", load_matrices, 75},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16", store_matrices, 90},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", multiply_by_warp<Bfloat16>, 80},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", multiply_by_warp<Int8>, 80},
    {"wgmma.fence.sync.aligned", nothing, 90},
    {"wgmma.commit_group.sync.aligned", nothing, 90},
    {"wgmma.wait_group.sync.aligned", await_products, 90},
};

}  // namespace

const KnownOperation* matrix_operation_of(std::string_view name) {
  for (const KnownOperation& known : kKnown) {
    if (name.starts_with(known.beginning)) return &known;
  }
  if (!name.starts_with(kWarpgroup<Int8>.beginning)) return nullptr;
  if (name.ends_with(".f32.bf16.bf16")) return &kWarpgroup<Bfloat16>;
  if (name.ends_with(".f32.f16.f16")) return &kWarpgroup<Float16>;
  if (name.ends_with(".f32.e4m3.e4m3")) return &kWarpgroup<Float8>;
  if (name.ends_with(".s32.s8.s8")) return &kWarpgroup<Int8>;
  return nullptr;
}

}  // namespace fake_gpu
