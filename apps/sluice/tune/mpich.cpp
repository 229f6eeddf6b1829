#include "apps/sluice/tune/mpich.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"

namespace sluice::command {

namespace {

// The order of conditions counts: the first that holds decides.
using Tree = nlohmann::ordered_json;

constexpr std::string_view kBegin = R"({"collective=)";
constexpr std::string_view kIntra = "comm_type=intra";
constexpr std::string_view kAlgorithm = "algorithm=";

std::string collective_key(Call call) { return fmt::format("collective={}", kind_of(call).name); }

std::string algorithm_prefix(Call call) { return fmt::format("MPIR_{}_intra_", kind_of(call).mpich_as); }

bool has_all_calls(const Tree& tree) {
  if (!tree.is_object()) return false;
  for (const Call call : tunable_calls(Library::kMpich)) {
    const auto found = tree.find(collective_key(call));
    if (found == tree.end() || !found->contains(kIntra)) return false;
    if (found->dump().find(algorithm_prefix(call)) == std::string::npos) return false;
  }
  return true;
}

constexpr const char* kALibrary = "a libmpich.so with a selection of algorithms, such as MPICH 4.0's";

/// Its text, if the file has one. Throws InputError if it cannot be read.
std::optional<std::string> selection_in(const std::string& file) {
  const FileContents contents = read_file(file, kALibrary);
  const std::string_view bytes = contents.text();
  for (std::size_t at = bytes.find(kBegin); at != std::string::npos; at = bytes.find(kBegin, at + 1)) {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    std::string text(bytes.substr(at, end - at));
    const Tree tree = Tree::parse(text, nullptr, false);
    if (!tree.is_discarded() && has_all_calls(tree)) return text;
  }
  return std::nullopt;
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) folders = parse_list(path, ':');
  std::erase(folders, "");
  std::error_code ignored;
  std::vector<std::string> own;  // Debian's, one for each architecture
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib", ignored))
    if (entry.path().filename().string().find("-linux-gnu") != std::string::npos) own.push_back(entry.path().string());
  std::sort(own.begin(), own.end());
  folders.insert(folders.end(), own.begin(), own.end());
  for (const char* folder : {"/usr/lib64", "/usr/lib64/mpich/lib", "/usr/lib", "/usr/local/lib"})
    folders.emplace_back(folder);
  return folders;
}

/// What comes behind `name` in `key`, as a number.
std::optional<std::int64_t> number_behind(std::string_view key, std::string_view name) {
  if (!key.starts_with(name)) return std::nullopt;
  const std::string rest(key.substr(name.size()));
  if (rest.empty() || rest.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::strtoll(rest.c_str(), nullptr, 10);
}

/// Whether a condition on the size of a communicator holds; nothing for others.
std::optional<bool> holds_for_ranks(std::string_view key, std::int64_t ranks) {
  if (const auto most = number_behind(key, "comm_size<=")) return ranks <= *most;
  if (const auto end = number_behind(key, "comm_size<")) return ranks < *end;
  if (key == "comm_size=pow2") return std::has_single_bit(static_cast<std::uint64_t>(ranks));
  if (key == "comm_size=any") return true;
  return std::nullopt;
}

/// `tree` with conditions on the size of the communicator answered. MPICH 4.0.2 takes "comm_size<8" to hold for 8 where
/// it stands behind conditions on a call.
Tree answered(const Tree& tree, std::int64_t ranks) {
  Tree result = Tree::object();
  for (const auto& [key, value] : tree.items()) {
    const std::optional<bool> holds = holds_for_ranks(key, ranks);
    if (!holds) {
      result[key] = answered(value, ranks);
    } else if (*holds) {
      const Tree inner = answered(value, ranks);
      // Conditions before this one are of another kind and have failed, those behind it are never reached.
      for (const auto& [inner_key, inner_value] : inner.items()) result[inner_key] = inner_value;
      return result;
    }
  }
  return result;
}

/// Whether a condition holds for a usual call: of a built-in operation that commutes, enough elements, not in place, in
/// a communicator of one rank per host.
bool holds_for_call(std::string_view key, std::int64_t ranks, std::int64_t each, std::int64_t total) {
  if (const auto known = holds_for_ranks(key, ranks)) return *known;
  if (const auto most = number_behind(key, "avg_msg_size<=")) return each <= *most;
  if (const auto end = number_behind(key, "avg_msg_size<")) return each < *end;
  if (const auto most = number_behind(key, "total_msg_size<=")) return total <= *most;
  if (const auto end = number_behind(key, "total_msg_size<")) return total < *end;
  return key.ends_with("=any") || key == "is_commutative=yes" || key == "is_op_built_in=yes" ||
         key == "is_block_regular=yes" || key == "is_sendbuf_inplace=no" || key == "is_multi_threaded=no";
}

/// The name of the algorithm that `tree` takes; empty if none.
std::string algorithm_of(const Tree& tree, std::int64_t ranks, std::int64_t each, std::int64_t total) {
  for (const auto& [key, value] : tree.items()) {
    if (key.starts_with(kAlgorithm)) return key.substr(kAlgorithm.size());
    if (holds_for_call(key, ranks, each, total)) return algorithm_of(value, ranks, each, total);
  }
  return "";
}

std::int64_t total_of(const CallKind& kind, std::int64_t bytes, std::int64_t ranks) {
  return kind.mpich_counts_all ? bytes * ranks : bytes;
}

/// What decides for messages of `kind`: a chain of sizes; between these the library decides.
Tree by_size(const Tree& own, const std::vector<TunedSize>& sizes, const CallKind& kind, std::int64_t ranks) {
  const bool total = kind.mpich_counts_all || kind.problem == Collective::kReduceScatter;
  const auto below = [&](std::int64_t bytes) {
    return fmt::format("{}<{}", total ? "total_msg_size" : "avg_msg_size", total_of(kind, bytes, ranks));
  };
  Tree tree = Tree::object();
  std::int64_t end = 0;
  for (const TunedSize& size : sizes) {
    if (size.call != kind.call) continue;
    if (total_of(kind, size.below, ranks) > std::numeric_limits<int>::max()) break;
    if (size.bytes != end) tree[below(size.bytes)] = own;
    tree[below(size.below)] = {
        {fmt::format("{}{}{}", kAlgorithm, algorithm_prefix(kind.call), size.to.algorithm->name), Tree::object()}};
    end = size.below;
  }
  tree[total ? "total_msg_size=any" : "avg_msg_size=any"] = own;
  return tree;
}

/// The same for the calls that any of our algorithms is right for.
Tree where_right(const Tree& own, Tree tuned, const CallKind& kind) {
  if (kind.call == Call::kAlltoall)
    return {{"is_sendbuf_inplace=yes", own}, {"is_sendbuf_inplace=no", std::move(tuned)}};
  if (!kind.combines) return tuned;
  if (kind.problem != Collective::kReduceScatter) {
    Tree enough = {{"count<pow2", own}, {"count=any", std::move(tuned)}};
    tuned = {{"is_op_built_in=yes", std::move(enough)}, {"is_op_built_in=no", own}};
  }
  return {{"is_commutative=yes", std::move(tuned)}, {"is_commutative=no", own}};
}

}  // namespace

MpichSelection read_mpich_selection(const std::string& file) {
  if (!file.empty()) {
    std::optional<std::string> text = selection_in(file);
    if (!text) throw InputError(file, "no selection inside", kALibrary);
    return {file, std::move(*text)};
  }
  std::error_code ignored;
  for (const std::string& folder : library_folders()) {
    for (const char* name : {"libmpich.so.12", "libmpich.so", "libmpi.so.12"}) {
      const std::string path = folder + '/' + name;
      if (!std::filesystem::is_regular_file(path, ignored)) continue;
      if (std::optional<std::string> text = selection_in(path)) return {path, std::move(*text)};
    }
  }
  throw InputError("--library", "nothing, and no MPICH where libraries are", kALibrary);
}

std::optional<LibraryChoice> mpich_default(const MpichSelection& selection, Call call, std::int64_t ranks,
                                           std::int64_t bytes) {
  const CallKind& kind = kind_of(call);
  const Tree tree = Tree::parse(selection.text);
  const std::string name =
      algorithm_of(tree.at(collective_key(call)).at(std::string(kIntra)), ranks, bytes, total_of(kind, bytes, ranks));
  const std::string prefix = algorithm_prefix(call);
  for (const LibraryAlgorithm& algorithm : library_algorithms(Library::kMpich))
    if (algorithm.call == call && name == prefix + std::string(algorithm.name)) return LibraryChoice{&algorithm, 0};
  return std::nullopt;
}

std::string mpich_rules(const MpichSelection& selection, const std::vector<TunedSize>& sizes, std::int64_t ranks) {
  Tree tree = Tree::parse(selection.text);
  for (const Call call : tunable_calls(Library::kMpich)) {
    if (std::none_of(sizes.begin(), sizes.end(), [&](const TunedSize& size) { return size.call == call; })) continue;
    Tree& intra = tree[collective_key(call)][std::string(kIntra)];
    const Tree own = intra, here = answered(own, ranks);
    const CallKind& kind = kind_of(call);
    intra = {{fmt::format("comm_size<={}", ranks - 1), own},
             {fmt::format("comm_size<={}", ranks), where_right(here, by_size(here, sizes, kind, ranks), kind)},
             {"comm_size=any", own}};
  }
  return tree.dump(1) + '\n';
}

}  // namespace sluice::command
