#pragma once

#include <sluice/sluice.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/input/matrix_part.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/speeds.hpp"
#include "sluice/schedule/program.hpp"

struct sluice_platform {
  sluice::Platform platform;
};

struct sluice_program {
  sluice::Program program;
  std::string problem;  ///< the name of its problem
};

struct sluice_options {
  using Value = std::variant<std::string, std::int64_t, double, std::vector<std::int64_t>, std::vector<double>,
                             sluice::Platform, sluice::Program>;
  std::map<std::string, Value> values;
};

namespace sluice::c {

/// Puts `program` into a new handle.
void put(Program program, sluice_program** into);

/// Takes the options that a function knows, one after the other. Those not set leave what they are read into as it is.
/// Throws InputError for a value of another kind, or out of range.
class OptionReader {
 public:
  /// `options` may be null.
  explicit OptionReader(const sluice_options* options) : options_(options) {}

  void read(const char* name, std::string& into);
  void read(const char* name, bool& into);
  void read(const char* name, double& into);
  void read(const char* name, std::int64_t& into);
  void read(const char* name, int& into);
  void read(const char* name, std::vector<std::int64_t>& into);
  void read(const char* name, std::vector<int>& into);
  void read(const char* name, std::vector<double>& into);
  void read(const char* name, Platform& into);
  void read(const char* name, Program& into);
  /// "part" and "unit_diagonal". Throws InputError as part_of_side does.
  void read_part(MatrixPart& part, bool& unit_diagonal);
  template <class Value>
  void read(const char* name, std::optional<Value>& into) {
    if (!has(name)) {
      known_.emplace_back(name);
      return;
    }
    Value value{};
    read(name, value);
    into = std::move(value);
  }
  [[nodiscard]] bool has(const std::string& name) const;

  /// The speeds of the nodes and of the backbone: sender_speeds, receiver_speeds, backbone_times,
  /// backbone_max_transfers. Throws InputError as speeds_of does, and for a backbone beside max_transfers.
  [[nodiscard]] NetworkSpeeds read_speeds();

  /// After all were read: throws InputError for a name that is set but was not asked for.
  void done() const;

 private:
  template <class Value>
  [[nodiscard]] const Value* find(const char* name, const char* expected);

  const sluice_options* options_;
  std::vector<std::string> known_;
};

}  // namespace sluice::c
