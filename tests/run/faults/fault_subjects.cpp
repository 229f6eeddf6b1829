#include "run/faults/fault_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "run/collective_testing.hpp"
#include "run/detour_testing.hpp"
#include "run/exchange_testing.hpp"
#include "run/faults/fault_injection.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/measure.hpp"
#include "sluice/run/mpi/network.hpp"
#include "sluice/run/mpi/probe.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::testing {
namespace {

/// What a user's callback throws here.
[[noreturn]] void throw_of_callback() { throw std::domain_error("thrown by a callback"); }

// ---- Redistribution

/// Two blocks of 3000 elements for each process, no two of them of one size.
Cuts uneven_cuts(std::int64_t processes) {
  Cuts cuts{{0}, {}};
  for (std::int64_t i = 1; i < 2 * processes; ++i) cuts.at.push_back(100 * i + i * i);
  cuts.at.push_back(3000);
  return cuts;
}

/// The fewest bytes per rank that make the library measure the network.
std::int64_t long_for_network() {
  return detail::choose({detail::JobKind::kAny, detail::Question::kMeasure}).up_to + 1;
}

void forget_network(MPI_Comm comm) {
  detail::forget_networks();
  detail::Context::of(comm)->network().reset();
}

/// Takes the ranks of `comm`, each on a host of its own, for two halves. The link between them is as fast as the link
/// of one host.
void take_for_halves(MPI_Comm comm) {
  const int size = size_of(comm);
  HostNetwork network;
  network.message_s = 1e-6;
  network.source = "assumed";
  network.groups.resize(size > 1 ? 2 : 1);
  for (int host = 0; host < size; ++host) {
    network.host_of_rank.push_back(host);
    network.groups[2 * host < size ? 0 : 1].hosts.push_back(host);
  }
  for (HostGroup& group : network.groups) {
    group.latency_s = 1e-5;
    group.bytes_per_s = 1e8;
  }
  if (size > 1) network.links.push_back({0, 1, 2e-5, 1e8, 1});
  detail::Context::of(comm)->network() = std::make_shared<const HostNetwork>(std::move(network));
}

/// What is wrong with the way of a job on such a network. "" if the job keeps the link, goes by MPI, or a half has no
/// two hosts that could share the link.
std::string wrong_in_halves(MPI_Comm comm, const std::string& explanation) {
  const auto says = [&](const char* text) { return explanation.find(text) != std::string::npos; };
  const bool right = size_of(comm) < 4 || says("by shared links") || says("MPI_Ialltoallw");
  return right ? "" : "not by shared links: " + explanation;
}

class RedistributionSubject final : public Subject {
 public:
  enum class Form {
    kBlocks,
    kCombined,
    kCut,      ///< blocks of any sizes
    kCopied,   ///< several copies of both arrays
    kChained,  ///< a copy for each rank, which pass on what they get
    kLong,     ///< so long that the network is measured for it, each time
    kHalves,   ///< as long, and the network is take_for_halves
  };

  RedistributionSubject(MPI_Comm comm, std::int64_t shared_from_bytes, ExchangeMode mode, Form form = Form::kBlocks)
      : case_{{3000}, {{size_of(comm)}, {7}}, {{size_of(comm)}, {11}}, 8, {}}, rank_(rank_in(comm)) {
    if (form == Form::kCut) case_.from = {{size_of(comm)}, {1}, {uneven_cuts(size_of(comm))}};
    case_.options.shared_from_bytes = shared_from_bytes;
    case_.options.mode = mode;
    case_.options.chunk_bytes = 512;
    if (form == Form::kCopied || form == Form::kChained) {
      case_.from.grid = case_.to.grid = {1};
      case_.options.to_replicas = size_of(comm);
    }
    if (form == Form::kCopied) case_.options.from_replicas = size_of(comm) / 2;
    if (form == Form::kChained) {
      case_.shape = {1 << 16};
      case_.options.chunk_bytes = 0;
    }
    if (form == Form::kLong || form == Form::kHalves) {
      case_.shape = {size_of(comm) * (long_for_network() / case_.element_size)};
      case_.options.chunk_bytes = 0;
      form == Form::kLong ? forget_network(comm) : take_for_halves(comm);
    }
    if (form == Form::kCombined) {
      case_.options.combine = [this](const std::byte* in, std::byte* inout, std::int64_t count) {
        if (throws_) throw_of_callback();
        std::memcpy(inout, in, static_cast<std::size_t>(count * case_.element_size));
      };
    }
    const Faulty faulty;
    job_.emplace(comm, case_.shape, case_.from, case_.to, case_.element_size, case_.options);
    if (form == Form::kHalves) wrong_ = wrong_in_halves(comm, job_->explanation());
  }
  std::string execute(int round, Misuse misuse) override {
    Arrays arrays = make_arrays(case_, rank_, static_cast<std::uint64_t>(round));
    throws_ = misuse == Misuse::kThrowingCallback;
    const bool null = misuse == Misuse::kNullBuffer;
    const bool copied = case_.options.to_replicas > 1;  // then some ranks have nothing to send
    {
      const Faulty faulty;
      job_->execute(null ? nullptr : arrays.source.data(), null && copied ? nullptr : arrays.target.data());
    }
    return wrong_.empty() ? difference(arrays.target, arrays.expected) : wrong_;
  }

 private:
  Case case_;
  int rank_;
  bool throws_ = false;
  std::string wrong_;
  std::optional<Redistribution> job_;
};

/// Several arrays, blocks of any sizes among them.
class BatchSubject final : public Subject {
 public:
  explicit BatchSubject(MPI_Comm comm) : rank_(rank_in(comm)) {
    const std::int64_t ranks = size_of(comm);
    cases_ = {{{3000}, {{ranks}, {7}}, {{ranks}, {11}}, 8, {}},
              {{3000}, {{ranks}, {1}, {uneven_cuts(ranks)}}, {{ranks}, {5}}, 4, {}},
              {{50, 40}, {{1, ranks}, {3, 3}}, {{ranks, 1}, {4, 2}}, 16, {}}};
    std::vector<RedistributionArray> arrays;
    for (const Case& c : cases_) arrays.push_back({c.shape, c.from, c.to, c.element_size, c.options});
    RedistributionJobOptions options;
    options.chunk_bytes = 512;
    const Faulty faulty;
    job_.emplace(comm, arrays, options);
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<Arrays> arrays;
    for (std::size_t a = 0; a < cases_.size(); ++a)
      arrays.push_back(make_arrays(cases_[a], rank_, static_cast<std::uint64_t>(round) * 10 + a));
    std::vector<const void*> sources;
    std::vector<void*> targets;
    for (Arrays& each : arrays) {
      sources.push_back(each.source.data());
      targets.push_back(each.target.data());
    }
    if (misuse == Misuse::kNullBuffer) sources[1] = nullptr;
    if (misuse == Misuse::kSmallBuffer) targets.pop_back();
    {
      const Faulty faulty;
      job_->execute(sources, targets);
    }
    for (const Arrays& each : arrays) {
      if (const std::string wrong = difference(each.target, each.expected); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::vector<Case> cases_;
  int rank_;
  std::optional<RedistributionBatch> job_;
};

// ---- Exchange

class ExchangeSubject final : public Subject {
 public:
  enum class Form {
    kPlain,
    kDetours,
    kHalves,  ///< the network is take_for_halves
  };

  ExchangeSubject(MPI_Comm comm, ExchangeMode mode, std::int64_t bytes, Form form = Form::kPlain)
      : rank_(rank_in(comm)) {
    if (form == Form::kHalves) take_for_halves(comm);
    for (int peer = 0; peer < size_of(comm); ++peer) sends_.push_back({peer, bytes + 100 * peer});
    ExchangeOptions options;
    options.mode = mode;
    if (mode != ExchangeMode::kAuto) options.algorithm = "weights";
    options.chunk_bytes = mode == ExchangeMode::kAuto ? 0 : 3000;
    if (form == Form::kDetours) {
      TrafficTable table;
      for (int from = 0; from < size_of(comm); ++from) {
        std::vector<std::int64_t>& row = table.emplace_back();
        for (const MessageSize& message : sends_) row.push_back(message.bytes);
      }
      Draw draw(5);
      options.schedule = random_detours(between_ranks(table), size_of(comm), draw);
    }
    const Faulty faulty;
    job_.emplace(comm, sends_, options);
    if (form == Form::kHalves) wrong_ = wrong_in_halves(comm, job_->explanation());
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<std::byte> out(static_cast<std::size_t>(job_->send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job_->receive_bytes()));
    fill(sends_, rank_, round, out);
    if (misuse == Misuse::kNullBuffer) out.clear();
    if (misuse == Misuse::kSmallBuffer) in.pop_back();
    {
      const Faulty faulty;
      job_->execute(out, in);
    }
    return wrong_.empty() ? wrong_byte(job_->receives(), rank_, round, in) : wrong_;
  }

 private:
  int rank_;
  std::string wrong_;
  std::vector<MessageSize> sends_;
  std::optional<Exchange> job_;
};

/// Messages with gaps, between neighbours.
class TypedSubject final : public Subject {
 public:
  explicit TypedSubject(MPI_Comm comm) : rank_(rank_in(comm)), size_(size_of(comm)) {
    MPI_Type_vector(kCount, 1, 2, MPI_INT, &type_);
    MPI_Type_commit(&type_);
    const std::vector<TypedMessage> sends{{(rank_ + 1) % size_, 0, 1, type_}};
    const std::vector<TypedMessage> receives{{(rank_ + size_ - 1) % size_, 0, 1, type_}};
    const Faulty faulty;
    job_.emplace(comm, sends, receives);
  }
  ~TypedSubject() override {
    job_.reset();
    MPI_Type_free(&type_);
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<int> out(2 * kCount, -2);
    std::vector<int> in(2 * kCount, -1);
    for (std::size_t i = 0; i < kCount; ++i) out[2 * i] = value(rank_, i, round);
    {
      const Faulty faulty;
      job_->execute(misuse == Misuse::kNullBuffer ? nullptr : static_cast<const void*>(out.data()),
                    static_cast<void*>(in.data()));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      if (in[2 * i] != value((rank_ + size_ - 1) % size_, i, round) || in[2 * i + 1] != -1)
        return fmt::format("element {}", i);
    }
    return "";
  }

 private:
  static constexpr std::size_t kCount = 5000;
  static int value(int owner, std::size_t i, int round) { return static_cast<int>(i) * 100 + owner * 10 + round; }

  int rank_;
  int size_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::optional<Exchange> job_;
};

class DynamicSubject final : public Subject {
 public:
  explicit DynamicSubject(MPI_Comm comm) : rank_(rank_in(comm)), size_(size_of(comm)) {
    DynamicExchangeOptions options;
    options.max_transfers = 2;
    options.chunk_bytes = 3000;
    const Faulty faulty;
    job_.emplace(comm, options);
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<std::byte> out(20'000);
    for (std::size_t b = 0; b < out.size(); ++b) out[b] = exchanged_byte(rank_, 0, static_cast<std::int64_t>(b), round);
    std::exception_ptr refused;
    if (misuse == Misuse::kNullBuffer) {
      try {
        job_->post((rank_ + 1) % size_, std::span<const std::byte>(static_cast<const std::byte*>(nullptr), 10));
      } catch (const InputError&) {
        refused = std::current_exception();
      }
    }
    const std::string wrong = wrong_of(out, round);
    if (refused && wrong.empty()) std::rethrow_exception(refused);
    return wrong;
  }

 private:
  std::string wrong_of(const std::vector<std::byte>& out, int round) {
    const std::vector<ReceivedMessage> all = round_of(out);
    if (all.size() != static_cast<std::size_t>(size_)) return fmt::format("{} messages", all.size());
    for (const ReceivedMessage& message : all) {
      for (std::size_t b = 0; b < message.bytes.size(); ++b) {
        if (message.bytes[b] != exchanged_byte(message.from, 0, static_cast<std::int64_t>(b), round))
          return fmt::format("byte {} from rank {}", b, message.from);
      }
    }
    return "";
  }
  std::vector<ReceivedMessage> round_of(const std::vector<std::byte>& out) {
    const Faulty faulty;
    for (int peer = 0; peer < size_; ++peer) job_->post(peer, out);
    return job_->finish();
  }

  int rank_;
  int size_;
  std::optional<DynamicExchange> job_;
};

// ---- Reductions

void add_doubles(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) static_cast<double*>(inout)[i] += static_cast<const double*>(in)[i];
}
/// An operation of the program, which may cost anything for all that a job knows. It lasts until MPI ends.
MPI_Op own_sum() {
  static const MPI_Op made = [] {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add_doubles, 1, &op);
    return op;
  }();
  return made;
}

template <class Number>
class ElementSubject final : public Subject {
 public:
  ElementSubject(
      MPI_Comm comm, MPI_Datatype type, std::int64_t count, const ReductionOptions& options,
      MPI_Op (*operation)() = [] { return static_cast<MPI_Op>(MPI_SUM); })
      : rank_(rank_in(comm)), size_(size_of(comm)), count_(count) {
    const MPI_Op op = operation();
    const Faulty faulty;
    job_.emplace(comm, ElementOperation{count, type, op}, 0, options);
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<Number> own(static_cast<std::size_t>(count_));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = value(rank_, i, round);
    std::vector<Number> result(own.size(), -1);
    {
      const Faulty faulty;
      job_->execute(misuse == Misuse::kNullBuffer ? nullptr : own.data(), result.data());
    }
    for (std::size_t i = 0; rank_ == 0 && i < own.size(); ++i) {
      Number expected = 0;
      for (int r = 0; r < size_; ++r) expected += value(r, i, round);
      if (result[i] != expected) return fmt::format("element {}: {}, expected {}", i, result[i], expected);
    }
    return "";
  }

 private:
  static Number value(int owner, std::size_t i, int round) {
    return static_cast<Number>(static_cast<int>(i % 1000) * 100 + owner * 10 + round);
  }

  int rank_;
  int size_;
  std::int64_t count_;
  std::optional<ElementReduction> job_;
};

class ObjectSubject final : public Subject {
 public:
  ObjectSubject(MPI_Comm comm, const ReductionOptions& options) : rank_(rank_in(comm)), size_(size_of(comm)) {
    const auto combine = [this](std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
      if (throws_) throw_of_callback();
      result.assign(left.begin(), left.end());
      result.insert(result.end(), right.begin(), right.end());
    };
    const ObjectOperation operation{combine, false};
    const Faulty faulty;
    job_.emplace(comm, operation, 0, options);
  }
  std::string execute(int round, Misuse misuse) override {
    throws_ = misuse == Misuse::kThrowingCallback;
    const Bytes own = word(rank_, round);
    Bytes result;
    {
      const Faulty faulty;
      job_->execute(own, result);
    }
    Bytes expected;
    for (int r = 0; r < size_; ++r) {
      const Bytes each = word(r, round);
      expected.insert(expected.end(), each.begin(), each.end());
    }
    return rank_ != 0 || result == expected ? "" : "the object";
  }

 private:
  static Bytes word(int owner, int round) {
    return Bytes(static_cast<std::size_t>(5000 + owner), static_cast<std::byte>(owner * 10 + round));
  }

  int rank_;
  int size_;
  bool throws_ = false;
  std::optional<ObjectReduction> job_;
};

// ---- Broadcast

class BroadcastSubject final : public Subject {
 public:
  BroadcastSubject(MPI_Comm comm, std::int64_t bytes, const BroadcastOptions& options)
      : rank_(rank_in(comm)), bytes_(bytes) {
    const Faulty faulty;
    job_.emplace(comm, 0, options);
  }
  std::string execute(int round, Misuse misuse) override {
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes_));
    const auto value = [&](std::int64_t b) { return exchanged_byte(0, 0, b, round); };
    for (std::int64_t b = 0; rank_ == 0 && b < bytes_; ++b) buffer[static_cast<std::size_t>(b)] = value(b);
    {
      const Faulty faulty;
      job_->execute(misuse == Misuse::kNullBuffer ? nullptr : buffer.data(), bytes_);
    }
    for (std::int64_t b = 0; b < bytes_; ++b) {
      if (buffer[static_cast<std::size_t>(b)] != value(b)) return fmt::format("byte {}", b);
    }
    return "";
  }

 private:
  int rank_;
  std::int64_t bytes_;
  std::optional<Broadcast> job_;
};

// ---- Other collectives

class MovingSubject final : public Subject {
 public:
  MovingSubject(MPI_Comm comm, Collective problem, std::int64_t bytes, const CollectiveOptions& options)
      : rank_(rank_in(comm)), shape_(shape_of(comm, problem, bytes, 0)) {
    const Faulty faulty;
    job_.emplace(comm, problem, bytes, 0, options);
  }
  /// Blocks of different sizes.
  MovingSubject(MPI_Comm comm, Collective problem) : rank_(rank_in(comm)), shape_(shape_of(comm, problem, 0, 0)) {
    std::vector<std::int64_t> blocks(problem == Collective::kAlltoall ? size_of(comm) * size_of(comm) : size_of(comm));
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = static_cast<std::int64_t>(500 + 300 * (b % 7));
    set_blocks(shape_, blocks);
    const Faulty faulty;
    job_.emplace(comm, problem, blocks, 0);
  }
  std::string execute(int round, Misuse misuse) override {
    const auto salt = static_cast<std::uint64_t>(round);
    const std::vector<std::byte> own = bytes_in(ranges_at_start(shape_, rank_), salt);
    const std::vector<std::byte> expected = bytes_in(ranges_at_end(shape_, rank_), salt);
    std::vector<std::byte> result(expected.size());
    const bool null = misuse == Misuse::kNullBuffer;
    {
      const Faulty faulty;
      job_->execute(null ? nullptr : own.data(), null ? nullptr : result.data());
    }
    return difference(result, expected);
  }

 private:
  int rank_;
  Program shape_;
  std::optional<CollectiveJob> job_;
};

class CombiningSubject final : public Subject {
 public:
  CombiningSubject(MPI_Comm comm, Collective problem, std::int64_t count, const CollectiveOptions& options)
      : comm_(comm), problem_(problem), count_(count) {
    const Faulty faulty;
    job_.emplace(comm, problem, operation_.on(count), options);
  }
  std::string execute(int round, Misuse misuse) override {
    const std::vector<std::byte> own =
        affine_elements(operation_, rank_in(comm_), count_, static_cast<std::uint64_t>(round));
    const std::vector<std::byte> expected =
        affine_results(operation_, affine_shape(comm_, problem_, count_), comm_, static_cast<std::uint64_t>(round));
    std::vector<std::byte> result(expected.size());
    {
      const Faulty faulty;
      job_->execute(misuse == Misuse::kNullBuffer ? nullptr : own.data(), result.data());
    }
    return difference(result, expected);
  }

 private:
  MPI_Comm comm_;
  Collective problem_;
  std::int64_t count_;
  AffineOperation operation_;
  std::optional<CollectiveJob> job_;
};

/// By an algorithm over a platform.
template <class Kind>
SubjectKind planned_collective(Collective problem, const char* algorithm, std::int64_t size) {
  return {std::string(to_string(problem)) + " by " + algorithm,
          [=](MPI_Comm comm) {
            CollectiveOptions options;
            options.platform = platform_of(size_of(comm), 2);
            options.algorithm = algorithm;
            return std::make_unique<Kind>(comm, problem, size, options);
          },
          {Misuse::kNullBuffer},
          false,
          false};
}

// ---- What measures

class ProbeSubject final : public Subject {
 public:
  explicit ProbeSubject(MPI_Comm comm) : comm_(comm) {}
  std::string execute(int /*round*/, Misuse misuse) override {
    ProbeOptions options;
    options.time_budget_s = 0.02;
    if (misuse == Misuse::kThrowingCallback) {
      options.progress = [](std::int64_t, std::int64_t, const std::string&) { throw_of_callback(); };
    }
    const Faulty faulty;
    return probe(comm_, options).ranks == size_of(comm_) ? "" : "the number of ranks";
  }

 private:
  MPI_Comm comm_;
};

class RampSubject final : public Subject {
 public:
  explicit RampSubject(MPI_Comm comm) : comm_(comm) {}
  std::string execute(int /*round*/, Misuse /*misuse*/) override {
    const std::vector<MessageSize> sends{{(rank_in(comm_) + 1) % size_of(comm_), 1000}};
    const Faulty faulty;
    const TransferRamp ramp = measure_max_transfers(comm_, sends, 0.005);
    return ramp.max_transfers >= 1 ? "" : "k";
  }

 private:
  MPI_Comm comm_;
};

/// Measures anew in each execution.
class NetworkSubject final : public Subject {
 public:
  explicit NetworkSubject(MPI_Comm comm) : comm_(comm) {}

  std::string execute(int /*round*/, Misuse /*misuse*/) override {
    forget_network(comm_);
    const Faulty faulty;
    return network(comm_).hosts() == size_of(comm_) ? "" : "the number of hosts";
  }

 private:
  MPI_Comm comm_;
};

template <class Kind, class... Arguments>
SubjectKind kind(std::string name, std::vector<Misuse> misuses, Arguments... arguments) {
  return {std::move(name), [arguments...](MPI_Comm comm) { return std::make_unique<Kind>(comm, arguments...); },
          std::move(misuses), false, false};
}

SubjectKind slow(SubjectKind kind) {
  kind.slow = true;
  return kind;
}

SubjectKind in_turns(SubjectKind kind) {
  kind.takes_turns = true;
  return kind;
}

SubjectKind with_two_plans(SubjectKind kind) {
  kind.two_plans = true;
  return in_turns(std::move(kind));
}

SubjectKind between_hosts(SubjectKind kind) {
  kind.name += " between hosts";
  kind.hosts = true;
  return kind;
}

SubjectKind seldom(SubjectKind kind) {
  kind.seldom = true;
  return kind;
}

SubjectKind harmless(SubjectKind kind) {
  kind.harmless = true;
  return kind;
}

}  // namespace

std::vector<SubjectKind> subject_kinds() {
  using Form = RedistributionSubject::Form;
  const std::vector<Misuse> null{Misuse::kNullBuffer};
  const std::vector<Misuse> buffers{Misuse::kNullBuffer, Misuse::kSmallBuffer};
  const std::vector<Misuse> callback{Misuse::kThrowingCallback};
  const auto options = [](auto change) {
    ReductionOptions result;
    change(result);
    return result;
  };
  CollectiveOptions tried;
  tried.reproducible = false;
  std::vector<SubjectKind> all{
      in_turns(kind<RedistributionSubject>("redistribution", null, std::int64_t{4096}, ExchangeMode::kAuto)),
      in_turns(kind<ExchangeSubject>("exchange", buffers, ExchangeMode::kAuto, std::int64_t{2000})),
      harmless(kind<DynamicSubject>("dynamic exchange", null)),
      kind<ElementSubject<double>>("short sum", null, MPI_DOUBLE, std::int64_t{1000}, ReductionOptions{}),
      kind<ElementSubject<double>>("long sum", null, MPI_DOUBLE, std::int64_t{60'000}, ReductionOptions{}),
      in_turns(kind<ElementSubject<std::int64_t>>("sum of integers", null, MPI_INT64_T, std::int64_t{1000},
                                                  ReductionOptions{})),
      with_two_plans(kind<ElementSubject<double>>("sum by an own operation", null, MPI_DOUBLE, std::int64_t{1000},
                                                  ReductionOptions{}, own_sum)),
      kind<ObjectSubject>("objects", callback, ReductionOptions{}),
      kind<BroadcastSubject>("broadcast", null, std::int64_t{10'000}, BroadcastOptions{}),
      in_turns(kind<MovingSubject>("allgather", null, Collective::kAllgather, std::int64_t{3000}, CollectiveOptions{})),
      in_turns(kind<CombiningSubject>("allreduce", null, Collective::kAllreduce, std::int64_t{500}, tried)),
      slow(kind<ProbeSubject>("probe", callback)),
      slow(between_hosts(kind<NetworkSubject>("network", {}))),
      seldom(between_hosts(kind<RedistributionSubject>("long redistribution", null, std::int64_t{4096},
                                                       ExchangeMode::kAuto, Form::kLong))),
      seldom(in_turns(between_hosts(kind<RedistributionSubject>(
          "redistribution over a shared link", null, std::int64_t{4096}, ExchangeMode::kAuto, Form::kHalves)))),
      seldom(in_turns(between_hosts(kind<ExchangeSubject>("exchange over a shared link", buffers, ExchangeMode::kAuto,
                                                          long_for_network(), ExchangeSubject::Form::kHalves)))),
      // Integers: by default, the way is planned for the measured network.
      slow(between_hosts(kind<ElementSubject<int>>("sum", null, MPI_INT, std::int64_t{9000}, ReductionOptions{}))),
      // Doubles: by default, the way is planned for a usual network.
      between_hosts(
          kind<ElementSubject<double>>("sum of doubles", null, MPI_DOUBLE, std::int64_t{9000}, ReductionOptions{})),
      in_turns(between_hosts(
          kind<MovingSubject>("allgather", null, Collective::kAllgather, std::int64_t{3000}, CollectiveOptions{}))),
      between_hosts(
          kind<CombiningSubject>("allreduce", null, Collective::kAllreduce, std::int64_t{500}, CollectiveOptions{})),
      seldom(in_turns(
          between_hosts(kind<RedistributionSubject>("redistribution", null, std::int64_t{4096}, ExchangeMode::kAuto)))),
      seldom(
          in_turns(between_hosts(kind<ExchangeSubject>("exchange", buffers, ExchangeMode::kAuto, std::int64_t{2000})))),
      between_hosts(kind<BroadcastSubject>("broadcast", null, std::int64_t{10'000}, BroadcastOptions{})),

      kind<RedistributionSubject>("redistribution by memory", null, std::int64_t{0}, ExchangeMode::kLocal),
      kind<RedistributionSubject>("redistribution by messages", null, std::int64_t{-1}, ExchangeMode::kLocal),
      kind<RedistributionSubject>("redistribution, one port kept", null, std::int64_t{-1}, ExchangeMode::kChain),
      in_turns(kind<RedistributionSubject>("redistribution that combines", callback, std::int64_t{4096},
                                           ExchangeMode::kAuto, Form::kCombined)),
      seldom(in_turns(kind<RedistributionSubject>("redistribution of cut blocks", null, std::int64_t{4096},
                                                  ExchangeMode::kAuto, Form::kCut))),
      kind<RedistributionSubject>("redistribution of cut blocks, one port kept", null, std::int64_t{-1},
                                  ExchangeMode::kChain, Form::kCut),
      seldom(kind<RedistributionSubject>("redistribution of copies", null, std::int64_t{4096}, ExchangeMode::kAuto,
                                         Form::kCopied)),
      seldom(kind<RedistributionSubject>("redistribution of copies in a chain", null, std::int64_t{4096},
                                         ExchangeMode::kAuto, Form::kChained)),
      seldom(in_turns(kind<BatchSubject>("batch of arrays", buffers))),
      kind<TypedSubject>("exchange of types", null),
      kind<ElementSubject<double>>("sum in parts", null, MPI_DOUBLE, std::int64_t{3000},
                                   options([](auto& o) { o.segments = 5; })),
      kind<ElementSubject<double>>("sum by reduce-scatter", null, MPI_DOUBLE, std::int64_t{3000},
                                   options([](auto& o) { o.algorithm = "reduce-scatter"; })),
      kind<ElementSubject<double>>("sum of measured costs", null, MPI_DOUBLE, std::int64_t{3000},
                                   options([](auto& o) { o.measure = true; })),
      kind<ObjectSubject>("objects of measured costs", callback, options([](auto& o) { o.measure = true; })),
      slow(kind<RampSubject>("measuring k", {})),
  };
  for (const ExchangeMode mode : {ExchangeMode::kChain, ExchangeMode::kLocal, ExchangeMode::kBarrier,
                                  ExchangeMode::kList, ExchangeMode::kAtOnce}) {
    all.push_back(kind<ExchangeSubject>("exchange, " + to_string(mode), buffers, mode, std::int64_t{20'000}));
  }
  for (const ExchangeMode mode : {ExchangeMode::kChain, ExchangeMode::kLocal, ExchangeMode::kBarrier}) {
    all.push_back(kind<ExchangeSubject>("exchange with local phases, " + to_string(mode), buffers, mode,
                                        std::int64_t{20'000}, ExchangeSubject::Form::kDetours));
  }
  for (const Collective problem :
       {Collective::kScatter, Collective::kGather, Collective::kAllgather, Collective::kAlltoall}) {
    all.push_back(seldom(in_turns(kind<MovingSubject>(std::string(to_string(problem)) + " of blocks", null, problem))));
  }
  all.push_back({"sum over a platform",
                 [](MPI_Comm comm) {
                   ReductionOptions over;
                   over.platform = platform_of(size_of(comm), 2);
                   over.algorithm = "ecef";
                   return std::make_unique<ElementSubject<double>>(comm, MPI_DOUBLE, 3000, over);
                 },
                 null, false, false});
  all.push_back(planned_collective<MovingSubject>(Collective::kScatter, "binomial", 9000));
  all.push_back(planned_collective<MovingSubject>(Collective::kGather, "flat", 9000));
  all.push_back(planned_collective<MovingSubject>(Collective::kAlltoall, "bruck", 9000));
  all.push_back(planned_collective<CombiningSubject>(Collective::kReduceScatter, "pairwise", 900));
  all.push_back(planned_collective<CombiningSubject>(Collective::kAllreduce, "recursive-doubling", 900));
  for (const char* algorithm : {"auto", "ecef", "pipelined", "parallel-entry"}) {
    all.push_back({std::string("broadcast over a platform, ") + algorithm,
                   [algorithm](MPI_Comm comm) {
                     BroadcastOptions over;
                     over.platform = platform_of(size_of(comm), 2);
                     if (std::string(algorithm) == "ecef") {
                       for (PlatformCluster& cluster : over.platform->clusters)
                         cluster.broadcast = GapTable({{1, 1e-5}, {1 << 20, 1e-3}});
                     }
                     over.plan.algorithm = algorithm;
                     return std::make_unique<BroadcastSubject>(comm, 30'000, over);
                   },
                   null, false, std::string(algorithm) == "auto"});
  }
  return all;
}

}  // namespace sluice::mpi::testing
