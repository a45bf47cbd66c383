#pragma once

#include <vector>

#include "tools/bench/known_space.h"
#include "tools/bench/linkage_space.h"

// Search spaces of published kernels.
namespace nightshift::bench {

inline KnownSpace dedispersion_space() {
  using namespace detail;
  return {"dedispersion",
          {parameter("bx", powers(1, 32)), parameter("by", range(32, 256, 8)), parameter("bz", {1}),
           parameter("tile_x", range(1, 4)), parameter("tile_y", range(1, 8)),
           parameter("stride_x", {0, 1}), parameter("stride_y", {0, 1}), parameter("unroll", {0})},
          {"32 <= bx*by <= 1024", "tile_x > 1 or stride_x == 0", "tile_y > 1 or stride_y == 0"},
          "11130"};
}

inline KnownSpace expdist_space() {
  using namespace detail;
  return {"expdist",
          {parameter("bx", powers(32, 1024)), parameter("by", powers(1, 32)),
           parameter("tile_x", range(1, 8)), parameter("tile_y", range(1, 8)),
           parameter("use_shared_mem", {0, 1, 2}), parameter("unroll_x", range(1, 8)),
           parameter("unroll_y", range(1, 8)), parameter("use_column", {0, 1}),
           parameter("use_separate_acc", {0}), parameter("n_y_blocks", powers(1, 1024))},
          {"use_column != 0 or n_y_blocks <= 1", "use_column != 0 or use_shared_mem != 2",
           "unroll_x <= tile_x and tile_x % unroll_x == 0",
           "unroll_y <= tile_y and tile_y % unroll_y == 0", "bx*by <= 1024"},
          "294000"};
}

inline KnownSpace hotspot_space() {
  using namespace detail;
  const std::string shared = "(bx*tile_x + 2*ttf) * (by*tile_y + 2*ttf) * (2 + sh_power) * 4";
  return {"hotspot",
          {parameter("grid_width", {4096}), parameter("grid_height", {4096}),
           parameter("bx", joined(powers(1, 16), range(32, 1024, 32))),
           parameter("by", powers(1, 32)), parameter("tile_x", range(1, 10)),
           parameter("tile_y", range(1, 10)), parameter("ttf", range(1, 10)),
           parameter("max_tfactor", {10}), parameter("unroll_t", range(1, 10)),
           parameter("sh_power", {0, 1}), parameter("blocks_per_sm", range(0, 4))},
          {"bx*by >= 32", "ttf % unroll_t == 0", "bx*by <= 1024", shared + " <= 49152",
           "blocks_per_sm == 0 or " + shared + " * blocks_per_sm <= 102400"},
          "349853"};
}

inline KnownSpace gemm_space() {
  using namespace detail;
  return {"gemm",
          {parameter("GEMMK", {0}), parameter("MWG", powers(16, 128)),
           parameter("NWG", powers(16, 128)), parameter("KWG", {16, 32}),
           parameter("MDIMC", powers(8, 32)), parameter("NDIMC", powers(8, 32)),
           parameter("MDIMA", powers(8, 32)), parameter("NDIMB", powers(8, 32)),
           parameter("KWI", {2}), parameter("VWM", powers(1, 8)), parameter("VWN", powers(1, 8)),
           parameter("STRM", {0, 1}), parameter("STRN", {0, 1}), parameter("SA", {0, 1}),
           parameter("SB", {0, 1}), parameter("KREG", {1}), parameter("PRECISION", {32})},
          {"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
           "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
           "KWG % ((MDIMC * NDIMC) / MDIMA) == 0", "KWG % ((MDIMC * NDIMC) / NDIMB) == 0",
           "not (MWG == NWG == 128 and MDIMC == NDIMC == 8)"},
          "116928"};
}

inline KnownSpace microhh_space() {
  using namespace detail;
  return {
      "microhh",
      {parameter("STATIC_STRIDES", {0}), parameter("TILING_STRATEGY", {0}),
       parameter("REWRITE_INTERP", {0}), parameter("BX", joined(powers(1, 32), powers(128, 1024))),
       parameter("BY", powers(1, 32)), parameter("BZ", powers(1, 4)), parameter("TX", powers(1, 8)),
       parameter("TY", powers(1, 4)), parameter("TZ", powers(1, 4)), parameter("UX", powers(1, 8)),
       parameter("UY", powers(1, 4)), parameter("UZ", powers(1, 4)),
       parameter("BLOCKS_PER_MP", range(0, 4))},
      {"BX*BY*BZ*BLOCKS_PER_MP <= 1024", "32 <= BX*BY*BZ <= 1536", "UX == 0 or TX % UX == 0",
       "UY == 0 or TY % UY == 0", "UZ == 0 or TZ % UZ == 0", "BX*TX > 0", "BY*TY > 0", "BZ*TZ > 0"},
      "138600"};
}

inline KnownSpace convolution_space() {
  using namespace detail;
  return {
      "convolution",
      {parameter("bx", range(16, 256, 16)), parameter("by", powers(1, 16)),
       parameter("tile_x", range(1, 4)), parameter("tile_y", range(1, 4)),
       parameter("read_only", {0, 1}), parameter("use_padding", {0, 1}),
       parameter("use_shmem", {0, 1}), parameter("use_cmem", {1}), parameter("filter_width", {15}),
       parameter("filter_height", {15})},
      {"use_padding == 0 or bx % 32 != 0", "bx*by <= 1024", "use_padding == 0 or use_shmem != 0",
       "use_shmem == 0 or (bx*tile_x + 14) * (by*tile_y + 14) < 12288"},
      "4362"};
}

inline std::vector<KnownSpace> published_spaces() {
  return {dedispersion_space(),
          expdist_space(),
          hotspot_space(),
          gemm_space(),
          microhh_space(),
          convolution_space(),
          linkage_space("prl 2x2", 2, "1200"),
          linkage_space("prl 4x4", 4, "10800"),
          linkage_space("prl 8x8", 8, "48720")};
}

}  // namespace nightshift::bench
