#include "search/importance/one_code.h"

namespace nightshift::search {

std::string one_code_words(std::string_view who) {
  return std::string(who) +
         " are one machine code, since what differs between them does not reach the compiler, as a "
         "macro or an option, or changes nothing there";
}

}  // namespace nightshift::search
