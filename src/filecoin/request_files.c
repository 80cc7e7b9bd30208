/* Request folders: request.json and the vanilla proofs that it names. Format: docs/requests.md. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/json_reader.h"
#include "base/mem.h"
#include "filecoin/request.h"

#define MAX_JSON_BYTES ((size_t)16 << 20)
#define MAX_FILES_BYTES                                                                            \
    ((size_t)128 << 20) /* all vanilla proofs together, as in a gRPC message                       \
                         */
#define MAX_FILES 65536
#define MAX_NAME  200

/* 32-byte values; their keys are the first ones of the key list, in this order. */
enum {
    PROVER_ID,
    TICKET,
    SEED,
    REPLICA_ID,
    COMM_R,
    COMM_D,
    RANDOMNESS,
    COMM_R_OLD,
    COMM_R_NEW,
    COMM_D_NEW,
    N_VALUES
};

typedef struct {
    char name[MAX_NAME];
    uint64_t sector_id; /* PoSt */
    uint8_t comm_r[32];
    uint8_t *data;
    size_t n;
} vanilla_file;

typedef struct {
    char *dir;
    uint8_t *json;
    size_t n_json;
    request_message *msg;
    char type_name[64];
    uint8_t value[N_VALUES][32];
    uint64_t seen; /* keys given, by position */
    vanilla_file *file;
    size_t n_files, max_files;
    byte_view *blob;
} folder;

static folder *folder_of(const json_reader *r)
{
    return cuzk_json_ctx(r);
}

/* ---- request.json -------------------------------------------------------------------------- */

static bool read_hex32(json_reader *r, uint8_t out[32], const char *s, size_t n)
{
    char text[65] = "";
    if (n == 64)
        memcpy(text, s, 64);
    return cuzk_hex_decode(out, 32, text) ||
           cuzk_json_reject(r, CUZK_ENCODING, "not 64 hexadecimal digits");
}

static bool put_value(json_reader *r, size_t i, const char *s, size_t n)
{
    return read_hex32(r, folder_of(r)->value[i], s, n);
}

static bool put_kind(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    for (int k = 0; k < CUZK_KIND_COUNT; k++) {
        const char *name = cuzk_kind_name((cuzk_kind)k);
        if (strlen(name) == n && memcmp(name, s, n) == 0) {
            folder_of(r)->msg->kind = (cuzk_kind)k;
            return true;
        }
    }
    return cuzk_json_reject(r, CUZK_ENCODING, "'%.*s' is none of porep, winning, window, update",
                            (int)(n < 40 ? n : 40), s);
}

static bool put_type_name(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    folder *f = folder_of(r);
    memcpy(f->type_name, s, n < sizeof f->type_name ? n : 0); /* too long: no type has that name */
    return true;
}

static bool put_sector_size(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    folder_of(r)->msg->sector_size = v;
    return true;
}

static bool put_miner(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    folder_of(r)->msg->miner_id = v;
    return true;
}

static bool put_sector_number(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    folder_of(r)->msg->sector_number = v;
    return true;
}

static bool put_partition_index(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    folder_of(r)->msg->partition_index = (uint32_t)v;
    return v <= UINT32_MAX || cuzk_json_reject(r, CUZK_ENCODING, "not below 2^32");
}

/* A new last entry; NULL after reporting. */
static vanilla_file *add_file(json_reader *r)
{
    folder *f = folder_of(r);
    if (f->n_files == f->max_files) {
        size_t max = f->max_files ? 2 * f->max_files : 16;
        vanilla_file *grown = cuzk_realloc(f->file, max * sizeof *grown);
        if (!grown) {
            cuzk_json_reject(r, CUZK_NOMEM, "no memory for %zu file names", max);
            return NULL;
        }
        f->file = grown;
        f->max_files = max;
    }
    memset(&f->file[f->n_files], 0, sizeof f->file[0]);
    return &f->file[f->n_files++];
}

static bool put_name(json_reader *r, vanilla_file *v, const char *s, size_t n)
{
    bool plain = n > 0 && n < MAX_NAME && !memchr(s, '/', n) && !memchr(s, '\0', n);
    if (!plain)
        return cuzk_json_reject(r, CUZK_ENCODING, "not the plain name of a file in the folder");
    memcpy(v->name, s, n);
    return true;
}

static bool put_vanilla(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    vanilla_file *v = add_file(r);
    return v && put_name(r, v, s, n);
}

static bool begin_sector(json_reader *r, size_t i)
{
    (void)i;
    return add_file(r) != NULL;
}

static vanilla_file *last_file(const json_reader *r)
{
    const folder *f = folder_of(r);
    return &f->file[f->n_files - 1];
}

static bool put_sector_id(json_reader *r, size_t i, uint64_t v)
{
    (void)i;
    last_file(r)->sector_id = v;
    return true;
}

static bool put_sector_comm_r(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    return read_hex32(r, last_file(r)->comm_r, s, n);
}

static bool put_sector_vanilla(json_reader *r, size_t i, const char *s, size_t n)
{
    (void)i;
    return put_name(r, last_file(r), s, n);
}

static bool end_request(json_reader *r, uint64_t seen)
{
    folder_of(r)->seen = seen;
    return true;
}

static const json_type t_value = {.kind = JSON_STRING, .string = put_value};
static const json_type t_kind = {.kind = JSON_STRING, .string = put_kind};
static const json_type t_type_name = {.kind = JSON_STRING, .string = put_type_name};
static const json_type t_sector_size = {.kind = JSON_UINT, .uint = put_sector_size};
static const json_type t_miner = {.kind = JSON_UINT, .uint = put_miner};
static const json_type t_sector_number = {.kind = JSON_UINT, .uint = put_sector_number};
static const json_type t_partition_index = {.kind = JSON_UINT, .uint = put_partition_index};
static const json_type t_name = {.kind = JSON_STRING, .string = put_vanilla};
static const json_type t_names = {.kind = JSON_ARRAY, .element = &t_name, .max = MAX_FILES};
static const json_type t_sector_id = {.kind = JSON_UINT, .uint = put_sector_id};
static const json_type t_sector_comm_r = {.kind = JSON_STRING, .string = put_sector_comm_r};
static const json_type t_sector_vanilla = {.kind = JSON_STRING, .string = put_sector_vanilla};
static const json_field f_sector[] = {{"id", &t_sector_id, false},
                                      {"comm_r", &t_sector_comm_r, false},
                                      {"vanilla", &t_sector_vanilla, false}};
static const json_type t_sector = {
    .kind = JSON_OBJECT, .field = f_sector, .n_fields = 3, .begin = begin_sector};
static const json_type t_sectors = {.kind = JSON_ARRAY, .element = &t_sector, .max = MAX_FILES};

enum {
    SECTOR_NUMBER = N_VALUES,
    VANILLA,
    SECTORS,
    PARTITION_INDEX,
    KIND,
    TYPE,
    SIZE,
    MINER,
    N_KEYS
};
static const json_field f_request[N_KEYS] = {
    [PROVER_ID] = {"prover_id", &t_value, true},
    [TICKET] = {"ticket", &t_value, true},
    [SEED] = {"seed", &t_value, true},
    [REPLICA_ID] = {"replica_id", &t_value, true},
    [COMM_R] = {"comm_r", &t_value, true},
    [COMM_D] = {"comm_d", &t_value, true},
    [RANDOMNESS] = {"randomness", &t_value, true},
    [COMM_R_OLD] = {"comm_r_old", &t_value, true},
    [COMM_R_NEW] = {"comm_r_new", &t_value, true},
    [COMM_D_NEW] = {"comm_d_new", &t_value, true},
    [SECTOR_NUMBER] = {"sector_number", &t_sector_number, true},
    [VANILLA] = {"vanilla", &t_names, true},
    [SECTORS] = {"sectors", &t_sectors, true},
    [PARTITION_INDEX] = {"partition_index", &t_partition_index, true},
    [KIND] = {"kind", &t_kind, false},
    [TYPE] = {"registered_proof", &t_type_name, false},
    [SIZE] = {"sector_size", &t_sector_size, false},
    [MINER] = {"miner", &t_miner, false},
};
static const json_type t_request = {
    .kind = JSON_OBJECT, .field = f_request, .n_fields = N_KEYS, .end = end_request};

static bool given(const folder *f, int key)
{
    return f->seen >> key & 1;
}

static cuzk_status need_keys(const folder *f, const int key[], cuzk_err *err)
{
    for (; *key >= 0; key++) {
        if (!given(f, *key))
            return cuzk_fail(err, CUZK_INVAL, 0, "request.json: a %s request needs the key \"%s\"",
                             cuzk_kind_name(f->msg->kind), f_request[*key].name);
    }
    return CUZK_OK;
}

static cuzk_status check_json(folder *f, cuzk_err *err)
{
    static const int keys[CUZK_KIND_COUNT][5] = {
        [CUZK_KIND_POREP] = {SECTOR_NUMBER, VANILLA, -1},
        [CUZK_KIND_WINNING] = {RANDOMNESS, SECTORS, -1},
        [CUZK_KIND_WINDOW] = {RANDOMNESS, SECTORS, -1},
        [CUZK_KIND_UPDATE] = {COMM_R_OLD, COMM_R_NEW, COMM_D_NEW, VANILLA, -1}};
    cuzk_status st = need_keys(f, keys[f->msg->kind], err);
    if (st != CUZK_OK)
        return st;
    bool is_post = f->msg->kind == CUZK_KIND_WINNING || f->msg->kind == CUZK_KIND_WINDOW;
    if (given(f, is_post ? VANILLA : SECTORS))
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "request.json: the key \"%s\" does not belong to a %s "
                         "request",
                         is_post ? "vanilla" : "sectors", cuzk_kind_name(f->msg->kind));
    if (f->msg->kind == CUZK_KIND_POREP && f->n_files != 1)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "request.json: vanilla: %zu files where a porep "
                         "request has 1",
                         f->n_files);
    const registered_proof *type = cuzk_registered_by_name(f->msg->kind, f->type_name);
    if (!type)
        return cuzk_fail(err, CUZK_INVAL, 0,
                         "request.json: registered_proof: no %s type has the "
                         "name '%s'",
                         cuzk_kind_name(f->msg->kind), f->type_name);
    f->msg->registered_proof = type->number;
    f->msg->has_registered_proof = true;
    return CUZK_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

static cuzk_status no_memory(cuzk_err *err)
{
    return cuzk_fail(err, CUZK_NOMEM, 0, "no memory to read a request folder");
}

/* path is a folder, or the JSON file in it, whatever its name. */
static cuzk_status read_json(folder *f, const char *path, cuzk_err *err)
{
    struct stat info;
    char *file = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        f->dir = cuzk_strdup(path);
        file = cuzk_path_join(path, "request.json");
    } else {
        const char *slash = strrchr(path, '/');
        f->dir = cuzk_strdup(slash ? path : ".");
        file = cuzk_strdup(path);
        if (slash && f->dir)
            f->dir[slash - path + 1] = '\0';
    }
    cuzk_status st = f->dir && file
                         ? cuzk_file_read(&f->json, &f->n_json, file, MAX_JSON_BYTES, err)
                         : no_memory(err);
    cuzk_free(file);
    return st;
}

static cuzk_status read_files(folder *f, cuzk_err *err)
{
    size_t left = MAX_FILES_BYTES;
    for (size_t i = 0; i < f->n_files; i++) {
        vanilla_file *v = &f->file[i];
        char *path = cuzk_path_join(f->dir, v->name);
        if (!path)
            return no_memory(err);
        cuzk_status st = cuzk_file_read(&v->data, &v->n, path, left, err);
        cuzk_free(path);
        if (st != CUZK_OK)
            return st;
        left -= v->n;
    }
    return CUZK_OK;
}

static cuzk_status fill_message(folder *f, cuzk_err *err)
{
    request_message *msg = f->msg;
    if (msg->kind == CUZK_KIND_POREP) {
        msg->vanilla_proof = (byte_view){f->file[0].data, f->file[0].n};
        return CUZK_OK;
    }
    f->blob = CUZK_NEW_ARRAY(byte_view, f->n_files + 1);
    if (!f->blob)
        return no_memory(err);
    for (size_t i = 0; i < f->n_files; i++)
        f->blob[i] = (byte_view){f->file[i].data, f->file[i].n};
    msg->vanilla_proofs = f->blob;
    msg->n_vanilla_proofs = f->n_files;
    byte_view *field[] = {&msg->randomness, &msg->comm_r_old, &msg->comm_r_new, &msg->comm_d_new};
    for (int i = 0; i < 4; i++) {
        if (given(f, RANDOMNESS + i))
            *field[i] = (byte_view){f->value[RANDOMNESS + i], 32};
    }
    return CUZK_OK;
}

cuzk_status cuzk_request_files_read(request_files *out, const char *path, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    memset(out, 0, sizeof *out);
    folder *f = cuzk_calloc(1, sizeof *f);
    if (!f)
        return no_memory(err);
    f->msg = &out->msg;
    out->owned = f;
    CUZK_TRY(read_json(f, path, err));
    CUZK_TRY(cuzk_json_read("request.json", f->json, f->n_json, &t_request, f, err));
    CUZK_TRY(check_json(f, err));
    CUZK_TRY(read_files(f, err));
    CUZK_TRY(fill_message(f, err));
    f->msg = NULL; /* *out may be moved by its owner */
out:
    if (st != CUZK_OK)
        cuzk_request_files_fini(out);
    return st;
}

void cuzk_request_files_fini(request_files *files)
{
    folder *f = files->owned;
    if (f) {
        for (size_t i = 0; i < f->n_files; i++)
            cuzk_free(f->file[i].data);
        cuzk_free(f->blob);
        cuzk_free(f->file);
        cuzk_free(f->json);
        cuzk_free(f->dir);
        cuzk_free(f);
    }
    memset(files, 0, sizeof *files);
}

/* ---- comparison of request.json with the proofs -------------------------------------------- */

static cuzk_status compare(const folder *f, int key, const uint8_t found[32], const char *where,
                           cuzk_err *err)
{
    if (!given(f, key) || memcmp(f->value[key], found, 32) == 0)
        return CUZK_OK;
    char stated[65], text[65];
    cuzk_hex_encode(stated, f->value[key], 32);
    cuzk_hex_encode(text, found, 32);
    return cuzk_fail(err, CUZK_INVAL, 0, "request.json: %s is %s but %s %s", f_request[key].name,
                     stated, where, text);
}

static cuzk_status compare_fr(const folder *f, int key, const fr *found, cuzk_err *err)
{
    uint8_t bytes[32];
    cuzk_fr_to_bytes(bytes, found);
    return compare(f, key, bytes, "the C1 holds", err);
}

static cuzk_status compare_porep(const folder *f, const proof_request *req, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    CUZK_TRY(compare(f, TICKET, req->ticket, "the C1 holds", err));
    CUZK_TRY(compare(f, SEED, req->seed, "the C1 holds", err));
    CUZK_TRY(compare_fr(f, REPLICA_ID, &req->replica_id, err));
    CUZK_TRY(compare_fr(f, COMM_R, &req->comm_r, err));
    CUZK_TRY(compare_fr(f, COMM_D, &req->comm_d, err));
out:
    return st;
}

static cuzk_status compare_sectors(const folder *f, const proof_request *req, cuzk_err *err)
{
    for (size_t i = 0; i < req->n_sectors; i++) {
        const vanilla_file *v = &f->file[i];
        uint8_t comm_r[32];
        cuzk_fr_to_bytes(comm_r, &req->sector[i].comm_r);
        if (v->sector_id != req->sector[i].sector_id)
            return cuzk_fail(err, CUZK_INVAL, 0,
                             "request.json: sectors[%zu].id is %" PRIu64 " but %s holds sector "
                             "%" PRIu64,
                             i, v->sector_id, v->name, req->sector[i].sector_id);
        if (memcmp(v->comm_r, comm_r, 32) != 0)
            return cuzk_fail(err, CUZK_INVAL, 0,
                             "request.json: sectors[%zu].comm_r differs from "
                             "comm_r in %s",
                             i, v->name);
    }
    return CUZK_OK;
}

static cuzk_status compare_all(const folder *f, const proof_request *req, cuzk_err *err)
{
    cuzk_status st = compare(f, PROVER_ID, req->prover_id, "that of the miner is", err);
    if (st != CUZK_OK)
        return st;
    if (req->kind == CUZK_KIND_POREP)
        return compare_porep(f, req, err);
    return req->sector ? compare_sectors(f, req, err) : CUZK_OK;
}

cuzk_status cuzk_request_load(proof_request **out, const char *path, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    request_files files;
    proof_request *req = NULL;
    CUZK_TRY(cuzk_request_files_read(&files, path, err));
    st = cuzk_request_parse(&req, &files.msg, err);
    if (st == CUZK_OK)
        st = compare_all(files.owned, req, err);
    cuzk_request_files_fini(&files);
    CUZK_TRY(st);
    *out = req;
    req = NULL;
out:
    cuzk_request_free(req);
    return st;
}
