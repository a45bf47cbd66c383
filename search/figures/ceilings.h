#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nightshift::search {

// What a kernel reaches of what its device can do, as the condition kCeilingsCondition tells it.
struct Ceilings {
  struct Rate {
    double reached = 0, most = 0;  // a second; 0: not known
    bool is_known() const { return reached > 0 && most > 0; }
  };
  Rate bytes;           // most: those of a copy on the same device
  Rate flops;           // most: those of `numbers`
  std::string numbers;  // "dense bfloat16 products"
};

// "97.3 % of a copy (4053 GB/s), 62.1 % of dense bfloat16 products (614 TFLOPS)"; what is not known
// is left out.
std::string text_of(const Ceilings& ceilings);
// From such a text, as far as its digits go: `most` as well as the percentage says it. nullopt
// where it is none.
std::optional<Ceilings> ceilings_in(std::string_view text);

}  // namespace nightshift::search
