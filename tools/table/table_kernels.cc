#include "tools/table/table_kernels.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/journal/sqlite_journal.h"
#include "search/table/size_program.h"
#include "tools/kernels/gpu_target.h"
#include "tools/kernels/kernel_builds.h"
#include "tools/kernels/kernel_file.h"
#include "tools/table/formats/table_names.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Kind = search::ShapeFeature::Kind;

std::string feature_program(const search::ShapeFeature& f, const std::vector<std::string>& names) {
  const std::string first = "$" + names[f.first], second = "$" + names[f.second];
  const std::string amount = std::to_string(f.amount);
  // ceil(size / amount)
  const auto tiles = [&](const std::string& size) {
    return size + "," + std::to_string(f.amount - 1) + ",+," + amount + ",//";
  };
  switch (f.kind) {
    case Kind::kSize:
      return first;
    case Kind::kProduct:
      return first + "," + second + ",*";
    case Kind::kTiles:
      return tiles(first) + "," + tiles(second) + ",*";
    case Kind::kDivisible:
      return first + "," + amount + ",%,0,==";
    case Kind::kPowerOfTwo:
      return first + "," + first + ",1,-,&,0,==";
  }
  return "0";
}

// CONDITION,THEN,ELSE,if
std::string conditional(const std::string& condition, const std::string& then,
                        const std::string& otherwise) {
  return condition + "," + then + "," + otherwise + ",if";
}

std::string leaf_program(const TableDocument& d, std::size_t choice,
                         const std::vector<std::string>& variants) {
  std::string program = variants[choice];
  for (std::size_t i = 0; choice != 0 && i < d.rule.names.size(); ++i) {
    const std::int64_t divisor = d.rule.unseen.divisors[choice][i];
    if (divisor == 0) return variants[0];
    if (divisor == 1) continue;
    program = conditional(
        "$" + d.rule.names[i] + "," + std::to_string(divisor) + ",%,0,==", program, variants[0]);
  }
  if (choice == 0) return program;
  for (const search::SizeCondition& one : d.rule.unseen.conditions_of(choice)) {
    const auto condition = search::condition_program(one.holds, d.rule.names);
    if (!condition) return variants[0];
    program = conditional(*condition, program, variants[0]);
  }
  return program;
}

std::string node_program(const TableDocument& d, std::size_t at,
                         const std::vector<std::string>& variants) {
  const search::TreeNode& node = d.rule.unseen.tree[at];
  if (node.is_leaf) return leaf_program(d, node.choice, variants);
  return conditional(feature_program(node.feature, d.rule.names) + "," +
                         search::program_word(node.threshold) + ",<=",
                     node_program(d, node.low, variants), node_program(d, node.high, variants));
}

const TableStudy& study_of(const TableBatch& batch, const search::Sizes& sizes) {
  for (const TableStudy& study : batch.studies) {
    if (study.shape.sizes == sizes) return study;
  }
  throw UsageError("the batch has no study of " + search::text_of(sizes) +
                   ", of which the table has a row: `nightshift table " + batch.name +
                   "` makes a table of the batch as it is");
}

class TableKernels {
 public:
  TableKernels(const TableDocument& document, const TableBatch& batch,
               std::optional<int> architecture)
      : document_(document), batch_(batch), builds_(gpu_of(batch, architecture)) {}

  std::string bytes() {
    file_.problem = document_.problem;
    file_.notes = {{"version", document_.version}, {"made", document_.made}};
    for (const std::string& line : provenance_of(document_)) file_.notes.emplace_back("of", line);
    file_.architecture = builds_.gpu().architecture;
    file_.sizes = document_.rule.names;
    places_.resize(document_.rule.configurations.size());
    for (const search::TableRow& row : document_.rule.rows) add(row);
    if (is_for_any_sizes_) add_rule();
    return kernel_file_bytes(file_);
  }

 private:
  static ipc::GpuTarget gpu_of(const TableBatch& batch, std::optional<int> architecture) {
    const TableStudy& first = batch.studies.front();
    require_cuda_kernels(first.problem, batch.name);
    return gpu_of_study(first.problem,
                        scheduler::load_history(first.folder, scheduler::Detail::kTrials),
                        architecture);
  }

  // The place of a choice for a shape; built where it is not known.
  std::size_t variant(std::size_t choice, const TableStudy& study) {
    const search::Configuration& configuration = document_.rule.configurations[choice];
    // The default of a problem may be another one for each shape.
    const std::string key = search::resolved(study.problem, configuration).to_json();
    if (places_[choice] && keys_[*places_[choice]] == key) return *places_[choice];
    const std::string role = choice == 0 ? "default" : "choice-" + std::to_string(choice);
    std::vector<KernelVariant> built =
        builds_.variants({study.problem, configuration, role, true, "", ""});
    if (built.size() != 1) {
      throw UsageError(
          "a problem with several cases of its sizes has no table of kernels: give "
          "each case a shape of its own");
    }
    const std::size_t place = file_.variants.size();
    if (built.front().plan.for_any_sizes) {
      places_[choice] = place;
    } else {
      is_for_any_sizes_ = false;
    }
    keys_.push_back(key);
    file_.variants.push_back(std::move(built.front()));
    return place;
  }

  void add(const search::TableRow& row) {
    KernelFile::Row added;
    for (const auto& [name, size] : row.sizes) added.sizes.push_back(size);
    added.variant = variant(row.choice, study_of(batch_, row.sizes));
    file_.rows.push_back(std::move(added));
  }

  // Where the default differs from shape to shape, nothing is known of that of another one.
  void add_rule() {
    std::vector<std::string> places;
    std::set<std::string> defaults;
    for (const TableStudy& study : batch_.studies) {
      defaults.insert(search::resolved(study.problem, {}).to_json());
    }
    for (std::size_t choice = 0; choice < places_.size(); ++choice) {
      if (choice == 0 && defaults.size() > 1) {
        places.emplace_back("-1");
        continue;
      }
      const std::size_t place = variant(choice, batch_.studies.front());
      places.push_back(std::to_string(place));
    }
    if (is_for_any_sizes_) file_.otherwise = unseen_program(document_, places);
  }

  const TableDocument& document_;
  const TableBatch& batch_;
  KernelBuilds builds_;
  KernelFile file_;
  std::vector<std::optional<std::size_t>> places_;  // by choice, of those for any sizes
  std::vector<std::string> keys_;                   // by variant: its configuration
  bool is_for_any_sizes_ = true;
};

}  // namespace

std::string unseen_program(const TableDocument& document,
                           const std::vector<std::string>& variants) {
  std::string inside = "1";
  for (std::size_t i = 0; i < document.rule.names.size(); ++i) {
    const std::string name = "$" + document.rule.names[i];
    const search::SizeRange& range = document.rule.unseen.ranges[i];
    inside += "," + name + "," + std::to_string(range.least) + ",>=,and," + name + "," +
              std::to_string(range.most) + ",<=,and";
  }
  return conditional(inside, node_program(document, 0, variants), variants[0]);
}

std::string table_kernels(const TableDocument& document, const TableBatch& batch,
                          std::optional<int> architecture) {
  return TableKernels(document, batch, architecture).bytes();
}

}  // namespace nightshift::tools
