#include "tools/version.h"

namespace nightshift::tools {

const char* version() { return NIGHTSHIFT_VERSION; }

}  // namespace nightshift::tools
