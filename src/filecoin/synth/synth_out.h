/* Writing the files of a request: sticky errors, so that encoders need not test each call. */
#ifndef CUZK_FILECOIN_SYNTH_OUT_H
#define CUZK_FILECOIN_SYNTH_OUT_H

#include "base/file.h"
#include "filecoin/vanilla.h"

typedef struct {
    cuzk_file_writer file;
    cuzk_status st;
    uint64_t n_bytes;
    cuzk_err *err;
} synth_out;

/* dir/name. Errors show in close. */
void cuzk_synth_out_open(synth_out *o, const char *dir, const char *name, cuzk_err *err);
void cuzk_synth_out_put(synth_out *o, const void *data, size_t n);
void cuzk_synth_out_printf(synth_out *o, const char *fmt, ...) CUZK_PRINTF(2, 3);
/* The file exists after CUZK_OK only, and then complete. */
cuzk_status cuzk_synth_out_close(synth_out *o);

/* ---- bincode (spec formats.md 6.2, 6.3) ---- */
void cuzk_synth_bin_u64(synth_out *o, uint64_t v);
void cuzk_synth_bin_fr(synth_out *o, const fr *v);
/* binary: a proof in tree D, which has no sub and top levels whatever the shape. */
void cuzk_synth_bin_proof(synth_out *o, const sector_shape *s, const merkle_proof *p, bool binary);

/* ---- C1 JSON (spec formats.md 5.2), keys in the order of the established producer ---- */
void cuzk_synth_json_bytes(synth_out *o, const uint8_t b[32]);
void cuzk_synth_json_fr(synth_out *o, const fr *v);
void cuzk_synth_json_proof(synth_out *o, const sector_shape *s, const merkle_proof *p, bool binary);
void cuzk_synth_json_column(synth_out *o, const sector_shape *s, const column_proof *c);
void cuzk_synth_json_labeling(synth_out *o, const labeling_proof *l);
/* The proof of one challenge. */
void cuzk_synth_json_porep(synth_out *o, const sector_shape *s, const porep_proof *p);

#endif
