// Only this file is compiled with where the checkout lies, so that objects of the others can be
// shared between checkouts.
#include "tests/fakes/paths.h"

namespace nightshift::testing_paths {

std::string source(std::string_view inner) {
  return std::string(NIGHTSHIFT_SOURCE_DIR "/").append(inner);
}

std::string program(std::string_view name) {
  return std::string(NIGHTSHIFT_BIN_DIR "/").append(name);
}

}  // namespace nightshift::testing_paths
