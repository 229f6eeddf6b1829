#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "run/mpi/compare/method.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// A committed or intermediate datatype of our own.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  ~Datatype() {
    if (type_ == MPI_DATATYPE_NULL) return;
    int finalized = 0;
    if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) (void)MPI_Type_free(&type_);
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

/// One rank's message as a type: in each dimension, runs of what the faster dimensions make up.
Datatype message_type(const Participation& part, bool outgoing, Rank sender, Rank receiver) {
  const RedistributionProblem& problem = part.problem;
  const std::vector<Coordinate> p = problem.from().coordinates(sender);
  const std::vector<Coordinate> q = problem.to().coordinates(receiver);
  const std::vector<std::int64_t> shape =
      outgoing ? problem.from().local_shape(sender) : problem.to().local_shape(receiver);
  Datatype type = element_type(part.element_size);
  std::int64_t step = part.element_size;
  const std::size_t dimensions = shape.size();
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = part.order == StorageOrder::kRowMajor ? dimensions - 1 - k : k;
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    problem.axis(d).runs(p[d], q[d]).for_each([&](const IndexRun& run) {
      const std::int64_t at = (outgoing ? run.from.value : run.to.value) * step;
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
    step *= shape[d];
  }
  MPI_Datatype committed = type.get();
  SLUICE_MPI(MPI_Type_commit(&committed));
  return type;
}

class Alltoallw final : public Method {
 public:
  Alltoallw(MPI_Comm comm, const RedistributionJob& job) : base_(comm, job) {
    std::exception_ptr failure;
    try {
      make_types();
    } catch (...) {
      failure = std::current_exception();
    }
    agree(base_.comm, failure);
  }

  void execute(const void* source, void* target) override {
    SLUICE_MPI(MPI_Alltoallw(source, send_counts_.data(), zeros_.data(), send_types_.data(), target,
                             receive_counts_.data(), zeros_.data(), receive_types_.data(), base_.comm.get()));
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return 0; }

 private:
  void make_types() {
    const auto ranks = static_cast<std::size_t>(base_.comm.size());
    for (auto* counts : {&send_counts_, &receive_counts_, &zeros_}) counts->assign(ranks, 0);
    for (auto* types : {&send_types_, &receive_types_}) types->assign(ranks, MPI_BYTE);
    for (const Rank receiver : base_.receivers) {
      const auto rank = static_cast<std::size_t>(base_.rank_of_receiver(receiver));
      owned_.push_back(message_type(base_.part, true, Rank(base_.part.sender), receiver));
      send_counts_[rank] = 1;
      send_types_[rank] = owned_.back().get();
    }
    for (const Rank sender : base_.senders) {
      const auto rank = static_cast<std::size_t>(base_.rank_of_sender(sender));
      owned_.push_back(message_type(base_.part, false, sender, Rank(base_.part.receiver)));
      receive_counts_[rank] = 1;
      receive_types_[rank] = owned_.back().get();
    }
  }

  MethodBase base_;
  std::vector<Datatype> owned_;
  std::vector<int> send_counts_;
  std::vector<int> receive_counts_;
  std::vector<int> zeros_;
  std::vector<MPI_Datatype> send_types_;
  std::vector<MPI_Datatype> receive_types_;
};

}  // namespace

std::unique_ptr<Method> make_alltoallw(MPI_Comm comm, const RedistributionJob& job) {
  return std::make_unique<Alltoallw>(comm, job);
}

}  // namespace sluice::mpi::detail
