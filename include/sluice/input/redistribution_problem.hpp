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

/// Limits lists of messages: problems with more messages do not list them one by one.
inline constexpr std::int64_t kMostListedMessages = std::int64_t{1} << 24;

/// Names the layouts and the shape of a problem in an InputError.
struct ProblemNames {
  std::string from = "from";    ///< layout of the source array
  std::string to = "to";        ///< layout of the target array
  std::string shape = "shape";  ///< shape of the source array
};

/// Describes the problem `redistribute`: Y[to_start + i] = X[from_start + i] for all i of a box. X and Y are arrays of
/// the same number of dimensions, block-cyclic or cut into blocks of any sizes. The data from one process to another is
/// the product of the data in each dimension; for a triangle or trapezoid (with_part), the part of that product inside
/// it. Transposing while moving is the same problem: Y is the transposed array (Distribution::transposed) of the array
/// that is written.
class RedistributionProblem {
 public:
  /// Describes the redistribution of the whole array, which has one shape on both sides. Throws InputError as the
  /// constructor below.
  RedistributionProblem(const Distribution& from, const Distribution& to, const ProblemNames& names = {});
  /// Describes the redistribution of a box, with one number per dimension.
  ///
  ///  - `from_start`, `to_start`: start of the box in X and in Y (ScaLAPACK's IA, JA, IB, JB, counted from 0)
  ///  - `extent`: extents of the box
  ///
  /// Throws InputError if the box does not fit, or counts are beyond int64. A grid may have at most 2^20 processes if
  /// some have no element of the box, because planning asks every process. If blocks of either array are of any sizes,
  /// the limit is 2^24.
  RedistributionProblem(const Distribution& from, const Distribution& to, std::span<const std::int64_t> from_start,
                        std::span<const std::int64_t> to_start, std::span<const std::int64_t> extent,
                        const ProblemNames& names = {});

  /// Returns the distribution of X.
  [[nodiscard]] const Distribution& from() const { return from_; }
  /// Returns the distribution of Y.
  [[nodiscard]] const Distribution& to() const { return to_; }
  /// Returns the number of dimensions, equal on both sides.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  /// Returns the pattern of one dimension, counted from 0.
  [[nodiscard]] const AxisPattern& axis(std::size_t dimension) const { return axes_[dimension]; }
  /// Returns the patterns of all dimensions.
  [[nodiscard]] std::span<const AxisPattern> axes() const { return axes_; }
  /// Returns the same problem for a part of the box: only its elements move, without the diagonal if `unit_diagonal` is
  /// true. kWhole moves all elements again. Throws InputError unless there are two dimensions.
  [[nodiscard]] RedistributionProblem with_part(MatrixPart part, bool unit_diagonal = false) const;
  /// Returns the part of the box that moves.
  [[nodiscard]] MatrixPart part() const { return part_; }
  /// Returns true if the elements on the diagonal are left out.
  [[nodiscard]] bool unit_diagonal() const { return unit_diagonal_; }
  /// Returns true if only a part of the box moves.
  [[nodiscard]] bool has_part() const { return part_ != MatrixPart::kWhole; }
  /// Returns true if element (row, column) of the box moves.
  [[nodiscard]] bool in_part(std::int64_t row, std::int64_t column) const;
  /// Returns true if there is no part and there are no roles. Then messages are products of messages of the dimensions,
  /// and all of them need a port.
  [[nodiscard]] bool is_plain() const { return !has_part() && !has_roles(); }
  /// Returns true if blocks are of any sizes in any dimension of either array.
  [[nodiscard]] bool is_irregular() const;
  /// Returns true if steps can be made of steps of the dimensions: plain, and block-cyclic.
  [[nodiscard]] bool is_by_dimension() const { return is_plain() && !is_irregular(); }
  /// Returns the same problem with all elements of the box, and with different processes in the two grids.
  [[nodiscard]] RedistributionProblem plain() const { return with_part(MatrixPart::kWhole).apart(); }

  /// Returns the number of elements that move, including those that stay on their process.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Returns the number of elements from process `sender` of the source grid to process `receiver` of the target grid.
  [[nodiscard]] std::int64_t count(Rank sender, Rank receiver) const;
  /// Returns the messages of one process of the source grid, without empty ones, in increasing order of receiver.
  [[nodiscard]] std::vector<Message> sends(Rank sender) const;
  /// Returns the messages to one process of the target grid, without empty ones, in increasing order of sender.
  [[nodiscard]] std::vector<Message> receives(Rank receiver) const;
  /// Returns every message that is not empty, by sender, then receiver. Throws InputError for more than
  /// kMostListedMessages.
  [[nodiscard]] Traffic traffic() const;

  /// Returns the same problem among processes that may be in both grids. Data that a process sends to itself is a copy:
  /// it needs no port, and no plan has a step for it.
  ///
  ///  - `role_of_process`: process p of the source grid is process role_of_process[p] of the target grid, or not in it
  ///    if that is outside of 0 .. Q - 1. Entries after the last process of the source grid are processes that hold
  ///    nothing of X
  ///
  /// Throws InputError for too few entries, and for a role given twice.
  [[nodiscard]] RedistributionProblem with_roles(std::span<const Rank> role_of_process) const;
  /// Returns the same problem with different processes in the two grids.
  [[nodiscard]] RedistributionProblem apart() const;
  /// Returns true if with_roles said which processes are in both grids.
  [[nodiscard]] bool has_roles() const { return role_of_sender_ != nullptr; }
  /// Returns the process of the target grid that is the same process as `sender`; -1 if there is none, or if roles are
  /// unknown.
  [[nodiscard]] Rank role_of(Rank sender) const;
  /// Returns true if `sender` and `receiver` are one process.
  [[nodiscard]] bool is_copy(Rank sender, Rank receiver) const { return has_roles() && role_of(sender) == receiver; }
  /// Returns the data that processes send to themselves, without empty messages, in increasing order of sender.
  [[nodiscard]] std::vector<Message> copies() const;
  /// Returns traffic() without copies().
  [[nodiscard]] Traffic traffic_between_processes() const;

 private:
  /// Cuts messages of the box down to the part, and drops messages that become empty.
  void keep_part(std::vector<Message>& messages) const;

  Distribution from_;
  Distribution to_;
  std::vector<AxisPattern> axes_;
  std::int64_t size_ = 1;
  MatrixPart part_ = MatrixPart::kWhole;
  bool unit_diagonal_ = false;
  std::shared_ptr<const std::vector<Rank>> role_of_sender_;
};

/// Makes the problem of one slice of the layouts: the pattern repeats after it. It is the array of lcm(P r, Q s)
/// elements in each dimension, or the whole dimension if that has cuts. With `transpose`, `to` is the layout of the
/// transposed array. Throws InputError for layouts of different dimensions, cuts that end at different extents, or
/// slices beyond int64.
[[nodiscard]] RedistributionProblem one_slice(const Layout& from, const Layout& to, bool transpose = false);

/// Makes the problem of layouts and the shape of the source array (empty: one slice). Throws InputError.
[[nodiscard]] RedistributionProblem make_problem(const Layout& from, const Layout& to,
                                                 const std::vector<std::int64_t>& shape, const ProblemNames& names = {},
                                                 bool transpose = false);

/// Returns the number of messages of the problem. Counting stops beyond `limit`, with a result above it.
[[nodiscard]] std::int64_t count_messages(const RedistributionProblem& problem, std::int64_t limit);

/// Returns an upper bound on the messages of one dimension, from the pattern alone, without a look at any process.
[[nodiscard]] double most_messages(const AxisPattern& pattern);
/// Returns an upper bound on the messages of the problem, in the same way.
[[nodiscard]] double most_messages(const RedistributionProblem& problem);

}  // namespace sluice
