/// The place of one machine in a tree that is nowhere written out.
///
/// Problem: a reduction of n machines goes through a tree. One machine wants its parent, its children with the runs of
/// machines that they stand for, and all their times.
/// Method: if elements are combined in any order, machines follow the root by the numbers of their nodes, and the tree
/// says who is next to a node. If they are combined in the order of the machines, subtrees are runs (see
/// consecutive_runs.cpp): the root's children are split by their sizes into a left and a right group. From there on the
/// way leads down to the machine by sizes alone: below every node, the nodes inserted first stand farthest to the
/// right.
/// Guarantee: the places that consecutive_runs gives to the same tree. Complexity: as the sizes of the children of all
/// nodes on the way. Deterministic.
#include "plan/reduce/counted_tree.hpp"

#include "plan/reduce/consecutive_runs.hpp"

namespace sluice::detail {

bool CountedTree::place(std::int64_t machines, std::int64_t root, bool commutative) {
  machines_ = machines;
  root_ = root;
  commutative_ = commutative;
  if (commutative) return true;
  tops_ = root_children();
  std::vector<SizeGroup> sizes;
  for (const Siblings& siblings : tops_) sizes.push_back({siblings.first.size, siblings.count});
  const auto left = choose_left(sizes, root, root + size() - machines);
  if (!left) return false;
  for (std::size_t i = 0; i < tops_.size(); ++i) tops_[i].left = (*left)[i];
  keep(tops_, root, machines - 1 - root);
  return true;
}

OwnPlace CountedTree::own(std::int64_t machine) const {
  if (!commutative_) return own_in_order(machine);
  OwnPlace own = of_node(machine >= root_ ? machine - root_ : machine - root_ + machines_);
  const auto machine_of = [&](std::int64_t node) {
    return root_ + node < machines_ ? root_ + node : root_ + node - machines_;
  };
  if (own.parent >= 0) own.parent = machine_of(own.parent);
  for (OwnPlace::Child& child : own.children) child.machine = machine_of(child.machine);
  return own;
}

OwnPlace CountedTree::own_in_order(std::int64_t machine) const {
  OwnPlace own;
  // Subtrees stand from either end of a run inwards. Only subtrees below the root stand at its left end, too.
  std::int64_t begin = 0;
  std::int64_t end = machines_;
  const auto list = [&](const std::vector<Siblings>& below) {
    for (const Siblings& siblings : below) {
      const std::int64_t size = siblings.first.size;
      for (std::int64_t i = 0; i < siblings.count; ++i) {
        const std::int64_t at = i < siblings.left ? begin : end - size;
        own.children.push_back({at, at, at + size, siblings.first.inserted + spacing(costs_, i)});
        (i < siblings.left ? begin : end) = i < siblings.left ? begin + size : end - size;
      }
    }
  };
  if (machine == root_) {
    list(tops_);
    return own;
  }

  Subtree self;
  /// Goes on to the subtree that has the machine, one of `below` or below one of them.
  const auto descend = [&](const std::vector<Siblings>& below) {
    for (const Siblings& siblings : below) {
      const std::int64_t size = siblings.first.size;
      const std::int64_t right = siblings.count - siblings.left;
      const bool is_left = machine < begin + siblings.left * size;
      if (is_left || machine >= end - right * size) {
        const std::int64_t i = is_left ? (machine - begin) / size : (end - 1 - machine) / size;
        begin = is_left ? begin + i * size : end - (i + 1) * size;
        end = begin + size;
        self = siblings.first;
        self.inserted = self.inserted + spacing(costs_, is_left ? i : siblings.left + i);
        return;
      }
      begin += siblings.left * size;
      end -= right * size;
    }
  };
  own.parent = root_;
  descend(tops_);
  while (begin != machine) {
    if (is_chain()) {
      const std::int64_t steps = machine - begin;
      own.parent = machine - 1;
      self.size -= steps;
      self.inserted = self.inserted + Moment{steps, steps};
      begin = machine;
      break;
    }
    own.parent = begin;
    ++begin;
    descend(children(self));
  }
  own.inserted = self.inserted;
  list(children(self));
  return own;
}

}  // namespace sluice::detail
