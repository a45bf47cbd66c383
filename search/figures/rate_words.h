#pragma once

#include <cstdint>
#include <string_view>

namespace nightshift::search {

// What the words beside a figure say of it. Of a rate more is better, whatever it is of.
enum class Tendency : std::uint8_t {
  kNone,   // nothing: "result", "foo"
  kRate,   // "Requests/sec", "bw", "tokens_s", "items per second", "MIPS", "insn per cycle"
  kScore,  // more is better as a rule, and no other word says anything: "score", "hit ratio"
  kCost    // a time, a size or a count, or a rate of what nobody wants: "latency", "error rate"
};

constexpr bool is_of_more(Tendency tendency) {
  return tendency == Tendency::kRate || tendency == Tendency::kScore;
}

// Of a label, a key, a heading or a word for a unit. Words are told whole: "operate" and "bwa" say
// nothing, and neither does the name of a file. The words are the same for programs and for
// recordings. Of two words the head counts, which is the last
// one or stands before "of", "for" and the like: "bandwidth time", "time for ops". What is in
// brackets counts where nothing before it does.
Tendency tendency_of(std::string_view label);

// Whether the text behind a number and its unit makes a rate of it: "requests per second", "/ s",
// "images a second", "x faster".
bool is_rate_behind(std::string_view text);

// A word that is a rate's unit where it stands by itself: "GTEPS", "MLUPS", "IPC". None that we
// convert, and none that means something else as often, "speed" or "ups".
bool is_unit_of_rate(std::string_view word);

// A label that only says which of several figures one is: "avg", "p99", "Max", "result".
bool is_of_statistics(std::string_view label);

}  // namespace nightshift::search
