#include "search/figures/rate_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "search/figures/number_text.h"

namespace nightshift::search {
namespace {

using namespace std::string_view_literals;

// In small letters, as all words here.
constexpr std::array kRates = {
    "rate"sv,    "rates"sv,     "throughput"sv, "thrpt"sv,     "thruput"sv,   "bandwidth"sv,
    "bw"sv,      "qps"sv,       "tps"sv,        "rps"sv,       "ops"sv,       "iops"sv,
    "kiops"sv,   "kops"sv,      "mops"sv,       "gops"sv,      "tops"sv,      "mips"sv,
    "gips"sv,    "fps"sv,       "ips"sv,        "ipc"sv,       "kflops"sv,    "mflops"sv,
    "gflops"sv,  "tflops"sv,    "pflops"sv,     "bps"sv,       "kbps"sv,      "mbps"sv,
    "gbps"sv,    "kibps"sv,     "mibps"sv,      "gibps"sv,     "tbps"sv,      "pps"sv,
    "mpps"sv,    "tpmc"sv,      "tpm"sv,        "hz"sv,        "khz"sv,       "mhz"sv,
    "ghz"sv,     "speed"sv,     "speedup"sv,    "goodput"sv,   "ts"sv,        "rating"sv,
    "teps"sv,    "gteps"sv,     "mteps"sv,      "gups"sv,      "bogomips"sv,  "nps"sv,
    "knps"sv,    "mnps"sv,      "lups"sv,       "klups"sv,     "mlups"sv,     "glups"sv,
    "flups"sv,   "mflups"sv,    "ups"sv,        "mups"sv,      "eps"sv,       "wps"sv,
    "sps"sv,     "dps"sv,       "cups"sv,       "mcups"sv,     "gcups"sv,     "tcups"sv,
    "gf"sv,      "kips"sv,      "vps"sv,        "sypd"sv,      "sdpd"sv,      "hashrate"sv,
    "bitrate"sv, "framerate"sv, "xput"sv,       "megaflops"sv, "gigaflops"sv, "teraflops"sv};
// Those that are no units; and those that are, unless all their letters are small.
constexpr std::array kNamesOfRates = {"rate"sv,     "rates"sv,     "throughput"sv, "thrpt"sv,
                                      "thruput"sv,  "bandwidth"sv, "bw"sv,         "speed"sv,
                                      "speedup"sv,  "goodput"sv,   "ts"sv,         "rating"sv,
                                      "hashrate"sv, "bitrate"sv,   "xput"sv,       "framerate"sv};
constexpr std::array kInCapitals = {"ops"sv, "ups"sv, "eps"sv,  "sps"sv, "dps"sv,
                                    "vps"sv, "nps"sv, "cups"sv, "gf"sv};
// Of what they name more is better as a rule. "factor" is one behind some words alone.
constexpr std::array kScores = {"score"sv,    "scores"sv,   "performance"sv, "perf"sv,
                                "fitness"sv,  "coremark"sv, "dhrystones"sv,  "whetstones"sv,
                                "psnr"sv,     "ssim"sv,     "vmaf"sv,        "snr"sv,
                                "accuracy"sv, "ratio"sv,    "efficiency"sv,  "rtf"sv};
constexpr std::array kScored = {"time"sv, "speed"sv, "compression"sv, "quality"sv};
constexpr std::array kTimes = {
    "s"sv,       "sec"sv,   "secs"sv,        "second"sv,       "seconds"sv, "ms"sv,
    "msec"sv,    "msecs"sv, "millisecond"sv, "milliseconds"sv, "millis"sv,  "us"sv,
    "usec"sv,    "usecs"sv, "microsecond"sv, "microseconds"sv, "micros"sv,  "ns"sv,
    "nsec"sv,    "nsecs"sv, "nanosecond"sv,  "nanoseconds"sv,  "nanos"sv,   "minute"sv,
    "minutes"sv, "min"sv,   "hour"sv,        "hours"sv,        "h"sv,       "hr"sv,
    "day"sv,     "days"sv,  "\u00b5s"sv,     "\u03bcs"sv,      "cycle"sv,   "cycles"sv,
    "clk"sv,     "clock"sv, "clocks"sv,      "tick"sv,         "ticks"sv};
// What is spent, besides times: more of it is no rate, and a rate over it is one: "GFLOPS/W".
constexpr std::array kSpent = {"w"sv,      "watt"sv,  "watts"sv, "kw"sv,     "mw"sv,
                               "j"sv,      "joule"sv, "mj"sv,    "joules"sv, "kj"sv,
                               "dollar"sv, "usd"sv,   "kwh"sv,   "wh"sv};
constexpr std::array kCosts = {
    "time"sv,    "times"sv,      "timing"sv,     "walltime"sv, "latency"sv,   "latencies"sv,
    "lat"sv,     "clat"sv,       "slat"sv,       "duration"sv, "elapsed"sv,   "wall"sv,
    "runtime"sv, "delay"sv,      "wait"sv,       "overhead"sv, "cost"sv,      "memory"sv,
    "rss"sv,     "size"sv,       "energy"sv,     "power"sv,    "loss"sv,      "number"sv,
    "count"sv,   "num"sv,        "cpi"sv,        "interval"sv, "period"sv,    "jitter"sv,
    "rtt"sv,     "perplexity"sv, "ppl"sv,        "noise"sv,    "deviation"sv, "stall"sv,
    "pause"sv,   "utime"sv,      "stime"sv,      "rtime"sv,    "user"sv,      "sys"sv,
    "real"sv,    "residual"sv,   "percentage"sv, "percent"sv};
// A rate of these is to be small.
constexpr std::array kUnwanted = {
    "error"sv,      "errors"sv,      "err"sv,        "errs"sv,       "miss"sv,
    "misses"sv,     "missed"sv,      "fail"sv,       "failed"sv,     "failure"sv,
    "failures"sv,   "fault"sv,       "faults"sv,     "loss"sv,       "lost"sv,
    "drop"sv,       "drops"sv,       "dropped"sv,    "abort"sv,      "aborts"sv,
    "aborted"sv,    "reject"sv,      "rejected"sv,   "rejection"sv,  "conflict"sv,
    "conflicts"sv,  "collision"sv,   "collisions"sv, "retry"sv,      "retries"sv,
    "retransmit"sv, "retransmits"sv, "timeout"sv,    "timeouts"sv,   "eviction"sv,
    "evictions"sv,  "false"sv,       "defect"sv,     "migrations"sv, "switches"sv,
    "allocation"sv, "allocations"sv, "allocs"sv,     "stalls"sv,     "stalled"sv,
    "crash"sv,      "slowdown"sv,    "imbalance"sv,  "dilation"sv};
// What a key that ends with "_s" counts, "tokens_s". "step_s" are the seconds of one.
constexpr std::array kCounted = {
    "op"sv,         "requests"sv, "reqs"sv,         "req"sv,     "queries"sv, "tokens"sv,
    "tok"sv,        "toks"sv,     "frames"sv,       "images"sv,  "imgs"sv,    "items"sv,
    "iterations"sv, "iters"sv,    "it"sv,           "samples"sv, "rows"sv,    "records"sv,
    "messages"sv,   "msgs"sv,     "packets"sv,      "events"sv,  "lookups"sv, "elements"sv,
    "elems"sv,      "steps"sv,    "transactions"sv, "txns"sv,    "bytes"sv,   "kb"sv,
    "mb"sv,         "gb"sv,       "tb"sv,           "kib"sv,     "mib"sv,     "gib"sv,
    "bits"sv,       "mbit"sv,     "gbit"sv,         "mbits"sv,   "gbits"sv,   "points"sv,
    "updates"sv,    "calls"sv,    "operations"sv,   "jobs"sv,    "tasks"sv,   "lines"sv,
    "words"sv,      "flop"sv,     "gflop"sv,        "tflop"sv,   "hashes"sv,  "keys"sv,
    "pages"sv,      "nodes"sv};
constexpr std::array kPrepositions = {"of"sv,    "for"sv,   "at"sv,   "in"sv,
                                      "with"sv,  "on"sv,    "when"sv, "by"sv,
                                      "under"sv, "while"sv, "to"sv,   "during"sv};
constexpr std::array kStatistics = {
    "mean"sv,    "avg"sv,   "average"sv, "median"sv, "min"sv,    "max"sv,        "minimum"sv,
    "maximum"sv, "best"sv,  "worst"sv,   "std"sv,    "stdev"sv,  "stddev"sv,     "total"sv,
    "sum"sv,     "value"sv, "least"sv,   "most"sv,   "result"sv, "values"sv,     "geomean"sv,
    "overall"sv, "avr"sv,   "tot"sv,     "p"sv,      "th"sv,     "percentile"sv, "harmonic"sv,
    "peak"sv,    "all"sv,   "current"sv, "per"sv,    "score"sv,  "iqr"sv};
// What is done again and again in a time that was given: many of them in it is a rate.
constexpr std::array kDone = {
    "requests"sv,   "reqs"sv,  "queries"sv, "transactions"sv, "txns"sv,    "events"sv,
    "messages"sv,   "msgs"sv,  "packets"sv, "tokens"sv,       "frames"sv,  "images"sv,
    "operations"sv, "ops"sv,   "lookups"sv, "loops"sv,        "updates"sv, "calls"sv,
    "jobs"sv,       "tasks"sv, "steps"sv,   "records"sv,      "samples"sv, "hashes"sv};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_of_word(char c) { return base::is_letter(c) || base::is_digit(c) || (c & 0x80) != 0; }

// "./throughput", "/tmp/rate" and "rate.txt".
bool is_file_name(std::string_view word) {
  constexpr std::array kEndings = {"txt"sv, "csv"sv,  "json"sv, "log"sv, "py"sv, "c"sv,
                                   "cc"sv,  "cpp"sv,  "cu"sv,   "h"sv,   "sh"sv, "dat"sv,
                                   "bin"sv, "out"sv,  "so"sv,   "rs"sv,  "go"sv, "js"sv,
                                   "sql"sv, "toml"sv, "yaml"sv};
  if (word.starts_with('/') && word.find('/', 1) != std::string_view::npos) return true;
  if (word.starts_with("./") || word.starts_with("../") || word.starts_with('~')) return true;
  const std::string_view name = word.substr(0, word.find_last_not_of(":,;)\"'=") + 1);
  const std::size_t point = name.rfind('.');
  return point != std::string_view::npos && point > 0 &&
         is_one_of(base::in_small_letters(name.substr(point + 1)), kEndings);
}

// Letters without a sign between them. "itemsPerSecond" is three words, and "GiPS" and "CoreMark"
// are one.
void add_words(std::string_view letters, std::vector<std::string>& words) {
  const std::string whole = base::in_small_letters(letters);
  if (is_one_of(whole, kRates) || is_one_of(whole, kScores)) {
    words.push_back(whole);
    return;
  }
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char c = letters[i];
    const bool is_capital = c >= 'A' && c <= 'Z' && i > 0 && letters[i - 1] >= 'a';
    if (i == 0 || is_capital) words.emplace_back();
    words.back() += whole[i];
  }
}

// The words of a label in small letters, "per" for a slash.
std::vector<std::string> words_of(std::string_view label) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < label.size();) {
    if (label[i] == '/') words.emplace_back("per");
    std::size_t end = i;
    while (end < label.size() && is_of_word(label[end])) ++end;
    if (end > i) add_words(label.substr(i, end - i), words);
    i = std::max(end, i + 1);
  }
  return words;
}

std::vector<std::string> words_without_files(std::string_view label) {
  std::string text;
  for (std::size_t begin = 0; begin < label.size();) {
    const std::size_t end = std::min(label.find_first_of(" \t", begin), label.size());
    const std::string_view word = label.substr(begin, end - begin);
    if (!is_file_name(word)) text.append(word).append(" ");
    begin = end + 1;
  }
  return words_of(text);
}

using Words = std::span<const std::string>;

bool is_statistic(std::string word) {
  std::erase_if(word, base::is_digit);
  return word.empty() || is_one_of(word, kStatistics);
}

// Of "X per Y" and "X/Y", where "per" stands at `at`.
Tendency tendency_of_quotient(Words words, std::size_t at) {
  const std::string_view over = at > 0 ? std::string_view(words[at - 1]) : ""sv;
  const std::string_view under = at + 1 < words.size() ? std::string_view(words[at + 1]) : ""sv;
  // "tokens/s/user": the quotient before says it.
  if (at > 1 && words[at - 2] == "per") return Tendency::kNone;
  const bool is_spent = is_one_of(over, kTimes) || is_one_of(over, kSpent);
  const bool is_over_spent = is_one_of(under, kTimes) || is_one_of(under, kSpent);
  if (is_spent) return under.starts_with("day") ? Tendency::kRate : Tendency::kCost;
  if (is_over_spent) return is_one_of(over, kUnwanted) ? Tendency::kCost : Tendency::kRate;
  return is_one_of(over, kCosts) ? Tendency::kCost : Tendency::kNone;
}

bool has_unwanted(Words words) {
  return std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kUnwanted); });
}

// "hostthroughput" and "mlups": ends that no other word has.
bool is_rate_by_its_end(std::string_view word) {
  constexpr std::array kEnds = {"throughput"sv, "bandwidth"sv, "gflops"sv, "tflops"sv, "speedup"sv};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return word.ends_with(end); });
}

// "flops" behind them is how many there were.
bool is_count(Words before) {
  constexpr std::array kCounts = {"total"sv, "number"sv, "num"sv, "count"sv, "sum"sv, "all"sv};
  return std::ranges::any_of(before, [&](const auto& word) { return is_one_of(word, kCounts); });
}

// Behind it stand none but statistics and numbers: "hit ratio", "score (mean)", "CoreMark 1.0", but
// not "perf run".
bool is_score(Words words, std::size_t at) {
  const bool is_factor = words[at] == "factor" && at > 0 && is_one_of(words[at - 1], kScored);
  return (is_factor || is_one_of(words[at], kScores)) &&
         std::ranges::all_of(words.subspan(at + 1), is_statistic);
}

// Of one word that is no part of a quotient.
Tendency tendency_of_word(Words words, std::size_t at) {
  const std::string_view word = words[at];
  const bool is_last = at + 1 == words.size();
  if (is_last && at > 0 && (word == "s" || word == "sec" || word == "secs") &&
      is_one_of(words[at - 1], kCounted)) {
    return Tendency::kRate;
  }
  if (is_one_of(word, kRates) || is_rate_by_its_end(word)) return Tendency::kRate;
  if (word == "flops") return is_count(words.first(at)) ? Tendency::kNone : Tendency::kRate;
  if (is_score(words, at)) return Tendency::kScore;
  const bool is_time = is_one_of(word, kTimes) && word != "min" && word != "clock";
  if (is_time && (word.size() > 1 || is_last)) return Tendency::kCost;
  return is_one_of(word, kCosts) ? Tendency::kCost : Tendency::kNone;
}

// The last word that says anything.
Tendency tendency_of_words(Words words) {
  for (std::size_t at = words.size(); at-- > 0;) {
    const bool is_under = at > 0 && words[at - 1] == "per";
    if (is_under) continue;
    const Tendency found =
        words[at] == "per" ? tendency_of_quotient(words, at) : tendency_of_word(words, at);
    if (found == Tendency::kNone) continue;
    return is_of_more(found) && has_unwanted(words) ? Tendency::kCost : found;
  }
  return Tendency::kNone;
}

Tendency tendency_of_head(Words words) {
  const auto preposition = std::ranges::find_if(
      words, [](const std::string& word) { return is_one_of(word, kPrepositions); });
  const auto length = static_cast<std::size_t>(preposition - words.begin());
  // "queries in a second" begins with no head, and "time in ms" with one.
  const Tendency head = tendency_of_words(words.first(length));
  return head != Tendency::kNone || length == words.size() ? head : tendency_of_words(words);
}

}  // namespace

Tendency tendency_of(std::string_view label) {
  std::string outside;
  int depth = 0;
  for (const char c : label) {
    if (c == '(' || c == '[') ++depth;
    if (depth == 0) outside += c;
    if ((c == ')' || c == ']') && depth > 0) --depth;
  }
  const Tendency found = tendency_of_head(words_without_files(outside));
  const bool is_certain = found == Tendency::kRate || found == Tendency::kCost;
  if (is_certain || outside.size() == label.size()) return found;
  const Tendency all = tendency_of_head(words_without_files(label));
  return all != Tendency::kNone ? all : found;
}

namespace {

// `text` behind an error, if it begins with one.
std::string_view without_error(std::string_view text) {
  for (const std::string_view sign : kErrorSigns) {
    if (!text.starts_with(sign)) continue;
    std::string_view rest = text.substr(sign.size());
    return takes_number(rest) ? without_blanks(rest) : text;
  }
  return text;
}

// "faster" and "times faster".
bool is_of_speedup(Words words) {
  const bool is_counted = !words.empty() && (words.front() == "x" || words.front() == "times");
  const std::size_t at = is_counted ? 1 : 0;
  return words.size() > at && (words[at] == "faster" || words[at] == "speedup");
}

// "requests completed in", where "2.33 seconds" is behind.
bool is_count_in_time(Words words, std::string_view behind) {
  constexpr std::array kWithin = {"in"sv, "within"sv, "after"sv, "during"sv, "over"sv};
  if (words.size() < 2 || !is_one_of(words.back(), kWithin) || !takes_number(behind)) return false;
  behind = without_blanks(behind);
  const std::size_t end = std::min(behind.find_first_of(" \t\r\n,;.:()[]"), behind.size());
  return is_one_of(base::in_small_letters(behind.substr(0, end)), kTimes) &&
         std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kDone); }) &&
         !has_unwanted(words);
}

}  // namespace

bool is_rate_behind(std::string_view text) {
  constexpr std::size_t kMostWords = 4;  // "successful HTTP requests per second"
  text = without_error(without_blanks(text));
  // What a comma or the next figure ends.
  const std::size_t end = std::min(text.find_first_of("0123456789,;:=|()[]{}\"'\n"), text.size());
  const std::vector<std::string> all = words_of(text.substr(0, end));
  const Words words(all);
  if (is_of_speedup(words)) return true;
  if (words.size() <= kMostWords && is_count_in_time(words, text.substr(end))) return true;
  for (std::size_t at = 0; at < std::min(words.size(), kMostWords + 1); ++at) {
    const bool is_per = words[at] == "per" || (at > 0 && (words[at] == "a" || words[at] == "each"));
    if (!is_per || at + 1 == words.size()) continue;
    if (words[at] != "per" && words[at + 1] != "second" && words[at + 1] != "sec") continue;
    std::vector<std::string> quotient(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
    quotient.insert(quotient.end(), {"per", words[at + 1]});
    return tendency_of_quotient(quotient, at) == Tendency::kRate && !has_unwanted(quotient);
  }
  return false;
}

bool is_unit_of_rate(std::string_view word) {
  const std::string letters = base::in_small_letters(word);
  if (!is_one_of(letters, kRates) || is_one_of(letters, kNamesOfRates)) return false;
  return letters != word || !is_one_of(letters, kInCapitals);
}

bool is_of_statistics(std::string_view label) {
  return std::ranges::all_of(words_of(label), is_statistic);
}

}  // namespace nightshift::search
