#include "tools/table/unseen_shapes.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "problems/problem_file_error.h"
#include "search/scoring.h"
#include "search/table/shapes_between.h"
#include "tools/text/format.h"

namespace nightshift::tools {

UnseenShapes::UnseenShapes(std::size_t most, const TableBatch& batch, const Made& made,
                           const search::TableRule& rule)
    : candidates_(rule.configurations) {
  std::vector<search::TableShape> shapes;
  for (const TableStudy& study : batch.studies) shapes.push_back(study.shape);
  batch_.name = batch.name;
  batch_.folder = batch.folder;
  batch_.problem_file = batch.problem_file;
  std::size_t refused = 0;
  for (const search::Sizes& sizes : search::shapes_between(shapes, most)) {
    try {
      batch_.studies.push_back(made(sizes));
    } catch (const problems::ProblemFileError& error) {
      if (refused++ == 0) left_out_ = search::text_of(sizes) + ": " + one_line(error.what());
      continue;
    }
    answers_.push_back(search::look_up(rule, sizes).choice);
  }
  if (refused > 0) {
    left_out_ = count_of(refused, "shape") + " that nobody tuned " + (refused == 1 ? "is" : "are") +
                " left out; " + left_out_;
  }
}

void UnseenShapes::judge(search::TableQuestions& questions, TableDocument& document) const {
  std::vector<search::HoldOutShape> measured;
  questions.begin_hold_out(answers_);
  for (std::size_t s = 0; s < answers_.size(); ++s) {
    TableDocument::Unseen one{batch_.studies[s].shape.sizes, answers_[s], 1, 0};
    search::HoldOutShape shape;
    if (one.choice != 0) {
      auto pairs = questions.hold_out(s, one.choice);
      if (!pairs || pairs->empty()) continue;
      const double mean =
          std::accumulate(pairs->begin(), pairs->end(), 0.0) / static_cast<double>(pairs->size());
      one.ratio = std::exp(-mean);
      one.pairs = pairs->size();
      shape.effects = std::move(*pairs);
    }
    measured.push_back(std::move(shape));
    document.unseen.push_back(std::move(one));
  }
  const bool rises =
      !batch_.studies.empty() && search::judging(batch_.studies.front().problem).rises;
  document.unseen_claim = search::judge_table(measured, document.level, rises);
}

}  // namespace nightshift::tools
