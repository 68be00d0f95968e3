"""Bitwuzla's Python module as an interactive SMT-LIB 2 process.

Started by Symcrete as `python -I -c <workers.py and this file> <fd> <counting> <preamble>`. The preamble is SMT-LIB: options and logic.
After it Bitwuzla's own parser reads standard input, so Python costs nothing per command. That parser reads
whole blocks of bytes: who talks to us pads with white space.

Bitwuzla has no reproducible resource limit, but it polls a terminator at points that depend on its input
only. We count these polls. `fd` is 24 bytes of shared memory, three native 64-bit words:
the query's number (written by Symcrete), its limit in polls or 0 (Symcrete), polls used so far (us).
Every poll calls Python, which easy queries feel; where nobody limits steps, `counting` is 0 and none is counted.
"""
import mmap
import os
import sys

import bitwuzla

cell = memoryview(mmap.mmap(int(sys.argv[1]), 24)).cast("Q")
query = 0


def out_of_steps():
    global query
    if cell[0] != query:
        query = cell[0]
        cell[2] = 0
    steps = cell[2] + 1
    cell[2] = steps
    return 0 < cell[1] < steps


def work():
    try:
        parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
        parser.parse(sys.argv[3], False, False)
        # Not the parser's terminator: that one is polled between commands too, and ends the parser.
        # The name keeps the object alive, and with it the terminator.
        solver = parser.bitwuzla()
        if sys.argv[2] == "1":
            solver.configure_terminator(out_of_steps)
        parser.parse("/dev/stdin", False, True)
    except (bitwuzla.BitwuzlaException, MemoryError) as error:
        # Like Bitwuzla's own executable we end here: its parser cannot go on after an error.
        # An error in the middle of a response leaves half a list behind, hence the line of its own.
        message = str(error) or "out of memory"
        os.write(1, ('\n(error "%s")\n' % message.replace('"', '""')).encode())
        os._exit(1)


serve(work)
