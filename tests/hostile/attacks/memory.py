"""Attacks on memory, in the worker and, by way of what it sends, in the grader."""

from __future__ import annotations

from tests.hostile.attack import in_call, in_cell, returns

ATTACKS = (
    in_call("array_of_terabytes", "One array of 8 TB.", "np.ones(10 ** 12)"),
    in_call(
        "list_that_grows",
        "A list that grows until the machine is full.",
        "hoard = []\nwhile True: hoard.append(bytearray(10 ** 6))",
        quick=True,
    ),
    in_call(
        "memory_by_mapping",
        "Anonymous memory maps, without Python's own allocator.",
        """
        import mmap
        maps = [mmap.mmap(-1, 1 << 28) for _ in range(16)]
        for one in maps:
            for at in range(0, 1 << 28, 4096): one[at] = 1
        won("4 GiB were mapped and written")
        """,
    ),
    in_call(
        "memory_after_raising_the_limit",
        "Raises its own limits first.",
        """
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):
            try:
                resource.setrlimit(kind, (-1, -1))
            except (OSError, ValueError):
                pass
        hoard = [bytearray(10 ** 8) for _ in range(20)]
        won("2 GB were written")
        """,
        quick=True,
    ),
    returns("result_of_800_megabytes", "A result that fills the grader.", "np.ones(10 ** 8)"),
    returns(
        "result_of_20_megabytes",
        "A result beyond what a message may hold, within what a worker may.",
        "np.ones(10 ** 7 // 4)",
    ),
    returns(
        "result_that_claims_exabytes",
        "A view with strides of 0: small to hold, endless to copy.",
        "np.broadcast_to(1.0, (10 ** 9, 10 ** 9))",
        quick=True,
    ),
    returns(
        "empty_result_with_huge_sides",
        "No entries at all, and dimensions that overflow a product.",
        "np.empty((0, 2 ** 40))",
    ),
    returns(
        "result_nested_a_thousand_times",
        "A list in a list in a list.",
        "nested()",
        setup="""
        def nested():
            inside = []
            for _ in range(10 ** 5): inside = [inside]
            return inside
        """,
    ),
    returns(
        "result_that_holds_itself",
        "A list that is its own element.",
        "LOOP",
        setup="""
        LOOP = []
        LOOP.append(LOOP)
        """,
    ),
    returns(
        "mapping_that_holds_itself",
        "A mapping that is its own value, under a megabyte of key.",
        "LOOP",
        setup="""
        LOOP = {}
        LOOP["k" * 10 ** 6] = LOOP
        """,
    ),
    returns("list_of_a_million", "Ten million small objects.", "[0.5] * 10 ** 7", keeps=()),
    returns(
        "list_of_lists_of_lists",
        "8 ** 8 objects by 64 references.",
        "wide()",
        setup="""
        def wide():
            inside = 1
            for _ in range(8): inside = [inside] * 64
            return inside
        """,
        keeps=(),
    ),
    returns("text_of_200_megabytes", "A text as a result.", "'x' * 200_000_000", keeps=()),
    returns(
        "array_that_lies_about_its_size",
        "A subclass whose size, shape and dtype are made up.",
        "np.zeros(3).view(Liar)",
        setup="""
        class Liar(np.ndarray):
            nbytes = property(lambda self: 0)
            size = property(lambda self: 0)
            shape = property(lambda self: (10 ** 9, 10 ** 9))
            dtype = property(lambda self: np.dtype("O"))
            def tobytes(self, *_): return b"x" * 10 ** 8
        """,
    ),
    in_call(
        "message_of_500_megabytes",
        "An exception with an endless message.",
        "raise ValueError('x' * 150_000_000)",
        quick=True,
    ),
    in_cell(
        "memory_is_kept_by_a_cell",
        "A cell leaves hardly any memory for the functions.",
        """
        hoard = []
        try:
            while True: hoard.append(bytearray(10 ** 6))
        except MemoryError:
            pass
        """,
        keeps=(),
    ),
    in_call(
        "freed_memory_is_returned",
        "An array over memory that is no longer there.",
        """
        import mmap
        hole = mmap.mmap(-1, 1 << 20)
        address = ctypes.addressof(ctypes.c_char.from_buffer(hole))
        libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(1 << 20))
        class Ghost:
            __array_interface__ = {
                "data": (address, False), "shape": (1000,), "typestr": "<f8", "version": 3,
            }
        np.array(Ghost()).sum()
        """,
    ),
)
