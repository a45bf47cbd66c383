#include <gmock/gmock.h>

#include "roles.h"

int main(int argc, char** argv) {
  const int code = nightshift::ipc::roles::play({argv + 1, argv + argc});
  if (code >= 0) return code;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
