#include "pmpi/other_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "own_mpi.hpp"

namespace sluice::pmpi {
namespace {

constexpr const char* kGetVersion = "PMPI_Get_library_version";

/// What the file of an object says of its MPI.
struct Found {
  std::string mpi;      ///< its name; empty: none
  bool itself = false;  ///< it is that MPI, not one that needs it
};

Found mpi_of(const char* object) {
  void* const handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return {};
  Found found;
  if (void* const function = dlsym(handle, kGetVersion); function != nullptr) {
    Dl_info info{};
    found.itself =
        dladdr(function, &info) != 0 && info.dli_fname != nullptr && std::string_view(info.dli_fname) == object;
    found.mpi = name_of_mpi(reinterpret_cast<int (*)(char*, int*)>(function));
  }
  dlclose(handle);
  return found;
}

/// The name of an MPI that is loaded and that this library was not built for; empty if there is none.
std::string find_other_mpi() {
  std::vector<std::string> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(info->dlpi_name);
        return 0;
      },
      &objects);
  for (const std::string& object : objects) {
    if (object.find("mpi") == std::string::npos) continue;
    const Found found = mpi_of(object.c_str());
    if (found.itself && !is_own_mpi(found.mpi)) return found.mpi;
  }
  return {};
}

/// From the launcher's variables: no call of MPI is possible here.
bool is_first_rank() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(variable);
    if (rank != nullptr) return std::string_view(rank) == "0";
  }
  return true;
}

void say(const std::string& mpi, const char* what) {
  std::fprintf(stderr, "sluice: this library was built for %s, the program runs with %s: %s\n", own_mpi().c_str(),
               mpi.c_str(), what);
}

[[noreturn]] void end_program(const std::string& mpi) {
  say(mpi, "preload the one for that");
  std::exit(1);
}

/// The list of LD_PRELOAD without this library.
std::string without_this(std::string_view list) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&require_own_mpi), &info) == 0 || info.dli_fname == nullptr)
    return std::string(list);
  const std::filesystem::path own = info.dli_fname;
  std::string rest;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(": "), list.size());
    const std::string_view each = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    std::error_code ignored;
    // A name without a folder was looked up in the path of libraries.
    const bool is_this = each.find('/') == std::string_view::npos ? own.filename() == each
                                                                  : std::filesystem::equivalent(each, own, ignored);
    if (each.empty() || is_this) continue;
    if (!rest.empty()) rest += ':';
    rest += each;
  }
  return rest;
}

/// Starts this process's program again, with the same arguments. Returns if that cannot be done.
void start_again() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  if (words.empty()) return;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Starts the program by its own name, which tools show, if that name leads to it.
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) execv(program.c_str(), arguments.data());
  execv("/proc/self/exe", arguments.data());
}

/// When the library is loaded. MPI_Get_library_version may be called at any time.
__attribute__((constructor)) void leave_other_mpi() {
  std::string mpi;
  try {
    mpi = find_other_mpi();
    if (mpi.empty()) return;
    const char* const preloaded = std::getenv("LD_PRELOAD");
    const std::string list = preloaded == nullptr ? "" : preloaded;
    const std::string rest = without_this(list);
    if (rest.size() < list.size()) {
      if (is_first_rank()) say(mpi, "the program runs without the library; preload the one for that");
      if (rest.empty() ? unsetenv("LD_PRELOAD") == 0 : setenv("LD_PRELOAD", rest.c_str(), 1) == 0) start_again();
    }
  } catch (const std::exception&) {
    if (mpi.empty()) return;
  }
  end_program(mpi);  // linked, not preloaded; or there is no /proc
}

}  // namespace

void require_own_mpi(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  const Found found = mpi_of(info.dli_fname);
  if (!is_own_mpi(found.mpi)) end_program(found.mpi);
}

}  // namespace sluice::pmpi
