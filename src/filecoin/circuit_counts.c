/* Counts of the registered circuits, as running them gives (test_circuits, test_circuits_full);
 * kept in a table because a run of the largest takes minutes. Source: spec circuits.md section 2.
 */
#include "filecoin/circuit_id.h"

#include <string.h>

#include "base/compiler.h"

typedef struct {
    cuzk_kind kind;
    const char *shape;
    circuit_counts counts;
} counts_row;

/* inputs with ONE, aux, rows, a_aux density, b_aux density, b_inputs density */
#define ROW(kind, shape, inputs, aux, rows, a_aux, b_aux, b_in)                                    \
    {                                                                                              \
        CUZK_KIND_##kind, shape,                                                                   \
        {                                                                                          \
            inputs, aux, rows, a_aux, b_aux, b_in                                                  \
        }                                                                                          \
    }

static const counts_row table[] = {
    ROW(POREP, "2k", 40, 2685673, 2687921, 2674908, 685521, 1),
    ROW(POREP, "8m", 40, 3842449, 3844929, 3814996, 1011289, 1),
    ROW(POREP, "512m", 40, 4420837, 4423433, 4385040, 1174173, 1),
    ROW(POREP, "32g", 328, 130169893, 130278541, 129753292, 33112281, 1),
    ROW(POREP, "64g", 328, 131076643, 131185849, 130637542, 33386943, 1),
    ROW(WINNING, "2k", 133, 91674, 90750, 69300, 66792, 1),
    ROW(WINNING, "8m", 133, 233442, 230670, 176748, 169488, 1),
    ROW(WINNING, "512m", 133, 304326, 300630, 230472, 220836, 1),
    ROW(WINNING, "32g", 133, 375210, 370590, 284196, 272184, 1),
    ROW(WINNING, "64g", 133, 396000, 391314, 299838, 287694, 1),
    ROW(WINDOW, "2k", 23, 22128, 21866, 16770, 16028, 1),
    ROW(WINDOW, "8m", 23, 65088, 64266, 49330, 47148, 1),
    ROW(WINDOW, "512m", 23, 86568, 85466, 65610, 62708, 1),
    ROW(WINDOW, "32g", 25840, 126902376, 125279217, 96179805, 91925766, 1),
    ROW(WINDOW, "64g", 25301, 131500200, 129887900, 99624500, 95413200, 1),
    ROW(UPDATE, "2k", 5, 1703569, 1705039, 1697189, 444403, 1),
    ROW(UPDATE, "8m", 5, 9998039, 10007503, 9981015, 2567921, 1),
    ROW(UPDATE, "512m", 5, 57401314, 57450479, 57212317, 14916879, 1),
    ROW(UPDATE, "32g", 5, 80978488, 81049499, 80743581, 20983607, 1),
    ROW(UPDATE, "64g", 5, 84931220, 85006101, 84682725, 22012683, 1),
};

bool cuzk_circuit_counts(circuit_counts *out, circuit_id id)
{
    for (size_t i = 0; i < CUZK_ARRAY_LEN(table); i++) {
        if (table[i].kind == id.kind && strcmp(table[i].shape, id.shape->name) == 0) {
            *out = table[i].counts;
            return true;
        }
    }
    return false;
}

/* spec formats.md 7.3: the key, five vectors with their counts, 96 bytes a G1 and 192 a G2 point.
 */
uint64_t cuzk_circuit_params_bytes(const circuit_counts *c)
{
    uint64_t h = ((uint64_t)1 << cuzk_lg_ceil(c->n_rows + c->n_inputs)) - 1;
    uint64_t a = c->n_inputs + c->a_aux, b = c->b_inputs + c->b_aux;
    return 868 + 96 * c->n_inputs + 20 + 96 * (h + c->n_aux + a + b) + 192 * b;
}
