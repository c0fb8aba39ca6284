/* Limits by setrlimit, files by Landlock, system calls by seccomp: see sandbox.h. */
#include "try/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool limit(int what, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return false;
    if (now.rlim_max != RLIM_INFINITY && most > now.rlim_max)
        most = now.rlim_max;
    now = (struct rlimit){most, most};
    return setrlimit((__rlimit_resource_t)what, &now) == 0;
}

bool sandbox_limit(const struct sandbox_limits *limits)
{
    return limit(RLIMIT_CPU, (rlim_t)limits->seconds) && limit(RLIMIT_AS, limits->memory) &&
           limit(RLIMIT_FSIZE, limits->file_size) && limit(RLIMIT_CORE, 0) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

/* ---- files ---- */

#define READS                                                                                      \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITES                                                                                     \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                               \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

static void allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = access};

    if (!path || (beneath.parent_fd = open(path, O_PATH | O_CLOEXEC)) < 0)
        return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
}

void sandbox_files(const char *reads, const char *writes)
{
    static const char *const system[] = {"/usr", "/lib", "/lib64", "/bin", "/opt", "/nix", "/gnu"};
    static const char *const files[] = {"/etc/ld.so.cache", "/etc/ld.so.preload",
                                        "/etc/alternatives", "/dev/urandom", "/etc/localtime"};
    struct landlock_ruleset_attr wishes = {.handled_access_fs = READS | WRITES};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &wishes, sizeof wishes, 0);

    if (rules < 0)
        return;
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        allow(rules, system[i], READS);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        allow(rules, files[i], READS);
        allow(rules, files[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE);
    }
    allow(rules, reads, READS);
    allow(rules, writes, READS | WRITES);
    allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

/* ---- system calls ---- */

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* The low half of an argument; these machines are little-endian. */
#define ARGUMENT(n) offsetof(struct seccomp_data, args) + 8 * (n)

bool sandbox_calls(void)
{
#ifdef MACHINE
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(read),
        ALLOW(write),
        ALLOW(writev),
        ALLOW(close),
        ALLOW(lseek),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(pread64),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mprotect),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(brk),
        ALLOW(futex),
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(sigaltstack),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(getrandom),
        ALLOW(clock_gettime),
        ALLOW(clock_nanosleep),
        ALLOW(nanosleep),
        ALLOW(sysinfo), /* qsort asks how much memory there is */
        ALLOW(set_robust_list),
        ALLOW(rseq),
        ALLOW(exit),
        ALLOW(exit_group),
        /* Files may be opened for reading. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        /* abort() sends a signal to its own thread. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(0)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY), /* "is this a terminal?" */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
    return false;
#endif
}

const char *sandbox_wish(int call)
{
    static const struct {
        int call;
        const char *wish;
    } wishes[] = {{SYS_clone, "starts another process or thread"},
#ifdef SYS_fork
                  {SYS_fork, "starts another process"},
                  {SYS_vfork, "starts another process"},
                  {SYS_open, "opens a file"},
                  {SYS_creat, "writes a file"},
                  {SYS_unlink, "removes a file"},
                  {SYS_rename, "renames a file"},
                  {SYS_mkdir, "makes a folder"},
                  {SYS_rmdir, "removes a folder"},
                  {SYS_chmod, "changes a file"},
                  {SYS_link, "links a file"},
                  {SYS_symlink, "links a file"},
#endif
                  {SYS_clone3, "starts another process or thread"},
                  {SYS_pipe2, "starts another process"}, /* popen */
                  {SYS_execve, "starts another program"},
                  {SYS_execveat, "starts another program"},
                  {SYS_openat, "writes a file"},
                  {SYS_truncate, "changes a file"},
                  {SYS_ftruncate, "changes a file"},
                  {SYS_fchmod, "changes a file"},
                  {SYS_fchmodat, "changes a file"},
                  {SYS_linkat, "links a file"},
                  {SYS_symlinkat, "links a file"},
                  {SYS_unlinkat, "removes a file"},
                  {SYS_mkdirat, "makes a folder"},
#ifdef SYS_renameat
                  {SYS_renameat, "renames a file"},
#endif
                  {SYS_renameat2, "renames a file"},
                  {SYS_socket, "asks for the network"},
                  {SYS_kill, "sends a signal to a process"},
                  {SYS_tgkill, "sends a signal to a process"},
                  {SYS_ptrace, "watches another process"}};
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++)
        if (wishes[i].call == call)
            return wishes[i].wish;
    return "asks the system for what a kernel does not need";
}
