"""What every shim starts with: a process that has loaded its solver, and forks a worker for each conversation.

Loading Python and a solver takes 50 to 120 ms, a fork a few (`bench/solvers/start_up.py`). A worker knows nothing of those before it. Symcrete sends us signals:
SIGUSR1 for another worker, SIGTERM to end. Before a worker starts we say so in a line of its own; what the last one left
of its output comes before that line, and what it left of its input is thrown away. If a worker ends by itself, we end as it did.
"""
import ctypes
import os
import resource
import signal

ANOTHER, END = signal.SIGUSR1, signal.SIGTERM
SIGNALS = {ANOTHER, END, signal.SIGCHLD}
PR_SET_PDEATHSIG = 1


def serve(work):
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    prctl = ctypes.CDLL(None).prctl
    us = os.getpid()
    number = 0
    while True:
        os.write(1, b"\nworker %d\n" % number)
        worker = os.fork()
        if worker == 0:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            # If we died before the line above, no signal will come any more.
            if os.getppid() == us:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                work()
            os._exit(0)
        wait_for_signal(worker)
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        discard_input()
        number += 1


def wait_for_signal(worker):
    """Returns when another worker is wanted."""
    while True:
        caught = signal.sigwait(SIGNALS)
        if caught == ANOTHER:
            return
        if caught == END:
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
            os._exit(0)
        ended, status, usage = os.wait4(worker, os.WNOHANG)
        # The signal may be about a worker before this one.
        if ended:
            end_as(os.waitstatus_to_exitcode(status), usage.ru_maxrss << 10)


def end_as(code, peak_bytes):
    """Ends as the worker did. A solver at its limit of memory may also crash: a stack that cannot grow, a null pointer.

    The limit is one of addresses, which libraries take too: the last request that failed may have been for the other half."""
    if code < 0:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and peak_bytes > limit // 4:
            os.write(2, b"out of memory: ended by signal %d at %d of %d MiB\n" % (-code, peak_bytes >> 20, limit >> 20))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.kill(os.getpid(), -code)
    os._exit(code & 255)


def discard_input():
    os.set_blocking(0, False)
    try:
        while os.read(0, 1 << 16):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(0, True)


