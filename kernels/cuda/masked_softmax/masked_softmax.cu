// Softmax over the rows of scaled and masked scores, as attention needs it between its products:
//
//   s[r][c] = scale * x[r][c] + mask of row r and column c
//   y[r][c] = e^(s[r][c] - max over c of s[r][c]) / sum over c of the same
//
// x, y: M x N of DTYPE; scale: one float32 above 0; sums in float32. Row r belongs to query
// r % QUERIES, a size: heads of one batch and batches follow one another. MASK, a size, says what
// is added:
//
//   0  nothing
//   1  causal: minus infinity in columns behind N - QUERIES + query. The last query sees all
//      columns, and with QUERIES == N a query sees itself and those before it. What a row does not
//      see becomes 0, and is not read, but for elements of its edges (row_parts.cuh) and, with
//      STORED_BY=bulk, which brings whole rows.
//   2  mask[query][c]; mask: QUERIES x N of DTYPE, which all heads share
//
// A row of which all is masked, so that all its scores are minus infinity, becomes zeros, so that
// attention makes nothing of it, as torch's scaled_dot_product_attention does; torch.softmax gives
// NaN.
//
// Moves 2 * M * N elements, causal with QUERIES == N little more than 3 / 2 * M * N, and the mask.
//
// Parameters: those of common/row_softmax.cuh, and
//
//   MASK_LOAD  when the added mask is loaded, a ColumnLoad: `late`, or with rows in registers
//              `early`, into registers beside them
//   MASK_HINT  a CacheHint for the added mask: `standard`, or `keep`, so that the rows that pass
//              through L2 do not take its place
//   TILE_ROWS  `alike`, with an early mask: a thread's rows are of the same query, and of heads
//              whose rows begin at the same place of a vector, so that it loads the mask once for all
//              of them: L2 delivers the mask less often, which is as much as x for each row
//   PIPELINE   `fused`: one kernel. `split`: s is written in DTYPE and read again, as by two
//              libraries: a yardstick of what fusing gains.
#if MASK == 2
#define ROWS_ALIKE \
  (QUERIES * (kVector / common_divisor((QUERIES % kVector) * (N % kVector), kVector)))
#endif
#include "common/row_softmax.cuh"

enum class Pipeline { fused, split };

[[maybe_unused]] constexpr Pipeline kPipeline = Pipeline::PIPELINE;

constexpr bool kCausal = MASK == 1;
constexpr bool kAdded = MASK == 2;
constexpr ColumnLoad kMaskLoad = ColumnLoad::MASK_LOAD;
[[maybe_unused]] constexpr CacheHint kMaskHint = CacheHint::MASK_HINT;
constexpr bool kMaskHeld = kMaskLoad == ColumnLoad::early;
// Whether rows end where they are seen to before anything is made of them, so that nobody asks again.
constexpr bool kEndsRows = kCausal && kResidence == Residence::registers && !kInBulk;
// Elements of the mask that are aligned wherever a vector of x is.
[[maybe_unused]] constexpr int kMaskWidth =
    common_divisor((QUERIES % kVector) * (N % kVector), kVector);

static_assert(QUERIES > 0 && MASK >= 0 && MASK <= 2);
static_assert(!kAlike || kMaskHeld);
static_assert(kMaskLoad == ColumnLoad::late ||
              (kMaskHeld && kAdded && kResidence == Residence::registers));

struct Visible {
  __device__ static constexpr bool is_whole() { return !kCausal; }
  __device__ static int of(int row) {
    return kCausal ? max(0, N - QUERIES + 1 + row % QUERIES) : N;
  }
};

// Where nothing is added, values are elements of x and the scale is part of the unit.
class MaskedLogits {
 public:
  using Reach = Choice<kInBulk, WholeRows, Visible>;  // bulk copies bring whole rows

  __device__ MaskedLogits(const DTYPE* mask, float scale)
      : unit(kAdded ? kLog2E : scale * kLog2E), mask_(mask), scale_(scale) {}

  template <class Tile>
  __device__ Choice<kEndsRows, Tile, const Tile&> prepared(const Tile& tile, int index) {
    if constexpr (kEndsRows) {
      Tile seen = tile;
      seen.end_at_reach(index, from_float<DTYPE>(minus_infinity()));
      return seen;
    }
    if constexpr (kMaskHeld) {
      for_each_part([&]<class Part>(Part part) {
#pragma unroll
        for (int r = 0; r < kHeldRows; ++r) {
          const int row = row_of(index, r);
          if (is_part(part, row)) held_.at(r, part) = load_mask(row, part);
        }
      });
    }
    return tile;
  }

  template <class Part>
  __device__ void apply(int r, int row, Part part, float (&values)[Part::kWidth]) const {
    if constexpr (kCausal) {
      if constexpr (!kEndsRows) hide(row, part, values);
    } else if constexpr (kAdded) {
      float added[Part::kWidth];
      if constexpr (kMaskHeld) {
        held_.at(kAlike ? 0 : r, part).to_floats(added);
      } else {
        load_mask(row, part).to_floats(added);
      }
#pragma unroll
      for (int i = 0; i < Part::kWidth; ++i) values[i] = values[i] * scale_ + added[i];
    }
  }

  // Makes what the row does not see minus infinity.
  template <class Part>
  __device__ static void hide(int row, Part part, float (&values)[Part::kWidth]) {
    const int seen = Visible::of(row) - part.column(row);
    if (__builtin_expect(seen >= Part::kWidth, true)) return;
#pragma unroll
    for (int i = 0; i < Part::kWidth; ++i) values[i] = i < seen ? values[i] : minus_infinity();
  }

  // Where loops end early, the few parts beyond are made values of like the others.
  template <class Part>
  __device__ static bool counts(Part part, int row) {
    return (may_end_early() && !kInBulk) || is_reached<Visible>(part, row);
  }
  __device__ static constexpr bool may_lack_all() { return true; }

  // s of a value.
  __device__ float score_of(float value) const { return kAdded ? value : value * scale_; }

  const float unit;

 private:
  template <class Part>
  __device__ PartVector<Part> load_mask(int row, Part part) const {
    if constexpr (Part::kMayBeShared) return load_own(row, part);
    constexpr int kPiece = Part::kWidth < kMaskWidth ? Part::kWidth : kMaskWidth;
    using Piece = Vector<DTYPE, kPiece>;
    const DTYPE* from = mask_ + offset_of(row % QUERIES, part.column(row));
    PartVector<Part> vector;
#pragma unroll
    for (int i = 0; i < Part::kWidth; i += kPiece) {
      reinterpret_cast<Piece&>(vector.elements[i]) = Piece::template load<kMaskHint>(from + i);
    }
    return vector;
  }

  // Foreign elements may lie outside of the mask.
  template <class Part>
  __device__ PartVector<Part> load_own(int row, Part part) const {
    using Element = Vector<DTYPE, 1>;
    const DTYPE* from = mask_ + offset_of(row % QUERIES, part.column(row));
    PartVector<Part> vector = PartVector<Part>::zero();
#pragma unroll
    for (int i = 0; i < Part::kWidth; ++i) {
      if (!part.is_own(row, i)) continue;
      vector.elements[i] = Element::template load<kMaskHint>(from + i).elements[0];
    }
    return vector;
  }

  const DTYPE* mask_;
  float scale_;
  static constexpr int kHeldRows = kMaskHeld && !kAlike ? ROWS_PER_THREAD : 1;  // of the mask
  Held<ElementsOf, kHeldRows, kMaskHeld ? kSteps : 1> held_;
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    masked_softmax(const DTYPE* __restrict__ x, const DTYPE* __restrict__ mask, float scale,
                   DTYPE* __restrict__ y) {
  MaskedLogits logits(mask, scale);
  softmax_rows(logits, x, y);
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    mask_split(const DTYPE* __restrict__ x, const DTYPE* __restrict__ mask, float scale,
               DTYPE* __restrict__ scores) {
  if constexpr (!kInBulk) {
    MaskedLogits logits(mask, scale);
    for_each_tile<Visible>(x, [&](const auto& whole, int index) {
      const auto& tile = logits.prepared(whole, index);
      for_each_part([&]<class Part>(Part part) {
#pragma unroll
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
          const int row = row_of(index, r);
          if (!is_row(row) || !is_part(part, row)) continue;
          float values[Part::kWidth];
          tile.read_last(r, part).to_floats(values);
          logits.apply(r, row, part, values);
          if constexpr (kEndsRows) logits.hide(row, part, values);
#pragma unroll
          for (float& value : values) value = logits.score_of(value);
          PartVector<Part>::from_floats(values).template store<kStoreHint>(scores +
                                                                           offset_of(row, part));
        }
      });
    });
  }
}

// Scores as they are; rows of which all is masked are among them.
struct Scores : PlainLogits {
  __device__ static constexpr bool may_lack_all() { return true; }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    softmax_split(const DTYPE* __restrict__ scores, DTYPE* __restrict__ y) {
  if constexpr (!kInBulk) {
    Scores logits;
    softmax_rows(logits, scores, y);
  }
}
