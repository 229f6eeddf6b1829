#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "apps/compare/redistribution_methods.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

/// A committed or intermediate datatype of our own.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  ~Datatype() {
    if (type_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&type_);  // a destructor has nobody to tell about a failure
  }
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

template <class Make>
Datatype made(Make&& make) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  SLUICE_MPI(make(&type));
  return Datatype(type);
}

int count_of(std::int64_t count) {
  if (count > std::numeric_limits<int>::max()) {
    throw InputError("size", fmt::format("a run or number of runs of {}", count), "at most 2^31 - 1 for MPI_Alltoallw");
  }
  return static_cast<int>(count);
}

/// One element: a type of MPI's own where there is one of the size, for MPI to copy as well as it can.
Datatype element_type(std::int64_t size) {
  const MPI_Datatype base = size == 8 ? MPI_INT64_T : size == 4 ? MPI_INT32_T : size == 2 ? MPI_INT16_T : MPI_BYTE;
  const int count = base == MPI_BYTE ? count_of(size) : 1;
  return made([&](MPI_Datatype* type) { return MPI_Type_contiguous(count, base, type); });
}

/// A message as a type: in each dimension, runs of what the faster dimensions make up.
Datatype message_type(const RedistributionPart& part, bool outgoing, Rank peer) {
  Datatype type = element_type(part.job.element_size);
  for (const MessageLevel& level : message_levels(part, outgoing, peer)) {
    const std::int64_t step = level.step * part.job.element_size;
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    level.runs.for_each([&](const IndexRun& run) {
      const std::int64_t at = run.from.value * step;
      if (!offsets.empty() && offsets.back() + lengths.back() * step == at) {
        lengths.back() = count_of(lengths.back() + run.length);
      } else {
        lengths.push_back(count_of(run.length));
        offsets.push_back(static_cast<MPI_Aint>(at));
      }
    });
    const Datatype element =
        made([&](MPI_Datatype* t) { return MPI_Type_create_resized(type.get(), 0, static_cast<MPI_Aint>(step), t); });
    type = made([&](MPI_Datatype* t) {
      return MPI_Type_create_hindexed(count_of(static_cast<std::int64_t>(lengths.size())), lengths.data(),
                                      offsets.data(), element.get(), t);
    });
  }
  MPI_Datatype committed = type.get();
  SLUICE_MPI(MPI_Type_commit(&committed));
  return type;
}

/// One direction of MPI_Alltoallw.
struct Row {
  std::vector<Datatype> owned;
  std::vector<int> counts;
  std::vector<MPI_Datatype> types;

  void fill(const RedistributionPart& part, bool outgoing) {
    const auto ranks = static_cast<std::size_t>(part.comm.size());
    counts.assign(ranks, 0);
    types.assign(ranks, MPI_BYTE);
    for (const RedistributionPart::Peer& peer : outgoing ? part.receivers : part.senders) {
      owned.push_back(message_type(part, outgoing, peer.process));
      counts[static_cast<std::size_t>(peer.rank)] = 1;
      types[static_cast<std::size_t>(peer.rank)] = owned.back().get();
    }
  }
};

class Alltoallw final : public Method {
 public:
  explicit Alltoallw(const RedistributionPart& part)
      : comm_(part.comm), zeros_(static_cast<std::size_t>(part.comm.size()), 0) {
    prepare_together(comm_, [&] {
      out_.fill(part, true);
      in_.fill(part, false);
    });
  }

  void execute(const void* source, void* target) override {
    SLUICE_MPI(MPI_Alltoallw(source, out_.counts.data(), zeros_.data(), out_.types.data(), target, in_.counts.data(),
                             zeros_.data(), in_.types.data(), comm_.get()));
  }

 private:
  const Communicator& comm_;
  Row out_;
  Row in_;
  std::vector<int> zeros_;
};

/// Types are made for each execution and freed after it, as by a program that redistributes once. Who sends to whom is
/// known already.
class FreshAlltoallw final : public Method {
 public:
  explicit FreshAlltoallw(const RedistributionPart& part) : part_(part) {}

  void execute(const void* source, void* target) override { Alltoallw(part_).execute(source, target); }

 private:
  const RedistributionPart& part_;
};

}  // namespace

std::unique_ptr<Method> make_alltoallw(const RedistributionPart& part) { return std::make_unique<Alltoallw>(part); }

std::unique_ptr<Method> make_fresh_alltoallw(const RedistributionPart& part) {
  return std::make_unique<FreshAlltoallw>(part);
}

}  // namespace sluice::compare
