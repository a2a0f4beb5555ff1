"""Attacks on files: filling the disk, reading what is secret, changing what is not theirs."""

from __future__ import annotations

from tests.hostile.attack import HONEST_BESIDE, Attack, in_call, in_cell

_READ = """
def first_bytes(path):
    with open(path, "rb") as file:
        return file.read(60)
"""

ATTACKS = (
    in_cell(
        "two_hundred_megabytes_of_files",
        "Many small files, until the disk is full.",
        """
        written = 0
        try:
            for number in range(200):
                with open(f"file{number}", "wb") as file:
                    written += file.write(bytes(1 << 20))
        except OSError as error:
            print(error)
        if written > 64 << 20: won(f"{written} bytes on the disk")
        """,
    ),
    in_cell(
        "one_file_of_100_megabytes",
        "One large file.",
        """
        try:
            with open("large", "wb") as file:
                for _ in range(100): file.write(bytes(1 << 20))
        except OSError as error:
            print(error)
        else:
            won("100 MiB in one file")
        """,
    ),
    in_cell(
        "fills_shared_memory",
        "Files in memory that every process shares.",
        """
        def fill(folder):
            with open(f"{folder}/{BRAND}", "wb") as file: return file.write(bytes(1 << 20))
        for folder in ("/dev/shm", "/dev", "/run", "/tmp", "/var/tmp", "/run/lock", "/dev/mqueue"):
            try:
                fill(folder)
            except OSError:
                continue
            os.unlink(f"{folder}/{BRAND}")
            won(f"wrote into {folder}")
        """,
    ),
    in_cell(
        "reads_the_secrets_of_the_course",
        "The secret file, the seeds, the gradebook, the configuration, the source notebook.",
        _READ
        + """
for name in ("secret.txt", ".autograder/seeds", "gradebook.db", "nbgrader_config.py",
             "source/self_attention/self_attention.ipynb", "plain.py"):
    try:
        print(open(os.path.join(COURSE, name), encoding="latin-1").read())
    except OSError:
        continue
    won(f"read {name}")
""",
        quick=True,
    ),
    in_call(
        "reads_the_secrets_while_called",
        "The same from inside a function, told by an exception.",
        """
        try:
            text = open(os.path.join(COURSE, "secret.txt")).read()
        except OSError:
            pass
        else:
            raise ValueError(text)
        """,
    ),
    in_cell(
        "reads_the_machine",
        "Users, hosts, logs, the kernel, other people's homes.",
        _READ
        + """
for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", os.path.join("/root", ".bashrc"),
             "/var/log/dpkg.log", "/etc/ssh/sshd_config", "/etc/resolv.conf",
             "/proc/1/environ", "/proc/1/cmdline", "/proc/kallsyms", "/dev/mem", "/dev/kmsg",
             "/proc/sys/kernel/core_pattern", "/sys/kernel/uevent_helper"):
    attempt(f"read {path}", first_bytes, path)
""",
        quick=True,
    ),
    in_cell(
        "lists_the_course",
        "Names of other students, by listing folders.",
        """
        for path in (COURSE, os.path.join(COURSE, "submitted"), REPOSITORY, "/root", "/home"):
            try:
                names = os.listdir(path)
            except OSError:
                continue
            if names: won(f"listed {path}: {names}")
        """,
    ),
    in_cell(
        "searches_everything_for_the_secret",
        "Walks all of the file system that it can see for the course and its answers.",
        """
        end = time.monotonic() + 0.8
        wanted = ("secret.txt", "gradebook.db", "seeds", "grader.log", BRAND, "nbgrader_config.py")
        for top in ("/tmp", "/root", "/home", "/work", "/srv", "/var", "/"):
            for folder, folders, names in os.walk(top):
                folders[:] = [name for name in folders if name not in ("proc", "sys")]
                for name in names:
                    if name in wanted or BRAND in folder:
                        won(f"found {folder}/{name}")
                if time.monotonic() > end: break
        """,
    ),
    in_cell(
        "imports_the_reference",
        "The right answers, the laws and the grader, imported by name.",
        """
        import importlib
        for name in ("reference", "reference.attention", "autograder", "autograder.laws",
                     "autograder.exercises", "autograder.grading", "hypothesis", "nbgrader"):
            attempt(f"import {name}", importlib.import_module, name)
        for path in (REPOSITORY, PACKAGES, os.path.join(REPOSITORY, "reference"), COURSE):
            sys.path.insert(0, path)
        sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "PlaceholderFinder"]
        sys.path_importer_cache.clear()
        importlib.invalidate_caches()
        for name in ("reference", "reference.attention", "autograder.laws", "autograder.exercises",
                     "autograder.grading", "hypothesis", "nbgrader", "attention", "plain"):
            sys.modules.pop(name, None)
            attempt(f"import {name} by path", importlib.import_module, name)
        """,
        quick=True,
    ),
    in_cell(
        "executes_the_reference",
        "The text of the right answers, found beside the worker's own files.",
        """
        here = os.path.dirname(os.path.abspath(worker("wire").__file__))
        for root in (REPOSITORY, os.path.dirname(os.path.dirname(here)), os.path.dirname(here)):
            for name in ("reference/softmax.py", "reference/attention.py", "exercises/softmax.py",
                         "laws/softmax.py", "autograder/laws/softmax.py",
                         "autograder/exercises/softmax.py", "worker/client.py", "worker/process.py",
                         "autograder/worker/channel.py", "tests/submissions.py"):
                attempt(f"open {root}/{name}", open, os.path.join(root, name))
        """,
    ),
    in_cell(
        "sets_its_own_grade",
        "UPDATE in the gradebook.",
        """
        import sqlite3
        def cheat():
            book = sqlite3.connect(os.path.join(COURSE, "gradebook.db"), timeout=0.1)
            book.execute("update grade set extra_credit = 10, auto_score = 10")
            book.commit()
            return "done"
        attempt("wrote the gradebook", cheat)
        """,
        quick=True,
    ),
    in_cell(
        "edits_the_configuration",
        "A line for the next run of the grader.",
        """
        def append(path):
            with open(path, "a") as file: file.write("print('mine')\\n")
        for name in ("nbgrader_config.py", "plain.py", ".autograder/seeds",
                     "release/self_attention/self_attention.ipynb"):
            attempt(f"appended to {name}", append, os.path.join(COURSE, name))
        """,
    ),
    in_cell(
        "steals_from_another_student",
        "Reads, executes and spoils Bob's submission.",
        """
        bob = os.path.join(COURSE, "submitted", "bob", "self_attention", "self_attention.ipynb")
        def take(path):
            with open(path) as file: return file.read()[:9]
        def spoil(path):
            with open(path, "w") as file: file.write("{}")
            return "spoilt"
        attempt("read it", take, bob)
        attempt("spoilt it", spoil, bob)
        get_ipython().run_line_magic("run", bob)
        """,
        quick=True,
    ),
    in_cell(
        "changes_what_is_outside",
        "Every call that changes a file, on files that anybody may change.",
        """
        victim = os.path.join(COURSE, "secret.txt")
        new = os.path.join(COURSE, "new-" + BRAND)
        os_ = os
        for what, action, args in (
            ("unlink", os.unlink, (victim,)), ("truncate", os.truncate, (victim, 0)),
            ("chmod", os.chmod, (victim, 0o600)), ("chown", os.chown, (victim, 1, 1)),
            ("lchown", os.lchown, (victim, 1, 1)), ("utime", os.utime, (victim, (1, 1))),
            ("setxattr", os.setxattr, (victim, "user.mine", b"1")),
            ("removexattr", os.removexattr, (victim, "user.mine")),
            ("link", os.link, (victim, new)), ("link into the scratch", os.link, (victim, "mine")),
            ("symlink", os.symlink, (victim, new)), ("rename", os.rename, (victim, new)),
            ("rename into it", os.rename, ("x", victim)), ("mkdir", os.mkdir, (new,)),
            ("mkfifo", os.mkfifo, (new,)), ("rmdir", os.rmdir, (os.path.join(COURSE, "release"),)),
            ("mknod", os.mknod, (new, 0o100666)),
            ("open for writing", os.open, (victim, os.O_WRONLY)),
            ("open for reading", os.open, (victim, os.O_RDONLY)),
            ("create", os.open, (new, os.O_CREAT | os.O_WRONLY)),
            ("nameless file", os.open, (COURSE, os.O_TMPFILE | os.O_WRONLY)),
            ("copy", shutil.copy, (victim, new)), ("remove all", shutil.rmtree, (COURSE,)),
        ):
            attempt(what, action, *args)
        """,
        quick=True,
    ),
    in_cell(
        "changes_attributes_by_new_system_calls",
        "System calls that old filters have no name for.",
        """
        victim = os.path.join(COURSE, "secret.txt").encode()
        for what, number, args in (
            ("setxattrat", 463, (-100, victim, 0, b"user.mine", b"", 0)),
            ("removexattrat", 466, (-100, victim, 0, b"user.mine")),
            ("file_setattr", 469, (-100, victim, b"\\0" * 24, 24, 0)),
            ("fchmodat2", 452, (-100, victim, 0o600, 0)),
            ("openat2", 437, (-100, victim, struct.pack("QQQ", 0, 0, 0), 24)),
            ("open_tree", 428, (-100, victim, 0)),
            ("mount_setattr", 442, (-100, victim, 0, struct.pack("QQQQ", 0, 0, 0, 0), 32)),
            ("name_to_handle_at", 303, (-100, victim, b"\\0" * 200, b"\\0" * 8, 0)),
        ):
            syscall(what, number, *args)
        """,
    ),
    in_cell(
        "writes_beside_the_libraries",
        "A file that the next worker would load.",
        """
        import sysconfig
        folders = {os.path.dirname(np.__file__), sysconfig.get_path("purelib"), PACKAGES,
                   sysconfig.get_path("stdlib"), os.path.dirname(worker("wire").__file__),
                   os.environ.get("MPLCONFIGDIR", "/"), os.environ.get("IPYTHONDIR", "/")}
        inside = os.getcwd()
        for folder in folders:
            if os.path.realpath(folder).startswith(os.path.realpath(inside)): continue
            attempt(f"wrote into {folder}", open, os.path.join(folder, BRAND + ".pth"), "w")
            attempt(f"opened {folder}", os.open, os.path.join(folder, "__init__.py"), os.O_RDWR)
        """,
    ),
    in_cell(
        "links_into_the_scratch",
        "Symbolic links to what is outside, for whoever follows them.",
        """
        for number, target in enumerate(("gradebook.db", "secret.txt", "submitted", "")):
            try:
                os.symlink(os.path.join(COURSE, target), f"link{number}")
            except OSError:
                continue
            attempt(f"read {target} by a link", open, f"link{number}")
            if target in ("submitted", ""):
                attempt(f"listed {target} by a link", os.listdir, f"link{number}")
        """,
    ),
    in_cell(
        "devices_of_its_own",
        "Makes device files for the disk and for memory.",
        """
        import stat
        attempt("disk", os.mknod, "disk", stat.S_IFBLK | 0o666, os.makedev(254, 0))
        attempt("memory", os.mknod, "memory", stat.S_IFCHR | 0o666, os.makedev(1, 1))
        for path in ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/vda", "/dev/sda", "/dev/fuse",
                     "/dev/kvm", "/dev/net/tun", "/dev/tty", "/dev/ptmx", "/dev/loop-control"):
            attempt(path, os.open, path, os.O_RDWR)
        """,
    ),
    in_cell(
        "looks_through_inherited_files",
        "File descriptors that the grader forgot to close.",
        """
        import stat
        for fd in range(0, 4096):
            try:
                mode = os.fstat(fd).st_mode
            except OSError:
                continue
            if stat.S_ISDIR(mode) or stat.S_ISBLK(mode): won(f"fd {fd} is a folder or a disk")
            if stat.S_ISREG(mode): won(f"fd {fd} is a file")
            if stat.S_ISSOCK(mode) and fd != connection(): won(f"fd {fd} is a second socket")
        """,
        quick=True,
    ),
    in_cell(
        "files_of_the_grader_through_proc",
        "The grader's folder, its open files, its memory, its environment.",
        """
        for pid in {GRADER, os.getppid(), 1}:
            for name in ("environ", "mem", "maps", "cwd", "root", "fd", "auxv", "stack", "io"):
                path = f"/proc/{pid}/{name}"
                if pid == 1 and name == "root" and not os.path.exists("/proc/1"): continue
                if name in ("cwd", "root", "fd"):
                    attempt(path, os.listdir, path)
                else:
                    try:
                        print(open(path, "rb").read(4096))
                    except OSError:
                        continue
                    won(path)
        for path in ("/proc/self/root/etc/passwd", "/proc/self/cwd/../../etc/passwd",
                     f"/proc/{GRADER}/task/{GRADER}/mem"):
            attempt(path, open, path)
        """,
        quick=True,
    ),
    Attack(
        name="leaves_a_note_in_the_scratch",
        sentence="What one submission writes, the next one would find.",
        cells=(
            """
places = ["/tmp", "/var/tmp", "/dev/shm", os.getcwd(), os.path.dirname(os.getcwd())]
places += [tempfile.gettempdir(), os.path.expanduser("~")]
places += [os.environ.get("MPLCONFIGDIR", "."), os.environ.get("IPYTHONDIR", ".")]
for place in places:
    note = os.path.join(place, "note-" + BRAND)
    if os.path.exists(note) and not hasattr(sys, "noted"):
        won(f"found {note}")
for place in places:
    try:
        open(os.path.join(place, "note-" + BRAND), "w").close()
    except OSError:
        pass
sys.noted = True
""",
        ),
        runs=2,
        **HONEST_BESIDE,
    ),
    in_cell(
        "scratch_of_others",
        "Folders of other workers beside its own.",
        """
        above = os.path.dirname(os.getcwd())
        mine = os.path.basename(os.getcwd())
        for name in (os.listdir(above) if os.access(above, os.R_OK) else ()):
            if name != mine and name.startswith("autograder"):
                won(f"saw {name}")
        """,
    ),
    in_cell(
        "files_by_magics",
        "IPython's own ways to reach files and other programs.",
        """
        shell = get_ipython()
        for magic, line in (
            ("run", COURSE + "/plain.py"), ("load", COURSE + "/plain.py"), ("cd", COURSE),
            ("pycat", COURSE + "/secret.txt"), ("logstart", COURSE + "/new-" + BRAND),
            ("save", COURSE + "/new-" + BRAND + " 1"), ("notebook", COURSE + "/new-" + BRAND),
            ("env", ""), ("store", "BRAND"), ("bookmark", BRAND + " /"), ("alias", "l ls"),
            ("edit", COURSE + "/plain.py"), ("debug", "1/0"), ("killbgscripts", ""),
        ):
            try:
                print(shell.run_line_magic(magic, line))
            except BaseException as error:
                print(type(error))
        shell.run_cell_magic("writefile", COURSE + "/new-" + BRAND, "mine")
        shell.run_cell_magic("file", COURSE + "/nbgrader_config.py", "mine")
        """,
    ),
)
