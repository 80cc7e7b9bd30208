#include "circuit/coeff.h"

fr cuzk_pow2[COEFF_POWERS], cuzk_neg_pow2[COEFF_POWERS];
const fr cuzk_fr_bit[2] = {
    {{0, 0, 0, 0}},
    {{0x00000001fffffffeu, 0x5884b7fa00034802u, 0x998c4fefecbc4ff5u, 0x1824b159acc5056fu}},
};

CUZK_CONSTRUCTOR static void fill_powers(void)
{
    fr x = cuzk_fr_one; /* additions only: does not depend on the choice of cuzk_fr_ops */
    for (unsigned i = 0; i < COEFF_POWERS; i++) {
        cuzk_pow2[i] = x;
        fr_neg(&cuzk_neg_pow2[i], &x);
        fr_dbl(&x, &x);
    }
}
