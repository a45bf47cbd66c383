#include "search/figures/rate_words.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(TendencyOf, SaysWhatIsARate) {
  for (const char* label : {"qps",
                            "Requests/sec",
                            "Req/Sec",
                            "tokens/s",
                            "tokens_s",
                            "frames_sec",
                            "gb_s",
                            "bw",
                            "read_bw",
                            "bw_mem",
                            "bw_bytes",
                            "iops",
                            "eval rate",
                            "7zip MIPS",
                            "throughput",
                            "Transfer rate",
                            "items_per_second",
                            "itemsPerSecond",
                            "bytes_per_second",
                            "bogo ops/s",
                            "GB/s",
                            "MiB/s",
                            "GFLOP/s",
                            "TFLOPS",
                            "Best Rate MB/s",
                            "insn per cycle",
                            "IPC",
                            "events per second",
                            "tps",
                            "Bandwidth (GB/s)",
                            "score (ops/s)",
                            "[#/sec]",
                            "per second",
                            "GFLOPS/W",
                            "tokens/s/user",
                            "avg_ts",
                            "speed",
                            "fps",
                            "MB/sec",
                            "updates/min",
                            "rate of operations",
                            "ns/day",
                            "throughput with 8 threads",
                            "throughput.mean",
                            "KiB/s",
                            "MHz",
                            "thrpt"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kRate) << label;
  }
}

TEST(TendencyOf, SaysWhatIsNone) {
  for (const char* label : {"time",
                            "time_ms",
                            "total_s",
                            "step_s",
                            "latency (us)",
                            "us/op",
                            "seconds per token",
                            "s_per_token",
                            "cycles/element",
                            "Time per request",
                            "J/s",
                            "error rate",
                            "miss_rate",
                            "cache misses per second",
                            "false positive rate",
                            "packet loss rate",
                            "number of ops",
                            "bandwidth time",
                            "time for ops",
                            "latency at max throughput",
                            "p99_latency_at_full_rate",
                            "time to first token",
                            "elapsed",
                            "Time (mean \u00b1 \u03c3)",
                            "avg_latency_ms",
                            "time (at full rate)",
                            "tokens/s wait"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kCost) << label;
  }
}

TEST(TendencyOf, KnowsRatesOfManyFields) {
  for (const char* label :
       {"nps", "MLUPS", "GLUPS", "MLUP/s", "hashrate", "flops", "GF", "ups", "eps", "wps", "GiPS",
        "SYPD", "GCUPS", "hostThroughput", "memthroughput", "frame rate", "megaflops"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kRate) << label;
  }
  for (const char* label : {"total_flops", "groups", "steps", "caps"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kNone) << label;
  }
}

TEST(TendencyOf, SaysWhatMayBeAScore) {
  for (const char* label :
       {"Score", "CoreMark 1.0", "Performance", "hit ratio", "compression ratio", "PSNR",
        "real-time factor", "score (mean)", "energy_efficiency", "perf"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kScore) << label;
  }
  for (const char* label : {"miss ratio", "error score", "performance time", "Score (us)",
                            "slowdown factor time", "score_ms"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kCost) << label;
  }
  for (const char* label : {"perf run", "performance test", "unroll factor 4", "scored"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kNone) << label;
  }
  EXPECT_EQ(tendency_of("score (ops/s)"), Tendency::kRate);
}

TEST(TendencyOf, WordsAreToldWhole) {
  for (const char* label : {"",
                            "operate",
                            "generate",
                            "iterations",
                            "separate",
                            "strategy",
                            "accurate",
                            "bwa",
                            "moderate",
                            "ratel",
                            "foo",
                            "result",
                            "throughput.txt",
                            "./rate",
                            "/tmp/bw",
                            "bench_rate.py",
                            "a/b",
                            "and/or",
                            "p99",
                            "min",
                            "requests",
                            "tokens",
                            "2024-01-28",
                            "x86/64",
                            "hops",
                            "topspin"}) {
    EXPECT_EQ(tendency_of(label), Tendency::kNone) << label;
  }
}

TEST(IsRateBehind, TellsRequestsPerSecond) {
  for (const char* text :
       {" requests per second", " per sec.)", " / s", " images a second", "x faster", " x speedup",
        " successful HTTP requests per second, p50=0.055 msec", " tokens per second)",
        " insn per cycle", " operations/second", " requests in 30.00s, 17.76GB read",
        " requests completed in 2.33 seconds", " transactions in 5 min", " ops within 10 s",
        " loops after 10 s", " queries during 2.5 min", " \u00b1 0.05 times faster than",
        " times faster", " +- 3 queries per second"}) {
    EXPECT_TRUE(is_rate_behind(text)) << text;
  }
  for (const char* text : {"",
                           " ms",
                           " iterations in 5 s",
                           " ops within 10 batches",
                           " failed calls after 10 s",
                           " requests",
                           " done, 5 per second",
                           " ms per token",
                           " errors per second",
                           " misses/s",
                           " runs per client",
                           " (5 per second)",
                           " a day",
                           " seconds per step",
                           "x slower",
                           " requests in 3 batches",
                           " requests in flight",
                           " failed requests in 5 s",
                           " times slower",
                           " \u00b1 0.05 ms",
                           " times",
                           " in 5 s"}) {
    EXPECT_FALSE(is_rate_behind(text)) << text;
  }
}

TEST(IsOfStatistics, SaysWhichOfSeveral) {
  for (const char* label : {"", "avg", "p99", "Max", "95th percentile", "result", "min/avg/max"}) {
    EXPECT_TRUE(is_of_statistics(label)) << label;
  }
  for (const char* label : {"time", "Copy", "avg latency"}) {
    EXPECT_FALSE(is_of_statistics(label)) << label;
  }
}

TEST(IsUnitOfRate, KnowsAbbreviationsAndNoNames) {
  for (const char* word : {"GTEPS", "MLUPS", "IPC", "KOPS", "Mops", "fps", "gteps", "OPS", "GCUPS",
                           "bogomips", "MegaFLOPS"}) {
    EXPECT_TRUE(is_unit_of_rate(word)) << word;
  }
  for (const char* word :
       {"speed", "rate", "bandwidth", "ops", "cups", "eps", "runs", "done", ""}) {
    EXPECT_FALSE(is_unit_of_rate(word)) << word;
  }
}

}  // namespace
}  // namespace nightshift::search
