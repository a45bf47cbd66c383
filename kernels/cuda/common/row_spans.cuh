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

// In elements: of 16 bytes, of a line, and of x behind its last whole unit.
constexpr int kUnit = 16 / sizeof(DTYPE);
constexpr int kLine = kLineBytes / sizeof(DTYPE);
constexpr long long kElements = static_cast<long long>(M) * N;
constexpr int kRest = kElements % kUnit;

static_assert(!kInBulk || kAligned || kRagged || CLUSTER == 1, "edges are in a row's first block");
static_assert(!kInBulk || (CLUSTER == 1 ? N : kLastChunk * kVector - 1) >= 2 * kUnit,
              "a span has a whole unit");

// Of so many elements, not below 0, those in whole units.
__device__ inline int whole_units(int elements) {
  return static_cast<int>(static_cast<unsigned>(elements) / kUnit * kUnit);
}

// The block's part of a tile.
struct Span {
  long long first;
  int count;

  __device__ explicit Span(int tile) {
    const int first_row = tile * kTileRows;
    const int column = column_of(tile);
    first = offset_of(first_row, column);
    count = CLUSTER == 1 ? min(kTileRows, M - first_row) * N : column_behind(tile) - column;
  }
  // The first column of the block's part of a row.
  __device__ static int column_of(int tile) {
    return CLUSTER == 1 ? 0 : max(0, column_of_chunk(tile, static_cast<int>(cluster_rank())));
  }
  // Its place within a line, and elements before its first whole unit.
  __device__ int phase() const {
    if (kSpan % kLine == 0 && CLUSTER == 1) return 0;
    return static_cast<int>(static_cast<unsigned>(first) % kLine);
  }
  __device__ int head() const { return whole_units(phase() + kUnit - 1) - phase(); }

 private:
  __device__ static int column_of_chunk(int tile, int rank) {
    return rank * kChunk * kVector - (kRagged ? phase_of(tile) : 0);
  }
  __device__ static int column_behind(int tile) {
    return min(N, column_of_chunk(tile, static_cast<int>(cluster_rank()) + 1));
  }
};

// The rows of a tile in a stage. Rows beyond the last are arbitrary.
class SpanTile {
 public:
  __device__ SpanTile(DTYPE* span, const DTYPE* x, int tile)
      : rows_(span - Span::column_of(tile)), x_(x), tile_(tile) {}

  template <class Part>
  __device__ PartVector<Part> read(int r, Part part) const {
    return *at(r, part);
  }
  template <class Part>
  __device__ PartVector<Part> read_last(int r, Part part) const {
    return read(r, part);
  }
  // The first element of the row, before anything is written.
  __device__ DTYPE first(int r) const {
    return CLUSTER == 1 ? rows_[row_in_tile(r) * N] : __ldg(x_ + offset_of(tile_, 0));
  }
  // By the thread that has the part, once it has read it for the last time. Foreign elements may be
  // written by other threads at the same time.
  template <class Part>
  __device__ void write(int r, Part part, const PartVector<Part>& vector) const {
    PartVector<Part>* const to = at(r, part);
    if constexpr (Part::kMayBeShared) {
      const int row = row_of(tile_, r);
      if (!part.is_own(row, 0)) {
        to->elements[1] = vector.elements[1];
        return;
      }
      if (!part.is_own(row, 1)) {
        to->elements[0] = vector.elements[0];
        return;
      }
    }
    *to = vector;
  }

 private:
  template <class Part>
  __device__ PartVector<Part>* at(int r, Part part) const {
    DTYPE* const element = rows_ + row_in_tile(r) * N + part.column(row_of(tile_, r));
    return reinterpret_cast<PartVector<Part>*>(element);
  }

  DTYPE* rows_;
  const DTYPE* x_;
  int tile_;
};

// The same with the thread's parts in registers from the first on.
class HeldSpanTile : public SpanTile {
 public:
  __device__ HeldSpanTile(DTYPE* span, const DTYPE* x, int tile) : SpanTile(span, x, tile) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      for_each_part([&](auto part) {
        if (is_part(part, row_of(tile, r))) held_.at(r, part) = SpanTile::read(r, part);
      });
    }
  }

  template <class Part>
  __device__ PartVector<Part> read(int r, Part part) const {
    return held_.at(r, part);
  }
  template <class Part>
  __device__ PartVector<Part> read_last(int r, Part part) const {
    return read(r, part);
  }

 private:
  Held<ElementsOf> held_;
};

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
        const int rest = span.count - kRest + static_cast<int>(threadIdx.x);
        if (threadIdx.x < kRest) at[rest] = x[span.first + rest];
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
  for (int tile = first; tile < kTiles; tile += stride) {
    DTYPE* const span = ring.receive(stage, parity, tile, x);
    body(Tile(span, x, tile), tile);
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

// As for_each_whole_row_tile(), for a body that stores by store_part().
template <class Body>
__device__ void for_each_stored_tile(const DTYPE* x, DTYPE* y, Body body) {
  if constexpr (!kInBulk) {
    for_each_whole_row_tile(x, body);
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
