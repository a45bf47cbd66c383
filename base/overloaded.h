#pragma once

namespace nightshift::base {

// One visitor out of several lambdas, for std::visit. List one for each alternative and none for
// "the rest": a new alternative then does not compile until each question about it is answered.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace nightshift::base
