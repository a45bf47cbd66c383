#pragma once

namespace nightshift::tools {

const char* version();  // "0.1.0"

}  // namespace nightshift::tools
