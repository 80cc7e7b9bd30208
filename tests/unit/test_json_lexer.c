/* Tokens of JSON; the fast path for 32 bytes takes what the general one would give, and nothing
 * else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/json_lexer.h"

/* In a block of exactly its size, so that reading beyond is seen under ASan. */
static json_lexer lexer_on(const char *text, size_t n, uint8_t **block)
{
    *block = malloc(n ? n : 1);
    assert_non_null(*block);
    memcpy(*block, text, n);
    return (json_lexer){.p = *block, .end = *block + n};
}

static void strings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *out; /* NULL: refused */
    } row[] = {
        {"\"\"", ""},
        {"\"abc\"x", "abc"},
        {"\"a\\\"b\\\\\"", "a\"b\\"},
        {"\"\\b\\f\\n\\r\\t\\/\"", "\b\f\n\r\t/"},
        {"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\"\xc3\xa9\xf0\x9f\x98\x80\"", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"\"\\\\\\\\\"", "\\\\"},
        {"\"", NULL},
        {"\"abc", NULL},
        {"\"abc\\\"", NULL},
        {"\"a\nb\"", NULL},
        {"\"\\x\"", NULL},
        {"\"\\u12g4\"", NULL},
        {"\"\\u12\"", NULL},
        {"\"\\ud83d\"", NULL},
        {"\"\\ude00\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\xc3\"", NULL},
        {"\"\xc0\x80\"", NULL},
        {"\"\xed\xa0\x80\"", NULL},
        {"\"\xf4\x90\x80\x80\"", NULL},
        {"\"\xff\"", NULL},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        uint8_t *block;
        const uint8_t *s;
        size_t n;
        json_lexer x = lexer_on(row[i].text, strlen(row[i].text), &block);
        bool ok = cuzk_json_lex_string(&x, &s, &n);
        if (ok != (row[i].out != NULL))
            fail_msg("%s", row[i].text);
        if (ok) {
            assert_int_equal(n, strlen(row[i].out));
            assert_memory_equal(s, row[i].out, n);
        }
        cuzk_json_lexer_fini(&x);
        free(block);
    }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n; /* characters of the number; -1: refused */
    } row[] = {{"0", 1},   {"10,", 2},   {"01", 1},   {"-1]", 2},    {"-0", 2},
               {"1.5", 3}, {"1e5 ", 3},  {"1E+5", 4}, {"1.5e-9", 6}, {"-", -1},
               {"1.", -1}, {"1.e5", -1}, {"1e", -1},  {"1e+", -1},   {"-a", -1}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(row); i++) {
        uint8_t *block;
        const uint8_t *s;
        size_t n = 0;
        json_lexer x = lexer_on(row[i].text, strlen(row[i].text), &block);
        bool ok = cuzk_json_lex_number(&x, &s, &n);
        if (ok != (row[i].n >= 0) || (ok && n != (size_t)row[i].n))
            fail_msg("%s: %zu", row[i].text, n);
        free(block);
    }
}

/* 32 elements, the k-th of which is text. */
static size_t array_with(char out[512], unsigned k, const char *text, unsigned count)
{
    size_t n = 0;
    for (unsigned i = 0; i < count; i++) {
        char plain[8];
        snprintf(plain, sizeof plain, "%u", i * 37 % 256);
        n += (size_t)snprintf(out + n, 512 - n, "%s%s", i == k ? text : plain,
                              i + 1 < count ? "," : "]");
    }
    return n;
}

static void bytes32(void **state)
{
    (void)state;
    static const char *const bad[] = {"256", "999", "1000", "00", "01", "-1", "",  " 1",
                                      "1 ",  "1.5", "1e1",  "x",  "\"", ":",  "/", "\xb1"};
    char text[512];
    uint8_t *block, out[32];
    for (unsigned k = 0; k < 32; k++) {
        for (unsigned v = 0; v < 256; v++) {
            char value[8];
            snprintf(value, sizeof value, "%u", v);
            size_t n = array_with(text, k, value, 32);
            json_lexer x = lexer_on(text, n, &block);
            bool fast = cuzk_json_lex_bytes32(&x, out);
            /* the last four characters are read at once, so at the very end of a text it may pass
             */
            if (!fast)
                assert_true(k == 31 || text[n - 3] == ',' || text[n - 4] == ',');
            for (unsigned i = 0; fast && i < 32; i++)
                assert_int_equal(out[i], i == k ? v : i * 37 % 256);
            free(block);
        }
        for (size_t b = 0; b < CUZK_ARRAY_LEN(bad); b++) {
            size_t n = array_with(text, k, bad[b], 32);
            memcpy(text + n, ",   ", 4);
            json_lexer x = lexer_on(text, n + 4, &block);
            assert_false(cuzk_json_lex_bytes32(&x, out));
            assert_ptr_equal(x.p, block);
            free(block);
        }
    }
    for (unsigned count = 1; count < 40; count++) {
        size_t n = array_with(text, 99, "", count);
        memcpy(text + n, "    ", 4);
        json_lexer x = lexer_on(text, n + 4, &block);
        assert_int_equal(cuzk_json_lex_bytes32(&x, out), count == 32);
        assert_int_equal(x.p - block, count == 32 ? (ptrdiff_t)n : 0);
        for (size_t cut = 0; cut < n; cut++) {
            json_lexer y = {.p = block, .end = block + cut};
            assert_false(cuzk_json_lex_bytes32(&y, out));
        }
        free(block);
    }
}

static void spaces(void **state)
{
    (void)state;
    char text[200];
    memset(text, ' ', sizeof text);
    for (size_t n = 0; n < sizeof text; n++) {
        uint8_t *block;
        text[n] = n % 2 ? 'x' : '\v';
        json_lexer x = lexer_on(text, n + 1, &block);
        cuzk_json_skip_space(&x);
        assert_int_equal(x.p - block, n);
        free(block);
        text[n] = "\t\n\r "[n % 4];
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strings), cmocka_unit_test(numbers),
                                       cmocka_unit_test(bytes32), cmocka_unit_test(spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
