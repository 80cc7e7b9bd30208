/* Server reflection over the descriptors of proto/ (descriptors.S). They are walked as they lie:
 * field numbers are those of google/protobuf/descriptor.proto. None of our files imports another,
 * so the answer to a question is one file. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include <grpc/reflection/v1/reflection.pb-c.h>
#include "rpc/service.h"
#include "rpc/wire.h"
#include "rpc/wire_walk.h"

#define MAX_SERVICES 16u
#define MAX_NAME     256u

extern const uint8_t cuzk_descriptors[], cuzk_descriptors_end[];

enum { SET_FILE = 1 };
enum { FILE_NAME = 1, FILE_PACKAGE = 2, FILE_MESSAGE = 4, FILE_ENUM = 5, FILE_SERVICE = 6 };
enum { NAME = 1, MESSAGE_FIELD = 2, MESSAGE_NESTED = 3, MESSAGE_ENUM = 4, SERVICE_METHOD = 2 };
enum { ENUM_VALUE = 2 };

/* ---- walking ---- */

static bool is_text(wire_field f, const char *s)
{
    return f.n == strlen(s) && memcmp(f.data, s, f.n) == 0;
}

/* The first field of this number that holds bytes; data NULL when there is none. */
static wire_field find(wire_field in, uint32_t number)
{
    wire_cursor c = {in.data, in.n};
    wire_field f;
    while (cuzk_wire_next(&c, &f)) {
        if (f.number == number && f.type == WIRE_BYTES)
            return f;
    }
    return (wire_field){.data = NULL};
}

/* symbol begins with name and a dot, or is it: the rest, "" for all of it; NULL: neither. */
static const char *after_name(const char *symbol, wire_field name)
{
    if (!name.data || strncmp(symbol, (const char *)name.data, name.n) != 0)
        return NULL;
    const char *rest = symbol + name.n;
    return *rest == '.' ? rest + 1 : *rest == '\0' ? rest : NULL;
}

/* Whether a declaration in field number of in, or something inside it, is called symbol. */
static bool declares(wire_field in, uint32_t number, const char *symbol)
{
    wire_cursor c = {in.data, in.n};
    wire_field f;
    while (cuzk_wire_next(&c, &f)) {
        const char *rest =
            f.number == number && f.type == WIRE_BYTES ? after_name(symbol, find(f, NAME)) : NULL;
        if (!rest)
            continue;
        /* members of messages, enums and services; their numbers mean the same here */
        if (!*rest || declares(f, MESSAGE_FIELD, rest) || declares(f, MESSAGE_NESTED, rest) ||
            declares(f, MESSAGE_ENUM, rest))
            return true;
    }
    return false;
}

static bool file_declares(wire_field file, const char *symbol)
{
    const char *rest = after_name(symbol, find(file, FILE_PACKAGE));
    return rest && *rest &&
           (declares(file, FILE_MESSAGE, rest) || declares(file, FILE_ENUM, rest) ||
            declares(file, FILE_SERVICE, rest));
}

static wire_cursor all_files(void)
{
    return (wire_cursor){cuzk_descriptors, (size_t)(cuzk_descriptors_end - cuzk_descriptors)};
}

/* By name or by symbol; the other is NULL. */
static bool find_file(wire_field *out, const char *name, const char *symbol)
{
    wire_cursor c = all_files();
    while (cuzk_wire_next(&c, out)) {
        if (name ? is_text(find(*out, FILE_NAME), name) : file_declares(*out, symbol))
            return true;
    }
    return false;
}

/* ---- answers ---- */

typedef struct {
    Grpc__Reflection__V1__ServerReflectionResponse r;
    Grpc__Reflection__V1__FileDescriptorResponse file;
    ProtobufCBinaryData file_bytes;
    Grpc__Reflection__V1__ListServiceResponse list;
    Grpc__Reflection__V1__ServiceResponse service[MAX_SERVICES], *service_at[MAX_SERVICES];
    char service_name[MAX_SERVICES][MAX_NAME];
    Grpc__Reflection__V1__ErrorResponse error;
    char error_text[MAX_NAME + 64];
} answer;

static void answer_error(answer *a, cuzk_status st, const char *what, const char *name)
{
    char clean[MAX_NAME];
    cuzk_wire_ascii(clean, sizeof clean, name);
    snprintf(a->error_text, sizeof a->error_text, "%s: %s", what, clean);
    grpc__reflection__v1__error_response__init(&a->error);
    a->error.error_code = cuzk_status_grpc_code(st);
    a->error.error_message = a->error_text;
    a->r.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    a->r.error_response = &a->error;
}

static void answer_file(answer *a, const char *name, const char *symbol)
{
    wire_field f;
    if (!find_file(&f, name, symbol)) {
        answer_error(a, CUZK_NOT_FOUND, name ? "no such file" : "no such symbol",
                     name ? name : symbol);
        return;
    }
    union {
        const uint8_t *in;
        uint8_t *out;
    } bytes = {f.data}; /* only read */
    a->file_bytes = (ProtobufCBinaryData){f.n, bytes.out};
    grpc__reflection__v1__file_descriptor_response__init(&a->file);
    a->file.n_file_descriptor_proto = 1;
    a->file.file_descriptor_proto = &a->file_bytes;
    a->r.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    a->r.file_descriptor_response = &a->file;
}

static void add_services(answer *a, wire_field file)
{
    wire_field package = find(file, FILE_PACKAGE), f;
    wire_cursor c = {file.data, file.n};
    while (cuzk_wire_next(&c, &f) && a->list.n_service < MAX_SERVICES) {
        if (f.number != FILE_SERVICE || f.type != WIRE_BYTES)
            continue;
        wire_field name = find(f, NAME);
        size_t i = a->list.n_service++;
        snprintf(a->service_name[i], MAX_NAME, "%.*s.%.*s", (int)package.n,
                 (const char *)package.data, (int)name.n, (const char *)name.data);
        grpc__reflection__v1__service_response__init(&a->service[i]);
        a->service[i].name = a->service_name[i];
        a->service_at[i] = &a->service[i];
    }
}

static void answer_services(answer *a)
{
    wire_cursor c = all_files();
    wire_field f;
    grpc__reflection__v1__list_service_response__init(&a->list);
    a->list.service = a->service_at;
    while (cuzk_wire_next(&c, &f))
        add_services(a, f);
    a->r.message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    a->r.list_services_response = &a->list;
}

#define ASKED(x) GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##x

static void fill(answer *a, Grpc__Reflection__V1__ServerReflectionRequest *q)
{
    grpc__reflection__v1__server_reflection_response__init(&a->r);
    a->r.valid_host = q->host;
    a->r.original_request = q;
    if (q->message_request_case == ASKED(FILE_BY_FILENAME))
        answer_file(a, q->file_by_filename, NULL);
    else if (q->message_request_case == ASKED(FILE_CONTAINING_SYMBOL))
        answer_file(a, NULL, q->file_containing_symbol);
    else if (q->message_request_case == ASKED(LIST_SERVICES))
        answer_services(a);
    else if (q->message_request_case == ASKED(ALL_EXTENSION_NUMBERS_OF_TYPE))
        answer_error(a, CUZK_NOT_FOUND, "no extensions of", q->all_extension_numbers_of_type);
    else if (q->message_request_case == ASKED(FILE_CONTAINING_EXTENSION))
        answer_error(a, CUZK_NOT_FOUND, "no extensions", "");
    else
        answer_error(a, CUZK_INVAL, "what is asked", "nothing");
}

void cuzk_reflection_info(void *ctx, rpc_call *call, const uint8_t *msg, size_t n)
{
    (void)ctx;
    wire_message w;
    cuzk_err err = {0};
    if (!msg) {
        cuzk_rpc_finish(call);
        return;
    }
    answer *a = cuzk_calloc(1, sizeof *a);
    cuzk_status st = cuzk_wire_unpack(
        &w, &grpc__reflection__v1__server_reflection_request__descriptor, msg, n, &err);
    if (st != CUZK_OK || !a) {
        cuzk_rpc_fail(call, a ? st : CUZK_NOMEM, a ? err.msg : "no memory; try again later");
    } else {
        size_t n_out = 0;
        fill(a, (Grpc__Reflection__V1__ServerReflectionRequest *)w.message);
        uint8_t *out = cuzk_wire_pack(&a->r.base, &n_out);
        if (!out || !cuzk_rpc_send(call, out, n_out))
            cuzk_rpc_fail(call, CUZK_NOMEM, "no memory for the answer; try again later");
        cuzk_free(out);
    }
    cuzk_wire_fini(&w);
    cuzk_free(a);
}
