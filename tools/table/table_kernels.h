#pragma once

#include <optional>
#include <string>

#include "tools/table/formats/table_document.h"
#include "tools/table/table_batch.h"

namespace nightshift::tools {

// The table as a file of kernels (tools/kernels/kernel_file.h), which loaders choose by as
// choose() of its other forms does. Where machine code depends on the sizes, each row has its own
// and other sizes have none; else each configuration has one, and the tree answers. Throws
// UsageError for a problem that is none of [cuda] or a batch that is not the table's,
// scheduler::StudyError where something cannot be built.
std::string table_kernels(const TableDocument& document, const TableBatch& batch,
                          std::optional<int> architecture);

// TableRule::unseen as a program over the sizes (search/table/size_program.h): the place in
// `variants` of the answer.
std::string unseen_program(const TableDocument& document, const std::vector<std::string>& variants);

}  // namespace nightshift::tools
