#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/base64.h"

/* RFC 4648 section 10, and the forms of CASES A03. */
static void accepted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *bytes;
    } row[] = {{"Zg==", "f"},
               {"Zm8=", "fo"},
               {"Zm9v", "foo"},
               {"Zm9vYg==", "foob"},
               {"Zm9vYmE=", "fooba"},
               {"Zm9vYmFy", "foobar"},
               {"Zg", "f"},
               {"Zm8", "fo"},
               {"Zm9vYmE", "fooba"},
               {"Zm9v\nYmFy", "foobar"},
               {"Zm9vYm\r\nFy\r\n", "foobar"},
               {"Zg=\n=", "f"},
               {"-_-_", "\xfb\xff\xbf"},
               {"+/+/", "\xfb\xff\xbf"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        uint8_t out[64];
        size_t n = 0;
        assert_int_equal(cuzk_base64_decode(out, &n, row[i].text, strlen(row[i].text), NULL),
                         CUZK_OK);
        assert_int_equal(n, strlen(row[i].bytes));
        assert_memory_equal(out, row[i].bytes, n);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } row[] = {{"", "no characters at character 0"},
               {"\n", "no characters"},
               {" Zm9v", "not base64 at character 0"},
               {"Zm 9v", "not base64 at character 2"},
               {"Zm\r9v", "not base64 at character 2"},
               {"Zm9v*", "not base64 at character 4"},
               {"Zm9vY", "one character more than whole bytes need at character 5"},
               {"Zh==", "left-over bits"},
               {"Zh", "left-over bits"},
               {"Zm9=", "left-over bits"},
               {"Zg=", "padding that is too short"},
               {"Zg===", "padding out of place at character 4"},
               {"=", "padding out of place at character 0"},
               {"Z===", "padding out of place at character 1"},
               {"Zm9v=", "padding out of place"},
               {"Zg==Zg==", "after the padding at character 4"},
               {"+/-_", "mixture of the standard and the URL-safe alphabet at character 2"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        uint8_t out[64];
        size_t n = 0;
        cuzk_err err;
        assert_int_equal(cuzk_base64_decode(out, &n, row[i].text, strlen(row[i].text), &err),
                         CUZK_ENCODING);
        if (!strstr(err.msg, row[i].says))
            fail_msg("'%s': %s", row[i].text, err.msg);
    }
}

static void round_trip(void **state)
{
    (void)state;
    uint8_t bytes[100], back[CUZK_BASE64_DECODED_MAX(136)];
    char text[CUZK_BASE64_ENCODED(100)];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 151 + 7);
    for (size_t n = 1; n <= sizeof bytes; n++) {
        size_t m = 0;
        cuzk_base64_encode(text, bytes, n);
        assert_int_equal(cuzk_base64_decode(back, &m, text, CUZK_BASE64_ENCODED(n), NULL), CUZK_OK);
        assert_int_equal(m, n);
        assert_memory_equal(back, bytes, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),
        cmocka_unit_test(refused),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
