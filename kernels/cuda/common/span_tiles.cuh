// A block's part of a tile of rows as one span of memory, and as a tile in shared memory that is
// written where it was read: see common/row_spans.cuh.
#pragma once

#include "common/cluster.cuh"
#include "common/row_parts.cuh"

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
    return CLUSTER == 1 ? 0 : max(0, column_of_chunk(tile, block_in_row()));
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
    return min(N, column_of_chunk(tile, block_in_row() + 1));
  }
};

// The first element of a tile's row, for blocks that have another part of it; loaded while the tile before is
// worked on.
class FirstAhead {
 public:
  __device__ FirstAhead(const DTYPE* x, int tile) { load(x, tile); }
  // That of the tile at hand; then goes on to `next`.
  __device__ DTYPE take(const DTYPE* x, int next) {
    const DTYPE first = first_;
    load(x, next);
    return first;
  }

 private:
  __device__ void load(const DTYPE* x, int tile) {
    if (kFirstIsAskedFor && CLUSTER > 1 && tile < kTiles) first_ = __ldg(x + offset_of(tile, 0));
  }

  DTYPE first_ = {};
};

// The rows of a tile in a stage. Rows beyond the last are arbitrary.
class SpanTile {
 public:
  // `first`: of the row, where blocks share rows.
  __device__ SpanTile(DTYPE* span, DTYPE first, int tile)
      : rows_(span - Span::column_of(tile)), first_(first), tile_(tile) {}

  template <class Part>
  __device__ PartVector<Part> read(int r, Part part) const {
    return *at(r, part);
  }
  template <class Part>
  __device__ PartVector<Part> read_last(int r, Part part) const {
    return read(r, part);
  }
  // An element of the row that the block has.
  __device__ DTYPE& element(int r, int column) const { return rows_[row_in_tile(r) * N + column]; }
  // The first element of the row, before anything is written.
  __device__ DTYPE first(int r) const { return CLUSTER == 1 ? element(r, 0) : first_; }
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
  // Of one row by start() and distance(), so that what all vectors of a thread have in common is computed
  // once: the compiler takes four instructions for an address of its own. The starts of several rows would
  // cost a register each.
  template <class Part>
  __device__ PartVector<Part>* at(int r, Part part) const {
    const int row = row_of(tile_, r);
    DTYPE* const begin = rows_ + row_in_tile(r) * N;
    DTYPE* const element =
        ROWS_PER_THREAD == 1 ? begin + part.start(row) + part.distance() : begin + part.column(row);
    return reinterpret_cast<PartVector<Part>*>(element);
  }

  DTYPE* rows_;
  DTYPE first_;
  int tile_;
};

// The same with the thread's parts in registers from the first on.
class HeldSpanTile : public SpanTile {
 public:
  __device__ HeldSpanTile(DTYPE* span, DTYPE first, int tile) : SpanTile(span, first, tile) {
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
