/* Constants of the SIMD layer, and inversion of eight lanes. Plain Python integers give the rows:
 * 2^(448, 384, 416) mod p and 2^(264, 256, 260) mod r in limbs of 52 bits. */
#include "field/simd.h"

const uint64_t cuzk_fp8_constants[FP8_ROWS][8] = {
    [FP8_P] = {0xeffffffffaaabu, 0xfeb153ffffb9fu, 0x6b0f6241eabffu, 0x12bf6730d2a0fu,
               0x764774b84f385u, 0x1ba7b6434bacdu, 0x1ea397fe69a4bu, 0x000000001a011u},
    [FP8_2P] = {0xdffffffff5556u, 0xfd62a7ffff73fu, 0xd61ec483d57ffu, 0x257ece61a541eu,
                0xec8ee9709e70au, 0x374f6c869759au, 0x3d472ffcd3496u, 0x0000000034022u},
    [FP8_4P] = {0xbfffffffeaaacu, 0xfac54ffffee7fu, 0xac3d8907aafffu, 0x4afd9cc34a83du,
                0xd91dd2e13ce14u, 0x6e9ed90d2eb35u, 0x7a8e5ff9a692cu, 0x0000000068044u},
    [FP8_64P] = {0xfffffffeaaac0u, 0xac54ffffee7fbu, 0xc3d8907aaffffu, 0xafd9cc34a83dau,
                 0x91dd2e13ce144u, 0xe9ed90d2eb35du, 0xa8e5ff9a692c6u, 0x0000000680447u},
    [FP8_H] = {0x04be07d2027cbu, 0xd7786e39002d4u, 0xf51047083c4ddu, 0x96079a7670223u,
               0x04ca513044b79u, 0x6615d3780ea11u, 0xf9a5623d6a279u, 0x0000000006803u},
    [FP8_ENTER] = {0x7fde37dba9366u, 0x4e27525bc342bu, 0x1f5b1e9778489u, 0xb872b2b91b9dcu,
                   0xb206f497dfcafu, 0x4137cc89a9b0bu, 0xd9d20d7e39959u, 0x000000000411cu},
    [FP8_LEAVE] = {0x900000002fffdu, 0x0bc40c0002760u, 0x3c758baebf400u, 0x57455f4898575u,
                   0xd77ce58537052u, 0x071a97a256ec6u, 0xec3fa80e4935cu, 0x0000000015f65u},
    [FP8_ONE] = {0x6480ea8e9b9afu, 0x65766c8fe444fu, 0x8b540fea96f7du, 0x3b2ee82efd422u,
                 0xa6723e5f0ade5u, 0xff6eb6fdd4230u, 0xe06ef23c24a25u, 0x0000000014c8eu},
};

const uint64_t cuzk_fr8_constants[FR8_ROWS][5] = {
    [FR8_R] = {0xfffff00000001u, 0x02fffe5bfefffu, 0x9a1d80553bda4u, 0x7d483339d8080u,
               0x073eda753299du},
    [FR8_2R] = {0xffffe00000002u, 0x05fffcb7fdfffu, 0x343b00aa77b48u, 0xfa906673b0101u,
                0x0e7db4ea6533au},
    [FR8_ENTER] = {0x00234fffffdcbu, 0x61039ef635000u, 0xdce3c3e2e7505u, 0x7fa6f1563642bu,
                   0x0247db575276au},
    [FR8_LEAVE] = {0x00001fffffffeu, 0xfa00034802000u, 0xcbc4ff55884b7u, 0x056f998c4fefeu,
                   0x01824b159acc5u},
    [FR8_ONE] = {0x00022ffffffddu, 0x9700396c23000u, 0xedf77458d1293u, 0xdf20ff1776e6au,
                 0x026821fa14f77u},
};

const fp cuzk_fp_simd_enter = {{0x44f6480ea8e9b9afu, 0xa96f7d65766c8fe4u, 0xe82efd4228b540feu,
                                0x6723e5f0ade53b2eu, 0x25ff6eb6fdd4230au, 0x14c8ee06ef23c24au}};
const fp cuzk_fp_simd_leave = {{0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u,
                                0x0000000000000000u, 0x0000000000000000u, 0x0000000100000000u}};
const fr cuzk_fr_simd_enter = {
    {0x00000022ffffffddu, 0x8d12939700396c23u, 0xff1776e6aedf7745u, 0x26821fa14f77df20u}};
const fr cuzk_fr_simd_leave = {
    {0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x1000000000000000u}};

/* A lane holds a 2^416; as an fp that is the element a 2^32, whose inverse a^-1 2^-32 wants two
 * factors 2^32 to become a^-1 2^416. */
CUZK_TARGET_IFMA void cuzk_fp8_inv_vartime(fp8 *r, const fp8 *a)
{
    fp x[8], scratch[8];
    fp8 t;
    fp8_reduce(&t, a);
    fp8_store(x, sizeof x[0], &t);
    cuzk_fp_batch_inv_vartime(x, 8, scratch);
    for (int i = 0; i < 8; i++) {
        fp_mul(&x[i], &x[i], &cuzk_fp_simd_enter);
        fp_mul(&x[i], &x[i], &cuzk_fp_simd_enter);
    }
    fp8_load(r, x, sizeof x[0]);
}
