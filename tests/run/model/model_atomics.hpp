#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine.hpp"

namespace sluice::model {

/// A fault put into one operation of the code that is checked.
enum class Fault {
  kWeaker,       ///< its order is relaxed; a fence is not there
  kHalf,         ///< a fence of sequential consistency is one of acquire and release
  kForgotten,    ///< a store, or an addition, is not done
  kTorn,         ///< an addition is a load and a store
  kNotLookedAt,  ///< a load returns what the thread has found there last
};
enum class Kind { kLoad, kStore, kAdd, kFence };

/// An operation of the code: there is one of a kind in a line.
struct Site {
  std::string file;
  int line = 0;
  Kind kind = Kind::kLoad;
  Order order = Order::kRelaxed;

  friend auto operator<=>(const Site&, const Site&) = default;
};
struct Mutant {
  Site site;
  Fault fault = Fault::kWeaker;
};

/// The operations that have been carried out since the program began.
[[nodiscard]] std::vector<Site> sites_seen();
/// Every fault that a site can have.
[[nodiscard]] std::vector<Mutant> mutants_of(const Site& site);
[[nodiscard]] std::string text_of(const Mutant& mutant);
/// What the code has from here on.
void set_mutant(const std::optional<Mutant>& mutant);
/// Before each schedule.
void forget_what_was_found();

namespace detail {
[[nodiscard]] std::uint64_t mutable_load(const void* at, std::memory_order order, Place place);
void mutable_store(const void* at, std::uint64_t value, std::memory_order order, Place place);
void mutable_add(const void* at, std::uint64_t value, std::memory_order order, Place place);
void mutable_fence(std::memory_order order, Place place);
}  // namespace detail

/// A number of shared memory. The model has its contents, by its address. It is as long as the number that it stands
/// for, so that everything lies in its usual place.
template <class T>
class ModelWord {
 public:
  ModelWord(T value = 0) { set_word(this, static_cast<std::uint64_t>(value), {}); }
  ModelWord(const ModelWord& other) { set_word(this, model::load(&other, Order::kRelaxed, {}), {}); }
  ModelWord& operator=(const ModelWord&) = delete;

 private:
  [[maybe_unused]] T unused_{};
};

template <class T>
class ModelPlain {
 public:
  ModelPlain(T value = 0) { write_plain(this, static_cast<std::uint64_t>(value), {}); }
  ModelPlain(const ModelPlain& other) : ModelPlain(static_cast<T>(other)) {}
  ModelPlain& operator=(const ModelPlain&) = delete;
  ModelPlain& operator=(T value) {
    write_plain(this, static_cast<std::uint64_t>(value), {});
    return *this;
  }
  operator T() const { return static_cast<T>(read_plain(this, {})); }

 private:
  [[maybe_unused]] T unused_{};
};

class ModelByte {
 public:
  void write(int value, int line = __builtin_LINE()) {
    write_plain(this, static_cast<std::uint64_t>(value), {"scenario", line});
  }
  [[nodiscard]] int read(int line = __builtin_LINE()) const {
    return static_cast<int>(read_plain(this, {"scenario", line}));
  }

 private:
  [[maybe_unused]] char unused_;
};

/// Stands in for HostAtomics.
struct ModelAtomics {
  template <class T>
  using Word = ModelWord<T>;
  template <class T>
  using Plain = ModelPlain<T>;
  using Byte = ModelByte;

  template <class T>
  [[nodiscard]] static T load(const ModelWord<T>& word, std::memory_order order, int line = __builtin_LINE(),
                              const char* file = __builtin_FILE()) {
    return static_cast<T>(detail::mutable_load(&word, order, {file, line}));
  }
  template <class T>
  static void store(ModelWord<T>& word, T value, std::memory_order order, int line = __builtin_LINE(),
                    const char* file = __builtin_FILE()) {
    detail::mutable_store(&word, static_cast<std::uint64_t>(value), order, {file, line});
  }
  template <class T>
  static void add(ModelWord<T>& word, T value, std::memory_order order, int line = __builtin_LINE(),
                  const char* file = __builtin_FILE()) {
    detail::mutable_add(&word, static_cast<std::uint64_t>(value), order, {file, line});
  }
  static void fence(std::memory_order order, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
    detail::mutable_fence(order, {file, line});
  }
};

}  // namespace sluice::model
