// What well-known programs print, and what is read of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluator/command/command_figures.h"

namespace nightshift::evaluator {
namespace {

using search::Direction;
using search::FigureRule;
using search::Objective;
using ::testing::HasSubstr;

constexpr const char* kRate = "is a rate";

// `key` is a regular expression, or of JSON the path to a member.
struct Known {
  const char* program;
  const char* output;
  const char* key;
  double figure = 0;  // in ms, where it is a time; of a rate in its own unit, maximised
  // Of a rate: the unit that an objective needs, nullptr for a time.
  const char* rate = nullptr;
  const char* refusal = kRate;  // of an objective in ms
};

std::string read(const Known& known, const Objective& objective) {
  const bool is_json = std::string_view(known.output).find("{") != std::string_view::npos;
  const FigureRule rule{is_json ? FigureRule::Source::kJson : FigureRule::Source::kRegex,
                        known.key};
  try {
    const RunResult result = FigureRules({objective}, {rule}).read_output(known.output, 1);
    const auto& values = std::get<std::vector<search::Samples>>(result).at(0).values;
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
    return text;
  } catch (const FigureError& e) {
    return e.what();
  }
}

const std::vector<Known> kTimes = {
    {"hyperfine",
     "  Time (mean \u00b1 \u03c3):      12.3 ms \u00b1   0.4 ms    [User: 10.1 ms, System: 2.0 ms]",
     "Time.*?:\\s+([0-9.]+)", 12.3},
    {"hyperfine --export-json",
     R"({"results": [{"command": "./rate", "mean": 0.0123, "user": 0.01}]})", "results.0.mean",
     0.0123},
    {"google-benchmark",
     "Benchmark            Time             CPU   Iterations UserCounters...\n"
     "----------------------------------------------------------------------\n"
     "BM_rate/8        5000 ns         5001 ns       140000 items_per_second=1.5M/s",
     "BM_rate/8 +([0-9.]+)", 0.005},
    {"google-benchmark JSON",
     R"({"benchmarks": [{"name": "BM_throughput/8", "iterations": 100, "real_time": 5e3, "time_unit": "ns",
         "items_per_second": 1.5e6}]})",
     "benchmarks.0.real_time", 0.005},
    {"fio", "    clat (usec): min=10, max=2000, avg=55.5, stdev=12.3",
     "clat \\(usec\\).*avg=([0-9.]+)", 0.0555},
    {"fio JSON", R"({"jobs": [{"read": {"bw": 1000, "clat_ns": {"mean": 5500.0}}}]})",
     "jobs.0.read.clat_ns.mean", 0.0055},
    {"fio JSON, run time", R"({"jobs": [{"read": {"bw": 1000, "runtime": 55}}]})",
     "jobs.0.read.runtime", 55},
    {"sysbench",
     "Latency (ms):\n         min:                       0.10\n         avg:                       "
     "2.50\n",
     "avg: +([0-9.]+)", 2.5},
    {"sysbench, total", "    total time:                          10.0003s\n",
     "total time: +([0-9.]+)s", 10000.3},
    {"wrk",
     "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   635.91us    0.89ms  "
     "12.92ms   93.69%",
     "Latency +([0-9.]+)", 0.63591},
    {"ab", "Time per request:       2.325 [ms] (mean)",
     "Time per request: +([0-9.]+) \\[ms\\] \\(mean\\)", 2.325},
    {"redis-benchmark", "PING_INLINE: 43011.00 requests per second, p50=0.055 msec",
     "p50=([0-9.]+)", 0.055},
    {"llama.cpp",
     "eval time =    430.00 ms /    32 runs   (   13.44 ms per token,    74.42 tokens per second)",
     "eval time = +([0-9.]+) ms /", 13.4375},
    {"llama.cpp, of a token",
     "eval time =    430.00 ms /    32 runs   (   13.44 ms per token,    74.42 tokens per second)",
     "\\( +([0-9.]+) ms per token", 13.44},
    {"STREAM",
     "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
     "Copy:           12000.1     0.013412     0.013333     0.013601",
     "Copy: +[0-9.]+ +([0-9.]+)", 0.013412},
    {"HPL",
     "T/V                N    NB     P     Q               Time                 Gflops\n"
     "--------------------------------------------------------------------------------\n"
     "WR11C2R4       29184   192     2     2              52.33              3.167e+02",
     "WR11C2R4 +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +([0-9.]+)", 52.33},
    {"openssl speed rsa",
     "                   sign    verify    sign/s verify/s\n"
     "rsa  2048 bits 0.000613s 0.000018s   1632.2  55300.2",
     "bits ([0-9.]+)s", 0.613},
    {"ffmpeg -benchmark", "bench: utime=1.250s stime=0.010s rtime=0.330s", "rtime=([0-9.]+)s", 330},
    {"pgbench", "latency average = 2.325 ms", "latency average = ([0-9.]+)", 2.325},
    {"JMH",
     "Benchmark      Mode  Cnt    Score   Error  Units\nMyBench.rate   avgt    5  430.100 \u00b1 "
     "3.200  us/op",
     "avgt +5 +([0-9.]+)", 0.4301},
    {"JMH JSON",
     R"({"mode": "avgt", "primaryMetric": {"score": 430.1, "scoreUnit": "us/op", "rawData": [[430, 431]]}})",
     "primaryMetric.rawData.0", 0.430},
    {"criterion", "fib 20                  time:   [26.029 us 26.251 us 26.505 us]",
     "time: +\\[[0-9.]+ us ([0-9.]+)", 0.026251},
    {"pytest-benchmark",
     "Name (time in us)      Min       Max      Mean    StdDev    Median   IQR    Outliers    OPS "
     "(Kops/s)    Rounds\n"
     "---------------------------------------------------------------------------------------------"
     "----------------\n"
     "test_rate           4.5000 (1.0)   9.1 (1.0)  5.2 (1.0)  0.1 (1.0)  5.1 (1.0)  0.1 (1.0)   "
     "5;3  190.1 (1.0)   1000",
     "test_rate +([0-9.]+)", 0.0045},
    {"nvbench",
     "| BlockSize | Samples |  CPU Time  | GPU Time  | Noise | Elem/s |\n"
     "|-----------|---------|------------|-----------|-------|--------|\n"
     "|       256 |    336x | 1.503 ms   | 1.496 ms  | 0.11% | 44.8G  |",
     "256 \\| +336x \\| ([0-9.]+)", 1.503},
    {"perf stat", "       0.005123456 seconds time elapsed", "([0-9.]+) seconds time elapsed",
     5.123456},
    {"time", "0.12user 0.01system 0:00.13elapsed 99%CPU", "0.12user 0.01system (.*)elapsed", 130},
    {"time -p", "real 0.13\nuser 0.12\nsys 0.01", "real ([0-9.]+)", 0.13},
    {"dd", "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.45 s, 2.4 GB/s", "copied, ([0-9.]+)", 450},
    {"stress-ng", "stress-ng: info:  [1234] successful run completed in 10.01 secs",
     "completed in ([0-9.]+)", 10010},
    {"speedtest1", " 100 - 50000 INSERTs into table with no index......................    0.053s",
     "INSERTs into table with no index\\.+ +([0-9.]+)s", 53},
    {"speedtest1, total",
     "       TOTAL.......................................................    5.250s",
     "TOTAL\\.+ +([0-9.]+)s", 5250},
    {"lmbench", "Simple syscall: 0.1250 microseconds", "syscall: ([0-9.]+)", 0.000125},
    {"hyperfine, the range", "  Range (min \u2026 max):    11.9 ms \u2026  13.5 ms    200 runs",
     "Range.*?:\\s+([0-9.]+) ms \u2026", 11.9},
    {"hyperfine, of the user",
     "  Time (mean \u00b1 \u03c3):      12.3 ms \u00b1   0.4 ms    [User: 10.1 s, System: 2.0 ms]",
     "User: ([0-9.]+)", 10100},
    {"google-benchmark, of the CPU",
     "Benchmark            Time             CPU   Iterations\n"
     "-----------------------------------------------------\n"
     "BM_rate/8        5000 ns         5001 us       140000",
     "BM_rate/8 +[0-9.]+ ns +([0-9.]+)", 5.001},
    {"redis-benchmark, of all", "  100000 requests completed in 2.33 seconds",
     "completed in ([0-9.]+)", 2330},
    {"redis-benchmark, latency",
     "  latency summary (msec):\n"
     "          avg       min       p50       p95       p99       max\n"
     "        0.643     0.208     0.615     0.951     1.287     4.671",
     "^ +([0-9.]+) +0.208", 0.643},
    {"sysbench, a percentile",
     "Latency (ms):\n         min:                       0.10\n         95th percentile:     "
     "2.61\n",
     "95th percentile: +([0-9.]+)", 2.61},
    {"fio, percentiles",
     "    clat percentiles (usec):\n     |  1.00th=[   52],  5.00th=[   56],\n"
     "     | 99.00th=[  120], 99.50th=[  130]",
     "99.00th=\\[ +([0-9]+)", 0.12},
    {"wrk, a percentile", "  Latency Distribution\n     50%  250.00us\n     99%    5.00ms",
     "99% +([0-9.]+)", 5},
    {"perf stat, task clock",
     "             12.34 msec task-clock                #    0.998 CPUs utilized",
     "([0-9.]+) msec task-clock", 12.34},
    {"perf stat, of several runs",
     "         0.0123456 +- 0.0000123 seconds time elapsed  ( +-  0.10% )",
     "([0-9.]+) \\+- .*seconds time elapsed", 12.3456},
    {"perf stat, of the user", "       0.011000000 seconds user", "([0-9.]+) seconds user", 11},
    {"time -v", "\tUser time (seconds): 0.12", "User time \\(seconds\\): ([0-9.]+)", 120},
    {"time -v, elapsed", "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.13",
     "m:ss\\): ([0-9:.]+)", 130},
    {"iperf3, jitter",
     "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
     "[  5]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.012 ms  0/906 (0%)  receiver",
     "Mbits/sec +([0-9.]+)", 0.012},
    {"pytest-benchmark, one test of seconds",
     "---------------- benchmark: 1 tests ----------------\n"
     "Name (time in s)         Min     Max    Mean  StdDev  Median     IQR  Outliers     OPS  "
     "Rounds  "
     "Iterations\n"
     "---------------------------------------------------------------------------------------------"
     "\n"
     "test_rate             1.0052  1.0103  1.0071  0.0021  1.0066  0.0030       2;0  0.9930       "
     "5  "
     "         1\n",
     "test_rate +[0-9.]+ +[0-9.]+ +([0-9.]+)", 1007.1},
    {"pytest-benchmark, rounds",
     "Name (time in us)      Min       Max      Mean     Rounds\n"
     "----------------------------------------------------------\n"
     "test_rate      4.5 (1.0)   9.1 (1.0)   5.2 (1.0)     1000",
     "5.2 \\(1.0\\) +([0-9]+)", 1000},
    {"pytest-benchmark, the mean",
     "Name (time in us)      Min       Max      Mean     Rounds\n"
     "----------------------------------------------------------\n"
     "test_rate      4.5 (1.0)   9.1 (1.0)   5.2 (1.0)     1000",
     "9.1 \\(1.0\\) +([0-9.]+)", 0.0052},
    {"heads of two words", "test   mean time   avg lat (us)\nfoo        3.5     950.5",
     "foo +[0-9.]+ +([0-9.]+)", 0.9505},
    {"heads of two words, one blank", "Test Mean time Avg lat (us)\nfoo  3.5  950.5",
     "foo +[0-9.]+ +([0-9.]+)", 0.9505},
    {"heads of two words, no statistics",
     "test    lock wait (us) read delay (ms)\nfoo                3.5           950.5",
     "foo +([0-9.]+)", 0.0035},
    {"heads of two words, at their begin",
     "test    lock wait (us) read delay (ms)\nfoo     3.5            950.5", "foo +([0-9.]+)",
     0.0035},
    {"a head in words", "name    time in us\nfoo          950.5", "foo +([0-9.]+)", 0.9505},
    {"a head that ends with its unit", "name   mean us\nfoo      950.5", "foo +([0-9.]+)", 0.9505},
    {"a label in words", "Time in us: 950.5", ": ([0-9.]+)", 0.9505},
    {"numbers under a header", "size time\n1.00 0.5", "1.00 ([0-9.]+)", 0.5},
    {"a number alone", "0.5\n0.5", "([0-9.]+)", 0.5},
    {"numbers beside a word", "1.00 0.5 ok", "1.00 ([0-9.]+)", 0.5},
    {"iperf3", "[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver",
     "0\\.00-([0-9.]+)", 10000},
    {"timeit", "1000 loops, best of 5: 230 usec per loop", "best of 5: ([0-9.]+)", 0.23},
    {"a count and a time", "iterations: 100 time: 5 ms", "time: ([0-9.]+)", 5},
    {"a count and a mean", "ops: 100 mean: 0.05", "mean: ([0-9.]+)", 0.05},
    {"words with a rate in them", "operate separate strategy accurate bwa average: 5",
     "average: ([0-9.]+)", 5},
    {"a file", "wrote bandwidth.csv: 5 ms", "csv: ([0-9.]+)", 5},
    {"a file without a unit", "./throughput 5", "throughput ([0-9.]+)", 5},
    {"a date", "2024-01-28 rates.log 12.5", "log ([0-9.]+)", 12.5},
    {"a share", "CPU 99% time 5", "time ([0-9.]+)", 5},
    {"a rate and a time", "rate: 430 req/s, time: 5", "time: ([0-9.]+)", 5},
    {"a rate in the title", "Running the throughput benchmark\nTotal: 5.2\n", "Total: ([0-9.]+)",
     5.2},
    {"a load", "latency at 1000 req/s: 5.2", "req/s: ([0-9.]+)", 5.2},
    {"CSV", "name,latency (us),qps\nfoo,950.5,20", "foo,([0-9.]+)", 0.9505},
    {"CSV with quotes", "\"test\",\"rps\",\"avg_latency_ms\"\n\"SET\",\"430.1\",\"0.05\"",
     "\"SET\",\"[0-9.]+\",\"([0-9.]+)", 0.05},
    {"R microbenchmark",
     "Unit: microseconds\n"
     " expr   min    lq  mean median    uq   max neval\n"
     " f(x) 1.101 1.202 1.253 1.204 1.305 9.506   100",
     "f\\(x\\) +[0-9.]+ +[0-9.]+ +([0-9.]+)", 0.001253},
    {"ping", "rtt min/avg/max/mdev = 0.030/0.040/0.050/0.005 ms", "= [0-9.]+/([0-9.]+)", 0.04},
    {"bash's time", "real\t0m58.000s", "real\\s+[0-9]+m([0-9.]+)s", 58000},
    {"a row of times", "t: 905 950 1100 us", "t: ([0-9.]+)", 0.905},
    {"a head with the mark of a comment", "# name time[us]\nfoo 900", "foo ([0-9.]+)", 0.9},
    {"YAML", "foo:\n  value: 900\n  unit: us", "value: ([0-9.]+)", 0.9},
    {"a test of rates that took a time", R"({"benchmark": "throughput", "time_ms": 3})", "time_ms",
     3},
    {"a time of a test of rates", R"({"qps": {"latency": 3}})", "qps.latency", 3},
};

TEST(KnownOutputs, TimesAreReadInTheirUnit) {
  for (const Known& known : kTimes) {
    EXPECT_EQ(read(known, Objective{}).substr(0, 8), std::to_string(known.figure).substr(0, 8))
        << known.program << ": " << read(known, Objective{});
  }
}

const std::vector<Known> kRates = {
    {"google-benchmark JSON",
     R"({"benchmarks": [{"name": "x", "real_time": 5, "time_unit": "ns", "items_per_second": 1.5e6}]})",
     "benchmarks.0.items_per_second", 1.5e6, ""},
    {"fio JSON", R"({"jobs": [{"read": {"bw": 1000, "iops": 250}}]})", "jobs.0.read.bw", 1000, ""},
    {"fio JSON, iops", R"({"jobs": [{"read": {"bw": 1000, "iops": 250}}]})", "jobs.0.read.iops",
     250, ""},
    {"k6",
     R"({"metrics": {"http_reqs": {"type": "counter", "values": {"count": 900, "rate": 30}}}})",
     "metrics.http_reqs.values.rate", 30, ""},
    {"JMH JSON",
     R"({"mode": "thrpt", "primaryMetric": {"score": 430.1, "scoreUnit": "ops/s", "rawData": [[430]]}})",
     "primaryMetric.score", 430.1, "ops/s", "'ops/s'"},
    {"JMH JSON, samples",
     R"({"mode": "thrpt", "primaryMetric": {"score": 430.1, "scoreUnit": "ops/s", "rawData": [[430]]}})",
     "primaryMetric.rawData.0", 430, "ops/s", "'ops/s'"},
    {"iperf3 JSON", R"({"end": {"sum_received": {"seconds": 10, "bits_per_second": 9.4e8}}})",
     "end.sum_received.bits_per_second", 9.4e8, ""},
    {"llama-bench JSON", R"({"avg_ns": 430, "avg_ts": 30.5})", "avg_ts", 30.5, ""},
    {"a group", R"({"qps": {"value": 200}})", "qps.value", 200, ""},
    {"a name", R"({"benchmark": "throughput", "value": 3})", "value", 3, ""},
    {"a type", R"({"type": "rate", "value": 3})", "value", 3, ""},
    {"a metric above", R"({"metric": "tokens/s", "results": [{"value": 3}]})", "results.0.value", 3,
     ""},
    {"sysbench", "    events per second:   430.12", "second: +([0-9.]+)", 430.12, ""},
    {"sysbench, of transactions", "    transactions:        4301   (430.12 per sec.)",
     "\\(([0-9.]+) per", 430.12, ""},
    {"wrk", "Requests/sec: 74886.53", "sec: ([0-9.]+)", 74886.53, ""},
    {"wrk, transfer", "Transfer/sec:    606.33MB", "sec: +([0-9.]+)MB", 606.33, "MB"},
    {"ab", "Requests per second:    430.11 [#/sec] (mean)", "second: +([0-9.]+)", 430.11, ""},
    {"ab, transfer", "Transfer rate:          1000.50 [Kbytes/sec] received", "rate: +([0-9.]+)",
     1000.5, "Kbytes/sec", "'Kbytes/sec'"},
    {"redis-benchmark", "PING_INLINE: 43011.00 requests per second, p50=0.055 msec",
     "INLINE: ([0-9.]+)", 43011, ""},
    {"redis-benchmark --csv", "\"test\",\"rps\",\"avg_latency_ms\"\n\"SET\",\"430.1\",\"0.05\"",
     "\"SET\",\"([0-9.]+)", 430.1, ""},
    {"llama-bench",
     "| model    | size     | threads | test  |            t/s |\n"
     "| -------- | -------: | ------: | ----: | -------------: |\n"
     "| llama 7B | 3.50 GiB |       8 | pp512 |  430.12 \u00b1 1.05 |",
     "pp512 \\| +([0-9.]+)", 430.12, ""},
    {"llama.cpp",
     "eval time =    430.00 ms /    32 runs   (   13.44 ms per token,    74.42 tokens per second)",
     "([0-9.]+) tokens per second", 74.42, ""},
    {"ollama", "eval rate: 30", "rate: ([0-9.]+)", 30, ""},
    {"STREAM",
     "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
     "Copy:           12000.1     0.013412     0.013333     0.013601",
     "Copy: +([0-9.]+)", 12000.1, "MB/s"},
    {"STREAM, narrow", "Function Best Rate MB/s Avg time\nCopy: 12000 0.01", "Copy: ([0-9.]+)",
     12000, "MB/s"},
    {"HPL",
     "T/V                N    NB     P     Q               Time                 Gflops\n"
     "--------------------------------------------------------------------------------\n"
     "WR11C2R4       29184   192     2     2              52.33              3.167e+02",
     "WR11C2R4.* ([0-9.e+]+)$", 316.7, ""},
    {"7z b",
     "         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS\n\n"
     "22:      26000   700   3600  25000  |     300000   780   3700  29000\n"
     "----------------------------------  | ------------------------------\n"
     "Tot:             760   3900  28000",
     "Tot: +[0-9]+ +[0-9]+ +([0-9]+)", 28000, ""},
    {"7z, told", "7zip MIPS: 100", "MIPS: ([0-9.]+)", 100, ""},
    {"openssl speed rsa",
     "                   sign    verify    sign/s verify/s\n"
     "rsa  2048 bits 0.000613s 0.000018s   1632.2  55300.2",
     "bits [0-9.]+s [0-9.]+s +([0-9.]+)", 1632.2, ""},
    {"ffmpeg", "frame=  100 fps= 30 q=28.0 size=     256kB speed=1.2x", "fps= ([0-9.]+)", 30, ""},
    {"pgbench", "tps = 430.118 (without initial connection time)", "tps = ([0-9.]+)", 430.118, ""},
    {"criterion", "                        thrpt:  [36.5 38.1 39.2]",
     "thrpt: +\\[[0-9.]+ ([0-9.]+)", 38.1, ""},
    {"perf stat", "     1,234,567      instructions              #    1.23  insn per cycle",
     "# +([0-9.]+)", 1.23, ""},
    {"stress-ng",
     "stress-ng: metrc: [1234] stressor       bogo ops real time  usr time  sys time   bogo ops/s  "
     "   bogo ops/s\n"
     "stress-ng: metrc: [1234]                           (secs)    (secs)    (secs)   (real time) "
     "(usr+sys time)\n"
     "stress-ng: metrc: [1234] cpu                1000     10.00     39.90      0.01       100.00  "
     "        25.05",
     "cpu +.* ([0-9.]+) +[0-9.]+$", 100, ""},
    {"dd", "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.45 s, 2.4 GB/s", "s, ([0-9.]+) GB", 2.4,
     "GB/s", "'GB/s'"},
    {"iperf3", "[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec                  receiver",
     "([0-9.]+) Mbits", 941, "Mbits/sec", "'Mbits/sec'"},
    {"pytest-benchmark",
     "Name (time in us)      Min       Max      Mean    StdDev    Median   IQR    Outliers    OPS "
     "(Kops/s)    Rounds\n"
     "---------------------------------------------------------------------------------------------"
     "----------------\n"
     "test_it             4.5000 (1.0)   9.1 (1.0)  5.2 (1.0)  0.1 (1.0)  5.1 (1.0)  0.1 (1.0)   "
     "5;3  190.1 (1.0)   1000",
     "5;3 +([0-9.]+)", 190.1, ""},
    {"hyperfine, beside another", "    1.23 \u00b1 0.05 times faster than ./b",
     "([0-9.]+) \u00b1 .* times faster", 1.23, ""},
    {"google-benchmark, a counter", "BM_sum/8   5000 ns   5001 ns  140000 items_per_second=1.5M/s",
     "items_per_second=([0-9.]+)M", 1.5, "M/s", "'M/s'"},
    {"google-benchmark, bytes", "BM_sum/8   5000 ns   5001 ns  140000 bytes_per_second=2.1Gi/s",
     "bytes_per_second=([0-9.]+)Gi", 2.1, "Gi/s", "'Gi/s'"},
    {"wrk, of a thread",
     "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Req/Sec    56.20k     8.07k   "
     "62.00k",
     "Req/Sec +([0-9.]+)k", 56.2, "k", "'k'"},
    {"wrk, of all", "  22464657 requests in 30.00s, 17.76GB read", "([0-9]+) requests in", 22464657,
     ""},
    {"redis-benchmark, of all", "  100000 requests completed in 2.33 seconds",
     "([0-9]+) requests completed", 100000, ""},
    {"redis-benchmark, summary", "  throughput summary: 42918.46 requests per second",
     "summary: ([0-9.]+)", 42918.46, ""},
    {"sysbench memory", "10240.00 MiB transferred (5123.45 MiB/sec)", "\\(([0-9.]+)", 5123.45,
     "MiB/s", "MiB/s"},
    {"sysbench memory, operations", "Total operations: 104857 (10485.12 per second)",
     "\\(([0-9.]+) per", 10485.12, ""},
    {"sysbench fileio", "    read, MiB/s:                  12.34", "MiB/s: +([0-9.]+)", 12.34,
     "MiB/s", "MiB/s"},
    {"sysbench fileio, reads", "    reads/s:                      123.40", "reads/s: +([0-9.]+)",
     123.4, ""},
    {"fio", "  read: IOPS=250k, BW=977MiB/s (1024MB/s)(9770MiB/10001msec)", "BW=([0-9.]+)", 977,
     "MiB/s", "MiB/s"},
    {"fio, operations", "  read: IOPS=250k, BW=977MiB/s (1024MB/s)(9770MiB/10001msec)",
     "IOPS=([0-9.]+)k", 250, "k", "'k'"},
    {"fio, of all", "   READ: bw=1234MiB/s (1294MB/s), io=10GiB, run=8000-8000msec", "bw=([0-9.]+)",
     1234, "MiB/s", "MiB/s"},
    {"perf stat, a clock", "         1,234,567      cycles     #    3.210 GHz", "# +([0-9.]+)",
     3.21, "GHz", "GHz"},
    {"perf stat, branches", "           456,789      branches      #  200.123 M/sec",
     "# +([0-9.]+)", 200.123, "M/sec", "'M/sec'"},
    {"iperf3, of a second",
     "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
     "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    387 KBytes",
     "MBytes +([0-9.]+)", 941, "Mbits/sec", "'Mbits/sec'"},
    {"pytest-benchmark, in one column",
     "Name (time in us)         Min     Max    Mean     OPS (Kops/s)  Rounds\n"
     "-----------------------------------------------------------------------\n"
     "test_it                4.5000     9.1     5.2         190.1000    1000",
     "5.2 +([0-9.]+)", 190.1, ""},
    {"heads of two words, one blank", "Test Write speed Avg lat (us)\nfoo  3.5  950.5",
     "foo +([0-9.]+)", 3.5, ""},
    {"a chess engine", "info depth 20 nps 1500000", "nps ([0-9]+)", 1500000, ""},
    {"lattice Boltzmann", "MLUPS: 500", "MLUPS: ([0-9]+)", 500, ""},
    {"loops", "completed 500 loops after 10 s", "completed ([0-9]+) loops after", 500, ""},
    {"a cell", "| tokens/s | 430 |", "\\| ([0-9.]+)", 430, ""},
    {"CSV", "name,qps\nfoo,200", "foo,([0-9.]+)", 200, ""},
    {"a key", "tokens_s=430", "=([0-9.]+)", 430, ""},
    {"a short word", "bw: 10", "bw: ([0-9.]+)", 10, ""},
    {"a heading", "throughput\n430", "^([0-9.]+)", 430, ""},
    {"a heading of statistics", "Throughput:\n  min: 3\n  mean: 430", "mean: ([0-9.]+)", 430, ""},
    {"a list", "throughput: min 3 max 430", "max ([0-9.]+)", 430, ""},
    {"threads", "throughput with 8 threads: 430", "threads: ([0-9.]+)", 430, ""},
};

TEST(KnownOutputs, RatesOfNoDirectionAreRefused) {
  for (const Known& known : kRates) {
    for (const char* unit : {"ms", ""}) {
      const Objective objective{"figure", unit, Direction::kMinimise};
      EXPECT_THAT(read(known, objective), HasSubstr(known.refusal)) << known.program;
    }
  }
}

TEST(KnownOutputs, RatesAreReadWhereTheObjectiveTakesThem) {
  for (const Known& known : kRates) {
    const Objective objective{"figure", known.rate, Direction::kMaximise};
    EXPECT_EQ(read(known, objective).substr(0, 8), std::to_string(known.figure).substr(0, 8))
        << known.program << ": " << read(known, objective);
  }
}

TEST(KnownOutputs, ARateThatIsToBeSmallSaysItsUnit) {
  const Known rate{"", "rate: 430", "rate: ([0-9.]+)"};
  EXPECT_THAT(read(rate, {"figure", "", Direction::kMinimise}),
              AllOf(HasSubstr("direction = \"maximise\""), HasSubstr("--higher-is-better"),
                    HasSubstr("direction = \"minimise\" and the rate's unit")));
  EXPECT_EQ(read(rate, {"figure", "req/s", Direction::kMinimise}), "430.000000");
  Objective limit{"figure", "", Direction::kMinimise};
  limit.at_least = 100;
  EXPECT_EQ(read(rate, limit), "430.000000") << "a condition";
}

// lmbench's bw_mem has the size and MB/s, its lat_mem_rd the size and nanoseconds.
TEST(KnownOutputs, NumbersWithoutAWordAreReadWhereTheObjectiveSaysWhatTheyAre) {
  for (const char* output : {"1.00 8543.21", "1.00\t8543.21\n", "1,8543.21", "0 2e3 8543.21"}) {
    const Known numbers{"", output, "([0-9.]+)$"};
    EXPECT_THAT(
        read(numbers, Objective{}),
        AllOf(HasSubstr("several numbers and no word"), HasSubstr("direction = \"maximise\""),
              HasSubstr("--metric-unit MB/s --higher-is-better")));
    EXPECT_EQ(read(numbers, {"time", "ns", Direction::kMinimise}), "8543.210000");
    EXPECT_EQ(read(numbers, {"latency", "ms", Direction::kMinimise}), "8543.210000");
    EXPECT_EQ(read(numbers, {"bandwidth", "MB/s", Direction::kMaximise}), "8543.210000");
    EXPECT_EQ(read(numbers, {"time", "MB/s", Direction::kMinimise}), "8543.210000");
  }
}

TEST(KnownOutputs, TwoTimesOfOneFigureAreRefused) {
  const Known two{"", "took 1 ms, 900 us", "took ([0-9.]+)"};
  EXPECT_THAT(read(two, Objective{}), HasSubstr("goes on"));
  const Known all{"", "took 1 ms, 900 us", "took (.*)"};
  EXPECT_THAT(read(all, Objective{}), HasSubstr("'time' matched '1 ms, 900 us'"));
  const Known same{"", "took 1 ms, 900 ms", "took (.*)"};
  EXPECT_THAT(read(same, Objective{}), HasSubstr("'time' matched '1 ms, 900 ms'"));
  const Known named{"", "took 1 s real, 900 ms user", "took ([0-9.]+)"};
  EXPECT_EQ(read(named, Objective{}), "1000.000000");
  const Known user{"", "took 1 s, 900 ms user", "took ([0-9.]+)"};
  EXPECT_EQ(read(user, Objective{}), "1000.000000");
}

}  // namespace
}  // namespace nightshift::evaluator
