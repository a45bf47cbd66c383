#include "tests/fakes/gpu/fake_tiles.h"

#include <cstring>

#include "tests/fakes/gpu/include/fake_tile.h"

namespace fake_gpu {
namespace {

constexpr std::uint32_t kMostDimensions = 5;
constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 32;
constexpr std::uint64_t kPitchEnd = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostBox = 256;
constexpr int kFirstWithTensorMaps = 90;

// By CUtensorMapDataType: 8, 16, 32, 32, 64 and 64 bits of integers, half, float, double, bfloat16.
constexpr unsigned char kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
constexpr unsigned char kSwizzles[] = {0, 32, 64, 128};

bool plays(const TiledTensor& t) {
  return t.interleave == 0 && t.fill == 0 && t.swizzle >= 0 && t.swizzle < 4 &&
         t.l2_promotion >= 0 && t.l2_promotion < 4 && t.data_type >= 0 &&
         t.data_type < static_cast<int>(sizeof kElementBytes) && t.dimensions >= 1 &&
         t.dimensions <= kMostDimensions;
}

}  // namespace

Result encode_tiles(void* map, const TiledTensor& t) {
  if (map == nullptr || reinterpret_cast<std::uintptr_t>(map) % 64 != 0) return kInvalidValue;
  if (t.address == 0 || t.address % 16 != 0 || !plays(t)) return kInvalidValue;
  if (Machine::get().devices.front().architecture < kFirstWithTensorMaps) return kNotSupported;
  Tile tile{};
  tile.mark = kTileMark;
  tile.dimensions = static_cast<unsigned char>(t.dimensions);
  tile.element_bytes = kElementBytes[t.data_type];
  tile.swizzle = kSwizzles[t.swizzle];
  tile.tensor = reinterpret_cast<const unsigned char*>(t.address);
  tile.pitch[0] = tile.element_bytes;
  for (std::uint32_t d = 0; d < t.dimensions; ++d) {
    if (t.extent[d] == 0 || t.extent[d] > kMostExtent) return kInvalidValue;
    if (t.box[d] == 0 || t.box[d] > kMostBox || t.element_strides[d] != 1) return kInvalidValue;
    tile.extent_less_one[d] = static_cast<unsigned>(t.extent[d] - 1);
    tile.box_less_one[d] = static_cast<unsigned char>(t.box[d] - 1);
    if (d == 0) continue;
    tile.pitch[d] = t.pitch_bytes[d - 1];
    if (tile.pitch[d] % 16 != 0 || tile.pitch[d] >= kPitchEnd) return kInvalidValue;
  }
  const std::uint32_t inner = t.box[0] * tile.element_bytes;
  if (inner % 16 != 0 || (tile.swizzle != 0 && inner > tile.swizzle)) return kInvalidValue;
  std::memset(map, 0, 128);
  std::memcpy(map, &tile, sizeof tile);
  return kSuccess;
}

}  // namespace fake_gpu
