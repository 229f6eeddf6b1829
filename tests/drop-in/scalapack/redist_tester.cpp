// Random calls of ScaLAPACK's redistributions, by ScaLAPACK and by libsluice_scalapack.so in one program: what they
// leave in memory must be the same to the last bit, gaps between columns included.
//
//     redist_tester LIBRARY [CASES [SEED]]
//
// The calls have all types, both kinds of matrices, and C and Fortran names. They have a global context (a line, a
// column, a grid, some of the ranks) or none. Their grids are on the same ranks of it, on others or on some. Every call
// is made twice, with other data. Some cases return later, and may use what the library has kept of them.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridmap(int* context, int* user_map, int leading_dimension, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
}

namespace {

int world_rank = 0;
int world_size = 1;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "error: %s\n", text.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

/// The same on all ranks.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int one_in) { return between(1, one_in) == 1; }
  std::vector<int> some_of(std::vector<int> all, std::size_t count) {
    for (std::size_t i = all.size(); i-- > 1;)
      std::swap(all[i], all[static_cast<std::size_t>(between(0, static_cast<int>(i)))]);
    all.resize(count);
    return all;
  }

 private:
  std::mt19937_64 generator_;
};

/// A BLACS grid over given ranks of the world, column by column of the grid.
struct Context {
  int handle = -1;
  int rows = 1;
  int columns = 1;
  std::vector<int> ranks;

  void open() {
    handle = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridmap(&handle, ranks.data(), rows, rows, columns);
  }
  void close() const {
    if (handle >= 0) Cblacs_gridexit(handle);
  }
};

Context random_grid(Draw& draw, const std::vector<int>& among) {
  Context grid;
  const int most = static_cast<int>(among.size());
  grid.rows = draw.between(1, most);
  grid.columns = draw.between(1, most / grid.rows);
  if (draw.chance(2)) std::swap(grid.rows, grid.columns);
  grid.ranks = draw.some_of(among, static_cast<std::size_t>(grid.rows * grid.columns));
  return grid;
}

struct Matrix {
  Context context;
  std::array<int, 9> descriptor{};
  int row = 1;
  int column = 1;
  int local_columns = 0;

  [[nodiscard]] std::size_t elements() const {
    return context.handle < 0 ? 0 : static_cast<std::size_t>(descriptor[8]) * static_cast<std::size_t>(local_columns);
  }
};

/// Number of indices of an axis that a process has, index by index.
int local_extent(int extent, int block, int first, int processes, int process) {
  int result = 0;
  for (int i = 0; i < extent; ++i) result += (i / block + first) % processes == process;
  return result;
}

struct Case {
  int m = 0;
  int n = 0;
  Matrix a;
  Matrix b;
  Context global;
  bool without_global = false;
  char type = 'd';
  bool trapezoidal = false;
  bool fortran = false;
  char uplo = 'U';
  char diag = 'N';
};

void random_matrix(Draw& draw, Matrix& matrix, int m, int n) {
  const Context& grid = matrix.context;
  const int rows = m + draw.between(0, 12);
  const int columns = n + draw.between(0, 12);
  matrix.row = draw.between(1, rows - m + 1);
  matrix.column = draw.between(1, columns - n + 1);
  const int most = draw.chance(2) ? 3 : 20;
  matrix.descriptor = {1,
                       -1,
                       rows,
                       columns,
                       draw.between(1, most),
                       draw.between(1, most),
                       draw.between(0, grid.rows - 1),
                       draw.between(0, grid.columns - 1),
                       0};
}

Case random_case(std::uint64_t seed) {
  Draw draw(seed);
  Case c;
  c.type = "isdcz"[draw.between(0, 4)];
  c.trapezoidal = draw.chance(2);
  c.fortran = draw.chance(2);
  c.without_global = draw.chance(4);
  c.uplo = "UuLlX"[draw.between(0, 4)];
  c.diag = "NnUuX"[draw.between(0, 4)];
  c.m = draw.chance(15) ? draw.between(0, 1) : draw.between(1, 60);
  c.n = draw.chance(15) ? draw.between(0, 1) : draw.between(1, 60);

  std::vector<int> all(static_cast<std::size_t>(world_size));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  c.global.ranks = all;
  if (!c.without_global) {
    // A line, a column, a grid; of all ranks, or of some.
    const std::size_t count = draw.chance(3) ? static_cast<std::size_t>(draw.between(1, world_size)) : all.size();
    c.global.ranks = draw.some_of(all, count);
    std::vector<int> divisors;
    for (int d = 1; d <= static_cast<int>(count); ++d)
      if (static_cast<int>(count) % d == 0) divisors.push_back(d);
    c.global.rows =
        draw.chance(2) ? 1 : divisors[static_cast<std::size_t>(draw.between(0, static_cast<int>(divisors.size()) - 1))];
    c.global.columns = static_cast<int>(count) / c.global.rows;
  }
  c.a.context = random_grid(draw, c.global.ranks);
  c.b.context = draw.chance(5) ? c.a.context : random_grid(draw, c.global.ranks);
  const auto used = c.a.context.ranks.size();
  if (draw.chance(4) && used < c.global.ranks.size()) {
    std::vector<int> others;
    for (const int rank : c.global.ranks)
      if (std::ranges::count(c.a.context.ranks, rank) == 0) others.push_back(rank);
    c.b.context = random_grid(draw, others);
  }
  random_matrix(draw, c.a, c.m, c.n);
  random_matrix(draw, c.b, c.m, c.n);
  return c;
}

/// Makes the contexts, and what of the descriptors is this rank's own. Collective over the world.
void open(Case& c, std::uint64_t seed) {
  Draw own(seed * 1000 + static_cast<std::uint64_t>(world_rank));
  if (!c.without_global) c.global.open();
  for (Matrix* matrix : {&c.a, &c.b}) {
    matrix->context.open();
    std::array<int, 9>& d = matrix->descriptor;
    if (matrix->context.handle < 0) {
      // Only -1 in place of the context may be looked at.
      for (int& value : d) value = own.between(-1000, 1000);
      d[1] = -1;
      matrix->row = own.between(-1000, 1000);
      matrix->column = own.between(-1000, 1000);
      continue;
    }
    int rows = 0, columns = 0, row = 0, column = 0;
    Cblacs_gridinfo(matrix->context.handle, &rows, &columns, &row, &column);
    d[1] = matrix->context.handle;
    d[0] = own.chance(3) ? own.between(-5, 600) : 1;  // REDIST does not look at the type
    const int local_rows = local_extent(d[2], d[4], d[6], rows, row);
    matrix->local_columns = local_extent(d[3], d[5], d[7], columns, column);
    d[8] = std::max(1, local_rows + (own.chance(2) ? own.between(0, 6) : 0));
  }
}

void close(const Case& c) {
  c.a.context.close();
  c.b.context.close();
  if (!c.without_global) c.global.close();
}

std::size_t bytes_of(char type) { return type == 'z' ? 16 : type == 'd' || type == 'c' ? 8 : 4; }

std::vector<std::byte> filled(std::size_t elements, std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> result(elements * bytes);
  std::mt19937_64 generator(seed);
  for (std::byte& each : result) each = static_cast<std::byte>(generator());
  return result;
}

std::string name_of(const Case& c) {
  std::string name = std::string("p") + c.type + (c.trapezoidal ? "trmr2d" : "gemr2d") + (c.without_global ? "o" : "");
  return c.fortran ? name + '_' : "C" + name;
}

void call(void* library, const Case& c, const std::byte* a, std::byte* b) {
  void* const function = dlsym(library, name_of(c).c_str());
  if (function == nullptr) fail("no " + name_of(c));
  const std::array<char, 2> uplo{c.uplo, 0}, diag{c.diag, 0};
  int m = c.m, n = c.n, ia = c.a.row, ja = c.a.column, ib = c.b.row, jb = c.b.column, context = c.global.handle;
  std::array<int, 9> da = c.a.descriptor, db = c.b.descriptor;
  const auto as = [&]<class Function>(Function* /*type*/) { return reinterpret_cast<Function*>(function); };
  using V = const void*;
  using I = int;
  using P = int*;
  if (c.fortran && c.trapezoidal) {
    // The hidden lengths stand behind all arguments.
    if (c.without_global) {
      as(static_cast<void (*)(V, V, P, P, V, P, P, P, void*, P, P, P, std::size_t, std::size_t)>(nullptr))(
          uplo.data(), diag.data(), &m, &n, a, &ia, &ja, da.data(), b, &ib, &jb, db.data(), 1, 1);
    } else {
      as(static_cast<void (*)(V, V, P, P, V, P, P, P, void*, P, P, P, P, std::size_t, std::size_t)>(nullptr))(
          uplo.data(), diag.data(), &m, &n, a, &ia, &ja, da.data(), b, &ib, &jb, db.data(), &context, 1, 1);
    }
  } else if (c.fortran) {
    if (c.without_global) {
      as(static_cast<void (*)(P, P, V, P, P, P, void*, P, P, P)>(nullptr))(&m, &n, a, &ia, &ja, da.data(), b, &ib, &jb,
                                                                           db.data());
    } else {
      as(static_cast<void (*)(P, P, V, P, P, P, void*, P, P, P, P)>(nullptr))(&m, &n, a, &ia, &ja, da.data(), b, &ib,
                                                                              &jb, db.data(), &context);
    }
  } else if (c.trapezoidal) {
    if (c.without_global) {
      as(static_cast<void (*)(V, V, I, I, V, I, I, P, void*, I, I, P)>(nullptr))(uplo.data(), diag.data(), m, n, a, ia,
                                                                                 ja, da.data(), b, ib, jb, db.data());
    } else {
      as(static_cast<void (*)(V, V, I, I, V, I, I, P, void*, I, I, P, I)>(nullptr))(
          uplo.data(), diag.data(), m, n, a, ia, ja, da.data(), b, ib, jb, db.data(), context);
    }
  } else if (c.without_global) {
    as(static_cast<void (*)(I, I, V, I, I, P, void*, I, I, P)>(nullptr))(m, n, a, ia, ja, da.data(), b, ib, jb,
                                                                         db.data());
  } else {
    as(static_cast<void (*)(I, I, V, I, I, P, void*, I, I, P, I)>(nullptr))(m, n, a, ia, ja, da.data(), b, ib, jb,
                                                                            db.data(), context);
  }
}

/// Whether some element was moved, and whether results differ, on this rank.
struct Outcome {
  int moved = 0;
  int differs = 0;
};

Outcome compare(void* scalapack, void* sluice, std::uint64_t seed) {
  Case c = random_case(seed);
  open(c, seed);
  Outcome outcome;
  const bool calls = c.without_global || c.global.handle >= 0;
  for (std::uint64_t time = 0; time < 2 && calls; ++time) {
    const std::size_t bytes = bytes_of(c.type);
    const std::uint64_t salt = seed * 64 + time * 32 + static_cast<std::uint64_t>(world_rank);
    const std::vector<std::byte> a = filled(c.a.elements(), bytes, salt);
    const std::vector<std::byte> before = filled(c.b.elements(), bytes, ~salt);
    std::vector<std::byte> expected = before;
    std::vector<std::byte> found = before;
    call(scalapack, c, a.data(), expected.data());
    std::vector<std::byte> source = a;
    call(sluice, c, source.data(), found.data());
    outcome.moved |= expected != before;
    outcome.differs |= found != expected || source != a;
  }
  if (outcome.differs != 0) {
    std::fprintf(stderr, "seed %llu: %s %c %c, %d x %d: differs on rank %d\n", static_cast<unsigned long long>(seed),
                 name_of(c).c_str(), c.uplo, c.diag, c.m, c.n, world_rank);
  }
  close(c);
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (argc < 2) fail("expected LIBRARY [CASES [SEED]]");
  const std::uint64_t cases = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  void* const sluice = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (sluice == nullptr) fail(dlerror());
  void* const scalapack = RTLD_DEFAULT;
  if (dlsym(scalapack, "pdgemr2d_") == dlsym(sluice, "pdgemr2d_")) fail("both are the same library");

  std::array<std::uint64_t, 2> sums{};
  for (std::uint64_t i = 0; i < cases; ++i) {
    // One in five was there before, maybe too long ago for its job to be kept.
    const std::uint64_t back = i % 5 == 4 ? 1 + i * 7 % 40 : 0;
    const Outcome here = compare(scalapack, sluice, first + (back <= i ? i - back : 0));
    std::array<int, 2> anywhere{here.moved, here.differs};
    MPI_Allreduce(MPI_IN_PLACE, anywhere.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < 2; ++k) sums[k] += static_cast<std::uint64_t>(anywhere[k]);
  }
  if (world_rank == 0) {
    std::printf("%llu cases on %d ranks: %llu moved something, %llu differ from ScaLAPACK\n",
                static_cast<unsigned long long>(cases), world_size, static_cast<unsigned long long>(sums[0]),
                static_cast<unsigned long long>(sums[1]));
  }
  // A case in two, at least, must test something.
  const bool passed = sums[1] == 0 && sums[0] * 2 > cases;
  MPI_Finalize();
  return passed ? 0 : 1;
}
