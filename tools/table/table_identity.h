#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/table/kept/table_store.h"
#include "tools/table/table_batch.h"
#include "tools/table/table_devices.h"

namespace nightshift::tools {

// What a table is made of: sources, compiler, driver, as hashes and words by name.
using PartsOfTable = std::vector<std::pair<std::string, std::string>>;
// The same of today, by problem file and with files by their absolute paths.
using PartsOfFiles = std::map<std::string, PartsOfTable>;  // by problem file; sizes change nothing

PartsOfFiles parts_of_files(const TableBatch& batch, const TableDevices& devices);
// As table.json has them: files of the project by their paths from the folder of the problem files, so
// that they are called alike wherever the project lies.
PartsOfTable joined_parts(const TableBatch& batch, const PartsOfFiles& files);
// Names of what is another one than `before`, as of joined_parts(); absolute paths, which tables of
// earlier versions have, are known as well.
std::vector<std::string> changed_parts(const PartsOfTable& before, const TableBatch& batch,
                                       const PartsOfFiles& files);

// What figures of before must have been made of to count today: of the shape's own problem file
// alone, so that a shape with another one leaves those of before as they are. A shape that no study
// is of has the first one's. `devices`: as of TableDevices::asked(). The
// same where the project, or the batch, has moved.
TableStore::Of identities_of(const TableBatch& batch, const PartsOfFiles& files,
                             const std::string& devices);
// As earlier versions wrote them, by absolute paths.
TableStore::Of earlier_identities_of(const TableBatch& batch, const PartsOfFiles& files,
                                     const std::string& devices);

}  // namespace nightshift::tools
