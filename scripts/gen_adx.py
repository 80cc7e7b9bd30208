#!/usr/bin/env python3
"""Writes src/field/x86/fp_adx.S and fr_adx.S: Montgomery products with MULX, ADCX and ADOX.

usage: gen_adx.py [--check]     --check compares with the files in the tree instead of writing

The product interleaves rows of the multiplication with rows of the reduction (CIOS); the top bit of
both moduli is free, so that no row carries out of its top word. The square forms the double-width
square from n(n-1)/2 cross products first, then reduces its low half and adds the high half. The C
twins are mont_mul in src/field/limb.h; tests/unit/test_field.c compares them.
"""
import pathlib
import sys

FP = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
FR = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
SAVED = ["rbx", "rbp", "r12", "r13", "r14", "r15"]


class Writer:
    def __init__(self, name, modulus, n):
        self.name, self.modulus, self.n = name, modulus, n
        self.lines = []

    def op(self, text):
        self.lines.append("    " + text)

    def label(self, text):
        self.lines.append(text)

    def m(self, i):
        return f"modulus+{8 * i}(%rip)"

    def enter(self, function, saved):
        self.label("")
        self.label(f"    .globl {function}")
        self.label(f"    .hidden {function}")
        self.label(f"    .type {function}, @function")
        self.label("    .p2align 5")
        self.label(f"{function}:")
        self.op(".cfi_startproc")
        self.op("endbr64")
        for reg in saved:
            self.op(f"pushq %{reg}")
            self.op(".cfi_adjust_cfa_offset 8")
            self.op(f".cfi_rel_offset %{reg}, 0")

    def leave(self, function, saved):
        for reg in reversed(saved):
            self.op(f"popq %{reg}")
            self.op(".cfi_adjust_cfa_offset -8")
            self.op(f".cfi_restore %{reg}")
        self.op("ret")
        self.op(".cfi_endproc")
        self.label(f"    .size {function}, . - {function}")

    def row(self, t, operand, first=False):
        """t[0..n] += rdx * operand; t[n] is written, not read. lo in rax, hi in rcx."""
        n = self.n
        if first:
            self.op(f"mulx {operand(0)}, %{t[0]}, %{t[1]}")
            for j in range(1, n):
                self.op(f"mulx {operand(j)}, %rax, %{t[j + 1]}")
                self.op(f"{'addq' if j == 1 else 'adcq'} %rax, %{t[j]}")
            self.op(f"adcq $0, %{t[n]}")
            return
        self.op("xorl %eax, %eax")  # clears CF and OF
        for j in range(n - 1):
            self.op(f"mulx {operand(j)}, %rax, %rcx")
            self.op(f"adcx %rax, %{t[j]}")
            self.op(f"adox %rcx, %{t[j + 1]}")
        self.op(f"mulx {operand(n - 1)}, %rax, %{t[n]}")
        self.op(f"adcx %rax, %{t[n - 1]}")
        self.op("movl $0, %eax")
        self.op(f"adox %rax, %{t[n]}")
        self.op(f"adcx %rax, %{t[n]}")

    def reduce(self, t):
        """t[0..n] += q * modulus with q making t[0] zero; t[n] is read (the word above)."""
        self.op("movq inverse(%rip), %rdx")
        self.op(f"imulq %{t[0]}, %rdx")
        self.op("xorl %eax, %eax")
        for j in range(self.n):
            self.op(f"mulx {self.m(j)}, %rax, %rcx")
            self.op(f"adcx %rax, %{t[j]}")
            self.op(f"adox %rcx, %{t[j + 1]}")
        self.op("movl $0, %eax")
        self.op(f"adcx %rax, %{t[self.n]}")

    def finish(self, t, spare, out):
        """out = t - modulus if that is not negative, else t."""
        for a, b in zip(t, spare):
            self.op(f"movq %{a}, %{b}")
        for j, a in enumerate(t):
            self.op(f"{'sbbq' if j else 'subq'} {self.m(j)}, %{a}")
        for j, (a, b) in enumerate(zip(t, spare)):
            self.op(f"cmovcq %{b}, %{a}")
            self.op(f"movq %{a}, {8 * j}(%{out})")

    def product(self):
        function = f"cuzk_{self.name}_mul_adx"
        n = self.n
        saved = ["rbx", "r12", "r13", "r14"] if n == 6 else ["rbx", "rbp"]
        self.enter(function, saved)
        # rdi r, rsi a, rdx b -> rbx
        self.op("movq %rdx, %rbx")
        t = ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"][: n + 1]
        if n == 4:
            t = ["r8", "r9", "r10", "r11", "rbp"]
        for i in range(n):
            self.op(f"movq {8 * i}(%rbx), %rdx")
            self.row(t, lambda j: f"{8 * j}(%rsi)", first=i == 0)
            self.reduce(t)
            t = t[1:] + t[:1]
        free = [r for r in ["rax", "rcx", "rdx", "rsi", "rbx", t[n]] if r not in t[:n]]
        self.finish(t[:n], free[:n], "rdi")
        self.leave(function, saved)

    def square(self):
        function = f"cuzk_{self.name}_sqr_adx"
        n = self.n
        saved = SAVED + ["rdi"] if n == 6 else ["rbx", "r12", "r13"]
        self.enter(function, saved)
        if n == 6:
            z = ["rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rbx", "rbp", "rsi"]
        else:
            z = ["rbx", "r8", "r9", "r10", "r11", "r12", "r13", "rsi"]
        a = lambda j: f"{8 * j}(%rsi)"
        self.cross_products(z, a)
        self.op("xorl %eax, %eax")
        for i in range(n):
            self.op(f"movq {a(i)}, %rdx")
            if i == 0:
                self.op(f"mulx %rdx, %{z[0]}, %rcx")
            elif i < n - 1:
                self.op("mulx %rdx, %rax, %rcx")
            else:
                self.op(f"mulx %rdx, %rax, %{z[2 * n - 1]}")
            if i:
                self.op(f"adcx %{z[2 * i]}, %{z[2 * i]}")
                self.op(f"adox %rax, %{z[2 * i]}")
            if i < n - 1:
                self.op(f"adcx %{z[2 * i + 1]}, %{z[2 * i + 1]}")
                self.op(f"adox %rcx, %{z[2 * i + 1]}")
        self.op("movl $0, %eax")
        self.op(f"adcx %rax, %{z[2 * n - 1]}")
        self.op(f"adox %rax, %{z[2 * n - 1]}")
        t = z[:n]
        for _ in range(n):
            self.reduce_low(t)
            t = t[1:] + t[:1]
        for j in range(n):  # t <= modulus, high half < modulus: no carry
            self.op(f"{'adcq' if j else 'addq'} %{z[n + j]}, %{t[j]}")
        if n == 6:
            free = ["rax", "rcx", "rdx", z[6], z[7], z[8]]
            self.op("movq (%rsp), %rsi")
        else:
            free = ["rax", "rcx", "rdx", z[4]]
            self.op("movq %rdi, %rsi")
        self.finish(t, free, "rsi")
        self.leave(function, saved)

    def cross_products(self, z, a):
        n = self.n
        self.op(f"movq {a(0)}, %rdx")
        self.op(f"mulx {a(1)}, %{z[1]}, %{z[2]}")
        for j in range(2, n):
            self.op(f"mulx {a(j)}, %rax, %{z[j + 1]}")
            self.op(f"{'addq' if j == 2 else 'adcq'} %rax, %{z[j]}")
        self.op(f"adcq $0, %{z[n]}")
        for i in range(1, n - 1):
            self.op(f"movq {a(i)}, %rdx")
            self.op("xorl %eax, %eax")
            for j in range(i + 1, n - 1):
                self.op(f"mulx {a(j)}, %rax, %rcx")
                self.op(f"adcx %rax, %{z[i + j]}")
                self.op(f"adox %rcx, %{z[i + j + 1]}")
            self.op(f"mulx {a(n - 1)}, %rax, %{z[i + n]}")
            self.op(f"adcx %rax, %{z[i + n - 1]}")
            self.op("movl $0, %eax")
            self.op(f"adox %rax, %{z[i + n]}")
            self.op(f"adcx %rax, %{z[i + n]}")

    def reduce_low(self, t):
        """As reduce, but without a word above: t[0], which becomes zero, turns into the top."""
        n = self.n
        self.op("movq inverse(%rip), %rdx")
        self.op(f"imulq %{t[0]}, %rdx")
        self.op("xorl %eax, %eax")
        for j in range(n):
            self.op(f"mulx {self.m(j)}, %rax, %rcx")
            self.op(f"adcx %rax, %{t[j]}")
            self.op(f"adox %rcx, %{t[j + 1 if j < n - 1 else 0]}")
        self.op("movl $0, %eax")
        self.op(f"adcx %rax, %{t[0]}")

    def text(self):
        inverse = -pow(self.modulus, -1, 1 << 64) % (1 << 64)
        head = [
            "/* GENERATED by scripts/gen_adx.py; do not edit. */",
            f"/* Montgomery product and square of {self.name}: {self.n} limbs; MULX (BMI2) and ADX. */",
            "",
            '    .section .rodata, "a"',
            "    .p2align 6",
            "modulus:",
        ]
        for i in range(self.n):
            head.append(f"    .quad {self.modulus >> (64 * i) & (1 << 64) - 1:#018x}")
        head += ["inverse:", f"    .quad {inverse:#018x}", "", "    .text"]
        self.lines = []
        self.product()
        self.square()
        tail = ["", '    .section .note.GNU-stack, "", @progbits', ""]
        return "\n".join(head + self.lines + tail)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    bad = 0
    for name, modulus, n in (("fp", FP, 6), ("fr", FR, 4)):
        path = root / "src/field/x86" / f"{name}_adx.S"
        text = Writer(name, modulus, n).text()
        if "--check" in sys.argv[1:]:
            if path.read_text() != text:
                print(f"{path}: differs from what scripts/gen_adx.py writes", file=sys.stderr)
                bad = 1
        else:
            path.write_text(text)
    return bad


if __name__ == "__main__":
    sys.exit(main())
