#pragma once

#include <optional>
#include <string>

namespace nightshift::tools {

// A table by where it stands, as `recheck` is given it.
struct TablePlace {
  std::string file;    // table.json
  std::string batch;   // folder
  std::string family;  // as of table_file(); empty: the batch has one problem
  std::string kind;    // of a table of one kind of device among several; else empty
};

// Of a table.json or of a folder that has one; nullopt where the word is neither. Throws UsageError
// where such a file cannot be read, or stands in no batch's folder: a table is asked with the studies
// that it is of.
std::optional<TablePlace> table_at(const std::string& word);

}  // namespace nightshift::tools
