#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/table/kept/table_store.h"
#include "tools/table/table_batch.h"
#include "tools/table/table_devices.h"

namespace nightshift::tools {

// What a table is made of today: sources, compiler, driver, as hashes and words by name.
using PartsOfTable = std::vector<std::pair<std::string, std::string>>;
using PartsOfFiles = std::map<std::string, PartsOfTable>;  // by problem file; sizes change nothing

PartsOfFiles parts_of_files(const TableBatch& batch, const TableDevices& devices);
PartsOfTable joined_parts(const PartsOfFiles& files);

// What figures of before must have been made of to count today: of the shape's own problem file
// alone, so that a shape with another one leaves those of before as they are. A shape that no study
// is of has the first one's. `devices`: as of TableDevices::asked().
TableStore::Of identities_of(const TableBatch& batch, const PartsOfFiles& files,
                             const std::string& devices);

}  // namespace nightshift::tools
