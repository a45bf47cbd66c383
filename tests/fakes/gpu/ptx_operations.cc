#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tests/fakes/gpu/include/fake_tile.h"
#include "tests/fakes/gpu/ptx.h"
#include "tests/fakes/gpu/shared_memory.h"
#include "tests/fakes/gpu/thread_blocks.h"

namespace fake_gpu {
namespace {

void nothing(const Frame&, std::string_view) {}

// ".v4.u32" and the like: how many words of how many bytes are moved.
struct Words {
  std::size_t count = 1;
  unsigned bytes = 4;
};
Words words_of(std::string_view name) {
  Words words;
  if (name.find(".v4.") != std::string_view::npos) words.count = 4;
  if (name.find(".v2.") != std::string_view::npos) words.count = 2;
  if (name.ends_with("16")) words.bytes = 2;
  if (name.ends_with("64")) words.bytes = 8;
  return words;
}

void check_alignment(const unsigned char* address, unsigned bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
    fail(kMisaligned, "a misaligned address of inline PTX");
  }
}

void load(const Frame& frame, std::string_view name) {
  const Words words = words_of(name);
  const unsigned char* const from = frame.address(words.count);
  check_alignment(from, static_cast<unsigned>(words.count) * words.bytes);
  for (std::size_t i = 0; i < words.count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i * words.bytes, words.bytes);
    frame.set(i, word);
  }
}

void load_shared(const Frame& frame, std::string_view name) {
  const unsigned bytes = words_of(name).bytes;
  const unsigned char* const from = at_shared(frame.number(1));
  check_alignment(from, bytes);
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  frame.set(0, word);
}

void store(const Frame& frame, std::string_view name) {
  const Words words = words_of(name);
  unsigned char* const to = frame.address(0);
  check_alignment(to, static_cast<unsigned>(words.count) * words.bytes);
  for (std::size_t i = 0; i < words.count; ++i) {
    const auto word = frame.get<std::uint64_t>(1 + i);
    std::memcpy(to + i * words.bytes, &word, words.bytes);
  }
}

// Of one piece, at its place by the time the barrier has all its bytes.
void order_copy(unsigned char* to, const unsigned char* from, unsigned bytes, unsigned barrier) {
  PhaseBarrier* const arrived = &PhaseBarrier::at(barrier);
  at_some_time([=] {
    std::memcpy(to, from, bytes);
    arrived->complete(static_cast<std::int32_t>(bytes));
  });
}

void copy_bulk(const Frame& frame, std::string_view) {
  unsigned char* const to = at_shared(frame.number(0));
  const unsigned char* const from = frame.address(1);
  const unsigned bytes = frame.number(2);
  check_alignment(to, 16);
  check_alignment(from, 16);
  if (bytes % 16 != 0) fail(kMisaligned, "a bulk copy of bytes that are no multiple of 16");
  order_copy(to, from, bytes, frame.number(3));
}

// From shared to global memory: the bytes are read at once, or not before the group is waited for.
void order_copy_out(Work copy) {
  if (cluster().chance() % 2 == 0) {
    copy();
  } else {
    current().bulk.open.push_back(std::move(copy));
  }
}

// All threads have published what they wrote.
void copy_bulk_out(const Frame& frame, std::string_view) {
  unsigned char* const to = frame.address(0);
  const unsigned char* const from = at_shared(frame.number(1));
  const unsigned bytes = frame.number(2);
  check_alignment(to, 16);
  check_alignment(from, 16);
  if (bytes % 16 != 0) fail(kMisaligned, "a bulk copy of bytes that are no multiple of 16");
  if (!current().block->is_published) {
    fail(kLaunchFailed, "copies shared memory that not all threads have published");
  }
  order_copy_out([=] { std::memcpy(to, from, bytes); });
}

void copy_tile_to(unsigned to_address, const Tile& tile, int column, int row, unsigned barrier,
                  int layer = 0) {
  unsigned char* const to = at_shared(to_address);
  check_alignment(to, 128);
  PhaseBarrier* const arrived = &PhaseBarrier::at(barrier);
  std::int32_t bytes = tile.element_bytes;
  for (unsigned d = 0; d < tile.dimensions; ++d) bytes *= tile.box_less_one[d] + 1;
  at_some_time([to, &tile, column, row, layer, arrived, bytes] {
    const long long origin[] = {column, row, layer};
    load(tile, to, origin);
    arrived->complete(bytes);
  });
}

const Tile& tile_at(const unsigned char* address, unsigned dimensions = 2) {
  const auto& tile = *reinterpret_cast<const Tile*>(address);
  if (tile.mark != kTileMark || tile.dimensions != dimensions) {
    fail(kIllegalInstruction, "no tensor map of as many dimensions");
  }
  return tile;
}

// What the thread's warp wrote, whose lanes have met since they published it.
void copy_tile_out(const Frame& frame, std::string_view) {
  const Tile& tile = tile_at(frame.address(0));
  const int column = frame.get<int>(1), row = frame.get<int>(2);
  const unsigned char* const from = at_shared(frame.number(3));
  check_alignment(from, 128);
  if (!current().warp->is_published) {
    fail(kLaunchFailed, "copies a tile that not all lanes have published");
  }
  order_copy_out([&tile, column, row, from] {
    const long long origin[] = {column, row};
    store(tile, from, origin);
  });
}

// A place of kDimensions numbers, a barrier, and with `.multicast` the blocks that it goes to.
template <int kDimensions>
void copy_tile(const Frame& frame, std::string_view name) {
  const Tile& tile = tile_at(frame.address(1), kDimensions);
  const unsigned to = frame.number(0), barrier = frame.number(2 + kDimensions);
  const int column = frame.get<int>(2), row = frame.get<int>(3);
  const int layer = kDimensions == 3 ? frame.get<int>(4) : 0;
  if (name.find(".multicast") == std::string_view::npos) {
    copy_tile_to(to, tile, column, row, barrier, layer);
    return;
  }
  const unsigned blocks = frame.get<std::uint16_t>(3 + kDimensions);
  for (unsigned rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    copy_tile_to(mapped_address(to, rank), tile, column, row, mapped_address(barrier, rank), layer);
  }
}

void send_word(const Frame& frame, std::string_view) {
  unsigned char* const to = at_shared(frame.number(0));
  const unsigned word = frame.number(1);
  PhaseBarrier* const arrived = &PhaseBarrier::at(frame.number(2));
  at_some_time([=] {
    std::memcpy(to, &word, sizeof word);
    arrived->complete(sizeof word);
  });
}

// Groups of a thread's own copies.
void copy_unit(const Frame& frame, std::string_view) {
  unsigned char* const to = at_shared(frame.number(0));
  const unsigned char* const from = frame.address(1);
  const unsigned bytes = frame.number(2), read = frame.number(3);
  check_alignment(to, bytes);
  Work copy = [=] {
    std::memset(to, 0, bytes);
    std::memcpy(to, from, read);
  };
  if (cluster().chance() % 2 == 0) {
    copy();
  } else {
    current().units.open.push_back(std::move(copy));
  }
}
void close_group(const Frame&, std::string_view) { current().units.close(); }
void await_groups(const Frame& frame, std::string_view) { current().units.await(frame.number(0)); }
void close_bulk_group(const Frame&, std::string_view) { current().bulk.close(); }
void await_bulk_groups(const Frame& frame, std::string_view) {
  current().bulk.await(frame.number(0));
}
void publish(const Frame&, std::string_view) {
  current().has_published = current().has_published_to_warp = true;
}

// Rounds to nearest, ties to even; what is too large becomes the largest.
unsigned float8_bits(float value) {
  constexpr float kLargest = 448;
  if (std::isnan(value)) return 0x7f;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const float size = std::min(std::fabs(value), kLargest);
  const int exponent = size < 0x1p-6F ? -6 : std::ilogb(size);
  const float rounded = std::nearbyint(std::ldexp(size, 3 - exponent));  // in eighths of 2^exponent
  // Of a normal number the leading eight of them is the exponent's.
  return sign | static_cast<unsigned>((exponent + 6) * 8 + static_cast<int>(rounded));
}

void float8_pair(const Frame& frame, std::string_view) {
  const unsigned high = float8_bits(frame.get<float>(1)), low = float8_bits(frame.get<float>(2));
  frame.set(0, static_cast<std::uint16_t>(high << 8 | low));
}

void round_to_int8(const Frame& frame, std::string_view) {
  const float rounded = std::nearbyint(frame.get<float>(1));
  frame.set(
      0, static_cast<std::int32_t>(std::isnan(rounded) ? 0 : std::clamp(rounded, -128.0F, 127.0F)));
}

void power_of_two(const Frame& frame, std::string_view) {
  const float power = std::exp2(frame.get<float>(1));
  frame.set(0, power < 0x1p-126F ? 0.0F : power);
}

void reciprocal(const Frame& frame, std::string_view) {
  const float share = 1.0F / frame.get<float>(1);
  frame.set(0, std::fabs(share) < 0x1p-126F ? std::copysign(0.0F, share) : share);
}

void look_up(const Frame& frame, std::string_view) {
  const unsigned a = frame.number(1), b = frame.number(2), c = frame.number(3);
  const unsigned table = frame.number(4);
  unsigned result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const unsigned row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
    result |= (table >> row & 1) << bit;
  }
  frame.set(0, result);
}

void try_wait(const Frame& frame, std::string_view) {
  const PhaseBarrier& barrier = PhaseBarrier::at(frame.number(1));
  const unsigned parity = frame.number(2);
  wait_until("a phase of an mbarrier", [&] { return barrier.is_past(parity); });
  frame.set(0, std::uint64_t{1});
}

void move(const Frame& frame, std::string_view) { frame.set(0, frame.number(1)); }
void compare_equal(const Frame& frame, std::string_view) {
  frame.set(0, std::uint64_t{frame.number(1) == frame.number(2)});
}
// A lane, and whether it is this one.
void elect(const Frame& frame, std::string_view) {
  frame.set(0, 0U);
  frame.set(1, std::uint64_t{current().lane == 0});
}
void select(const Frame& frame, std::string_view) {
  frame.set(0, frame.number(frame.number(3) != 0 ? 1 : 2));
}
void map_address(const Frame& frame, std::string_view) {
  frame.set(0, mapped_address(frame.number(1), frame.number(2)));
}

// Barriers of a cluster, of a block, and mbarriers.
void arrive_at_clusters(const Frame&, std::string_view) { arrive_at_cluster(); }
void wait_for_clusters(const Frame&, std::string_view) { wait_for_cluster(); }
void arrive_and_wait(const Frame& frame, std::string_view) {
  arrive(frame.number(0), frame.number(1), true);
}
void arrive_only(const Frame& frame, std::string_view) {
  arrive(frame.number(0), frame.number(1), false);
}
void initialise(const Frame& frame, std::string_view) {
  PhaseBarrier::at(frame.number(0)).initialise(frame.number(1));
}
void expect(const Frame& frame, std::string_view) {
  PhaseBarrier::at(frame.number(1)).arrive(frame.number(2));
}
void await_launch_before(const Frame&, std::string_view) { current().block->has_awaited = true; }
void arrive_at_phase(const Frame& frame, std::string_view) {
  PhaseBarrier::at(frame.number(1)).arrive(0);
}

// Of those that a name begins with, the first.
constexpr KnownOperation kKnown[] = {
    {"createpolicy.", nothing, 80},
    {"fence.proxy.async.shared::cta", publish, 90},
    {"fence.", nothing, 90},
    {"prefetch.", nothing, 90},
    {"setmaxnreg.", nothing, 90},
    {"griddepcontrol.launch_dependents", nothing, 90},
    {"griddepcontrol.wait", await_launch_before, 90},
    {"ld.global.", load, 70},
    {"ld.shared.", load_shared, 0},
    {"st.global.", store, 70},
    {"mov.u32", move, 0},
    {"mov.f32", move, 0},
    {"setp.eq.u32", compare_equal, 0},
    {"elect.sync", elect, 90},
    {"selp.u32", select, 0},
    {"lop3.b32", look_up, 50},
    {"ex2.approx.ftz.f32", power_of_two, 0},
    {"rcp.approx.ftz.f32", reciprocal, 0},
    {"cvt.rn.satfinite.e4m3x2.f32", float8_pair, 89},
    {"cvt.rni.sat.s8.f32", round_to_int8, 0},
    {"mapa.shared::cluster.u32", map_address, 90},
    {"barrier.cluster.arrive", arrive_at_clusters, 90},
    {"barrier.cluster.wait", wait_for_clusters, 90},
    {"bar.sync", arrive_and_wait, 0},
    {"bar.arrive", arrive_only, 0},
    {"mbarrier.init.", initialise, 80},
    {"mbarrier.arrive.expect_tx.", expect, 90},
    {"mbarrier.arrive.", arrive_at_phase, 80},
    {"mbarrier.try_wait.parity.", try_wait, 90},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32", send_word, 90},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", copy_tile<2>,
     90},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes", copy_tile<3>,
     90},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", copy_bulk, 90},
    {"cp.async.bulk.global.shared::cta.bulk_group", copy_bulk_out, 90},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", copy_tile_out, 90},
    {"cp.async.bulk.commit_group", close_bulk_group, 90},
    {"cp.async.bulk.wait_group.read", await_bulk_groups, 90},
    {"cp.async.cg.shared.global", copy_unit, 80},
    {"cp.async.commit_group", close_group, 80},
    {"cp.async.wait_group", await_groups, 80},
};

}  // namespace

const KnownOperation* operation_of(std::string_view name) {
  for (const KnownOperation& known : kKnown) {
    if (name.starts_with(known.beginning)) return &known;
  }
  return matrix_operation_of(name);
}

}  // namespace fake_gpu
