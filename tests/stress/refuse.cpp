// Starts a program; the system refuses something to its process: refuse WHAT WHICH PROGRAM ARGUMENTS...
//
//   WHAT   memfd        memfd_create fails (a filter of system calls)
//          proc         /proc is not mounted
//          hidepid      /proc shows a user's own processes alone, and the user is nobody: for a launcher
//          pids         a space of process numbers of its own, with a /proc of its own
//          pids-alone   the same with the /proc of outside
//   WHICH  all, odd or one: the ranks that this is done to; the others start the program as it is
//
// All but memfd need root. Exit status 77 if the system does not let it be done.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "refuse: %s: %s\n", what, std::strerror(errno));
  std::_Exit(77);
}

int rank_of_environment() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

void refuse_memfd() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) give_up("PR_SET_SECCOMP");
}

void own_mounts() {
  if (unshare(CLONE_NEWNS) != 0) give_up("unshare");
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("mount --make-rprivate /");
}

void become_nobody() {
  if (setgid(65534) != 0 || setuid(65534) != 0) give_up("setuid");
  (void)setenv("HOME", "/tmp", 1);
}

/// Goes on in a child in a space of process numbers of its own, and ends as the child does.
void own_pids() {
  if (unshare(CLONE_NEWPID) != 0) give_up("unshare");
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s WHAT WHICH PROGRAM ARGUMENTS...\n", argv[0]);
    return 2;
  }
  const std::string what = argv[1];
  const std::string which = argv[2];
  const int rank = rank_of_environment();
  if (which == "all" || (which == "odd" && rank % 2 == 1) || (which == "one" && rank == 1)) {
    if (what == "memfd") {
      refuse_memfd();
    } else if (what == "proc") {
      own_mounts();
      if (umount2("/proc", MNT_DETACH) != 0) give_up("umount /proc");
    } else if (what == "hidepid") {
      own_mounts();
      if (mount("proc", "/proc", "proc", 0, "hidepid=2") != 0) give_up("mount /proc");
      become_nobody();
    } else if (what == "pids" || what == "pids-alone") {
      own_pids();
      if (what == "pids") {
        own_mounts();
        if (mount("proc", "/proc", "proc", 0, nullptr) != 0) give_up("mount /proc");
      }
    } else {
      std::fprintf(stderr, "refuse: %s: expected memfd, proc, hidepid, pids or pids-alone\n", what.c_str());
      return 2;
    }
  }
  execvp(argv[3], argv + 3);
  give_up(argv[3]);
}
