// Rows that come and go by the bulk copy engine. A block's part of a tile, its span, is contiguous
// in memory: one copy brings it into a stage of shared memory, the threads write their results over
// what they have read, and one copy takes it out. Spans keep their place within lines of 128 bytes
// on both sides, so that they may begin at any element: for the copy engine only the 16 bytes at
// either end matter, and threads may have any element.
//
// A copy moves 16 bytes from a multiple of 16. What is loaded begins and ends with such units, of
// which neighbours have a part; the last elements of x, where they are no whole unit, are loaded by
// threads. What is stored are the whole units of the span; the elements before and behind are
// stored by threads. Hence x and y are aligned to 16 bytes.
//
// Parameters: those of common/row_pieces.cuh, and STORED_BY (common/row_shape.cuh). STORE_HINT is
// one that bulk copies have.
//
// Rejected: a stage of its own for results, which would halve the bytes that are under way.
#pragma once

#include "common/row_pieces.cuh"
#include "common/span_tiles.cuh"

// The stages of shared memory that spans come into and go out of.
template <CacheHint kLoad, CacheHint kStore>
class SpanRing {
 public:
  __device__ SpanRing(DTYPE* stages, BulkBarrier* barriers) : stages_(stages), barriers_(barriers) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; ++s) barriers_[s].initialise();
    }
    __syncthreads();
  }

  // By one thread, when nobody uses the stage.
  __device__ void request(int stage, int tile, const DTYPE* x) {
    const Span span(tile);
    const int begin = whole_units(span.phase());
    const bool is_last = span.first + span.count == kElements;
    const int end = whole_units(span.phase() + span.count + (is_last ? 0 : kUnit - 1));
    const unsigned bytes = (end - begin) * sizeof(DTYPE);
    barriers_[stage].expect(bytes);
    barriers_[stage].template copy<kLoad>(stages_ + stage * kStage + begin,
                                          x + span.first + begin - span.phase(), bytes);
  }

  // By all threads: where the span is, once it is there.
  __device__ DTYPE* receive(int stage, unsigned parity, int tile, const DTYPE* x) {
    const Span span(tile);
    DTYPE* const at = stages_ + stage * kStage + span.phase();
    barriers_[stage].wait(parity);
    if constexpr (kRest > 0) {
      if (span.first + span.count == kElements) {
        const int thread = static_cast<int>(threadIdx.x);
        const int rest = span.count - kRest + thread;
        if (thread < kRest) at[rest] = x[span.first + rest];
        __syncthreads();
      }
    }
    return at;
  }

  // By the first warp, when all threads have published what they wrote. One group of stores.
  __device__ void store(const DTYPE* from, int tile, DTYPE* y) {
    const Span span(tile);
    const int head = span.head();
    const int whole = whole_units(span.count - head);
    if (threadIdx.x == 0) {
      store_bulk<kStore>(y + span.first + head, from + head, whole * sizeof(DTYPE));
      close_stores();
    }
    const int lane = static_cast<int>(threadIdx.x);
    const int edge = lane < head ? lane : whole + lane;
    if (edge < span.count) y[span.first + edge] = from[edge];
    __syncwarp();
  }

 private:
  static constexpr int kStage = kStageVectors * kVector;

  DTYPE* stages_;
  BulkBarrier* barriers_;
};

// A stage is filled again once its span has been taken out: the tile's own, or where there are more
// than two that of the tile before, whose copy has had the time of a tile to be done.
// Dynamic shared memory: STAGES * kStageVectors * VEC_BYTES.
template <class Tile, class Body>
__device__ void for_each_span(const DTYPE* x, DTYPE* y, Body body) {
  constexpr int kLag = STAGES > 2 ? 1 : 0;
  const int first = blockIdx.x / CLUSTER;
  const int stride = gridDim.x / CLUSTER;
  __shared__ BulkBarrier barriers[STAGES];
  SpanRing<kLoadHint, kStoreHint> ring(reinterpret_cast<DTYPE*>(dynamic_stages()), barriers);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      if (first + s * stride < kTiles) ring.request(s, first + s * stride, x);
    }
  }
  int stage = 0;
  unsigned parity = 0;
  FirstAhead ahead(x, first);
  for (int tile = first; tile < kTiles; tile += stride) {
    const DTYPE first_of_row = ahead.take(x, tile + stride);
    DTYPE* const span = ring.receive(stage, parity, tile, x);
    body(Tile(span, first_of_row, tile), tile);
    publish_to_copies();
    __syncthreads();
    if (threadIdx.x < 32) ring.store(span, tile, y);
    if (BLOCKS_PER_SM == 0) break;
    const int next = tile + (STAGES - kLag) * stride;
    if (threadIdx.x == 0 && (kLag == 0 || tile != first) && next < kTiles) {
      await_stores<kLag>();
      ring.request(stage >= kLag ? stage - kLag : STAGES - kLag, next, x);
    }
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  if (threadIdx.x == 0) await_stores<0>();
}

// As for_each_whole_row_tile(), for a body that stores by store_part(). Spans are of whole rows: of
// rows that are not read to their ends all would be.
template <class Reach = WholeRows, class Body>
__device__ void for_each_stored_tile(const DTYPE* x, DTYPE* y, Body body) {
  static_assert(!kInBulk || Reach::is_whole());
  if constexpr (!kInBulk) {
    for_each_whole_row_tile<Reach>(x, body);
  } else if constexpr (kResidence == Residence::registers) {
    for_each_span<HeldSpanTile>(x, y, body);
  } else {
    for_each_span<SpanTile>(x, y, body);
  }
}

// Row r of the thread's rows, which is `row` of y.
template <class Tile, class Part>
__device__ inline void store_part(const Tile& tile, DTYPE* y, int row, int r, Part part,
                                  const PartVector<Part>& vector) {
  if constexpr (kInBulk) {
    tile.write(r, part, vector);
  } else {
    vector.template store<kStoreHint>(y + offset_of(row, part));
  }
}
