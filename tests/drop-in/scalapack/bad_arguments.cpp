// One bad call of pdgemr2d on one process, by whichever library the name is bound to; prints the library's name first.
//
//     bad_arguments first-process|sub-matrix|start|leading|no-grid|empty|negative

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void pdgemr2d_(const int* m, const int* n, const double* a, const int* ia, const int* ja, const int* desc_a, double* b,
               const int* ib, const int* jb, const int* desc_b, const int* context);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&pdgemr2d_), &info);
  const bool ours = info.dli_fname != nullptr && std::strstr(info.dli_fname, "libsluice_scalapack") != nullptr;
  std::printf("%s\n", ours ? "sluice" : "scalapack");
  std::fflush(stdout);

  const std::string what = argc > 1 ? argv[1] : "";
  int context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&context, "R", 1, 1);
  int m = 6, n = 5, from_row = 1;
  const int one = 1;
  std::array<int, 9> a{1, context, 8, 8, 2, 2, 0, 0, 8};
  const std::array<int, 9> b = a;
  std::vector<double> source(64, 1), target(64, 0);
  if (what == "first-process") a[6] = 1;
  if (what == "sub-matrix") m = 9;
  if (what == "start") from_row = 0;
  if (what == "leading") a[8] = 7;
  if (what == "no-grid") a[1] = -1;
  if (what == "empty") {
    n = 0;
    a[1] = -7;  // not looked at
  }
  if (what == "negative") m = -1;
  pdgemr2d_(&m, &n, source.data(), &from_row, &one, a.data(), target.data(), &one, &one, b.data(), &context);
  int moved = 0;
  for (const double value : target) moved += value != 0;
  std::printf("%d elements moved\n", moved);
  MPI_Finalize();
  return 0;
}
