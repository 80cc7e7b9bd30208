#!/usr/bin/env python3
"""Writes src/field/x86/fp_ifma.S: products of eight lanes of Fp with AVX-512 IFMA, two at a time.

usage: gen_ifma.py [--check]    --check compares with the file in the tree instead of writing

A multiply-add has a latency of four cycles and two begin in each; the columns of one product are too
few chains for that, so two products are interleaved, instruction by instruction.

The reduction does not use p but kp = k p with k = -1/p mod 2^52, for which the factor q of a step is
the column itself: kp = 2^52 h - 1, so that adding q kp to the columns is dropping the low 52 bits of
the first one and adding q h to those that follow. Steps of kp alone would leave values up to kp,
50 bits too many, so the last step is an ordinary one: the result is below a b / 2^416 + kp / 2^52 + p.
There the product q p_0 only decides whether there is a carry, and that the column alone tells: the
carry is the column divided by 2^52 and rounded up.

Bounds are stated in src/field/x86/fp_ifma.h; tests/unit/test_lanes.c compares with the scalar field.
"""
import pathlib
import sys

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
BITS = 52
MASK = (1 << BITS) - 1
K = -pow(P, -1, 1 << BITS) % (1 << BITS)
H = (K * P + 1) >> BITS
N = 8
M = range(20, 28)  # registers of h


def limbs(x):
    return [x >> (BITS * i) & MASK for i in range(N)]


class Row:
    """Limbs in memory: 64 bytes each from the first one on."""

    def __init__(self, base, first=0):
        self.base, self.first = base, first

    def __getitem__(self, i):
        return f"{64 * (self.first + i)}(%{self.base})"


def word(name, i=0):
    return f"{name}+{8 * i}(%rip)"


def const(name, i=0):
    return word(name, i) + "{1to8}"


def zmm(i):
    return f"%zmm{i}"


def interleave(*streams):
    """Merges lists of instructions so that all advance at the same pace."""
    total = max(len(s) for s in streams)
    out = []
    for i in range(total):
        for s in streams:
            out += s[i * len(s) // total : (i + 1) * len(s) // total]
    return out


class Product:
    """One product on its way: ring of ten columns, a register for the factor and one to spare."""

    def __init__(self, ring, x, t, signed=False, init=None, size=10):
        self.ring, self.size, self.x, self.t = ring, size, zmm(x), zmm(t)
        self.shift = "vpsraq" if signed else "vpsrlq"
        self.h7 = zmm(M[-1])
        self.init = init  # where columns begin: a row of 16 in memory, or None for zero
        self.out = []
        self.alive = set()

    def op(self, text):
        self.out.append(text)

    def take(self):
        out, self.out = self.out, []
        return out

    def col(self, k):
        return zmm(self.ring + k % self.size)

    def zero(self, r):
        self.op(f"vpxord {r}, {r}, {r}" if int(r[4:]) > 15 else f"vpxor %x{r[2:]}, %x{r[2:]}, %x{r[2:]}")

    def begin(self, k):
        assert k - self.size not in self.alive
        self.alive.add(k)
        start = self.init and self.init(k)
        if start:
            self.op(f"{'vpbroadcastq' if 'rip' in start else 'vmovdqa64'} {start}, {self.col(k)}")
        else:
            self.zero(self.col(k))

    def madd(self, half, x, y, k):
        """column k += low or high half of x y"""
        if k not in self.alive:
            self.begin(k)
        self.op(f"vpmadd52{half}q {y}, {x}, {self.col(k)}")

    def load(self, mem, reg):
        self.op(f"vmovdqa64 {mem}, {reg}")

    def store(self, reg, mem):
        self.op(f"vmovdqa64 {reg}, {mem}")

    def row(self, a, b, i, top=0):
        """columns += a_i b 2^(52 i); without the high half of a_7 b_7 unless top."""
        if isinstance(a, Row):
            self.load(a[i], self.x)
        else:
            self.out += a.limb(i, self.x)
        for j in range(N):
            self.madd("lu", self.x, b[j], i + j)
        for j in range(N):
            if top or i + j < 2 * N - 2:
                self.madd("hu", self.x, b[j], i + j + 1)

    def cross_row(self, a, i, columns):
        """columns += a_i a_j 2^(52 (i + j)) for j > i, halves that fall into the columns."""
        terms = [(half, j) for half, up in (("lu", 0), ("hu", 1)) for j in range(i + 1, N)
                 if i + j + up in columns]
        if terms:
            self.load(a[i], self.x)
        for half, j in terms:
            self.madd(half, self.x, a[j], i + j + (half == "hu"))

    def square(self, a, i, halves):
        self.load(a[i], self.x)
        for half in halves:
            self.madd(half, self.x, self.x, 2 * i + (half == "hu"))

    def cross_columns(self, a, columns):
        """Columns of a^2 that come into being: products of different limbs twice, and the squares
        of limbs; that of a_7 has no high half."""
        for i in range(N - 1):
            self.cross_row(a, i, columns)
        for k in columns:
            if 0 < k < 2 * N - 1:
                self.double(k)
        for i in range(N):
            halves = [h for h in ("lu", "hu") if 2 * i + (h == "hu") in columns and (h, i) != ("hu", N - 1)]
            if halves:
                self.square(a, i, halves)

    def step(self, i):
        """Reduction step with kp."""
        q = self.col(i)
        self.madd("lu", q, zmm(M[0]), i + 1)
        self.op(f"{self.shift} $52, {q}, {self.t}")
        self.op(f"vpaddq {self.t}, {self.col(i + 1)}, {self.col(i + 1)}")
        h = [zmm(r) for r in M[:-1]] + [self.h7]
        for j in range(1, N):
            self.madd("lu", q, h[j], i + j + 1)
        for j in range(N):
            self.madd("hu", q, h[j], i + j + 2)
        self.alive.remove(i)

    def last_step(self, i):
        """Reduction step with p."""
        c, q = self.col(i), self.x
        self.zero(q)
        self.op(f"vpmadd52luq {const('inverse')}, {c}, {q}")
        self.op(f"vpaddq {const('mask')}, {c}, {c}")
        self.op(f"{self.shift} $52, {c}, {c}")
        self.madd("lu", q, zmm(M[1]), i + 1)
        self.op(f"vpmadd52huq {zmm(M[0])}, {q}, {c}")
        self.op(f"vpaddq {c}, {self.col(i + 1)}, {self.col(i + 1)}")
        self.alive.remove(i)
        for j in range(2, N):
            self.madd("lu", q, zmm(M[j]), i + j)
        for j in range(1, N):
            self.madd("hu", q, zmm(M[j]), i + j + 1)

    def double(self, k):
        self.op(f"vpaddq {self.col(k)}, {self.col(k)}, {self.col(k)}")

    def half_step(self):
        """Reduction step of 32 bits on the columns from 8 on; p_7 has 17 bits."""
        q = self.x
        self.zero(q)
        self.op(f"vpmadd52luq {const('inverse')}, {self.col(N)}, {q}")
        self.op(f"vpandq {const('mask32')}, {q}, {q}")
        for j in range(N):
            self.madd("lu", q, zmm(M[j]), N + j)
        for j in range(N - 1):
            self.madd("hu", q, zmm(M[j]), N + j + 1)

    def carry(self, r, mask):
        """The columns from 8 on, carried and stored."""
        for j in range(N):
            c = self.col(N + j)
            if j:
                self.op(f"vpaddq {self.t}, {c}, {c}")
            if j < N - 1:
                self.op(f"{self.shift} $52, {c}, {self.t}")
                self.op(f"vpandq {mask}, {c}, {c}")
            self.store(c, r[j])

    def put_shifted(self, r, mask):
        """Divided by 2^32, which their sum is a multiple of; not carried."""
        for j in range(N):
            c = self.col(N + j)
            self.op(f"vpsrlq $32, {c}, {self.t}")
            if j < N - 1:
                self.op(f"vpsllq $20, {self.col(N + j + 1)}, {self.x}")
                self.op(f"vpandq {mask}, {self.x}, {self.x}")
                self.op(f"vpaddq {self.x}, {self.t}, {self.t}")
            self.store(self.t, r[j])


class Combined:
    """a + b, or a - b + 64 p, limb by limb as its rows want it, the carry in a register between."""

    def __init__(self, a, b, carry, subtract=False):
        self.a, self.b, self.carry, self.subtract = a, b, carry, subtract

    def limb(self, i, x):
        out = [f"vmovdqa64 {self.a[i]}, {x}"]
        if self.subtract:
            out += [f"vpsubq {self.b[i]}, {x}, {x}", f"vpaddq {const('lift', i)}, {x}, {x}"]
        else:
            out += [f"vpaddq {self.b[i]}, {x}, {x}"]
        if i:
            out.append(f"vpaddq {self.carry}, {x}, {x}")
        if i < N - 1:
            out.append(f"vpsraq $52, {x}, {self.carry}")
        return out


def add_rows(r, a, b, x, carry):
    """r = a + b, carried as far as multiply-adds care: they read 52 bits."""
    total = Combined(a, b, carry)
    return sum((total.limb(i, x) + [f"vmovdqa64 {x}, {r[i]}"] for i in range(N)), [])


class File:
    def __init__(self):
        self.lines = []

    def ops(self, ops):
        self.lines += ["    " + text for text in ops]

    def begin(self, name, frame=0):
        """frame: how many rows of 64 bytes the function wants at rsp."""
        self.lines += ["", f"    .globl {name}", f"    .hidden {name}", f"    .type {name}, @function",
                       "    .p2align 6", f"{name}:"]
        self.ops([".cfi_startproc", "endbr64"])
        if frame:
            self.ops(["pushq %rbp", ".cfi_adjust_cfa_offset 8", ".cfi_rel_offset %rbp, 0",
                      "movq %rsp, %rbp", ".cfi_def_cfa_register %rbp",
                      f"subq ${64 * frame}, %rsp", "andq $-64, %rsp"])

    def end(self, name, frame=0):
        self.ops(["vzeroupper"])
        if frame:
            self.ops(["movq %rbp, %rsp", "popq %rbp", ".cfi_def_cfa %rsp, 8"])
        self.ops(["ret", ".cfi_endproc"])
        self.lines.append(f"    .size {name}, . - {name}")

    def broadcast(self, name, i, reg):
        self.ops([f"vpbroadcastq {word(name, i)}, {zmm(reg)}"])

    def load_factor(self, name):
        for i in range(N):
            self.broadcast(name, i, M[i])

    def merge(self, *products):
        self.ops(interleave(*[p.take() for p in products]))

    def finish(self, products, results, shifted=False, twice=None):
        """Last step and results; shifted: divided by 2^32; twice: the product that is doubled."""
        self.load_factor("modulus")
        for p in products:
            p.last_step(N - 1)
            if p is twice:
                for k in range(N, 2 * N):
                    p.double(k)
            if shifted:
                p.half_step()
        self.merge(*products)
        self.broadcast("mask", 0, M[0])
        for p, r in zip(products, results):
            (p.put_shifted if shifted else p.carry)(r, zmm(M[0]))
        self.merge(*products)

    def mul2(self):
        name = "cuzk_fp8_mul2_ifma"
        self.begin(name)
        self.load_factor("high")
        u, v = Product(0, 28, 30), Product(10, 29, 31)
        for p, a, b in ((u, Row("rsi"), Row("rdx")), (v, Row("r8"), Row("r9"))):
            p.row(a, b, 0)
            for i in range(N - 1):
                p.row(a, b, i + 1)
                p.step(i)
        self.merge(u, v)
        self.finish((u, v), (Row("rdi"), Row("rcx")))
        self.end(name)

    def sqr2(self):
        name = "cuzk_fp8_sqr2_ifma"
        self.begin(name)
        self.load_factor("high")
        u, v = Product(0, 28, 30), Product(10, 29, 31)
        for p, a in ((u, Row("rsi")), (v, Row("rcx"))):
            p.cross_columns(a, range(10))
            for i in range(N - 1):
                p.step(i)
                if i + 10 < 2 * N - 1:
                    p.cross_columns(a, [i + 10])
        self.merge(u, v)
        self.finish((u, v), (Row("rdi"), Row("rdx")), shifted=True)
        self.end(name)

    def fp2_mul(self):
        """Karatsuba: c0 = m0 - m1 and c1 = (a0 + a1)(b0 + b1) - m0 - m1 before their reduction."""
        name, frame = "cuzk_fp2_8_mul_ifma", 40
        a0, a1, b0, b1 = Row("rsi"), Row("rsi", N), Row("rdx"), Row("rdx", N)
        sb, c1, c0 = Row("rsp"), Row("rsp", N), Row("rsp", 3 * N)
        self.begin(name, frame)
        u, v = Product(0, 28, 30, size=9), Product(10, 29, 31, size=9)
        sums = add_rows(sb, b0, b1, zmm(9), zmm(19))
        done = []
        self.ops([f"vmovdqa64 {b0[i]}, {zmm(M[i])}" for i in range(N)])
        for i in range(N):
            u.row(a0, [zmm(r) for r in M], i)
            v.row(a1, b1, i)
            part = sums[i * len(sums) // N : (i + 1) * len(sums) // N]
            row = interleave(u.take(), v.take(), part)
            k = len(row) * 3 // 4  # the last column takes the register of the first one in done
            self.ops(interleave(row[:k], done) + row[k:])
            done = self.fp2_columns(u, v, [i] if i < N - 1 else range(N - 1, 2 * N - 1), c0, c1)
        self.ops(done)
        self.load_factor("high")
        self.fp2_reduce(a0, a1, sb, c0, c1)
        self.end(name, frame)

    def fp2_columns(self, u, v, columns, c0, c1):
        """Columns of c0, lifted by p, and of - m0 - m1 from complete ones of m0 and m1."""
        for k in columns:
            m0, m1 = u.col(k), v.col(k)
            v.op(f"vpsubq {m1}, {m0}, {u.t}")
            if k >= N:
                v.op(f"vpaddq {const('modulus', k - N)}, {u.t}, {v.t}")
            v.store(v.t if k >= N else u.t, c0[k])
            v.op(f"vpsubq {m0}, {u.t}, {u.t}")
            v.op(f"vpsubq {m0}, {u.t}, {u.t}")
            v.store(u.t, c1[k])
            u.alive.remove(k)
            v.alive.remove(k)
        return v.take()

    def fp2_sqr(self):
        """(c0 - c1)(c0 + c1) and 2 c0 c1, divided by 2^32."""
        name, frame = "cuzk_fp2_8_sqr_ifma", 8
        c0, c1, s = Row("rsi"), Row("rsi", N), Row("rsp")
        self.begin(name, frame)
        self.ops(add_rows(s, c0, c1, zmm(28), zmm(30)))
        self.load_factor("high")
        u, v = Product(0, 28, 30), Product(10, 29, 31)
        u.h7 = v.h7 = const("high", N - 1)
        d = Combined(c0, c1, zmm(M[N - 1]), subtract=True)
        u.row(d, s, 0)
        v.row(c0, c1, 0)
        for i in range(N - 1):
            u.row(d, s, i + 1)
            u.step(i)
            v.row(c0, c1, i + 1)
            v.step(i)
        self.merge(u, v)
        self.finish((u, v), (Row("rdi"), Row("rdi", N)), shifted=True, twice=v)
        self.end(name, frame)

    def text(self):
        self.lines = [
            "/* GENERATED by scripts/gen_ifma.py; do not edit. */",
            "/* Products of eight lanes of Fp, two at a time: AVX-512 IFMA. See fp_ifma.h. */",
            "",
            '    .section .rodata, "a"',
            "    .p2align 6",
        ]
        for name, words in (("modulus", limbs(P)), ("high", limbs(H)), ("lift", limbs(64 * P)),
                            ("inverse", [K]), ("mask", [MASK]), ("mask32", [(1 << 32) - 1])):
            self.lines.append(f"{name}:")
            self.ops([f".quad {w:#015x}" for w in words])
        self.lines += ["", "    .text"]
        self.mul2()
        self.sqr2()
        self.fp2_mul()
        self.fp2_sqr()
        self.lines += ["", '    .section .note.GNU-stack, "", @progbits', ""]
        return "\n".join(self.lines)

    def fp2_reduce(self, a0, a1, sb, c0, c1):
        u = Product(0, 28, 30, signed=True, init=lambda k: c1[k] if k < 2 * N - 1 else None)
        v = Product(10, 29, 31, signed=True,
                    init=lambda k: c0[k] if k < 2 * N - 1 else word("modulus", N - 1))
        sa = Combined(a0, a1, v.x)  # v has no rows
        v.begin(0)
        u.row(sa, sb, 0, top=1)
        for i in range(N - 1):
            u.row(sa, sb, i + 1, top=1)
            u.step(i)
            v.step(i)
        self.merge(u, v)
        self.finish((u, v), (Row("rdi", N), Row("rdi")))


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "src/field/x86/fp_ifma.S"
    text = File().text()
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif path.read_text() != text:
        print(f"{path}: differs from what scripts/gen_ifma.py writes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
