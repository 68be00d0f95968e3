"""cvc5's Python module as an interactive SMT-LIB 2 process.

Started by Symcrete as `python -I -c <workers.py and this file> <fd> <counting> <preamble>`. The preamble is SMT-LIB: options and logic.
After it commands arrive on standard input, in batches whose last line is an echo command; only the end of a
batch is looked for here, cvc5's parser finds the commands.

`fd` is 24 bytes of shared memory, three native 64-bit words. The last one tells Symcrete how many resource
units the last check took; the others, and `counting`, are of no interest here (see the shim of Bitwuzla).
"""
import mmap
import os
import sys

import cvc5

cell = memoryview(mmap.mmap(int(sys.argv[1]), 24)).cast("Q")
units_before = 0


def read_batch():
    batch = bytearray()
    while True:
        chunk = os.read(0, 1 << 20)
        if not chunk:
            os._exit(0)
        batch += chunk
        last_line = batch.rfind(b"\n", 0, -1) + 1
        if batch.endswith(b'")\n') and batch.startswith(b"(echo ", last_line):
            return batch.decode(), batch[last_line + 6 : -2].decode()


def write(text):
    rest = text.encode()
    while rest:
        rest = rest[os.write(1, rest) :]


def count_steps(solver):
    global units_before
    units = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
    # `(reset)` starts the count again.
    cell[2] = units - units_before if units >= units_before else units
    units_before = units


def answer_batch(batch, mark, solver, symbols, parser):
    parser.appendIncrementalStringInput(batch)
    response = ""
    # The parser must not look beyond the batch's closing echo: it would take that for the end of the input.
    while response.rstrip() != mark:
        command = parser.nextCommand()
        name = command.getCommandName()
        response = command.invoke(solver, symbols)
        if name.startswith("check-sat"):
            count_steps(solver)
            # The reason in brackets, as in `unknown (RESOURCEOUT)`, is not SMT-LIB.
            if response.startswith("unknown"):
                response = "unknown\n"
        if response:
            write(response)


def work():
    try:
        solver = cvc5.Solver()
        symbols = cvc5.SymbolManager(solver)
        parser = cvc5.InputParser(solver, symbols)
        parser.setIncrementalStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "stdin")
        preamble = sys.argv[3]
        while True:
            batch, mark = read_batch()
            answer_batch(preamble + batch, mark, solver, symbols, parser)
            preamble = ""
    except (RuntimeError, MemoryError) as error:
        message = str(error) or "out of memory"
        write('\n(error "%s")\n' % message.replace('"', '""'))
        os._exit(1)


serve(work)
