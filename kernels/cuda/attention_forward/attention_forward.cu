// Attention: out[b][h][i] = sum over keys j of p[i][j] * v[b][g][j], where p[i] is the softmax over j of
// scale * q[b][h][i] . k[b][g][j], and g = h / (HEADS / KV_HEADS): neighbouring heads share keys and
// values. With CAUSAL 1 query i sees the keys up to number i + KEYS - QUERIES; one that sees none becomes
// zeros.
//
// q, out: BATCH x HEADS x QUERIES x D; k, v: BATCH x KV_HEADS x KEYS x D, all of DTYPE, bfloat16 or
// float16. Scores and sums are float, exponentials are rounded to DTYPE. For Hopper GPUs.
//
// One warpgroup orders tiles of q, k and v by the bulk copy engine. Each of the others has 64 queries of a
// head: it goes through the keys from the last to the first, and computes exponentials of a tile while the
// tensor cores multiply those of the tile before with its values (FlashAttention-3: Shah et al., 2024).
// Unlike there the next tile may be one of other queries, so that blocks which stay never wait for scores
// alone. Parameters besides those of attention_tiles.cuh and online_softmax.cuh:
//
//   SCHEDULE       `together`: warpgroups order products when they come to it; `pingpong`: in turn, so that
//                  one computes exponentials while another's products run
//   SECOND_HALF    when the second half of a tile's exponentials is computed: `before_scores` of the next
//                  tile are ordered, or `beside_scores`, in registers of their own
#include "common/attention_tiles.cuh"
#include "common/matrix_stores.cuh"
#include "common/online_softmax.cuh"
#include "common/register_product.cuh"

enum class Schedule { together, pingpong };
constexpr bool kPingPong = Schedule::SCHEDULE == Schedule::pingpong;

enum class SecondHalf { before_scores, beside_scores };
constexpr bool kBesideScores = SecondHalf::SECOND_HALF == SecondHalf::beside_scores;

constexpr int kScores = BLOCK_N / 2, kSums = D / 2;  // of a thread
constexpr int kSteps = BLOCK_N / kRegisterStep;

static_assert(!kPingPong || CONSUMERS > 1, "who is alone has nobody to take turns with");

// Numbers of a thread for the tile at hand: scores; exponents of the second row, where scores of the next
// tile are ordered first; the exponentials, which an instruction takes as words; and sums of the result.
struct Registers {
  float scores[kScores];
  float exponents[kScores / 2];
  unsigned exponentials[kSteps][4];
  float sums[kSums];
};

// Orders scores = q * k.
__device__ inline void order_scores(float (&scores)[kScores], unsigned q, unsigned k) {
  const TileDescriptor<kRowBytes> a(q), b(k);
  products_begin();
#pragma unroll
  for (int column = 0; column < D; column += kRegisterStep) {
    const int slab = column / 64, byte = column % 64 * 2;
    const auto of_queries = (a + (slab * kQuerySlab + byte)).words();
    const auto of_keys = (b + (slab * kTileSlab + byte)).words();
    // Where exponents are held, registers suffice for products under way (C7511) if scores need not be.
    if (kBesideScores && column == 0) {
      Product<DTYPE, BLOCK_N>::begin(scores, of_queries, of_keys);
    } else {
      Product<DTYPE, BLOCK_N>::add(scores, of_queries, of_keys, column == 0);
    }
  }
  products_commit();
}

// Orders sums += exponentials * v; with is_fresh they begin here.
__device__ inline void order_values(Registers& registers, unsigned v, bool is_fresh) {
  const TileDescriptor<kRowBytes> b(v, kTileSlab);
  products_begin();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    RegisterProduct<DTYPE, D>::add(registers.sums, registers.exponentials[step],
                                   (b + step * kRegisterStep * kRowBytes).words(),
                                   is_fresh && step == 0);
  }
  products_commit();
}

__device__ inline void round_first_row(Registers& registers) {
#pragma unroll
  for (int i = 0; i < kScores / 2; i += 2) {
    registers.exponentials[i / 4][i % 4] =
        rounded_pair<DTYPE>(registers.scores[2 * i], registers.scores[2 * i + 1]);
  }
}

// The first half of a tile's softmax.
__device__ inline void begin_tile(Registers& registers, SoftmaxRows& rows, float scale) {
  rows.begin(registers.scores, scale);
  if (kBesideScores) rows.hold(registers.scores, registers.exponents, scale);
}

// The second half.
__device__ inline void finish_tile(Registers& registers, SoftmaxRows& rows, float scale) {
  if (kAlwaysRescales) rows.correct(registers.sums);
  if (kBesideScores) {
    rows.finish(registers.exponents);
  } else {
    rows.finish(registers.scores, scale);
  }
#pragma unroll
  for (int i = 1; i < kScores / 2; i += 2) {
    const float* const pair =
        kBesideScores ? &registers.exponents[i - 1] : &registers.scores[2 * i];
    registers.exponentials[i / 4][i % 4] = rounded_pair<DTYPE>(pair[0], pair[1]);
  }
}

// A warpgroup that multiplies.
class Consumer {
 public:
  __device__ Consumer(const Tiles& tiles, int own, float scale, DTYPE* out)
      : tiles_(tiles), own_(own), scale_(scale), out_(out) {}

  __device__ void run() {
    Registers registers;
    SoftmaxRows rows;
    Work work = begin(registers, rows);
    int tile = work.tiles - 1;
    bool is_fresh = true;
#pragma unroll 1
    while (true) {
      const bool ends = tile == 0;
      Work next = work;
      if (ends && !await_queries(next)) break;
      tile = ends ? next.tiles - 1 : tile - 1;
      const Turn v = order_products(registers, rows, is_fresh);
      if (tile == 0) release_queries();
      SoftmaxRows next_rows = rows;
      if (ends) next_rows = {};
      mask(registers.scores, next, tile);
      begin_tile(registers, next_rows, scale_);
      if (ends) {
        await_values(registers, v);
        write(registers.sums, rows, work);
      } else if (!kAlwaysRescales && next_rows.grew()) {
        await_values(registers, v);
        next_rows.correct(registers.sums);
      } else {
        await_values(registers, v);
      }
      round_first_row(registers);
      if (!kBesideScores) finish_tile(registers, next_rows, scale_);
      is_fresh = ends;
      rows = next_rows;
      work = next;
    }
    end(registers, rows, work, is_fresh);
  }

 private:
  // The place of its queries. One thread tells for all: they have waited for the same products.
  __device__ void release_queries() const {
    if (threadIdx.x % kWarpgroup == 0) tiles_.queries_free[own_].arrive();
  }
  // The next work, or false where there is none.
  __device__ bool await_queries(Work& work) {
    tiles_.queries_full[own_].wait(parity_);
    parity_ ^= 1;
    const int index = of_warp(tiles_.works[own_]);
    if (index == Works::kNone) return false;
    work = work_of(index, tiles_.rank);
    return true;
  }

  // The first tile of the first work, beside which there is nothing to multiply. Each block has a work.
  __device__ Work begin(Registers& registers, SoftmaxRows& rows) {
    Work work;
    if (kPingPong && own_ == CONSUMERS - 1) hand_turn_to(0);
    tiles_.await(turn_);
    await_queries(work);
    order_scores(registers.scores, tiles_.query(own_), tiles_.stage(turn_));
    products_wait<0>();
    settle(registers.scores);
    tiles_.release(turn_);
    if (work.tiles == 1) release_queries();
    turn_.next();
    mask(registers.scores, work, work.tiles - 1);
    begin_tile(registers, rows, scale_);
    round_first_row(registers);
    if (!kBesideScores) finish_tile(registers, rows, scale_);
    return work;
  }

  // The last tile's values, beside which there are no scores.
  __device__ void end(Registers& registers, SoftmaxRows& rows, const Work& work, bool is_fresh) {
    if (kBesideScores) finish_tile(registers, rows, scale_);
    tiles_.await(turn_);
    order_values(registers, tiles_.stage(turn_), is_fresh);
    products_wait<0>();
    settle(registers.sums);
    if constexpr (CLUSTER > 1) tiles_.release(turn_);
    write(registers.sums, rows, work);
    if (kPingPong && own_ == 0) await_turn(0);
  }

  // Scores of the next tile, which are there at the end, and the latest one's values, which may not be
  // and whose turn is returned. `rows` are those of the latest tile.
  __device__ Turn order_products(Registers& registers, SoftmaxRows& rows, bool is_fresh) {
    const Turn k = turn_;
    turn_.next();
    const Turn v = turn_;
    turn_.next();
    tiles_.await(k);
    if (kPingPong) await_turn(own_);
    order_scores(registers.scores, tiles_.query(own_), tiles_.stage(k));
    if (kPingPong && kBesideScores) hand_turn_to((own_ + 1) % CONSUMERS);
    tiles_.await(v);
    if (kBesideScores && is_always()) finish_tile(registers, rows, scale_);
    order_values(registers, tiles_.stage(v), is_fresh);
    if (kPingPong && !kBesideScores) hand_turn_to((own_ + 1) % CONSUMERS);
    products_wait<1>();
    settle(registers.scores);
    tiles_.release(k);
    return v;
  }

  // The first of the queries that this thread has a share of.
  __device__ int query_of(const Work& work) const {
    return work.query + own_ * kRows + threadIdx.x % kWarpgroup / 32 * 16 + threadIdx.x % 32 / 4;
  }

  // Between the halves of a softmax, where products are done, and corrections of sums and the rounding of
  // exponentials still find instructions of the special function unit to run beside. Called in each
  // branch: from a straight line the compiler moves the wait ahead of all exponentials.
  __device__ void await_values(Registers& registers, const Turn& v) const {
    products_wait<0>();
    settle(registers.sums);
    tiles_.release(v);
  }

  // Queries see as many keys as others or more than those before.
  __device__ void mask(float (&scores)[kScores], const Work& work, int tile) const {
    const int seen_by_first = work.query + own_ * kRows + KEYS - QUERIES + 1;
    if ((tile + 1) * BLOCK_N > (CAUSAL ? min(KEYS, seen_by_first) : KEYS)) {
      const int key = tile * BLOCK_N + threadIdx.x % 4 * 2;
#pragma unroll
      for (int i = 0; i < kRowsOfThread; ++i) {
        const int seen_by_query = query_of(work) + 8 * i + KEYS - QUERIES + 1;
        const int seen = (CAUSAL ? min(KEYS, seen_by_query) : KEYS) - key;
#pragma unroll
        for (int at = 2 * i; at < kScores; at += 4) {
          if (2 * at - 4 * i >= seen) scores[at] = minus_infinity();
          if (2 * at - 4 * i + 1 >= seen) scores[at + 1] = minus_infinity();
        }
      }
    }
  }

  // Lanes of a row exchange what they have of 32 columns, to store 16 bytes each; of columns that are
  // left over each stores what it has.
  __device__ void write(const float (&sums)[kSums], const SoftmaxRows& rows, const Work& work) {
#pragma unroll
    for (int i = 0; i < kRowsOfThread; ++i) {
      const float share = rows.share(i);
      const int query = query_of(work) + 8 * i;
      DTYPE* const to = out_ + (static_cast<long long>(work.head) * QUERIES + query) * D;
#pragma unroll
      for (int column = 0; column + 32 <= D; column += 32) {
        unsigned words[4];
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          const int at = column / 2 + 4 * w + 2 * i;
          words[w] = rounded_pair<DTYPE>(sums[at] * share, sums[at + 1] * share);
        }
        exchange(words);
        if (query >= QUERIES) continue;
        *reinterpret_cast<uint4*>(to + column + threadIdx.x % 4 * 8) =
            make_uint4(words[0], words[1], words[2], words[3]);
      }
#pragma unroll
      for (int column = D / 32 * 32; column < D; column += 8) {
        const int at = column / 2 + 2 * i;
        const unsigned both = rounded_pair<DTYPE>(sums[at] * share, sums[at + 1] * share);
        if (query < QUERIES) *reinterpret_cast<unsigned*>(to + column + threadIdx.x % 4 * 2) = both;
      }
    }
  }

  const Tiles& tiles_;
  const int own_;
  const float scale_;  // to powers of two
  DTYPE* const out_;
  Turn turn_;
  unsigned parity_ = 0;
};

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    attention_forward(const __grid_constant__ TensorMap q_map,
                      const __grid_constant__ TensorMap k_map,
                      const __grid_constant__ TensorMap v_map, float scale, DTYPE* __restrict__ out,
                      unsigned* __restrict__ taken) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ BulkBarrier full[STAGES];
  __shared__ BulkBarrier free[STAGES];
  __shared__ BulkBarrier queries_full[CONSUMERS];
  __shared__ BulkBarrier queries_free[CONSUMERS];
  __shared__ int works[CONSUMERS];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      full[stage].initialise();
      free[stage].initialise(CONSUMERS * CLUSTER);
    }
    for (int c = 0; c < CONSUMERS; ++c) {
      queries_full[c].initialise();
      queries_free[c].initialise();
    }
  }
  start_together<CLUSTER>();
  const unsigned base = of_warp(shared_address(memory));
  const Tiles tiles = {base,
                       base + CONSUMERS * kQueryBytes,
                       works,
                       Barriers(full),
                       Barriers(free),
                       Barriers(queries_full),
                       Barriers(queries_free),
                       CLUSTER == 1 ? 0 : of_warp(static_cast<int>(cluster_rank()))};
  in_roles([&] { Producer(tiles, q_map, k_map, v_map, taken).run(); },
           [&](int own) { Consumer(tiles, own, scale * kLog2E, out).run(); });
}
