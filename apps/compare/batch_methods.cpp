#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "apps/compare/array_contents.hpp"
#include "apps/compare/compare.hpp"
#include "apps/compare/redistribution_methods.hpp"
#include "sluice/error.hpp"

namespace sluice::compare {
namespace {

constexpr std::string_view kOneByOne = "one-by-one";

/// One array of a batch: this rank's part of it, and its memory.
struct BatchMember {
  BatchMember(const Communicator& comm, const RedistributionJob& job) : part(comm, job), contents(part) {}

  RedistributionPart part;
  ArrayContents contents;
};

using BatchMembers = std::vector<std::unique_ptr<BatchMember>>;

/// All arrays in one job of the library.
class PlannedAtOnce final : public Method {
 public:
  PlannedAtOnce(const Communicator& comm, const std::vector<mpi::RedistributionArray>& arrays,
                const mpi::RedistributionJobOptions& options, const BatchMembers& members)
      : batch_(comm.get(), arrays, options) {
    for (const auto& member : members) {
      sources_.push_back(member->contents.source());
      targets_.push_back(member->contents.target());
    }
  }

  void settle(const void* source, void* target) override {
    for (int i = 0; i < kTurns && !batch_.settled(); ++i) execute(source, target);
  }
  void execute(const void* /*source*/, void* /*target*/) override { batch_.execute(sources_, targets_); }
  [[nodiscard]] std::int64_t held_bytes() const override { return batch_.peak_extra_bytes(); }
  [[nodiscard]] std::string how() override { return batch_.explanation(); }

 private:
  mpi::RedistributionBatch batch_;
  std::vector<const void*> sources_;
  std::vector<void*> targets_;
};

/// A method of a single array, for one array after another.
class OneAfterAnother final : public Method {
 public:
  OneAfterAnother(const std::string& name, const BatchMembers& members) : members_(members) {
    for (const auto& member : members) methods_.push_back(make_redistribution_method(name, member->part));
  }

  void settle(const void* /*source*/, void* /*target*/) override {
    for (std::size_t a = 0; a < methods_.size(); ++a)
      methods_[a]->settle(members_[a]->contents.source(), members_[a]->contents.target());
  }
  void execute(const void* /*source*/, void* /*target*/) override {
    for (std::size_t a = 0; a < methods_.size(); ++a)
      methods_[a]->execute(members_[a]->contents.source(), members_[a]->contents.target());
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    std::int64_t bytes = 0;
    for (const auto& method : methods_) bytes += method->held_bytes();
    return bytes;
  }

 private:
  const BatchMembers& members_;
  std::vector<std::unique_ptr<Method>> methods_;
};

class ComparedBatch final : public ComparedJob {
 public:
  ComparedBatch(const Communicator& comm, const std::vector<mpi::RedistributionArray>& arrays,
                const mpi::RedistributionJobOptions& options)
      : comm_(comm), arrays_(arrays), options_(options) {
    if (arrays.empty()) throw InputError("arrays", "none", "at least one");
    for (const mpi::RedistributionArray& array : arrays) {
      RedistributionJob job{array.shape, array.from, array.to, array.element_size, {}, {}};
      static_cast<mpi::ArrayOptions&>(job.options) = array.options;
      static_cast<mpi::RedistributionJobOptions&>(job.options) = options;
      job.options.setup /= static_cast<double>(array.element_size);
      members_.push_back(std::make_unique<BatchMember>(comm, job));
    }
  }

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override {
    constexpr std::string_view kPlannedBy = "sluice-";
    if (method == kOneByOne) return std::make_unique<OneAfterAnother>("sluice", members_);
    if (method != "sluice" && !method.starts_with(kPlannedBy))
      return std::make_unique<OneAfterAnother>(method, members_);
    mpi::RedistributionJobOptions options = options_;
    if (method != "sluice") {
      const std::string by = method.substr(kPlannedBy.size());
      options.try_native = false;
      if (const auto mode = redistribution_mode(by)) {
        options.mode = *mode;
      } else {
        options.algorithm = by;
      }
    }
    return std::make_unique<PlannedAtOnce>(comm_, arrays_, options, members_);
  }
  [[nodiscard]] std::int64_t bytes_moved() const override {
    std::int64_t bytes = 0;
    for (const auto& member : members_) bytes += member->part.problem.size() * member->part.job.element_size;
    return bytes;
  }
  // The methods know where each array is.
  [[nodiscard]] const std::byte* source() const override { return nullptr; }
  [[nodiscard]] std::byte* target() override { return nullptr; }
  void reset_target() override {
    for (const auto& member : members_) member->contents.reset_target();
  }
  [[nodiscard]] std::string check_target() const override {
    for (std::size_t a = 0; a < members_.size(); ++a) {
      const std::string wrong = members_[a]->contents.check_target();
      if (!wrong.empty()) return fmt::format("array {}: {}", a, wrong);
    }
    return "";
  }

 private:
  const Communicator& comm_;
  const std::vector<mpi::RedistributionArray>& arrays_;
  const mpi::RedistributionJobOptions& options_;
  BatchMembers members_;
};

}  // namespace

std::vector<std::string> batch_methods(const BatchProblem& problem) {
  std::vector<std::string> names{"sluice", std::string(kOneByOne)};
  if (std::ranges::none_of(problem.arrays(), [](const BatchArray& array) { return array.problem.has_part(); }))
    names.insert(names.end(), {"alltoallv", "alltoallw", "all-at-once"});
  return names;
}

Comparison batches(MPI_Comm comm, const std::vector<mpi::RedistributionArray>& arrays,
                   const mpi::RedistributionJobOptions& options, const std::vector<std::string>& methods,
                   int repetitions, bool record) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  ComparedBatch compared(own, arrays, options);
  return run_comparison(own, compared, methods, repetitions, record);
}

}  // namespace sluice::compare
