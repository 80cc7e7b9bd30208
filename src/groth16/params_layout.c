/* Opening a parameter file and walking its counts; see params_layout.h. */
#include "groth16/params_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const section_names[SECTION_COUNT] = {"vk (ic)", "h", "l", "a", "b_g1", "b_g2"};

const char *cuzk_section_name(params_section s)
{
    return section_names[s];
}

size_t cuzk_section_point_bytes(params_section s)
{
    return s == SECTION_B_G2 ? G2_FILE_BYTES : G1_FILE_BYTES;
}

static uint32_t load_be32(const uint8_t b[4])
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

cuzk_status cuzk_params_pread(const params_file *f, void *out, uint64_t offset, size_t n,
                              cuzk_err *err)
{
    uint8_t *p = out;
    const size_t all = n;
    if (f->cancel && atomic_load_explicit(f->cancel, memory_order_relaxed))
        return cuzk_fail(err, CUZK_CANCELLED, 0, "cancelled while %s was read", f->path);
    while (n > 0) {
        ssize_t got = pread(f->fd, p, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cuzk_fail(err, CUZK_IO, errno, "cannot read %s at byte %" PRIu64, f->path,
                             offset);
        if (got == 0)
            return cuzk_fail(err, CUZK_IO, 0, "%s shrank while it was read: no byte %" PRIu64,
                             f->path, offset);
        p += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    if (f->done)
        atomic_fetch_add_explicit(f->done, all, memory_order_relaxed);
    return CUZK_OK;
}

static cuzk_status too_short(const params_file *f, params_section s, uint64_t needed,
                             const char *what, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_PARAMS, 0,
                     "%s is truncated or no parameter file: section %s needs %" PRIu64
                     " bytes up to the end of its %s, the file has %" PRIu64,
                     f->path, cuzk_section_name(s), needed, what, f->file_bytes);
}

/* Reads the count at *offset and moves *offset behind the section's points. */
static cuzk_status walk_section(params_file *f, params_section s, uint64_t *offset, cuzk_err *err)
{
    uint8_t count[4];
    uint64_t begin = *offset + sizeof count;
    if (f->file_bytes < begin)
        return too_short(f, s, begin, s == SECTION_IC ? "key points and count" : "count", err);
    cuzk_status st = cuzk_params_pread(f, count, *offset, sizeof count, err);
    if (st != CUZK_OK)
        return st;
    /* a u32 times 192 cannot overflow 64 bits */
    size_t n = load_be32(count);
    uint64_t end = begin + (uint64_t)n * cuzk_section_point_bytes(s);
    if (f->file_bytes < end)
        return too_short(f, s, end, "points", err);
    f->section[s] = (section_span){begin, n};
    *offset = end;
    return CUZK_OK;
}

static cuzk_status check_counts(const params_file *f, size_t n_sections, cuzk_err *err)
{
    if (f->section[SECTION_IC].n == 0)
        return cuzk_fail(err, CUZK_PARAMS, 0, "%s: section vk (ic) has no points, not even for ONE",
                         f->path);
    if (n_sections < SECTION_COUNT)
        return CUZK_OK;
    size_t n_h = f->section[SECTION_H].n, domain = (size_t)1 << cuzk_lg_ceil(n_h + 1);
    if (n_h + 1 != domain)
        return cuzk_fail(err, CUZK_PARAMS, 0,
                         "%s: section h has %zu points; it must have one less than a power of two "
                         "(the domain), here %zu or %zu",
                         f->path, n_h, domain / 2 - 1, domain - 1);
    size_t n_b1 = f->section[SECTION_B_G1].n, n_b2 = f->section[SECTION_B_G2].n;
    if (n_b1 != n_b2)
        return cuzk_fail(err, CUZK_PARAMS, 0,
                         "%s: section b_g1 has %zu points and section b_g2 %zu; the counts must be "
                         "equal",
                         f->path, n_b1, n_b2);
    return CUZK_OK;
}

static cuzk_status walk(params_file *f, size_t n_sections, cuzk_err *err)
{
    uint64_t offset = VK_POINTS_BYTES;
    if (f->file_bytes == 0)
        return cuzk_fail(err, CUZK_PARAMS, 0, "%s is empty; did a download fail?", f->path);
    for (size_t s = 0; s < n_sections; s++) {
        cuzk_status st = walk_section(f, (params_section)s, &offset, err);
        if (st != CUZK_OK)
            return st;
    }
    if (offset != f->file_bytes)
        return cuzk_fail(err, CUZK_PARAMS, 0,
                         "%s has %" PRIu64 " bytes after its last section %s: needed %" PRIu64
                         ", actual size %" PRIu64,
                         f->path, f->file_bytes - offset,
                         cuzk_section_name((params_section)(n_sections - 1)), offset,
                         f->file_bytes);
    return check_counts(f, n_sections, err);
}

static cuzk_status open_file(params_file *f, cuzk_err *err)
{
    struct stat info;
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not make us wait */
    if (f->fd < 0) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        return cuzk_fail(err, missing ? CUZK_NOT_FOUND : CUZK_IO, errno, "cannot open %s", f->path);
    }
    if (fstat(f->fd, &info) != 0 || !S_ISREG(info.st_mode))
        return cuzk_fail(err, CUZK_IO, 0, "%s is not a regular file", f->path);
    f->file_bytes = (uint64_t)info.st_size;
    return CUZK_OK;
}

cuzk_status cuzk_params_open(params_file *f, const char *path, size_t n_sections, cuzk_err *err)
{
    cuzk_status st;
    *f = (params_file){.fd = -1, .path = path};
    CUZK_TRY(open_file(f, err));
    CUZK_TRY(walk(f, n_sections, err));
out:
    if (st != CUZK_OK)
        cuzk_params_close(f);
    return st;
}

void cuzk_params_close(params_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

cuzk_status cuzk_params_info(groth16_params_info *out, const char *path, cuzk_err *err)
{
    params_file f;
    cuzk_status st = cuzk_params_open(&f, path, SECTION_COUNT, err);
    if (st != CUZK_OK)
        return st;
    *out = (groth16_params_info){
        .file_bytes = f.file_bytes,
        .n_ic = f.section[SECTION_IC].n,
        .n_h = f.section[SECTION_H].n,
        .n_l = f.section[SECTION_L].n,
        .n_a = f.section[SECTION_A].n,
        .n_b = f.section[SECTION_B_G1].n,
    };
    cuzk_params_close(&f);
    return CUZK_OK;
}
