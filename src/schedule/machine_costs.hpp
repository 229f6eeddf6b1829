#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice::detail {

/// What transfers and combinations of a reduction cost: the same for all machines, or what each sender, each pair or
/// each machine has of its own (the vectors of TreeSchedule). Refers to the vectors.
class MachineCosts {
 public:
  MachineCosts(std::int64_t machines, double transfer, const std::vector<double>& transfer_costs, double compute,
               const std::vector<double>& compute_costs)
      : machines_(static_cast<std::size_t>(machines)),
        // With one machine there are no transfers, for any kind of list.
        by_pair_(machines > 1 && transfer_costs.size() > static_cast<std::size_t>(machines)),
        transfer_(transfer),
        compute_(compute),
        transfer_costs_(transfer_costs.empty() ? nullptr : transfer_costs.data()),
        compute_costs_(compute_costs.empty() ? nullptr : compute_costs.data()) {}

  [[nodiscard]] double transfer(std::int64_t from, std::int64_t to) const {
    if (transfer_costs_ == nullptr) return transfer_;
    const auto sender = static_cast<std::size_t>(from);
    return transfer_costs_[by_pair_ ? sender * machines_ + static_cast<std::size_t>(to) : sender];
  }
  [[nodiscard]] double compute(std::int64_t machine) const {
    return compute_costs_ == nullptr ? compute_ : compute_costs_[static_cast<std::size_t>(machine)];
  }

 private:
  std::size_t machines_;
  bool by_pair_;
  double transfer_;
  double compute_;
  const double* transfer_costs_;
  const double* compute_costs_;
};

/// Whether a list of costs has one for each of `machines`, or, for transfers, for each pair.
[[nodiscard]] inline bool is_for_each(const std::vector<double>& costs, std::int64_t machines) {
  return std::cmp_equal(costs.size(), machines);
}
[[nodiscard]] inline bool is_for_each_pair(const std::vector<double>& costs, std::int64_t machines) {
  return machines <= INT32_MAX && std::cmp_equal(costs.size(), machines * machines);
}

}  // namespace sluice::detail
