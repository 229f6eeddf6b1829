#include "apps/compare/array_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "apps/compare/known_contents.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::compare {
namespace {

constexpr std::uint64_t kSourceSalt = 0;
constexpr std::uint64_t kTargetSalt = 0x5851f42d4c957f2dULL;

/// Element number `position` of an array, from a stream of its own; the last word is cut.
void write_element(std::byte* element, std::int64_t size, std::int64_t position, std::uint64_t salt) {
  for (std::int64_t at = 0; at < size; at += 8, ++salt) {
    const std::uint64_t word = known_word(static_cast<std::uint64_t>(position) + 1, salt);
    std::memcpy(element + at, &word, static_cast<std::size_t>(std::min<std::int64_t>(8, size - at)));
  }
}

/// A double that is a whole number below 2^20, likewise.
double number_at(std::int64_t position, std::uint64_t salt) {
  return static_cast<double>(known_word(static_cast<std::uint64_t>(position) + 1, salt) >> 44);
}

/// Calls visit(number, own position, origin or -1) for every local element in order of storage.
template <class Levels, class Visit>
void for_each_element(const Levels& levels, Visit&& visit) {
  for (const auto& level : levels) {
    if (level.own.empty()) return;
  }
  const std::size_t outer = levels.size() - 1;
  const auto& inner = levels.back();
  std::array<std::size_t, kMaxDimensions> at{};
  for (std::int64_t number = 0;;) {
    std::int64_t own = 0;
    std::int64_t origin = 0;
    for (std::size_t l = 0; l < outer; ++l) {
      own += levels[l].own[at[l]];
      origin = origin < 0 || levels[l].origin[at[l]] < 0 ? -1 : origin + levels[l].origin[at[l]];
    }
    for (std::size_t i = 0; i < inner.own.size(); ++i, ++number) {
      visit(number, own + inner.own[i], origin < 0 || inner.origin[i] < 0 ? -1 : origin + inner.origin[i]);
    }
    std::size_t l = outer;
    while (l > 0 && ++at[l - 1] == levels[l - 1].own.size()) at[--l] = 0;
    if (l == 0) return;
  }
}

}  // namespace

ArrayContents::ArrayContents(const RedistributionPart& part)
    : problem_(part.problem), element_size_(part.job.element_size), scaled_(part.job.scaled) {
  const RedistributionProblem& problem = part.problem;
  const std::size_t dimensions = problem.dimensions();
  source_levels_.resize(dimensions);
  target_levels_.resize(dimensions);
  // The elements of an array are numbered in row-major order of the problem, whatever the order of storage.
  std::int64_t source_weight = 1;
  std::int64_t target_weight = 1;
  for (std::size_t d = dimensions; d-- > 0;) {
    const std::size_t level = part.job.options.order == mpi::StorageOrder::kRowMajor ? d : dimensions - 1 - d;
    const std::size_t target_level = part.job.options.transpose ? dimensions - 1 - level : level;
    const AxisPattern& axis = problem.axis(d);
    if (part.sender && problem.from().size() > 0) {
      const Coordinate own = problem.from().coordinates(*part.sender)[d];
      for (std::int64_t i = 0; i < axis.from().local_extent(own); ++i) {
        const std::int64_t position = axis.from().global(own, LocalIndex(i)).value * source_weight;
        source_levels_[level].own.push_back(position);
        source_levels_[level].origin.push_back(position);
      }
    }
    if (part.receiver && problem.to().size() > 0) {
      const Coordinate own = problem.to().coordinates(*part.receiver)[d];
      for (std::int64_t i = 0; i < axis.to().local_extent(own); ++i) {
        const std::int64_t global = axis.to().global(own, LocalIndex(i)).value;
        const std::int64_t in_box = global - axis.to_start();
        target_levels_[target_level].own.push_back(global * target_weight);
        target_levels_[target_level].origin.push_back(
            in_box < 0 || in_box >= axis.extent() ? -1 : (in_box + axis.from_start()) * source_weight);
      }
    }
    source_weight *= axis.from().extent;
    target_weight *= axis.to().extent;
  }
  const auto allocate = [&](std::int64_t elements) {
    return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(elements * element_size_));
  };
  source_ = allocate(part.source_elements());
  target_ = allocate(part.target_elements());
  for_each_element(source_levels_, [&](std::int64_t number, std::int64_t own, std::int64_t /*origin*/) {
    write(source_.get() + number * element_size_, own, kSourceSalt);
  });
  reset_target();
}

void ArrayContents::write(std::byte* element, std::int64_t position, std::uint64_t salt) const {
  if (!scaled_) {
    write_element(element, element_size_, position, salt);
    return;
  }
  const double number = number_at(position, salt);
  std::memcpy(element, &number, sizeof number);
}

bool ArrayContents::moves(std::int64_t origin) const {
  if (origin < 0 || !problem_.has_part()) return origin >= 0;
  const std::int64_t columns = problem_.axis(1).from().extent;
  return problem_.in_part(origin / columns - problem_.axis(0).from_start(),
                          origin % columns - problem_.axis(1).from_start());
}

void ArrayContents::reset_target() {
  for_each_element(target_levels_, [&](std::int64_t number, std::int64_t own, std::int64_t /*origin*/) {
    write(target_.get() + number * element_size_, own, kTargetSalt);
  });
}

std::string ArrayContents::check_target() const {
  std::vector<std::byte> expected(static_cast<std::size_t>(element_size_));
  std::string wrong;
  std::int64_t count = 0;
  for_each_element(target_levels_, [&](std::int64_t number, std::int64_t own, std::int64_t origin) {
    const bool moved = moves(origin);
    write(expected.data(), moved ? origin : own, moved ? kSourceSalt : kTargetSalt);
    if (moved && scaled_) {
      const double x = number_at(origin, kSourceSalt), y = number_at(own, kTargetSalt);
      const double sum = scaled_->beta * y + scaled_->alpha * x;
      std::memcpy(expected.data(), &sum, sizeof sum);
    }
    const std::byte* found = target_.get() + number * element_size_;
    if (std::memcmp(found, expected.data(), expected.size()) == 0) return;
    if (count++ > 0) return;
    wrong = moved ? fmt::format("element {} of the target is not element {} of the source", own, origin)
                  : fmt::format("element {} of the target, outside of what moves, has changed", own);
  });
  return count == 0 ? ""
                    : fmt::format("{} {} wrong: {}", count_text(count, "element"), count == 1 ? "is" : "are", wrong);
}

}  // namespace sluice::compare
