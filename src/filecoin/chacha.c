#include "filecoin/chacha.h"

#include "filecoin/bytes.h"

static uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void quarter(uint32_t s[16], int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = rotl(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotl(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotl(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotl(s[b] ^ s[c], 7);
}

void cuzk_chacha_block(uint8_t out[64], const uint8_t key[32], const uint32_t tail[4],
                       unsigned rounds)
{
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
    for (int i = 0; i < 8; i++)
        in[4 + i] = load_u32_le(key + 4 * i);
    for (int i = 0; i < 4; i++)
        in[12 + i] = tail[i];
    for (int i = 0; i < 16; i++)
        s[i] = in[i];
    for (unsigned k = 0; k < rounds; k += 2) {
        for (int i = 0; i < 4; i++)
            quarter(s, i, 4 + i, 8 + i, 12 + i);
        for (int i = 0; i < 4; i++)
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (int i = 0; i < 16; i++)
        store_u32_le(out + 4 * i, s[i] + in[i]);
}
