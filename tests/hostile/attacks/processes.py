"""Attacks on processes: starting more of them, reaching the grader, gaining rights."""

from __future__ import annotations

from tests.hostile.attack import in_call, in_cell

ATTACKS = (
    in_call(
        "fork_bomb",
        "Two hundred copies of itself.",
        """
        for _ in range(200):
            try:
                if os.fork() == 0: time.sleep(60)
            except OSError:
                break
            else:
                won("forked")
        """,
        quick=True,
    ),
    in_call(
        "daemon",
        "A process that outlives the submission, by two forks and a session of its own.",
        """
        try:
            pid = os.fork()
        except OSError:
            pid = None
        if pid == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 64)
                time.sleep(600)
            os._exit(0)
        """,
        quick=True,
    ),
    in_cell(
        "other_programs",
        "Starts a shell, a sleep, a second Python, in every way the library knows.",
        """
        import multiprocessing, pty
        for what, action in (
            ("Popen", lambda: subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)),
            ("shell", lambda: subprocess.run("echo hello", shell=True, check=True)),
            ("python", lambda: subprocess.run([sys.executable, "-c", "1"], check=True)),
            ("spawn", lambda: os.posix_spawn("/bin/sleep", ["sleep", "600"], {})),
            ("spawnv", lambda: os.spawnv(os.P_NOWAIT, "/bin/sleep", ["sleep", "600"])),
            ("popen", lambda: os.popen("echo hello").read() or 1 / 0),
            ("forkpty", lambda: pty.fork()[0] or os._exit(0)),
            ("process", lambda: multiprocessing.get_context("fork").Process(target=print).start()),
        ):
            attempt(what, action)
        if os.system("true") == 0: won("system")
        """,
        quick=True,
    ),
    in_call(
        "becomes_a_shell",
        "Replaces itself.",
        """
        for path in ("/bin/sh", "/usr/bin/env", sys.executable):
            try:
                os.execv(path, [path, "-c", "sleep 600"])
            except OSError:
                pass
        """,
    ),
    in_cell(
        "processes_by_the_c_library",
        "fork, vfork, clone and their newest forms, past Python.",
        """
        for what, number, args in (
            ("fork", 57, ()), ("vfork", 58, ()), ("clone", 56, (17, 0, 0, 0, 0)),
            ("clone3", 435, (struct.pack("11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)),
        ):
            ctypes.set_errno(0)
            pid = libc.syscall(ctypes.c_long(number), *args)
            if pid == 0: os._exit(0)
            if pid > 0: won(f"{what} made process {pid}")
        """,
    ),
    in_cell(
        "program_in_memory",
        "A program that lies in no file.",
        """
        attempt("memfd_create", os.memfd_create, "mine")
        syscall("memfd_secret", 447, 0)
        syscall("execveat", 322, -100, b"/bin/true", None, None, 0)
        """,
    ),
    in_call(
        "three_hundred_threads",
        "Threads without end.",
        """
        for _ in range(300):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        """,
    ),
    in_call(
        "kills_its_parent",
        "SIGKILL to the grader and to whoever started it.",
        """
        for pid in (GRADER, os.getppid()):
            for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
                if pid > 0: attempt(f"signal {number} to {pid}", os.kill, pid, number)
        """,
        quick=True,
    ),
    in_call(
        "kills_everybody",
        "A signal to all processes, to its group, to the group of its parent.",
        """
        attempt("to all", os.kill, -1, 0)
        attempt("to the group of the grader", os.killpg, GRADER, 0)
        attempt("to the group of its parent", os.kill, -os.getppid() or -9, 0)
        attempt("to all, for good", os.kill, -1, signal.SIGKILL)
        os.kill(0, signal.SIGTERM)
        """,
    ),
    in_call(
        "signals_by_other_ways",
        "Thread signals, queued signals, descriptors of processes.",
        """
        for pid in (GRADER, os.getppid()):
            syscall("tgkill", 234, pid, pid, 9)
            syscall("tkill", 200, pid, 9)
            syscall("rt_sigqueueinfo", 129, pid, 9, b"\\0" * 128)
            syscall("pidfd_open", 434, pid, 0)
            syscall("pidfd_getfd", 438, 3, 3, 0)
        syscall("pidfd_send_signal", 424, connection(), 9, None, 0)
        """,
    ),
    in_call(
        "signals_by_a_socket",
        "Makes the kernel send a signal to the grader when a socket gets ready.",
        """
        import fcntl
        left, right = socket.socketpair()
        for pid in (GRADER, os.getppid(), -os.getppid()):
            attempt("F_SETOWN", fcntl.fcntl, left, fcntl.F_SETOWN, pid)
            attempt("F_SETSIG", fcntl.fcntl, left, 10, signal.SIGKILL)
            attempt("F_SETOWN_EX", fcntl.fcntl, left, 15, struct.pack("ii", 1, pid))
            attempt("FIOSETOWN", fcntl.ioctl, left, 0x8901, struct.pack("i", pid))
            attempt("SIOCSPGRP", fcntl.ioctl, left, 0x8902, struct.pack("i", pid))
            attempt("on the grader's own socket", fcntl.fcntl, connection(), fcntl.F_SETOWN, pid)
        """,
    ),
    in_call(
        "reads_the_grader_by_debugging",
        "ptrace, and memory of the grader and of its parent.",
        """
        class Part(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
        room = ctypes.create_string_buffer(64)
        ours, theirs = Part(ctypes.addressof(room), 64), Part(0x400000, 64)
        for pid in (GRADER, os.getppid()):
            for request in (16, 0x4206):
                attempt_c("ptrace", libc.ptrace, request, pid, None, None)
            for call in (libc.process_vm_readv, libc.process_vm_writev):
                attempt_c("memory", call, pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
            syscall("kcmp", 312, pid, os.getpid(), 0, 0, 0)
            syscall("process_madvise", 440, 3, None, 0, 4, 0)
        attempt_c("traceme", libc.ptrace, 0, 0, None, None)
        """,
        quick=True,
    ),
    in_call(
        "slows_the_grader_down",
        "Priority, processors, scheduling and limits of the grader and its parent.",
        """
        for pid in (GRADER, os.getppid()):
            attempt("nice", os.setpriority, os.PRIO_PROCESS, pid, 19)
            attempt("affinity", os.sched_setaffinity, pid, {0})
            attempt("scheduler", os.sched_setscheduler, pid, os.SCHED_IDLE, os.sched_param(0))
            attempt("limits", resource.prlimit, pid, resource.RLIMIT_NOFILE, (4, 4))
            syscall("ioprio_set", 251, 1, pid, 3 << 13)
            syscall("move_pages", 279, pid, 0, None, None, None, 0)
            syscall("migrate_pages", 256, pid, 0, None, None)
        for who in (os.PRIO_PGRP, os.PRIO_USER):
            attempt("nice of all", os.setpriority, who, 0, 19)
        """,
        quick=True,
    ),
    in_call(
        "gains_rights",
        "More priority, other users, other groups, other limits.",
        """
        attempt("nice", os.nice, -5)
        for name in ("setuid", "seteuid", "setgid", "setegid"):
            attempt(name, getattr(os, name), 0)
        attempt("setresuid", os.setresuid, 0, 0, 0)
        attempt("setresgid", os.setresgid, 0, 0, 0)
        attempt("setgroups", os.setgroups, [0])
        for kind in ("AS", "CPU", "FSIZE", "NOFILE", "CORE", "MEMLOCK"):
            number = getattr(resource, "RLIMIT_" + kind)
            soft, hard = resource.getrlimit(number)
            if hard == resource.RLIM_INFINITY: won(f"{kind} has no limit")
            attempt(f"more {kind}", resource.setrlimit, number, (hard + 1, hard + 1))
        attempt_c("capset", libc.capset, struct.pack("Ii", 0x20080522, 0), b"\\xff" * 24)
        """,
        quick=True,
    ),
    in_call(
        "leaves_the_sandbox",
        "New namespaces, mounts, roots and whatever else makes another world.",
        """
        for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x2000000, 0x4000000, 0x8000000):
            attempt_c(f"unshare {flag:x}", libc.unshare, flag)
        attempt_c("setns", libc.setns, connection(), 0)
        attempt("chroot", os.chroot, ".")
        attempt_c("mount", libc.mount, b"none", b"/", None, 1 << 14 | 1 << 18, None)
        attempt_c("tmpfs", libc.mount, b"none", b".", b"tmpfs", 0, None)
        attempt_c("umount", libc.umount2, b"/dev", 2)
        syscall("pivot_root", 155, b".", b".")
        syscall("fsopen", 430, b"tmpfs", 0)
        syscall("open_by_handle_at", 304, -100, b"\\0" * 24, 0)
        name = socket.gethostname().encode()
        attempt_c("sethostname", libc.sethostname, name, len(name))
        attempt_c("personality", libc.personality, 0x0040000)
        """,
        quick=True,
    ),
    in_call(
        "kernel_interfaces",
        "Keyrings, BPF, io_uring, perf, userfaultfd: where kernels had their holes.",
        """
        for what, number, args in (
            ("keyctl", 250, (0, -3, 1)), ("add_key", 248, (b"user", b"k", b"v", 1, -3)),
            ("request_key", 249, (b"user", b"k", None, -3)), ("bpf", 321, (0, b"\\0" * 72, 72)),
            ("perf_event_open", 298, (b"\\x01\\0\\0\\0\\x70" + b"\\0" * 107, 0, -1, -1, 0)),
            ("userfaultfd", 323, (1,)), ("io_uring_setup", 425, (1, b"\\0" * 120)),
            ("fanotify_init", 300, (0, 0)), ("syslog", 103, (10, None, 0)),
            ("acct", 163, (None,)), ("modify_ldt", 154, (0, b"\\0" * 16, 16)),
            ("landlock_create_ruleset", 444, (struct.pack("QQQ", 1, 0, 0), 24, 0)),
            ("seccomp", 317, (1, 0, None)), ("quotactl", 179, (0, None, 0, None)),
            ("lookup_dcookie", 212, (0, None, 0)), ("iopl", 172, (3,)),
        ):
            syscall(what, number, *args)
        """,
    ),
    in_call(
        "shared_memory_and_queues",
        "What one worker leaves in the kernel for the next one.",
        """
        key = 0x4D414C
        attempt_c("shmget", libc.shmget, key, 4096, 0o1666)
        attempt_c("msgget", libc.msgget, key, 0o1666)
        attempt_c("semget", libc.semget, key, 1, 0o1666)
        syscall("mq_open", 240, b"mine", os.O_CREAT | os.O_RDWR, 0o666, None)
        from multiprocessing import shared_memory
        attempt("shared memory", shared_memory.SharedMemory, BRAND, True, 4096)
        """,
    ),
    in_call(
        "outlives_the_grader",
        "Clears what would kill it along with its parent, then loops.",
        """
        for option, value in ((1, 0), (4, 1), (36, 1), (22, 1)):
            if libc.prctl(option, value, 0, 0, 0) == 0 and option in (1, 36):
                won(f"prctl {option}")
        while True: pass
        """,
    ),
    in_call(
        "types_into_the_terminal",
        "Pushes characters into the terminal of whoever grades.",
        """
        import fcntl, termios
        for fd in (0, 1, 2, connection()):
            attempt("TIOCSTI", fcntl.ioctl, fd, termios.TIOCSTI, b"x")
        attempt("a terminal", open, "/dev/tty", "w")
        """,
    ),
    in_call(
        "foreign_system_calls",
        "The 32-bit door into the kernel, which a 64-bit filter does not watch.",
        """
        import mmap
        try:
            room = mmap.mmap(-1, 4096, prot=7)
        except (OSError, ValueError):
            room = None
        if room is not None and os.uname().machine == "x86_64":
            # getuid by int 0x80, then getuid with the bit of the x32 calls
            room.write(b"\\xb8\\xc7\\x00\\x00\\x00\\xcd\\x80\\xc3")
            address = ctypes.addressof(ctypes.c_char.from_buffer(room))
            uid = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
            if uid >= 0: won(f"uid {uid} by int 0x80")
        """,
    ),
)
