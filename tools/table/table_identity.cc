#include "tools/table/table_identity.h"

#include "base/content_hash.h"
#include "search/table/table_rule.h"

namespace nightshift::tools {

PartsOfFiles parts_of_files(const TableBatch& batch, const TableDevices& devices) {
  PartsOfFiles all;
  for (const TableStudy& study : batch.studies) {
    const auto [of_file, is_new] = all.try_emplace(study.problem_file);
    if (!is_new) continue;
    std::map<std::string, std::string> parts;
    for (const search::IdentityPart& part : devices.made_of(study.problem)) {
      parts[search::key_of(part)] = part.value;
    }
    of_file->second.assign(parts.begin(), parts.end());
  }
  return all;
}

PartsOfTable joined_parts(const PartsOfFiles& files) {
  std::map<std::string, std::string> parts;
  for (const auto& [file, of_file] : files) parts.insert(of_file.begin(), of_file.end());
  return {parts.begin(), parts.end()};
}

TableStore::Of identities_of(const TableBatch& batch, const PartsOfFiles& files,
                             const std::string& devices) {
  std::map<std::string, std::string> hashes, of_shapes;
  for (const auto& [file, parts] : files) {
    std::string text = file + "\n" + devices + "\n";
    for (const auto& [name, value] : parts) {
      if (!name.starts_with("system ")) text += name + "=" + value + "\n";
    }
    hashes[file] = base::content_hash(text);
  }
  for (const TableStudy& study : batch.studies) {
    of_shapes[search::text_of(study.shape.sizes)] = hashes[study.problem_file];
  }
  return [of_shapes, first = hashes[batch.problem_file]](const std::string& shape) {
    const auto own = of_shapes.find(shape);
    return own == of_shapes.end() ? first : own->second;
  };
}

}  // namespace nightshift::tools
