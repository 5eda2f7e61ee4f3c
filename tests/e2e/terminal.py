# Runs a command on a terminal of its own.
# SPDX-License-Identifier: Apache-2.0
#
#   terminal.py KEYS COMMAND...     types KEYS, prints what comes back, and ends as it ended
#   terminal.py --script WEIR...    the conversation below, with a shell between
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

HANG = 120


class Terminal:
    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(argv[0], argv)
        self.seen = b""

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self, limit):
        if not select.select([self.fd], [], [], limit)[0]:
            raise SystemExit("nothing came; so far: %r" % self.seen)
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            data = b""
        self.seen += data
        return data

    def until(self, text):
        end = time.time() + HANG
        while text.encode() not in self.seen:
            if not self.read(max(0, end - time.time())):
                raise SystemExit("ended before %r; so far: %r" % (text, self.seen))
        at = self.seen.index(text.encode()) + len(text.encode())
        found, self.seen = self.seen[:at], self.seen[at:]
        return found.decode(errors="replace")

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def canonical(self):
        return bool(termios.tcgetattr(self.fd)[3] & termios.ICANON)


def simple(keys, argv):
    t = Terminal(argv)
    if keys:
        t.type(keys)
    while t.read(HANG):
        pass
    sys.stdout.buffer.write(t.seen)
    sys.stdout.flush()
    return os.waitstatus_to_exitcode(os.waitpid(t.pid, 0)[1])


def script(weir):
    weir = " ".join("'%s'" % w for w in weir)
    t = Terminal(["bash", "--norc", "--noediting", "-i"])
    t.type("PS1='pro''mpt>'\n")
    t.until("prompt>")
    t.resize(31, 41)

    def start(words, until):
        t.type("%s run %s; echo \"st\"\"atus=$?\"\n" % (weir, words))
        return t.until(until)

    # streams and size; what is typed arrives; the interrupt key is a signal for the command, not for us
    start("-- sh -c 'stty size; echo GO\"\"1; read -r x; echo \"got <$x>\"; trap \"echo INT\"\"ED; exit 7\" INT; echo GO\"\"2; sleep 300 & wait'",
          "31 41")
    t.until("GO1")
    assert not t.canonical(), "our terminal is not raw"
    t.type("abc\n")
    t.until("got <abc>")
    t.until("GO2")
    t.type("\x03")
    t.until("INTED")
    t.until("status=7")
    t.until("prompt>")
    assert t.canonical(), "the terminal was not put back after an exit"

    # a change of size
    start("-- bash -c 'trap \"stty size; exit 3\" WINCH; echo GO\"\"3; sleep 300 & while :; do wait; done'", "GO3")
    t.resize(52, 63)
    t.until("52 63")
    t.until("status=3")
    t.until("prompt>")

    # stopped from outside: the terminal is the shell's again; continued: the command goes on
    t.type("%s run -- sh -c 'echo GO\"\"4; read -r y; echo \"y <$y>\"' &\n" % weir)
    t.until("prompt>")
    t.type("fg\n")
    t.until("GO4")
    pid = None
    while pid is None:
        pid = foreground(t)
    os.kill(pid, signal.SIGTSTP)
    t.until("Stopped")
    t.until("prompt>")
    assert t.canonical(), "the terminal was not put back for a stop"
    t.type("fg\n")
    wait_until(lambda: not t.canonical(), "raw again after fg")
    t.type("zz\n")
    t.until("y <zz>")
    t.until("prompt>")
    assert t.canonical()

    # ended by a signal that the command ignores, twice; ended by a crash
    start("-- sh -c 'trap \"\" TERM; echo GO\"\"5; while :; do sleep 300; done'", "GO5")
    pid = foreground(t)
    while b"status=130" not in t.seen:
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            break
        if select.select([t.fd], [], [], 0.2)[0]:
            t.read(HANG)
    t.until("status=130")
    t.until("prompt>")
    assert t.canonical(), "the terminal was not put back after a cancel"
    start("-- sh -c 'echo GO\"\"6; sleep 300'", "GO6")
    os.kill(foreground(t), signal.SIGSEGV)
    t.until("status=")
    t.until("prompt>")
    assert t.canonical(), "the terminal was not put back after a crash"

    # what was denied is explained, although the command had the terminal
    start("-- sh -c 'echo x >/etc/weir-test'", "DENIED")
    t.until("/etc/weir-test (")
    t.until("status=")
    t.until("prompt>")

    # output of a command that ends at once is not lost
    start("-- seq 5000", "5000")
    t.until("status=0")
    t.type("exit\n")
    return 0


def foreground(t):
    group = os.tcgetpgrp(t.fd)
    return group if group != t.pid else None


def wait_until(what, words):
    end = time.time() + HANG
    while not what():
        if time.time() > end:
            raise SystemExit("waited in vain: " + words)
        time.sleep(0.02)


if sys.argv[1] == "--script":
    sys.exit(script(sys.argv[2:]))
sys.exit(simple(sys.argv[1], sys.argv[2:]))
