/* The stacked graph of PoRep: DRG and expander parents of a node (spec circuits.md 5.3). */
#ifndef CUZK_FILECOIN_GRAPH_H
#define CUZK_FILECOIN_GRAPH_H

#include "filecoin/registered.h"

typedef struct {
    unsigned lg_nodes;
    api_version api;
    uint8_t drg_seed[28];
    uint64_t feistel_key[3];
} porep_graph;

void cuzk_graph_init(porep_graph *g, unsigned lg_nodes, api_version api,
                     const uint8_t porep_id[32]);

/* In graph order, with multiplicity. node < 2^lg_nodes. */
void cuzk_graph_drg_parents(uint32_t out[DRG_PARENTS], const porep_graph *g, uint32_t node);
void cuzk_graph_exp_parents(uint32_t out[EXP_PARENTS], const porep_graph *g, uint32_t node);

#endif
