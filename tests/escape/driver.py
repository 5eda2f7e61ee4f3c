#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: driver.py [--json] ATTACK-PROGRAM KIND...

Prepares victims, runs the attacks of each kind under each backend and mode, looks at the victims, and compares what got
through with what the result of weir run --json claims.  Prints a table, or JSON; fails when something got through that no
gap names.  WEIR, WEIR_TEST_DIR, WEIR_TEST_PLUGIN_DIR: as in tests/e2e/helpers.bash."""
import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

libc = ctypes.CDLL(None, use_errno=True)
FIRST_SIGNAL = 36  # SIGNAL_OF (0) of attack-processes.c
FILES = {"content", "names", "metadata", "reading", "mounts", "processes", "descriptors"}
BACKENDS = ("landlock", "landlock-off", "bwrap")


# ---- the process outside --------------------------------------------------------------------------

def victim(conf):
    """Says what it has, then answers every line of its input with what happened to it."""
    seen = []
    memory = ctypes.create_string_buffer(4096)
    secret = ctypes.create_string_buffer(conf["secret"].encode())
    for number in range(FIRST_SIGNAL + 1, FIRST_SIGNAL + 16):
        signal.signal(number, lambda n, _: seen.append(n - FIRST_SIGNAL))
    os.chdir(conf["cwd"])
    file_fd = os.open(conf["file"], os.O_RDWR | os.O_APPEND)
    os.umask(0)
    tag = conf["tag"]
    listeners, datagrams = [], []

    def add(family, kind, address):
        s = socket.socket(family, kind)
        s.bind(address)
        if kind == socket.SOCK_STREAM:
            s.listen(64)
        s.setblocking(False)
        (listeners if kind == socket.SOCK_STREAM else datagrams).append(s)
        return s

    add(socket.AF_UNIX, socket.SOCK_STREAM, conf["stream"])
    add(socket.AF_UNIX, socket.SOCK_DGRAM, conf["datagram"])
    add(socket.AF_UNIX, socket.SOCK_STREAM, "\0weir-%s-stream" % tag)
    add(socket.AF_UNIX, socket.SOCK_DGRAM, "\0weir-%s-datagram" % tag)
    # As attack-sockets.c writes the address: with the first byte of the name zero, no more behind it.
    tcp = add(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
    udp = add(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
    print(json.dumps({"memory": ctypes.addressof(memory), "secret": ctypes.addressof(secret), "file_fd": file_fd,
                      "tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}), flush=True)
    for _ in sys.stdin:
        names = []
        for s in listeners:
            while True:
                try:
                    c, _peer = s.accept()
                except BlockingIOError:
                    break
                c.settimeout(20)
                names.append(c.recv(200).decode())
        for s in datagrams:
            while True:
                try:
                    names.append(s.recv(200).decode())
                except BlockingIOError:
                    break
        marks = seen + [i for i in range(64) if memory.raw[i]]
        print(json.dumps({"names": names, "marks": marks}), flush=True)


# ---- files ------------------------------------------------------------------------------------------

def make_files(directory, secret):
    os.makedirs(directory + "/dir")
    for name in ("file", "other", "dir/inner"):
        with open(directory + "/" + name, "w") as f:
            f.write(secret + "\n")
        os.chmod(directory + "/" + name, 0o666)
    os.symlink("file", directory + "/link")
    try:
        os.setxattr(directory + "/file", "user.victim", b"1")
    except OSError:
        pass


def snapshot(directory):
    """What is there, times of change included: nothing that changes a file leaves them alone."""
    result = {}
    for base, dirs, files in os.walk(directory):
        for name in [""] + dirs + files:
            path = os.path.join(base, name)
            st = os.lstat(path)
            content = None
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as f:
                    content = f.read()
            result[path] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_ino, st.st_mtime_ns, st.st_ctime_ns, content)
    return result


def attributes(pid):
    """What other processes can set of one, by the attacks that do."""
    import resource
    with open("/proc/%d/oom_score_adj" % pid) as f:
        oom = f.read()
    nice = os.getpriority(os.PRIO_PROCESS, pid)
    return {"prlimit": resource.prlimit(pid, resource.RLIMIT_NOFILE), "setpriority": nice, "setpriority-group": nice,
            "sched-setaffinity": os.sched_getaffinity(pid), "sched-setscheduler": os.sched_getscheduler(pid),
            "sched-setattr": (nice, os.sched_getscheduler(pid)), "oom-score-adj": oom,
            "ioprio-set": libc.syscall(252, 1, pid) if os.uname().machine == "x86_64" else 0}


# ---- one run ----------------------------------------------------------------------------------------

class Ipc:
    """A segment, a semaphore, queues, of which the attacks know the identifiers."""

    def __init__(self, tag):
        self.tag = tag
        self.shm = libc.shmget(0, 4096, 0o1666)
        self.sem = libc.semget(0, 1, 0o1666)
        self.msg = libc.msgget(0, 0o1666)
        libc.shmat.restype = ctypes.c_void_p
        libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        self.memory = libc.shmat(self.shm, None, 0)
        self.paths = ["/dev/shm/weir-%s" % tag, "/dev/shm/weir-%s-2" % tag]
        for path in self.paths:
            with open(path, "w") as f:
                f.write("x")
            os.chmod(path, 0o666)
        try:
            self.rt = ctypes.CDLL("librt.so.1", use_errno=True)
        except OSError:
            self.rt = libc
        self.queues = [b"/weir-%s" % tag.encode(), b"/weir-%s-2" % tag.encode()]
        self.descriptors = [self.rt.mq_open(q, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, None) for q in self.queues]

    def hits(self):
        names = []
        data = ctypes.string_at(self.memory, 64)
        if data[20]:
            names.append("shmat-write")
        ds = ctypes.create_string_buffer(512)
        if libc.shmctl(self.shm, 2, ds) == 0 and int.from_bytes(ds.raw[20:22], "little") & 0o777 == 0o604:
            names.append("shmctl-set")
        if libc.semctl(self.sem, 0, 12) != 0:
            names.append("semop")
        buffer = ctypes.create_string_buffer(300)
        if libc.msgrcv(self.msg, buffer, ctypes.c_size_t(200), ctypes.c_long(0), 0o4000) > 0:
            names.append("msgsnd")
        for path, name in zip(self.paths, ("shm-open", "shm-unlink")):
            if not os.path.exists(path) or os.stat(path).st_size != 1:
                names.append(name)
        if self.descriptors[0] >= 0 and self.rt.mq_receive(self.descriptors[0], buffer, ctypes.c_size_t(300 * 30), None) > 0:
            names.append("mq-send")
        again = self.rt.mq_open(self.queues[1], os.O_RDWR)
        if again < 0 and self.descriptors[1] >= 0:
            names.append("mq-unlink")
        return names

    def close(self):
        libc.shmctl(self.shm, 0, None)
        libc.semctl(self.sem, 0, 0)
        libc.msgctl(self.msg, 0, None)
        for path in self.paths:
            if os.path.exists(path):
                os.unlink(path)
        for queue in self.queues:
            self.rt.mq_unlink(queue)


class Run:
    def __init__(self, program, kind, backend, mode, place, network="inherit", stdin=None):
        self.kind, self.backend, self.mode, self.place, self.network, self.stdin = kind, backend, mode, place, network, stdin
        self.attacks = attacks_of(program, kind)
        self.tag = secrets.token_hex(8)
        self.secret = secrets.token_hex(16)
        self.top = tempfile.mkdtemp(prefix="escape.", dir=os.environ["WEIR_TEST_DIR"])
        os.chmod(self.top, 0o755)
        self.workspace = self.top + "/workspace"
        os.makedirs(self.workspace)
        os.makedirs(self.top + "/home")
        self.directory = {"outside": self.top + "/place-outside", "hidden": self.top + "/place-hidden",
                          "workspace": self.workspace + "/place", "protected": self.workspace + "/place"}[place]
        os.makedirs(self.directory)
        os.makedirs(self.top + "/place-outside", exist_ok=True)
        for attack in self.attacks:
            make_files(self.directory + "/" + attack, self.secret)
        self.program = self.workspace + "/weir-attack"
        shutil.copy(program, self.program)
        os.chmod(self.program, 0o755)

    def configure(self):
        chain = "bwrap" if self.backend == "bwrap" else "landlock"
        word = {"landlock": "require", "landlock-off": "off"}.get(self.backend)
        plugins = 'landlock : { namespaces = "%s"; };' % word if word else ""
        with open(self.top + "/weir.conf", "w") as f:
            f.write('sandbox : { mode = "%s"; chain = [ "%s" ]; };\nplugins : { %s };\n' % (self.mode, chain, plugins))

    def start_victim(self):
        first = self.directory + "/proc-fd" if "proc-fd" in self.attacks else self.directory + "/" + next(iter(self.attacks))
        conf = {"secret": self.secret, "cwd": self.directory, "file": first + "/file", "tag": self.tag,
                "stream": self.top + "/stream", "datagram": self.top + "/datagram"}
        child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--victim", json.dumps(conf)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
                                 env=dict(os.environ, ESCAPE_SECRET=self.secret))
        return child, json.loads(child.stdout.readline())

    def prepare_git(self):
        run = lambda *words: subprocess.run(["git", *words], cwd=self.workspace, check=True, stdout=subprocess.DEVNULL,
                                            env=dict(os.environ, HOME=self.top + "/home"))
        run("init", "-q")
        os.makedirs(self.workspace + "/.git/hooks", exist_ok=True)
        for name in os.listdir(self.workspace + "/.git/hooks"):
            os.unlink(self.workspace + "/.git/hooks/" + name)
        with open(self.workspace + "/.git/config", "rb") as f:
            self.git_config = f.read()

    def git_hits(self):
        git, hits = self.workspace + "/.git/", []
        try:
            with open(git + "config", "rb") as f:
                if f.read() != self.git_config:
                    hits += ["config-append", "config-rename", "config-exchange", "config-link"]
        except OSError:
            hits.append("config-unlink")
        if not os.path.isdir(self.workspace):
            return ["workspace-move"]
        hooks = os.listdir(git + "hooks") if os.path.isdir(git + "hooks") else ["none"]
        if hooks:
            hits += ["hook-new", "hook-rename", "hooks-move"]
        for name, attack in (("commondir", "commondir"), ("config.worktree", "config-worktree"),
                             ("modules/m/config", "modules-config")):
            if os.path.exists(git + name):
                hits.append(attack)
        if os.path.exists(self.workspace + "/git-away"):
            hits.append("git-move")
        return hits

    def command(self, facts, pid, ipc, terminal):
        weir = [os.environ["WEIR"], "--config", self.top + "/weir.conf", "--state-dir", self.top + "/state"]
        if os.environ.get("WEIR_TEST_PLUGIN_DIR"):
            weir += ["--plugin-dir", os.environ["WEIR_TEST_PLUGIN_DIR"]]
        weir += ["run", "--json", "-m", self.mode, "--network", self.network, "-C", self.workspace]
        if self.place == "protected":
            weir += ["--ro", self.directory]
        if self.place == "hidden":
            weir += ["--deny-read", self.directory]
        words = {"place": self.directory, "workspace": self.workspace, "outside": self.top, "tag": self.tag, "pid": pid,
                 "stream": self.top + "/stream", "datagram": self.top + "/datagram", "terminal": terminal, **facts}
        if ipc:
            words.update(shm=ipc.shm, sem=ipc.sem, msg=ipc.msg)
        return weir + ["--", self.program, "run", self.kind] + ["%s=%s" % w for w in words.items()]

    def go(self):
        self.configure()
        child, facts = self.start_victim()
        ipc = Ipc(self.tag) if self.kind == "ipc" else None
        master, slave = os.openpty()
        other_master, other_slave = os.openpty()
        os.set_blocking(other_master, False)
        inherited = []
        try:
            if self.kind == "git":
                self.prepare_git()
            if self.kind == "descriptors":
                first = next(iter(self.attacks))
                inherited = [os.open(self.directory + "/inherited-write/file", os.O_RDWR | os.O_APPEND),
                             os.open(self.directory, os.O_RDONLY)]
                for fd in inherited:
                    os.set_inheritable(fd, True)
            stdin = subprocess.DEVNULL
            if self.kind == "devices":
                stdin = slave
            elif self.stdin == "file":
                stdin = os.open(self.directory + "/stdin-reopen/file", os.O_RDONLY)
            elif self.stdin == "directory":
                stdin = os.open(self.directory, os.O_RDONLY)
            before = {a: snapshot(self.directory + "/" + a) for a in self.attacks}
            attributes_before = attributes(child.pid)
            done = subprocess.run(self.command(facts, child.pid, ipc, os.ttyname(other_slave)), stdin=stdin,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False, timeout=600,
                                  env=dict(os.environ, HOME=self.top + "/home"))
            try:
                result = json.loads(done.stdout)
            except ValueError:
                return self.failed(done.stderr.decode(errors="replace"))
            if result.get("error"):
                return self.failed(json.dumps(result["error"]))
            child.stdin.write("\n")
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())
            hits = {n for n in answer["names"]}
            hits |= {a for a, (_, mark, _) in self.attacks.items() if mark and mark in answer["marks"]}
            for a in self.attacks:
                changed = snapshot(self.directory + "/" + a) != before[a]
                if changed and self.kind in FILES:
                    hits.add("stdin" if self.stdin == "file" and a == "stdin-reopen" else a)
            now = attributes(child.pid)
            if self.kind == "processes":
                hits |= {a for a in attributes_before if now[a] != attributes_before[a]}
                if self.daemon_lives():
                    hits.add("daemon-outlives")
            if ipc:
                hits |= set(ipc.hits())
            if self.kind == "git":
                hits |= set(self.git_hits())
            if self.kind == "setid":
                hits |= {n[6:] for n in os.listdir(self.workspace)
                         if n.startswith("setid-") and os.lstat(self.workspace + "/" + n).st_mode & 0o6000}
            try:
                hits.add(os.read(other_master, 4096).decode())
            except OSError:
                pass
            return self.judge(result, hits)
        finally:
            child.stdin.close()
            child.wait()
            if ipc:
                ipc.close()
            for fd in [master, slave, other_master, other_slave] + inherited:
                os.close(fd)
            subprocess.run(["chmod", "-R", "u+rwx", self.top], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(self.top, ignore_errors=True)

    def daemon_lives(self):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as f:
                    words = f.read()
            except OSError:
                continue
            if b"daemon-" + self.tag.encode() in words:
                os.kill(int(pid), signal.SIGKILL)
                return True
        return False

    def label(self):
        return {"kind": self.kind, "backend": self.backend, "mode": self.mode, "place": self.place, "network": self.network,
                "stdin": self.stdin}

    def failed(self, text):
        return [dict(self.label(), attack="*", verdict="not applicable" if "UNAVAILABLE" in text.upper() else "FAILED",
                     reason=" ".join(text.split())[:400])]

    def judge(self, result, hits):
        gaps = [g if isinstance(g, str) else json.dumps(g) for g in result.get("gaps", [])]
        if result.get("gap_details"):
            gaps += [json.dumps(g) for g in result["gap_details"]]
        said, found = {}, set()
        lines = result["stdout"]["text"].splitlines()
        for line in lines:
            name, _, rest = line.partition(" ")
            if rest.startswith("found "):
                if self.secret in rest:
                    found.add(name)
            else:
                said[name] = rest
        rows = []
        if "end" not in lines:
            rows.append(dict(self.label(), attack="*", verdict="FAILED", reason="the attacks did not end: " + json.dumps(result)[:600]))
        for attack, (flags, _mark, gap) in self.attacks.items():
            word = said.get(attack, "na: did not run")
            through = attack in hits or (attack in found and (self.kind != "reading" or self.place == "hidden"))
            if word == "ok" and flags & 1:
                through = True
            if attack in ("stdin-reopen", "stdin-reopen-trunc", "stdin-truncate", "stdin-fchmod", "stdin-futimens"):
                through = "stdin" in hits and word == "ok"
            wanted = [g for g in gap.split("|") if g]
            if self.place == "protected":
                wanted.append("protected paths")
            named = [g for g in gaps if any(w.lower() in g.lower() for w in wanted)]
            if through:
                verdict, reason = ("gap", named[0]) if named else ("GOT OUT", word)
            elif word.startswith("na"):
                verdict, reason = "not applicable", word[4:]
            else:
                verdict, reason = "denied", word
            if attack == "daemon-outlives" and not through:
                verdict, reason = "denied", "ended with the command"
            rows.append(dict(self.label(), attack=attack, verdict=verdict, reason=reason))
        return rows


LIST = {}


def attacks_of(program, kind):
    if not LIST:
        text = subprocess.run([program, "list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in text.splitlines():
            k, name, flags, mark, gap = line.split("\t")
            LIST.setdefault(k, {})[name] = (int(flags), int(mark), gap)
    return LIST[kind]


def runs(program, kind):
    for backend in BACKENDS:
        for mode in ("read-only", "workspace-write"):
            make = lambda place, **more: Run(program, kind, backend, mode, place, **more)
            if kind == "git" and mode == "read-only":
                continue
            if kind == "setid" and mode == "read-only":
                continue
            if kind == "reading":
                yield make("hidden")
            elif kind == "network":
                yield make("outside", network="none")
                if backend != "landlock-off":
                    yield make("outside", network="loopback")
            elif kind == "descriptors":
                yield make("outside", stdin="file")
                yield make("outside", stdin="directory")
            elif kind in ("content", "names", "metadata"):
                yield make("outside")
                yield make("workspace" if mode == "read-only" else "protected")
            else:
                yield make("outside")


def main(arguments):
    as_json = "--json" in arguments
    program, *kinds = [a for a in arguments if a != "--json"]
    rows = []
    for kind in kinds:
        for run in runs(program, kind):
            rows += run.go()
    bad = [r for r in rows if r["verdict"] in ("GOT OUT", "FAILED")]
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        for r in rows:
            print("%-12s %-32s %-13s %-16s %-10s %-9s %s (%s)" % (
                r["kind"], r["attack"], r["backend"], r["mode"], r["place"], r["stdin"] or r["network"], r["verdict"], r["reason"]))
    for r in bad:
        print("ESCAPED: %(kind)s.%(attack)s, %(backend)s, %(mode)s, %(place)s: %(verdict)s: %(reason)s" % r, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--victim"]:
        victim(json.loads(sys.argv[2]))
    else:
        sys.exit(main(sys.argv[1:]))
