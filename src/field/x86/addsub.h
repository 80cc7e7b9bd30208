/* Additions with carry chains for x86-64, included by limb.h only: compilers turn the 128-bit C
 * twin (mod_add_c, mod_sub_c there) into set-carry and compare instructions, at twice the time or
 * more. Baseline instructions, so no run-time choice.
 *
 * Each function is two asm statements; the second one leaves it to the compiler what to keep in
 * registers ("rm"), so that it also compiles without optimisation and under sanitizers.
 */
#ifndef CUZK_FIELD_X86_ADDSUB_H
#define CUZK_FIELD_X86_ADDSUB_H

CUZK_INLINE void add6_x86(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5];
    __asm__("addq %6, %0\n\tadcq %7, %1\n\tadcq %8, %2\n\t"
            "adcq %9, %3\n\tadcq %10, %4\n\tadcq %11, %5"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3), "+&r"(t4), "+&r"(t5)
            : "m"(b[0]), "m"(b[1]), "m"(b[2]), "m"(b[3]), "m"(b[4]), "m"(b[5])
            : "cc");
    uint64_t d0 = t0, d1 = t1, d2 = t2, d3 = t3, d4 = t4, d5 = t5;
    /* a, b < m < 2^382, so no carry above and the borrow alone says whether t < m */
    __asm__("subq %12, %0\n\tsbbq %13, %1\n\tsbbq %14, %2\n\t"
            "sbbq %15, %3\n\tsbbq %16, %4\n\tsbbq %17, %5\n\t"
            "cmovcq %6, %0\n\tcmovcq %7, %1\n\tcmovcq %8, %2\n\t"
            "cmovcq %9, %3\n\tcmovcq %10, %4\n\tcmovcq %11, %5"
            : "+&r"(d0), "+&r"(d1), "+&r"(d2), "+&r"(d3), "+&r"(d4), "+&r"(d5)
            : "rm"(t0), "rm"(t1), "rm"(t2), "rm"(t3), "rm"(t4), "rm"(t5), "m"(m[0]), "m"(m[1]),
              "m"(m[2]), "m"(m[3]), "m"(m[4]), "m"(m[5])
            : "cc");
    r[0] = d0, r[1] = d1, r[2] = d2, r[3] = d3, r[4] = d4, r[5] = d5;
}

CUZK_INLINE void sub6_x86(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5], mask;
    __asm__("subq %7, %0\n\tsbbq %8, %1\n\tsbbq %9, %2\n\t"
            "sbbq %10, %3\n\tsbbq %11, %4\n\tsbbq %12, %5\n\tsbbq %6, %6"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3), "+&r"(t4), "+&r"(t5), "=&r"(mask)
            : "m"(b[0]), "m"(b[1]), "m"(b[2]), "m"(b[3]), "m"(b[4]), "m"(b[5])
            : "cc");
    __asm__("addq %6, %0\n\tadcq %7, %1\n\tadcq %8, %2\n\t"
            "adcq %9, %3\n\tadcq %10, %4\n\tadcq %11, %5"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3), "+&r"(t4), "+&r"(t5)
            : "rm"(m[0] & mask), "rm"(m[1] & mask), "rm"(m[2] & mask), "rm"(m[3] & mask),
              "rm"(m[4] & mask), "rm"(m[5] & mask)
            : "cc");
    r[0] = t0, r[1] = t1, r[2] = t2, r[3] = t3, r[4] = t4, r[5] = t5;
}

CUZK_INLINE void add4_x86(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3];
    __asm__("addq %4, %0\n\tadcq %5, %1\n\tadcq %6, %2\n\tadcq %7, %3"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3)
            : "m"(b[0]), "m"(b[1]), "m"(b[2]), "m"(b[3])
            : "cc");
    uint64_t d0 = t0, d1 = t1, d2 = t2, d3 = t3;
    /* a, b < m < 2^255: as above */
    __asm__("subq %8, %0\n\tsbbq %9, %1\n\tsbbq %10, %2\n\tsbbq %11, %3\n\t"
            "cmovcq %4, %0\n\tcmovcq %5, %1\n\tcmovcq %6, %2\n\tcmovcq %7, %3"
            : "+&r"(d0), "+&r"(d1), "+&r"(d2), "+&r"(d3)
            : "rm"(t0), "rm"(t1), "rm"(t2), "rm"(t3), "m"(m[0]), "m"(m[1]), "m"(m[2]), "m"(m[3])
            : "cc");
    r[0] = d0, r[1] = d1, r[2] = d2, r[3] = d3;
}

CUZK_INLINE void sub4_x86(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], mask;
    __asm__("subq %5, %0\n\tsbbq %6, %1\n\tsbbq %7, %2\n\tsbbq %8, %3\n\tsbbq %4, %4"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3), "=&r"(mask)
            : "m"(b[0]), "m"(b[1]), "m"(b[2]), "m"(b[3])
            : "cc");
    __asm__("addq %4, %0\n\tadcq %5, %1\n\tadcq %6, %2\n\tadcq %7, %3"
            : "+&r"(t0), "+&r"(t1), "+&r"(t2), "+&r"(t3)
            : "rm"(m[0] & mask), "rm"(m[1] & mask), "rm"(m[2] & mask), "rm"(m[3] & mask)
            : "cc");
    r[0] = t0, r[1] = t1, r[2] = t2, r[3] = t3;
}

#endif
