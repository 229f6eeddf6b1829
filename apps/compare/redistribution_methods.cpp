#include "apps/compare/redistribution_methods.hpp"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "apps/compare/array_contents.hpp"
#include "apps/compare/compare.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::compare {
namespace {

class PlannedRedistribution final : public Method {
 public:
  PlannedRedistribution(const Communicator& comm, const RedistributionJob& job)
      : redistribution_(planned_redistribution(comm, job)) {}

  void settle(const void* source, void* target) override {
    for (int i = 0; i < kTurns && !redistribution_.settled(); ++i) redistribution_.execute(source, target);
  }
  void execute(const void* source, void* target) override { redistribution_.execute(source, target); }
  [[nodiscard]] std::int64_t held_bytes() const override { return redistribution_.peak_extra_bytes(); }
  [[nodiscard]] std::string how() override { return redistribution_.explanation(); }

 private:
  mpi::Redistribution redistribution_;
};

/// `by`: a mode or an algorithm, and nothing of MPI's own; "": as the options say.
std::unique_ptr<Method> make_planned(const RedistributionPart& part, const std::string& by) {
  RedistributionJob job = part.job;
  if (!by.empty()) job.options.try_native = false;
  if (const auto mode = redistribution_mode(by)) {
    job.options.mode = *mode;
  } else if (by == "direct") {
    job.options.forward = false;
  } else if (!by.empty()) {
    job.options.algorithm = by;
  }
  return std::make_unique<PlannedRedistribution>(part.comm, job);
}

/// A job for each execution, on a communicator that keeps no plans.
class Fresh final : public Method {
 public:
  explicit Fresh(const RedistributionPart& part) : job_(part.job), comm_(part.comm.get()) {
    mpi::set_kept_plans(comm_.get(), 0);
  }

  void execute(const void* source, void* target) override {
    mpi::Redistribution redistribution = planned_redistribution(comm_, job_);
    redistribution.execute(source, target);
    held_bytes_ = redistribution.peak_extra_bytes();
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return held_bytes_; }

 private:
  RedistributionJob job_;
  Communicator comm_;
  std::int64_t held_bytes_ = 0;
};

/// No method is faster if everything has to be moved: each rank copies its target from memory of its own. That memory
/// has the right order since the first execution. Each rank waits for the others: if ranks share cores, one may have
/// copied before another has begun.
class Copied final : public Method {
 public:
  explicit Copied(const RedistributionPart& part)
      : comm_(part.comm),
        by_job_(make_planned(part, "")),
        size_(static_cast<std::size_t>(part.target_elements() * part.job.element_size)) {}

  void execute(const void* source, void* target) override {
    if (by_job_) {
      by_job_->execute(source, target);
      const auto* const moved = static_cast<const std::byte*>(target);
      moved_.assign(moved, moved + size_);
      by_job_.reset();
    }
    if (size_ > 0) std::memcpy(target, moved_.data(), size_);
    barrier(comm_);
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return std::ssize(moved_); }

 private:
  const Communicator& comm_;
  std::unique_ptr<Method> by_job_;  ///< until it was executed
  std::size_t size_;
  std::vector<std::byte> moved_;
};

/// What another method moves to memory of its own is added to the target from there.
class ThenAdded final : public Method {
 public:
  ThenAdded(std::unique_ptr<Method> moves, const RedistributionPart& part)
      : moves_(std::move(moves)), by_(*part.job.scaled), moved_(static_cast<std::size_t>(part.target_elements())) {}

  void execute(const void* source, void* target) override {
    moves_->execute(source, moved_.data());
    auto* const y = static_cast<double*>(target);
    for (std::size_t i = 0; i < moved_.size(); ++i) y[i] = by_.beta * y[i] + by_.alpha * moved_[i];
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return moves_->held_bytes() + static_cast<std::int64_t>(moved_.size() * sizeof(double));
  }

 private:
  std::unique_ptr<Method> moves_;
  ScaleAndAdd by_;
  std::vector<double> moved_;
};

/// The methods of MPI and ScaLAPACK.
std::unique_ptr<Method> make_usual(const std::string& name, const RedistributionPart& part) {
  if (name == "alltoallv" || name == "all-at-once" || name == "pairwise") return make_packed(name, part);
  if (name == "alltoallw") return make_alltoallw(part);
  if (name == "alltoallw-fresh") return make_fresh_alltoallw(part);
  if (name == "alltoallw-bcast" && part.job.options.has_replicas()) return make_alltoallw_bcast(part);
  if (name == "pdgemr2d" && !part.job.options.has_replicas()) return make_pdgemr2d(part);
  throw InputError(
      "method", fmt::format("'{}'", name),
      part.job.options.has_replicas()
          ? "sluice, sluice-ALGORITHM, sluice-MODE, sluice-fresh, sluice-direct, memcpy, alltoallv, alltoallw, "
            "alltoallw-fresh, all-at-once, pairwise or alltoallw-bcast"
          : "sluice, sluice-ALGORITHM, sluice-MODE, sluice-fresh, memcpy, caterpillar, alltoallv, alltoallw, "
            "alltoallw-fresh, all-at-once, pairwise or pdgemr2d");
}

class ComparedRedistribution final : public ComparedJob {
 public:
  ComparedRedistribution(const Communicator& comm, const RedistributionJob& job) : part_(comm, job), contents_(part_) {}

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override {
    return make_redistribution_method(method, part_);
  }
  [[nodiscard]] std::int64_t bytes_moved() const override {
    return part_.problem.size() * part_.job.options.to_replicas * part_.job.element_size;
  }
  [[nodiscard]] const std::byte* source() const override { return contents_.source(); }
  [[nodiscard]] std::byte* target() override { return contents_.target(); }
  void reset_target() override { contents_.reset_target(); }
  [[nodiscard]] std::string check_target() const override { return contents_.check_target(); }

 private:
  RedistributionPart part_;
  ArrayContents contents_;
};

}  // namespace

std::unique_ptr<Method> make_redistribution_method(const std::string& name, const RedistributionPart& part) {
  constexpr std::string_view kAlgorithm = "sluice-";
  if (name == "sluice") return make_planned(part, "");
  if (name == "sluice-fresh") return std::make_unique<Fresh>(part);
  if (name == "memcpy" && !part.job.scaled) return std::make_unique<Copied>(part);
  if (name.starts_with(kAlgorithm)) return make_planned(part, name.substr(kAlgorithm.size()));
  if (name == "caterpillar" && !part.job.options.has_replicas()) return make_planned(part, name);
  const bool cuts = part.problem.has_part();
  if (part.problem.is_irregular() && (name == "pdgemr2d" || name == "pdtrmr2d"))
    throw InputError("method", fmt::format("'{}' for blocks given by cuts", name),
                     "one that takes blocks of any sizes");
  if (part.job.options.transpose && (name == "pdgemr2d" || name == "pdtrmr2d"))
    throw InputError("method", fmt::format("'{}' for a transposed matrix", name), "one that can transpose");
  if (name == "pdtrmr2d" && cuts && !part.job.options.has_replicas() && !part.job.scaled) return make_pdgemr2d(part);
  if (cuts)
    throw InputError("method", fmt::format("'{}' for a part of a matrix", name),
                     "sluice, sluice-ALGORITHM, caterpillar or pdtrmr2d");
  std::unique_ptr<Method> usual = make_usual(name, part);
  if (!part.job.scaled) return usual;
  return std::make_unique<ThenAdded>(std::move(usual), part);
}

std::optional<mpi::ExchangeMode> redistribution_mode(const std::string& name) {
  for (const mpi::ExchangeMode mode : {mpi::ExchangeMode::kChain, mpi::ExchangeMode::kLocal}) {
    if (name == mpi::to_string(mode)) return mode;
  }
  return std::nullopt;
}

std::vector<std::string> redistribution_methods(const RedistributionProblem& problem, std::int64_t element_size,
                                                const RedistributionVariant& variant) {
  std::vector<std::string> names{"sluice"};
  if (!variant.replicated && !problem.is_irregular()) names.emplace_back("caterpillar");
  if (!problem.has_part()) names.insert(names.end(), {"alltoallv", "alltoallw", "all-at-once"});
  if (variant.replicated && !problem.has_part()) names.emplace_back("alltoallw-bcast");
  const bool scalapack = has_pdgemr2d() && !variant.replicated && !(variant.scaled && problem.has_part());
  if (scalapack && !problem.is_irregular() && problem.dimensions() == 2 && element_size == 8 &&
      !problem.to().is_transposed())
    names.emplace_back(problem.has_part() ? "pdtrmr2d" : "pdgemr2d");
  return names;
}

Comparison redistributions(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                           std::int64_t element_size, const mpi::RedistributionOptions& options,
                           const std::vector<std::string>& methods, int repetitions, bool record,
                           const std::optional<ScaleAndAdd>& scaled) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  RedistributionJob job{shape, from, to, element_size, options, scaled};
  if (scaled) {
    if (element_size != static_cast<std::int64_t>(sizeof(double)))
      throw InputError("element_size", count_text(element_size, "byte"), "8, doubles, to be scaled and added");
    job.options.combine = mpi::scale_and_add(scaled->alpha, scaled->beta);
    if (job.options.to_replicas > 1) job.options.forward = false;
  }
  ComparedRedistribution compared(own, job);
  return run_comparison(own, compared, methods, repetitions, record);
}

}  // namespace sluice::compare
