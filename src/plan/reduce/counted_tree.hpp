#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

/// A subtree of a CountedTree: enough to find the subtrees below it.
struct Subtree {
  std::int64_t size = 1;   ///< nodes, its root among them
  Moment inserted;         ///< its root
  std::int64_t node = 0;   ///< in a greedy tree: its root
  std::int64_t below = 0;  ///< in a greedy tree: nodes of numbers from there on are left out
};

/// Subtrees below one node that are alike; each is inserted the longer cost after the previous one.
struct Siblings {
  Subtree first;
  std::int64_t count = 1;
  std::int64_t left = 0;  ///< in an ordered tree, the first `left` stand to the left of the root, their parent
};

/// What one machine has to do with others, in reversed time.
struct OwnPlace {
  struct Child {
    std::int64_t machine = 0;
    std::int64_t begin = 0;  ///< of its subtree, if the tree is in order: machines begin to end - 1
    std::int64_t end = 0;
    Moment inserted;
  };
  std::int64_t parent = -1;  ///< machine; of the root -1
  Moment inserted;
  std::vector<Child> children;  ///< in order of their insertion
};

/// A tree that is asked for the place of one machine at a time.
class CountedTree {
 public:
  explicit CountedTree(const ReduceCosts& costs) : costs_(costs) {}
  virtual ~CountedTree() = default;
  CountedTree(const CountedTree&) = delete;
  CountedTree& operator=(const CountedTree&) = delete;

  /// Makes node 0 machine `root` of `machines`. The others follow it by their numbers or, unless `commutative`, as in
  /// consecutive_runs. False if the tree cannot be split around that root. To be called once, before the functions
  /// below.
  [[nodiscard]] bool place(std::int64_t machines, std::int64_t root, bool commutative);

  [[nodiscard]] OwnPlace own(std::int64_t machine) const;
  [[nodiscard]] virtual Moment length() const = 0;
  [[nodiscard]] virtual std::int64_t max_children() const = 0;

 protected:
  [[nodiscard]] const ReduceCosts& costs() const { return costs_; }

  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual bool is_chain() const { return false; }
  /// In order of their insertion.
  [[nodiscard]] virtual std::vector<Siblings> children(const Subtree& of) const = 0;
  [[nodiscard]] virtual std::vector<Siblings> root_children() const = 0;
  /// The place of a node where machines are nodes, without the ends of runs.
  [[nodiscard]] virtual OwnPlace of_node(std::int64_t node) const = 0;
  /// Keeps only the first `left` nodes to the left of the root and the first `right` nodes to its right, in order of
  /// their insertion. `tops`: the subtrees below the root, each on the side that it says. @pre each side has at least
  /// as many nodes
  virtual void keep(std::vector<Siblings>& tops, std::int64_t left, std::int64_t right) = 0;

 private:
  [[nodiscard]] OwnPlace own_in_order(std::int64_t machine) const;

  ReduceCosts costs_;
  std::int64_t machines_ = 1;
  std::int64_t root_ = 0;
  bool commutative_ = true;
  std::vector<Siblings> tops_;  // of an ordered tree: what is below the root
};

}  // namespace sluice::detail
