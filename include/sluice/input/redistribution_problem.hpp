#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/input/axis_pattern.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/matrix_part.hpp"
#include "sluice/input/traffic.hpp"

namespace sluice {

/// Problems with more messages than this do not list them one by one.
inline constexpr std::int64_t kMostListedMessages = std::int64_t{1} << 24;

/// What the layouts and the shape of a problem are called in an InputError.
struct ProblemNames {
  std::string from = "from";    ///< layout of the source array
  std::string to = "to";        ///< layout of the target array
  std::string shape = "shape";  ///< of the source array
};

/// The problem `redistribute`: Y[to_start + i] = X[from_start + i] for all i of a box, X and Y block-cyclic arrays, or
/// arrays cut into blocks of any sizes, of the same number of dimensions. What moves from one process to another is the
/// product of what moves in each dimension; for a triangle or trapezoid (with_part), what of that product lies in it.
/// To transpose while moving is the same problem: Y is the transposed array (Distribution::transposed) of the one that
/// is written.
class RedistributionProblem {
 public:
  /// The whole array, which must have the same shape on both sides. Throws InputError, also as below.
  RedistributionProblem(const Distribution& from, const Distribution& to, const ProblemNames& names = {});
  /// The box of `extent` that starts at `from_start` in X and at `to_start` in Y (ScaLAPACK's IA, JA, IB, JB, counted
  /// from 0), one number per dimension. Throws InputError when it does not fit, or counts are beyond int64; for a grid
  /// of more than 2^20 processes of which some have no element of the box, as planning asks every process; and for one
  /// of more than 2^24 where blocks of either array are of any sizes.
  RedistributionProblem(const Distribution& from, const Distribution& to, std::span<const std::int64_t> from_start,
                        std::span<const std::int64_t> to_start, std::span<const std::int64_t> extent,
                        const ProblemNames& names = {});

  /// Returns how X is distributed.
  [[nodiscard]] const Distribution& from() const { return from_; }
  /// Returns how Y is distributed.
  [[nodiscard]] const Distribution& to() const { return to_; }
  /// Returns the number of dimensions, the same on both sides.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  /// Returns the pattern of one dimension, counted from 0.
  [[nodiscard]] const AxisPattern& axis(std::size_t dimension) const { return axes_[dimension]; }
  /// Returns the patterns of all dimensions.
  [[nodiscard]] std::span<const AxisPattern> axes() const { return axes_; }
  /// Returns the same problem, but only the elements of a part of the box move; with `unit_diagonal` those on the
  /// diagonal do not. kWhole: all of them again. Throws InputError unless there are two dimensions.
  [[nodiscard]] RedistributionProblem with_part(MatrixPart part, bool unit_diagonal = false) const;
  /// Returns which elements of the box move.
  [[nodiscard]] MatrixPart part() const { return part_; }
  /// Returns true if the elements on the diagonal are left out.
  [[nodiscard]] bool unit_diagonal() const { return unit_diagonal_; }
  /// Returns true if only a part of the box moves.
  [[nodiscard]] bool has_part() const { return part_ != MatrixPart::kWhole; }
  /// Returns true if element (row, column) of the box moves.
  [[nodiscard]] bool in_part(std::int64_t row, std::int64_t column) const;
  /// Returns true if its messages are the products of those of its dimensions, and all of them need a port: no part, no
  /// roles.
  [[nodiscard]] bool is_plain() const { return !has_part() && !has_roles(); }
  /// Returns true if blocks are of any sizes in any dimension of either array.
  [[nodiscard]] bool is_irregular() const;
  /// Returns true if its steps can be made of steps of its dimensions: plain, and block-cyclic.
  [[nodiscard]] bool is_by_dimension() const { return is_plain() && !is_irregular(); }
  /// Returns the same problem with all elements of the box, and with all processes of the two grids apart.
  [[nodiscard]] RedistributionProblem plain() const { return with_part(MatrixPart::kWhole).apart(); }

  /// Returns the number of elements that move, including those that stay on their process.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Returns the number of elements from process `sender` of the source grid to process `receiver` of the target grid.
  [[nodiscard]] std::int64_t count(Rank sender, Rank receiver) const;
  /// Returns the messages of one process of the source grid, none of them empty, in increasing order of receiver.
  [[nodiscard]] std::vector<Message> sends(Rank sender) const;
  /// Returns the messages to one process of the target grid, none of them empty, in increasing order of sender.
  [[nodiscard]] std::vector<Message> receives(Rank receiver) const;
  /// Returns every message that is not empty, by sender, then receiver. Throws InputError for more than
  /// kMostListedMessages.
  [[nodiscard]] Traffic traffic() const;

  /// Returns the same problem among processes some of which are in both grids. Process p of the source grid is process
  /// role_of_process[p] of the target grid, or not in it where that is outside of 0 .. Q - 1; entries beyond those of
  /// the source grid are processes that hold nothing of X. What a process sends itself is a copy: it needs no port, and
  /// no plan has a step for it. Throws InputError for too few entries, and for a role given twice.
  [[nodiscard]] RedistributionProblem with_roles(std::span<const Rank> role_of_process) const;
  /// Returns the same problem with all processes of the two grids apart.
  [[nodiscard]] RedistributionProblem apart() const;
  /// Returns true if with_roles said which processes are in both grids.
  [[nodiscard]] bool has_roles() const { return role_of_sender_ != nullptr; }
  /// Returns the process of the target grid that is the same one as `sender`; -1 if there is none, or if roles are not
  /// known.
  [[nodiscard]] Rank role_of(Rank sender) const;
  /// Returns true if `sender` and `receiver` are one process.
  [[nodiscard]] bool is_copy(Rank sender, Rank receiver) const { return has_roles() && role_of(sender) == receiver; }
  /// Returns what processes send themselves, without empty messages, in increasing order of sender.
  [[nodiscard]] std::vector<Message> copies() const;
  /// As traffic(), without copies().
  [[nodiscard]] Traffic traffic_between_processes() const;

 private:
  /// Cuts messages of the box down to the part, and drops those that are empty then.
  void keep_part(std::vector<Message>& messages) const;

  Distribution from_;
  Distribution to_;
  std::vector<AxisPattern> axes_;
  std::int64_t size_ = 1;
  MatrixPart part_ = MatrixPart::kWhole;
  bool unit_diagonal_ = false;
  std::shared_ptr<const std::vector<Rank>> role_of_sender_;
};

/// One slice of the layouts, after which the pattern repeats: the array of lcm(P r, Q s) elements in each dimension, or
/// where a dimension has cuts, all of it. With `transpose`, `to` is the layout of the transposed array. Throws
/// InputError for layouts of different dimensions, cuts that end at different extents, or slices beyond int64.
[[nodiscard]] RedistributionProblem one_slice(const Layout& from, const Layout& to, bool transpose = false);

/// Returns the problem that layouts and the shape of the source array (empty: one slice) describe. Throws InputError.
[[nodiscard]] RedistributionProblem make_problem(const Layout& from, const Layout& to,
                                                 const std::vector<std::int64_t>& shape, const ProblemNames& names = {},
                                                 bool transpose = false);

/// Returns how many messages the problem has; counting stops beyond `limit`, with a result above it.
[[nodiscard]] std::int64_t count_messages(const RedistributionProblem& problem, std::int64_t limit);

/// Returns the messages of one dimension, at most: what the pattern alone tells, without a look at any process.
[[nodiscard]] double most_messages(const AxisPattern& pattern);
/// Returns the messages of the problem, at most, in the same way.
[[nodiscard]] double most_messages(const RedistributionProblem& problem);

}  // namespace sluice
