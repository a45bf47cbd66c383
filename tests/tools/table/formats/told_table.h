#pragma once

#include <string>

#include "tools/table/formats/table_document.h"

// A table with one of everything, for tests of what is written of it: three configurations, rows of
// two sizes, a tree that asks each kind of question.
namespace nightshift::tests {

inline tools::TableDocument told_table() {
  using search::Configuration;
  using Kind = search::ShapeFeature::Kind;
  tools::TableDocument d;
  d.problem = "my gemm*/";
  d.problem_file = "/home/me/gemm.toml";
  d.made = "2025-01-31 14:02:11";
  d.version = "0.1.0";
  d.objective = "time";
  d.devices = {"node7/cpu:1 (A CPU)"};
  d.made_of = {{"source gemm.cc", "ab12"}, {"compiler c++", "12.2"}};
  d.default_values = Configuration({{"TILE", std::int64_t{8}}, {"FAST", false}});
  search::TableRule& rule = d.rule;
  rule.names = {"M", "for"};  // a word of both languages
  rule.configurations = {
      {},
      Configuration({{"TILE", std::int64_t{16}}, {"FAST", true}, {"OPT", std::string("a\"b")}}),
      Configuration({{"TILE", std::int64_t{64}}, {"FAST", false}, {"OPT", std::string("c")}})};
  rule.rows = {{{{"M", 64}, {"for", 64}}, 3, 1},
               {{{"M", 64}, {"for", 4096}}, 1, 2},
               {{{"M", 4096}, {"for", 4096}}, 1, 0}};
  d.evidence = {{"gemm-M64", 1, 0.8, {0.78, 0.82}, 8, "no more than 1 % worse"},
                {"gemm-M64-4096", 2, 0.7, {0.65, 0.75}, 8, "no more than 1 % worse"},
                {"gemm-M4096", 0, 1, {1, 1}, 0, "no candidate gains anything"}};
  rule.unseen.ranges = {{64, 4096}, {64, 4096}};
  rule.unseen.divisors = {{64, 64}, {1, 32}, {64, 1}};
  search::ShapeTree tree(9);
  const auto inner = [&](std::size_t at, search::ShapeFeature feature, double threshold,
                         std::size_t low, std::size_t high) {
    tree[at] = {false, feature, threshold, low, high, 0, 3};
  };
  const auto leaf = [&](std::size_t at, std::size_t choice) { tree[at].choice = choice; };
  inner(0, {Kind::kProduct, 0, 1, 1}, 100000, 1, 2);
  inner(1, {Kind::kDivisible, 0, 0, 4}, 0.5, 3, 4);
  inner(2, {Kind::kTiles, 0, 1, 64}, 1000, 5, 6);
  leaf(3, 0);
  leaf(4, 1);
  inner(5, {Kind::kPowerOfTwo, 1, 1, 1}, 0.5, 7, 8);
  leaf(6, 0);
  leaf(7, 2);
  leaf(8, 1);
  rule.unseen.tree = tree;
  d.claim = {true, 0.85, {0.84, 0.86}, 1e-9, 0.01, 16, 2, "the table is better"};
  d.curve = {{0, 1, 1.4, 1.6, 3}, {2, 0.8, 1.01, 1.02, 1}};
  d.k = 1;
  d.depths = {{0, 1, 1.4, 1}, {1, 0.9, 1.1, 1.02}};
  d.depth = 1;
  d.leaf_tests = 4;
  d.leaf_tests_shown = 3;
  d.slack = 0.05;
  d.unseen = {{{{"M", 128}, {"for", 96}}, 1, 0.9, 8}};
  d.unseen_claim.ratio = 0.9;
  return d;
}

}  // namespace nightshift::tests
