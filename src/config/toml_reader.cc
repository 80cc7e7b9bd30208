// toml11 behind the C interface of toml_reader.h. Everything that throws is inside cuzk_toml_read.
#include "config/toml_reader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>
#include <string>

#include <toml.hpp>

extern "C" {
#include "base/mem.h"
}

namespace
{

using value = toml::basic_value<toml::discard_comments>;

// A refusal of ours, with its place; it ends in cuzk_toml_read.
struct refusal {
    cuzk_status status;
    unsigned line;
    std::string text;
};

char *copy_text(const std::string &s, unsigned line)
{
    if (s.find('\0') != std::string::npos)
        throw refusal{CUZK_ENCODING, line, "the string contains a NUL"};
    char *p = cuzk_strdup(s.c_str());
    if (!p)
        throw std::bad_alloc();
    return p;
}

void fill_value(toml_entry *e, const value &v);

void fill_array(toml_entry *e, const value &v)
{
    const auto &array = v.as_array();
    e->type = TOML_ARRAY;
    if (array.size() > TOML_MAX_ITEMS)
        throw refusal{CUZK_BUDGET, e->line,
                      "more than " + std::to_string(TOML_MAX_ITEMS) + " values in an array"};
    e->item = static_cast<toml_entry *>(cuzk_calloc(array.size() + 1, sizeof *e->item));
    if (!e->item)
        throw std::bad_alloc();
    for (const value &item : array) {
        toml_entry *slot = &e->item[e->n_items++]; // counted first: it is freed with the others
        slot->line = e->line;
        fill_value(slot, item);
    }
}

void fill_value(toml_entry *e, const value &v)
{
    switch (v.type()) {
    case toml::value_t::string:
        e->type = TOML_STRING;
        e->text = copy_text(v.as_string().str, e->line);
        break;
    case toml::value_t::integer:
        e->type = TOML_INT;
        e->integer = v.as_integer();
        // toml11 gives the last number that fits for one that does not
        if (e->integer == std::numeric_limits<int64_t>::max() ||
            e->integer == std::numeric_limits<int64_t>::min())
            throw refusal{CUZK_ENCODING, e->line, "the number is too large"};
        break;
    case toml::value_t::boolean:
        e->type = TOML_BOOL;
        e->flag = v.as_boolean();
        break;
    case toml::value_t::floating:
        e->type = TOML_FLOAT;
        break;
    case toml::value_t::array:
        fill_array(e, v);
        break;
    case toml::value_t::table:
        e->type = TOML_TABLE;
        break;
    default:
        e->type = TOML_DATETIME;
    }
}

void add_table(toml_document *d, const value &table, const std::string &section)
{
    for (const auto &kv : table.as_table()) {
        if (d->n == TOML_MAX_ENTRIES)
            throw refusal{CUZK_BUDGET, 0,
                          "more than " + std::to_string(TOML_MAX_ENTRIES) + " keys"};
        toml_entry *e = &d->entry[d->n++];
        e->line = static_cast<unsigned>(kv.second.location().line());
        e->section = copy_text(section, e->line);
        e->key = copy_text(kv.first, e->line);
        fill_value(e, kv.second);
        if (e->type == TOML_TABLE)
            add_table(d, kv.second, section.empty() ? kv.first : section + "." + kv.first);
    }
}

bool comes_before(const toml_entry &a, const toml_entry &b)
{
    if (a.line != b.line)
        return a.line < b.line;
    if ((a.type == TOML_TABLE) != (b.type == TOML_TABLE))
        return a.type == TOML_TABLE;
    int c = std::strcmp(a.section, b.section);
    return c ? c < 0 : std::strcmp(a.key, b.key) < 0;
}

void read_document(toml_document *d, const char *text, size_t n)
{
    std::istringstream in(std::string(text, n));
    const value root = toml::parse<toml::discard_comments>(in, "file");
    d->entry = static_cast<toml_entry *>(cuzk_calloc(TOML_MAX_ENTRIES, sizeof *d->entry));
    if (!d->entry)
        throw std::bad_alloc();
    add_table(d, root, "");
    std::sort(d->entry, d->entry + d->n, comes_before);
}

cuzk_status fail(cuzk_err *err, cuzk_status st, const char *text)
{
    if (err) {
        err->status = st;
        err->sys = 0;
        std::snprintf(err->msg, sizeof err->msg, "%s", text);
    }
    return st;
}

// toml11's texts have several lines and name its functions: "[error] toml::parse_x: what\n --> ..."
std::string first_line(const char *what)
{
    std::string s(what, std::strcspn(what, "\n"));
    for (const char *head : {"[error] ", "toml::"}) {
        if (s.compare(0, std::strlen(head), head) == 0)
            s.erase(0, std::strlen(head));
    }
    size_t colon = s.find(": ");
    if (colon != std::string::npos && s.find(' ') > colon)
        s.erase(0, colon + 2);
    while (!s.empty() && (s.back() == ' ' || s.back() == ':'))
        s.pop_back();
    return s.empty() ? "not valid TOML" : s;
}

} // namespace

extern "C" cuzk_status cuzk_toml_read(toml_document *out, const char *text, size_t n,
                                      unsigned *line, cuzk_err *err)
{
    cuzk_status st = cuzk_toml_scan(text, n, line, err);
    if (st != CUZK_OK)
        return st;
    *line = 0;
    toml_document d = {nullptr, 0};
    try {
        read_document(&d, text, n);
        *out = d;
        return CUZK_OK;
    } catch (const refusal &r) {
        *line = r.line;
        st = fail(err, r.status, r.text.c_str());
    } catch (const toml::exception &e) {
        *line = static_cast<unsigned>(e.location().line());
        st = fail(err, CUZK_ENCODING, first_line(e.what()).c_str());
    } catch (const std::bad_alloc &) {
        st = fail(err, CUZK_NOMEM, "no memory");
    } catch (const std::exception &e) {
        st = fail(err, CUZK_ENCODING, first_line(e.what()).c_str());
    } catch (...) {
        st = fail(err, CUZK_INTERNAL, "the TOML reader failed");
    }
    cuzk_toml_fini(&d);
    return st;
}
