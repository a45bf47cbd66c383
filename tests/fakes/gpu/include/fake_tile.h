#pragma once

// What a tensor map is on the fake GPU: libfakecuda.so writes it, kernels read it. No header is
// included, so that programs of libfakenvrtc.so are compiled as fast as without.
namespace fake_gpu {

constexpr unsigned kTileMark = 0x74696c65;

struct Tile {
  unsigned mark;
  unsigned char dimensions;
  unsigned char element_bytes;
  unsigned char swizzle;          // bytes; 0 = none
  unsigned char box_less_one[5];  // elements, from the innermost dimension on
  unsigned extent_less_one[5];
  const unsigned char* tensor;
  unsigned long long pitch[5];  // bytes; of the innermost dimension those of an element
};
static_assert(sizeof(Tile) <= 128);

// Where a byte of a box goes: the place of its 16 bytes among `swizzle` bytes is mixed with the
// number of their 128 bytes.
inline unsigned long long swizzled(unsigned long long offset, unsigned swizzle) {
  if (swizzle == 0) return offset;
  const unsigned long long vectors = swizzle / 16;
  return offset ^ (((offset >> 7) & (vectors - 1)) << 4);
}

// Calls visit(place in the box, address in the tensor or nullptr) for each byte of the box whose
// first element is at `origin`.
template <class Visit>
void for_each_byte(const Tile& tile, const long long* origin, Visit visit) {
  unsigned long long elements = 1;
  for (unsigned d = 0; d < tile.dimensions; ++d) elements *= tile.box_less_one[d] + 1ull;
  for (unsigned long long i = 0; i < elements; ++i) {
    const unsigned char* from = tile.tensor;
    bool inside = true;
    unsigned long long left = i;
    for (unsigned d = 0; d < tile.dimensions; ++d) {
      const long long at = origin[d] + static_cast<long long>(left % (tile.box_less_one[d] + 1ull));
      left /= tile.box_less_one[d] + 1ull;
      inside = inside && at >= 0 && at <= tile.extent_less_one[d];
      if (inside) from += static_cast<unsigned long long>(at) * tile.pitch[d];
    }
    for (unsigned b = 0; b < tile.element_bytes; ++b) {
      visit(swizzled(i * tile.element_bytes + b, tile.swizzle), inside ? from + b : nullptr);
    }
  }
}

// Copies a box; outside of the tensor there are zeros.
inline void load(const Tile& tile, unsigned char* to, const long long* origin) {
  for_each_byte(tile, origin, [&](unsigned long long place, const unsigned char* from) {
    to[place] = from != nullptr ? *from : static_cast<unsigned char>(0);
  });
}

// Copies a box to the tensor; what is outside of it goes nowhere.
inline void store(const Tile& tile, const unsigned char* box, const long long* origin) {
  for_each_byte(tile, origin, [&](unsigned long long place, const unsigned char* to) {
    if (to != nullptr) *const_cast<unsigned char*>(to) = box[place];
  });
}

}  // namespace fake_gpu
