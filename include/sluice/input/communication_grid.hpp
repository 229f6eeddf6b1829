#pragma once

#include <cstdint>

#include "sluice/input/block_cyclic.hpp"

namespace sluice {

/// Says who sends how much to whom when one slice of a vector moves from CYCLIC(r) on P processes to CYCLIC(s) on Q.
///
/// Problem: the slice has elements i = 0 .. L - 1, L = lcm(P r, Q s). Element i is at source index i + from_start and
/// target index i + to_start; the pattern repeats after L elements. Sender p and receiver q are counted from the
/// process that owns the first block (Axis::relative), as everywhere in this class.
///
/// Method: let g = gcd(P r, Q s) and c = from_start - to_start. Sender p sends to q what solves p r - q s - c = y - x
/// (mod g), 0 <= x < r, 0 <= y < s. All pairs with one value of p r - q s - c mod g form a class. They have one length,
/// a sum of values vol(k) of a trapezoid. Dividing r, s, g by d = gcd(r, s) leaves the same classes. Let s' = gcd(s/d,
/// P) and r' = gcd(r/d, Q). A class with number j joins the rows p = a (mod s') to the columns q = b (mod r'). Every
/// query has a closed form: O(1), or O(messages) for the messages of one process. No element, block or table is visited
/// or stored.
///
/// The quotient. Let P' = P / s', Q' = Q / r', g0 = gcd(P', Q').
///
///  - Row p = a + s' x is block (a, alpha = x div g0) and lift i = x (s/(d s'))^-1 mod g0.
///  - Column q = b + r' y is block (b, beta = y div g0) and lift j = y (r/(d r'))^-1 mod g0.
///  - Class k joins every row block (a, alpha) to every column block (b, beta). The row with lift i is joined to the
///    column with lift i - shift_k mod g0.
///
/// So the grid is a g0-fold lift of a multigraph with only P/g0 + Q/g0 vertices.
///
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert, Scheduling Block-Cyclic Array Redistribution, INRIA RR-3117
/// (1997), sections 4.1 and 4.2: Lemmas 1 to 3, Propositions 1, 2 and 5. The quotient is ours. Deviations:
///
///  - Offsets (the paper's footnote Y[a:..] = X[b:..]) add c. If d does not divide c there is one class more than r/d +
///    s/d - 1.
///  - The proof of Lemma 2 means p r - q s where it writes p s - q r. Lemma 3 means Q = Q' r' where it writes Q = Q'
///    s'.
///  - Full grids (fewer residues than classes) add the lengths of classes that are equal modulo g, as in Proposition 2.
///
/// Example: P = Q = 16, r = 3, s = 5: L = 240, g = 16, classes k = -2 .. 4 of lengths 1 2 3 3 3 2 1. Each class has one
/// entry in every row and column (Table 1 of the paper), s' = r' = 1, g0 = 16. The quotient is one row, one column and
/// 7 edges.
class CommunicationGrid {
 public:
  /// Makes the grid; the extents of the axes have no effect. Throws InputError if P * r or Q * s is beyond int64.
  CommunicationGrid(const Axis& from, const Axis& to, std::int64_t from_start = 0, std::int64_t to_start = 0);

  /// Returns P, the number of processes that send.
  [[nodiscard]] std::int64_t senders() const { return senders_; }
  /// Returns Q, the number of processes that receive.
  [[nodiscard]] std::int64_t receivers() const { return receivers_; }

  /// Returns the number of classes that carry messages: min(r/d + s/d - 1 (or one more, see above), g/d). They are
  /// numbered from 0.
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  /// Returns the length of a message of class `number` in one slice (vol). Throws InputError when it is beyond int64.
  [[nodiscard]] std::int64_t class_length(std::int64_t number) const;
  /// Returns the class of the pair, or -1 if `sender` has nothing for `receiver`.
  [[nodiscard]] std::int64_t class_of(std::int64_t sender, std::int64_t receiver) const;
  /// Returns the number of elements that `sender` sends to `receiver` in one slice.
  [[nodiscard]] std::int64_t length(std::int64_t sender, std::int64_t receiver) const;

  /// Returns the number of messages of the busiest sender, including full grids: m_R of Proposition 5.
  [[nodiscard]] std::int64_t max_messages_of_sender() const;
  /// Returns the number of messages of the busiest receiver: m_C.
  [[nodiscard]] std::int64_t max_messages_of_receiver() const;
  /// Returns the smallest number of steps of any schedule: NS_opt of Theorem 1.
  [[nodiscard]] std::int64_t optimal_steps() const;

  /// Returns s': every class fills the rows of one residue modulo s'.
  [[nodiscard]] std::int64_t row_period() const { return row_period_; }
  /// Returns r': every class fills the columns of one residue modulo r'.
  [[nodiscard]] std::int64_t column_period() const { return column_period_; }
  /// Returns g0, the number of processes that one vertex of the quotient stands for.
  [[nodiscard]] std::int64_t lift() const { return lift_; }
  /// Returns the number of blocks of the quotient per row residue: alpha = 0 .. P'/g0 - 1.
  [[nodiscard]] std::int64_t row_blocks() const { return row_blocks_; }
  /// Returns the number of blocks of the quotient per column residue: beta = 0 .. Q'/g0 - 1.
  [[nodiscard]] std::int64_t column_blocks() const { return column_blocks_; }

  /// Gives the place of class `number` in the quotient: its row residue a, its column residue b and the shift of its
  /// lift.
  struct ClassPosition {
    std::int64_t row_residue = 0;     ///< a
    std::int64_t column_residue = 0;  ///< b
    std::int64_t shift = 0;
  };
  /// Returns the place of class `number`, 0 .. classes() - 1.
  [[nodiscard]] ClassPosition class_position(std::int64_t number) const;

  /// Gives a process as block (residue, block) and lift of the quotient.
  struct QuotientPosition {
    std::int64_t residue = 0;
    std::int64_t block = 0;
    std::int64_t lift = 0;
  };
  /// Returns the place of row `sender`, 0 .. senders() - 1.
  [[nodiscard]] QuotientPosition position_of_sender(std::int64_t sender) const;
  /// Returns the place of column `receiver`, 0 .. receivers() - 1.
  [[nodiscard]] QuotientPosition position_of_receiver(std::int64_t receiver) const;
  /// Returns the row at a place: the inverse of position_of_sender.
  [[nodiscard]] std::int64_t sender_at(const QuotientPosition& position) const;
  /// Returns the column at a place: the inverse of position_of_receiver.
  [[nodiscard]] std::int64_t receiver_at(const QuotientPosition& position) const;

  /// Calls visit(receiver, class number) for every message of `sender`, in O(messages).
  template <class Visit>
  void for_each_receiver(std::int64_t sender, Visit&& visit) const {
    const QuotientPosition at = position_of_sender(sender);
    for (std::int64_t number = first_class_of_row(at.residue); number < classes_; number += row_period_) {
      const ClassPosition position = class_position(number);
      const std::int64_t lift = modulo_lift(at.lift - position.shift);
      for (std::int64_t beta = 0; beta < column_blocks_; ++beta) {
        visit(receiver_at({position.column_residue, beta, lift}), number);
      }
    }
  }
  /// Calls visit(sender, class number) for every message of `receiver`, in O(messages).
  template <class Visit>
  void for_each_sender(std::int64_t receiver, Visit&& visit) const {
    const QuotientPosition at = position_of_receiver(receiver);
    for (std::int64_t number = first_class_of_column(at.residue); number < classes_; number += column_period_) {
      const ClassPosition position = class_position(number);
      const std::int64_t lift = modulo_lift(at.lift + position.shift);
      for (std::int64_t alpha = 0; alpha < row_blocks_; ++alpha) {
        visit(sender_at({position.row_residue, alpha, lift}), number);
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t first_class_of_row(std::int64_t residue) const;
  [[nodiscard]] std::int64_t first_class_of_column(std::int64_t residue) const;
  [[nodiscard]] std::int64_t modulo_lift(std::int64_t value) const {
    const std::int64_t rest = value % lift_;
    return rest < 0 ? rest + lift_ : rest;
  }

  std::int64_t senders_;
  std::int64_t receivers_;
  std::int64_t from_block_;
  std::int64_t to_block_;
  // Divided by d = gcd(r, s); c = d * offset_ + offset_rest_, 0 <= offset_rest_ < d.
  std::int64_t divisor_;
  std::int64_t r_;
  std::int64_t s_;
  std::int64_t residues_;  ///< g / d
  std::int64_t offset_;
  std::int64_t offset_rest_;
  std::int64_t first_kappa_;  ///< class number j holds the differences kappa = first_kappa_ + j (mod residues_)
  std::int64_t last_kappa_;
  std::int64_t classes_;
  std::int64_t row_period_;
  std::int64_t column_period_;
  std::int64_t lift_;
  std::int64_t row_blocks_;
  std::int64_t column_blocks_;
  // Inverses and factors of the quotient, see class_position.
  std::int64_t row_inverse_;     ///< r^-1 mod s'
  std::int64_t column_inverse_;  ///< s^-1 mod r'
  std::int64_t row_factor_;      ///< s'' = s / s' mod g0
  std::int64_t row_factor_inverse_;
  std::int64_t column_factor_;  ///< r'' = r / r' mod g0
  std::int64_t column_factor_inverse_;
};

}  // namespace sluice
