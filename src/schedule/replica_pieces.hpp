#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {

/// A transfer with the step it is in. Size 0 marks one that was reported already: its message is not judged further.
struct SchedulePiece {
  std::int64_t from;
  std::int64_t to;
  std::int64_t offset;
  std::int64_t size;
  std::int64_t step;  ///< -1: a copy
};

/// The roles in a schedule between several copies of two arrays, and the checks of its pieces: what `validate` says of
/// them.
class ReplicaPieces {
 public:
  /// Keeps a reference. @pre the schedule has an input
  explicit ReplicaPieces(const StepSchedule& schedule);

  /// What is wrong with the numbers of copies, senders and receivers; "" if nothing. `traffic`: of one copy, or null.
  [[nodiscard]] std::string count_fault(const Traffic* traffic) const;
  /// The counts are wrong: no piece is judged.
  void give_up() { sound_ = false; }
  /// Roles of all processes of the source that are sound.
  void set_roles(const std::vector<std::int64_t>& roles);

  /// The sender that is receiver 0; the number of senders if none is a receiver.
  [[nodiscard]] std::int64_t first_passing() const { return first_passing_; }
  /// The lowest sender that is the same process.
  [[nodiscard]] std::int64_t process_that_sends(std::int64_t sender) const;
  /// `messages`: of one copy, distinct, sorted by (from, to); null: unknown. Sorts the pieces.
  [[nodiscard]] std::vector<Violation> faults(std::vector<SchedulePiece>& pieces, const std::vector<Message>* messages,
                                              const Traffic* traffic) const;

 private:
  const StepSchedule& schedule_;
  std::int64_t first_passing_;
  std::vector<std::pair<std::int64_t, std::int64_t>> sender_of_receiver_;  ///< (receiver, sender), sorted
  bool sound_ = true;
};

}  // namespace sluice::detail
