"""Random formulas in SMT-LIB for `differential.py`. A family takes a source of random numbers and gives the text and what is known: `sat` where a
model was hidden in it, else `None`."""

import math
import struct

# --- words -----------------------------------------------------------------------------------------------------------------


class Word:
    """A bit-vector term with its value under the hidden inputs."""

    def __init__(self, text, width, value):
        self.text, self.width, self.value = text, width, value & (1 << width) - 1

    def signed(self):
        return self.value - (1 << self.width) if self.value >> self.width - 1 else self.value


def constant(width, value):
    value &= (1 << width) - 1
    return Word(f"(_ bv{value} {width})", width, value)


def signed_quotient(a, b):
    if b == 0:
        return -1 if a >= 0 else 1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


WORD_OPERATORS = {
    "bvadd": lambda a, b: a.value + b.value,
    "bvsub": lambda a, b: a.value - b.value,
    "bvmul": lambda a, b: a.value * b.value,
    "bvand": lambda a, b: a.value & b.value,
    "bvor": lambda a, b: a.value | b.value,
    "bvxor": lambda a, b: a.value ^ b.value,
    "bvshl": lambda a, b: a.value << b.value if b.value < a.width else 0,
    "bvlshr": lambda a, b: a.value >> b.value if b.value < a.width else 0,
    "bvashr": lambda a, b: a.signed() >> min(b.value, a.width),
    "bvudiv": lambda a, b: a.value // b.value if b.value else -1,
    "bvurem": lambda a, b: a.value % b.value if b.value else a.value,
    "bvsdiv": lambda a, b: signed_quotient(a.signed(), b.signed()),
    "bvsrem": lambda a, b: a.signed() - b.signed() * signed_quotient(a.signed(), b.signed()) if b.value else a.value,
    "bvsmod": lambda a, b: a.signed() % b.signed() if b.value else a.value,
}
RELATIONS = {
    "=": lambda a, b: a.value == b.value,
    "bvult": lambda a, b: a.value < b.value,
    "bvsle": lambda a, b: a.signed() <= b.signed(),
    "bvslt": lambda a, b: a.signed() < b.signed(),
}


def word_app(operator, a, b):
    return Word(f"({operator} {a.text} {b.text})", a.width, WORD_OPERATORS[operator](a, b))


def some_constant(draw, width):
    kind = draw.randrange(4)
    if kind == 0:
        return constant(width, draw.randrange(1, 20))
    if kind == 1:
        return constant(width, 1 << draw.randrange(width))
    if kind == 2:
        return constant(width, -draw.randrange(1, 300))
    return constant(width, draw.getrandbits(width))


def word_term(draw, inputs, operators, depth):
    if depth == 0 or draw.random() < 0.1:
        return draw.choice(inputs) if draw.random() < 0.75 else some_constant(draw, inputs[0].width)
    operator = draw.choice(operators)
    left = word_term(draw, inputs, operators, depth - 1)
    if operator in ("bvshl", "bvlshr", "bvashr") and draw.random() < 0.8:
        return word_app(operator, left, constant(left.width, draw.randrange(1, left.width)))
    return word_app(operator, left, word_term(draw, inputs, operators, depth - 1))


def words(draw, width, n_inputs):
    values = [draw.choice([draw.getrandbits(width), draw.randrange(1000), -draw.randrange(1000)]) for _ in range(n_inputs)]
    return [Word(f"x{i}", width, value) for i, value in enumerate(values)]


def script(declarations, assertions, logic="ALL", opaque=()):
    lines = [f"(set-logic {logic})", *[f"(set-info :symcrete-opaque {name})" for name in opaque], *declarations]
    return "\n".join(lines + [f"(assert {text})" for text in assertions] + ["(check-sat)", ""])


def declared(inputs):
    return [f"(declare-const {word.text} (_ BitVec {word.width}))" for word in inputs]


def literals_over(draw, inputs, operators, n, depth, is_hidden):
    """Comparisons that hold under the hidden inputs, or as they come."""
    texts = []
    for _ in range(n):
        left = word_term(draw, inputs, operators, depth)
        relation = draw.choice(list(RELATIONS))
        right = constant(left.width, left.value) if relation == "=" and is_hidden else word_term(draw, inputs, operators, depth - 1)
        text = f"({relation} {left.text} {right.text})"
        holds = RELATIONS[relation](left, right)
        texts.append(f"(not {text})" if is_hidden and not holds else text)
    return texts


def division(draw):
    width = draw.choice([8, 16, 32, 32, 64, 64])
    inputs, is_hidden = words(draw, width, draw.randint(1, 3)), draw.random() < 0.6
    operators = ["bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvmul", "bvadd", "bvsub", "bvxor"]
    texts = literals_over(draw, inputs, operators, draw.randint(1, 4), draw.randint(2, 3), is_hidden)
    return script(declared(inputs), texts, "QF_BV"), "sat" if is_hidden else None


def wide(draw):
    width = draw.choice([65, 80, 96, 128, 160, 256])
    inputs, is_hidden = words(draw, width, draw.randint(1, 3)), draw.random() < 0.6
    operators = ["bvadd", "bvsub", "bvxor", "bvand", "bvor", "bvshl", "bvlshr", "bvashr", "bvadd", "bvmul"]
    texts = literals_over(draw, inputs, operators, draw.randint(1, 4), 2, is_hidden)
    return script(declared(inputs), texts, "QF_BV"), "sat" if is_hidden else None


def hash_chain(draw):
    """The result of mixing a few inputs, equated with that of the hidden ones."""
    width = draw.choice([32, 32, 64])
    inputs = words(draw, width, draw.randint(1, 3))
    lines = declared(inputs)

    def named(word):
        lines.append(f"(define-fun s{len(lines)} () (_ BitVec {width}) {word.text})")
        return Word(f"s{len(lines) - 1}", width, word.value)

    state = constant(width, draw.getrandbits(width))
    for word in inputs * draw.choice([1, 1, 2]):
        state = named(word_app(draw.choice(["bvxor", "bvadd"]), state, word))
        for _ in range(draw.randint(1, 4)):
            state = named(mixed_state(draw, state))
    texts = [f"(= {state.text} {constant(width, state.value).text})"]
    return script(lines, texts, "QF_BV"), "sat"


def mixed_state(draw, state):
    """One step of a hash function."""
    width = state.width
    shift = constant(width, draw.randrange(1, width))
    kind = draw.randrange(4)
    if kind == 0:
        return word_app("bvmul", state, constant(width, draw.getrandbits(width) | 1))
    if kind == 1:
        return word_app("bvxor", state, word_app(draw.choice(["bvlshr", "bvshl"]), state, shift))
    if kind == 2:
        return word_app(draw.choice(["bvadd", "bvsub"]), word_app("bvshl", state, shift), state)
    back = constant(width, width - shift.value)
    return word_app("bvor", word_app("bvshl", state, shift), word_app("bvlshr", state, back))


# --- floats ----------------------------------------------------------------------------------------------------------------

DOUBLE, SINGLE = (11, 53), (8, 24)


class Float:
    """A float term with its value under the hidden inputs, which `None` says is not known."""

    def __init__(self, text, format, value):
        self.text, self.format, self.value = text, format, rounded(value, format)


def rounded(value, format):
    if value is None or format == DOUBLE:
        return value
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def divided(a, b):
    if b == 0 or math.isinf(a) and math.isinf(b):
        return math.nan if a == 0 or math.isnan(a) or math.isinf(a) and math.isinf(b) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


FLOAT_OPERATORS = {
    "fp.add": lambda a, b: a + b,
    "fp.sub": lambda a, b: a - b,
    "fp.mul": lambda a, b: a * b,
    "fp.div": divided,
}
FLOAT_RELATIONS = {
    "fp.lt": lambda a, b: a < b,
    "fp.leq": lambda a, b: a <= b,
    "fp.gt": lambda a, b: a > b,
    "fp.eq": lambda a, b: a == b,
}


def literal(value, format):
    exponent, significand = format
    if format == DOUBLE:
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        return f"((_ to_fp 11 53) (_ bv{bits} 64))"
    if format == SINGLE:
        bits = struct.unpack("<I", struct.pack("<f", rounded(value, format)))[0]
        return f"((_ to_fp 8 24) (_ bv{bits} 32))"
    sign, value = ("(- ", abs(value)) if value < 0 else ("", value)
    number = f"{value:.6f}"
    return f"((_ to_fp {exponent} {significand}) RNE {sign}{number}{')' if sign else ''})"


def float_constant(draw, format):
    value = draw.choice([0.0, 1.0, 2.0, 0.5, -1.0, 10.0, 0.1, round(draw.uniform(-100, 100), 2), draw.uniform(-1e4, 1e4)])
    return Float(literal(value, format), format, value)


def float_term(draw, inputs, depth):
    if depth == 0 or draw.random() < 0.1:
        return draw.choice(inputs) if draw.random() < 0.75 else float_constant(draw, inputs[0].format)
    a = float_term(draw, inputs, depth - 1)
    if draw.random() < 0.12:
        operator = draw.choice(["fp.sqrt", "fp.neg", "fp.abs"])
        mode = "RNE " if operator == "fp.sqrt" else ""
        value = {"fp.sqrt": lambda v: math.sqrt(v) if v >= 0 else math.nan, "fp.neg": lambda v: -v, "fp.abs": abs}[operator]
        return Float(f"({operator} {mode}{a.text})", a.format, None if a.value is None else value(a.value))
    b = float_term(draw, inputs, depth - 1)
    operator = draw.choice(list(FLOAT_OPERATORS))
    value = None if a.value is None or b.value is None else FLOAT_OPERATORS[operator](a.value, b.value)
    return Float(f"({operator} RNE {a.text} {b.text})", a.format, value)


def floats(draw, format, n, is_known=True):
    value = lambda: draw.choice([draw.uniform(-100, 100), float(draw.randrange(-50, 50)), draw.uniform(-1e6, 1e6)])
    return [Float(f"f{i}", format, value() if is_known else None) for i in range(n)]


def declared_floats(inputs):
    return [f"(declare-const {x.text} (_ FloatingPoint {x.format[0]} {x.format[1]}))" for x in inputs]


def float_literals(draw, inputs, n, depth, is_hidden):
    texts = []
    for _ in range(n):
        a = float_term(draw, inputs, depth)
        relation = draw.choice(list(FLOAT_RELATIONS))
        b = float_term(draw, inputs, draw.randint(0, depth - 1))
        if relation == "fp.eq" and is_hidden and a.value is not None and math.isfinite(a.value):
            b = Float(literal(a.value, a.format), a.format, a.value)
        text = f"({relation} {a.text} {b.text})"
        holds = is_hidden and FLOAT_RELATIONS[relation](a.value, b.value)
        texts.append(f"(not {text})" if is_hidden and not holds else text)
    return texts


def float_formula(draw):
    format, is_hidden = draw.choice([DOUBLE, SINGLE]), draw.random() < 0.5
    inputs = floats(draw, format, draw.randint(1, 4))
    texts = float_literals(draw, inputs, draw.randint(1, 4), draw.randint(1, 3), is_hidden)
    return script(declared_floats(inputs), texts, "QF_FP"), "sat" if is_hidden else None


def small_format(draw):
    format = draw.choice([(5, 11), (5, 11), (8, 8), (4, 4), (3, 5), (6, 10), (15, 64)])
    inputs = floats(draw, format, draw.randint(1, 3), is_known=False)
    texts = float_literals(draw, inputs, draw.randint(1, 3), draw.randint(1, 2), False)
    if draw.random() < 0.3:
        x = inputs[0]
        texts.append(f"(fp.lt ((_ to_fp 8 24) RNE {x.text}) ((_ to_fp 8 24) RNE {draw.uniform(1, 100):.3f}))")
    return script(declared_floats(inputs), texts, "QF_FP"), None


def within(x, low, high):
    return [f"(fp.leq {literal(low, x.format)} {x.text})", f"(fp.leq {x.text} {literal(high, x.format)})"]


def magnitude(draw, inputs, bounds, depth):
    """A sum of products, and a bound of its size over the reals."""
    if depth == 0:
        at = draw.randrange(len(inputs))
        return inputs[at], max(abs(bounds[at][0]), abs(bounds[at][1]))
    (a, size_a), (b, size_b) = magnitude(draw, inputs, bounds, depth - 1), magnitude(draw, inputs, bounds, depth - 1)
    operator = draw.choice(["fp.add", "fp.sub", "fp.mul"])
    size = size_a * size_b if operator == "fp.mul" else size_a + size_b
    return Float(f"({operator} RNE {a.text} {b.text})", a.format, None), size


def refuted(draw):
    """Inputs within bounds, and a condition that these forbid, or nearly."""
    format = draw.choice([DOUBLE, SINGLE])
    inputs = floats(draw, format, draw.randint(1, 3), is_known=False)
    bounds = [sorted([draw.uniform(-100, 100), draw.uniform(-100, 100)]) for _ in inputs]
    texts = [text for x, (low, high) in zip(inputs, bounds) for text in within(x, low, high)]
    kind = draw.randrange(5)
    if kind < 2:
        term, size = magnitude(draw, inputs, bounds, draw.randint(1, 3))
        texts.append(f"(fp.gt {term.text} {literal(size * draw.choice([1.001, 1.2, 2]), format)})")
    elif kind == 2:
        x = draw.choice(inputs)
        square = f"(fp.mul RNE {x.text} {x.text})"
        texts.append(f"(fp.lt (fp.add RNE (fp.sub RNE {square} {x.text}) {literal(0.5, format)}) {literal(0.2, format)})")
    elif kind == 3:
        term, size = magnitude(draw, inputs, bounds, 2)
        one = literal(1.0, format)
        texts.append(f"(fp.lt (fp.add RNE {term.text} {one}) (fp.sub RNE {term.text} {one}))")
    else:
        a, _ = magnitude(draw, inputs, bounds, 2)
        b, _ = magnitude(draw, inputs, bounds, 1)
        texts += [f"(fp.lt (fp.add RNE {a.text} {b.text}) {literal(1.0, format)})", f"(fp.gt (fp.add RNE {a.text} {b.text}) {literal(1.5, format)})"]
    return script(declared_floats(inputs), texts, "QF_FP"), None


def mixed(draw):
    """Words become floats by value and by bits, floats become words."""
    format = draw.choice([DOUBLE, SINGLE])
    exponent, significand = format
    size = exponent + significand
    inputs = words(draw, 32, draw.randint(1, 2))
    bits = Word("b", size, draw.getrandbits(size))
    converted = [Float(f"((_ to_fp {exponent} {significand}) RNE {x.text})", format, None) for x in inputs]
    converted.append(Float(f"((_ to_fp {exponent} {significand}) b)", format, None))
    texts = float_literals(draw, converted, draw.randint(1, 2), draw.randint(1, 2), False)
    term = float_term(draw, converted, 1)
    sizes = draw.choice([8, 16, 32])
    operator, mode = draw.choice(["fp.to_sbv", "fp.to_ubv"]), draw.choice(["RTZ", "RNE", "RTP"])
    whole = f"((_ {operator} {sizes}) {mode} {term.text})"
    texts.append(f"({draw.choice(['bvslt', 'bvugt', '='])} {whole} {some_constant(draw, sizes).text})")
    if draw.random() < 0.5:
        texts.append(f"(not (fp.isNaN {converted[-1].text}))")
    if draw.random() < 0.5:
        texts += literals_over(draw, inputs, ["bvadd", "bvmul", "bvxor", "bvand"], 1, 2, False)
    return script(declared([*inputs, bits]), texts, "QF_BVFP"), None


# --- library functions -----------------------------------------------------------------------------------------------------

UNARY = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "log": math.log, "atan": math.atan,
         "asin": math.asin, "acos": math.acos, "sqrt": math.sqrt, "tanh": math.tanh}
BINARY = {"pow": math.pow, "atan2": math.atan2, "fmod": math.fmod, "hypot": math.hypot}


def call_value(function, *values):
    try:
        return function(*values)
    except (ValueError, OverflowError):
        return math.nan


def call_term(draw, inputs, depth):
    if depth == 0:
        return draw.choice(inputs) if draw.random() < 0.8 else float_constant(draw, DOUBLE)
    a = call_term(draw, inputs, depth - 1)
    kind = draw.random()
    if kind < 0.4:
        name = draw.choice(list(UNARY))
        return Float(f"({name} {a.text})", DOUBLE, call_value(UNARY[name], a.value))
    b = call_term(draw, inputs, depth - 1)
    if kind < 0.52:
        name = draw.choice(list(BINARY))
        return Float(f"({name} {a.text} {b.text})", DOUBLE, call_value(BINARY[name], a.value, b.value))
    operator = draw.choice(["fp.add", "fp.sub", "fp.mul", "fp.mul", "fp.div"])
    return Float(f"({operator} RNE {a.text} {b.text})", DOUBLE, FLOAT_OPERATORS[operator](a.value, b.value))


def calls(draw):
    inputs = [Float(f"f{i}", DOUBLE, draw.uniform(-8, 8)) for i in range(draw.randint(1, 4))]
    texts = []
    while len(texts) < draw.randint(1, 3):
        a, b = call_term(draw, inputs, draw.randint(2, 3)), call_term(draw, inputs, draw.randint(1, 2))
        if not (math.isfinite(a.value) and math.isfinite(b.value)) or "(" not in a.text:
            continue
        if draw.random() < 0.35:
            texts.append(f"(fp.eq {a.text} {literal(a.value, DOUBLE)})")
        else:
            texts.append(f"(fp.lt {a.text} {b.text})" if a.value < b.value else f"(fp.leq {b.text} {a.text})")
    functions = [f"(declare-fun {name} (Float64) Float64)" for name in UNARY]
    functions += [f"(declare-fun {name} (Float64 Float64) Float64)" for name in BINARY]
    return script(functions + declared_floats(inputs), texts, "ALL", [*UNARY, *BINARY]), "sat"


FAMILIES = {"division": division, "hash": hash_chain, "float": float_formula, "refuted": refuted, "mixed": mixed,
            "small": small_format, "wide": wide, "calls": calls}
