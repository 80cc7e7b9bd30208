#include "rpc/grpc_common.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <grpc/slice_buffer.h>
#include <grpc/support/log.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "engine/log.h"

/* What libgrpc calls an error is mostly a peer that went away, and we report our own failures. */
static void forward_log(gpr_log_func_args *args)
{
    cuzk_log(CUZK_LOG_DEBUG, NULL, "grpc: %s", args->message);
}

static void init_once(void)
{
    gpr_set_log_function(forward_log);
    grpc_init();
}

void cuzk_grpc_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

uint8_t *cuzk_grpc_flatten(grpc_byte_buffer *buffer, size_t *n)
{
    grpc_byte_buffer_reader reader;
    size_t total = grpc_byte_buffer_length(buffer), at = 0;
    uint8_t *out = cuzk_malloc(total + 1);
    if (!out || !grpc_byte_buffer_reader_init(&reader, buffer)) {
        cuzk_free(out);
        return NULL;
    }
    grpc_slice s;
    while (grpc_byte_buffer_reader_next(&reader, &s)) {
        size_t k = GRPC_SLICE_LENGTH(s);
        if (k <= total - at) {
            memcpy(out + at, GRPC_SLICE_START_PTR(s), k);
            at += k;
        }
        grpc_slice_unref(s);
    }
    grpc_byte_buffer_reader_destroy(&reader);
    *n = at;
    return out;
}

/* Slices have 8 or 64 KiB, which glibc keeps when they are freed, until it is asked. */
#define TRIM_BYTES ((size_t)8 << 20)

uint8_t *cuzk_grpc_take(grpc_byte_buffer *buffer, size_t *n)
{
    grpc_slice_buffer *slices = &buffer->data.raw.slice_buffer;
    size_t total = grpc_byte_buffer_length(buffer), at = 0, trimmed = 0;
    uint8_t *out = cuzk_malloc(total + 1);
    if (!out)
        return NULL;
    while (slices->count) {
        if (at >= trimmed + TRIM_BYTES) {
            malloc_trim(0);
            trimmed = at;
        }
        grpc_slice s = grpc_slice_buffer_take_first(slices);
        size_t k = GRPC_SLICE_LENGTH(s);
        if (k <= total - at) {
            memcpy(out + at, GRPC_SLICE_START_PTR(s), k);
            at += k;
        }
        grpc_slice_unref(s);
    }
    *n = at;
    return out;
}

grpc_byte_buffer *cuzk_grpc_buffer_of(const uint8_t *bytes, size_t n)
{
    grpc_slice s = grpc_slice_from_copied_buffer((const char *)bytes, n);
    grpc_byte_buffer *b = grpc_raw_byte_buffer_create(&s, 1);
    grpc_slice_unref(s); /* the buffer holds its own reference */
    return b;
}

grpc_arg cuzk_grpc_int_arg(const char *key, int value)
{
    /* The key is not written to; the API only lacks a const. */
    union {
        const char *in;
        char *out;
    } k = {key};
    grpc_arg a = {.type = GRPC_ARG_INTEGER, .key = k.out};
    a.value.integer = value;
    return a;
}
