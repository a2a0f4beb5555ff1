"""Attacks on the network: reaching out, listening, and passing things through sockets."""

from __future__ import annotations

from tests.hostile.attack import in_call, in_cell

ATTACKS = (
    in_cell(
        "connects_by_tcp",
        "A connection to a listener on this machine.",
        "attempt('connect', socket.create_connection, TCP, 0.5)",
        quick=True,
    ),
    in_call(
        "connects_by_tcp_while_called",
        "The same from inside a function.",
        "attempt('connect', socket.create_connection, TCP, 0.5)",
    ),
    in_cell(
        "sends_by_udp",
        "A datagram to a listener on this machine.",
        """
        def send():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s: return s.sendto(b"x", UDP)
        attempt("sendto", send)
        """,
        quick=True,
    ),
    in_cell(
        "connects_by_path",
        "Sockets in the file system and in the abstract name space.",
        """
        def connect(kind, address):
            with socket.socket(socket.AF_UNIX, kind) as s:
                s.connect(address)
                return s.send(b"x")
        attempt("stream", connect, socket.SOCK_STREAM, UNIX)
        attempt("datagram", connect, socket.SOCK_DGRAM, UNIX_UDP)
        attempt("abstract", connect, socket.SOCK_STREAM, ABSTRACT)
        for path in ("/run/docker.sock", "/var/run/dbus/system_bus_socket", "/run/systemd/private"):
            attempt(path, connect, socket.SOCK_STREAM, path)
        """,
        quick=True,
    ),
    in_cell(
        "datagram_from_a_pair",
        "A socket pair is allowed; one end of it sends to somebody else.",
        """
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        attempt("path", left.sendto, b"x", UNIX_UDP)
        attempt("abstract", left.sendto, b"x", ABSTRACT)
        attempt("connect", left.connect, UNIX_UDP)
        def message():
            return left.sendmsg([b"x"], [], 0, UNIX_UDP)
        attempt("message", message)
        """,
        quick=True,
    ),
    in_cell(
        "sends_by_ipv6",
        "The other protocol of the internet, and multicast.",
        """
        def udp(family, address):
            with socket.socket(family, socket.SOCK_DGRAM) as s: return s.sendto(b"x", address)
        attempt("IPv6", udp, socket.AF_INET6, ("::1", UDP[1]))
        attempt("mapped", udp, socket.AF_INET6, ("::ffff:127.0.0.1", UDP[1]))
        attempt("multicast", udp, socket.AF_INET, ("224.0.0.1", UDP[1]))
        """,
    ),
    in_cell(
        "listens",
        "Waits for somebody to call.",
        """
        def listen(family, address):
            s = socket.socket(family)
            s.bind(address)
            s.listen()
            return s
        attempt("TCP", listen, socket.AF_INET, ("127.0.0.1", 0))
        attempt("path", listen, socket.AF_UNIX, "door")
        attempt("abstract", listen, socket.AF_UNIX, "\\0" + BRAND + "mine")
        import http.server
        attempt("server", http.server.HTTPServer, ("", 0), http.server.BaseHTTPRequestHandler)
        """,
    ),
    in_cell(
        "rare_sockets",
        "Raw packets, netlink, the kernel's ciphers, virtual machines, Bluetooth.",
        """
        for name in ("AF_PACKET", "AF_NETLINK", "AF_ALG", "AF_VSOCK", "AF_BLUETOOTH", "AF_CAN",
                     "AF_TIPC", "AF_RDS", "AF_QIPCRTR", "AF_KEY"):
            family = getattr(socket, name, None)
            for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
                if family is not None: attempt(name, socket.socket, family, kind)
        attempt("ICMP", socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
        attempt("ping", socket.socket, socket.AF_INET, socket.SOCK_DGRAM, 1)
        attempt("SCTP", socket.socket, socket.AF_INET, socket.SOCK_STREAM, 132)
        """,
    ),
    in_cell(
        "asks_the_web",
        "Names, web pages and asynchronous connections.",
        """
        import urllib.request
        url = f"http://127.0.0.1:{TCP[1]}/?answers"
        attempt("urlopen", urllib.request.urlopen, url, None, 0.5)
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(*TCP), 0.5)
        except Exception:
            pass
        else:
            won("asyncio")
        attempt("numpy", np.lib.npyio.DataSource().open, url)
        """,
    ),
    in_call(
        "smuggles_descriptors_to_the_grader",
        "Sends open files along with bytes on the socket to the grader.",
        """
        mine = socket.socket(fileno=os.dup(connection()))
        left, right = socket.socketpair()
        for _ in range(50):
            try:
                socket.send_fds(mine, [b"\\0\\0\\0\\x01"], [left.fileno(), 0, 1, 2] * 16)
            except OSError:
                break
        """,
        quick=True,
    ),
    in_call(
        "receives_descriptors_from_the_grader",
        "Reads the socket to the grader, and takes what lies there.",
        """
        mine = socket.socket(fileno=os.dup(connection()))
        def take():
            room = socket.CMSG_LEN(64)
            return mine.recvmsg(100, room, socket.MSG_DONTWAIT)[1] or 1 / 0
        attempt("descriptors", take)
        """,
    ),
)
