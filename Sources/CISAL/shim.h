#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>

// The states of ISA-L hold tables of tens of thousands of bytes. Swift takes an array in a struct for a tuple, and makes
// code for each of its elements, so the states stay on this side.

// What a call reads and writes; after it, how much of either is left.
struct isal_step {
    const uint8_t *in;
    uint32_t in_count;
    uint8_t *out;
    uint32_t out_count;
    // The result of ISA-L, and whether the data is over.
    int result;
    bool is_over;
};

// An inflating state; freed by isal_close_inflate.
static inline void *isal_open_inflate(void) {
    struct inflate_state *state = malloc(sizeof *state);
    if (state != NULL) isal_inflate_init(state);
    return state;
}

static inline void isal_close_inflate(void *state) { free(state); }

// Begins with the header of a gzip member, whose checksum is verified.
static inline void isal_begin_member(void *opaque, struct isal_gzip_header *header) {
    struct inflate_state *state = opaque;
    isal_inflate_reset(state);
    state->crc_flag = ISAL_GZIP_NO_HDR_VER;
    isal_gzip_header_init(header);
}

// Inflates data or, given one, reads a header.
static inline struct isal_step isal_step_inflate(void *opaque, struct isal_step step, struct isal_gzip_header *header) {
    struct inflate_state *state = opaque;
    state->next_in = (uint8_t *)step.in;
    state->avail_in = step.in_count;
    state->next_out = step.out;
    state->avail_out = step.out_count;
    step.result = header != NULL ? isal_read_gzip_header(state, header) : isal_inflate(state);
    step.in_count = state->avail_in;
    step.out_count = state->avail_out;
    step.is_over = state->block_state == ISAL_BLOCK_FINISH;
    return step;
}

// More than the library asks for at its level 1.
enum { ISAL_LEVEL_SIZE = 1 << 20 };

struct isal_deflate {
    struct isal_zstream stream;
    uint8_t level[ISAL_LEVEL_SIZE];
};

// A deflating state; freed by isal_close_deflate.
static inline void *isal_open_deflate(void) {
    struct isal_deflate *state = malloc(sizeof *state);
    if (state == NULL) return NULL;
    isal_deflate_init(&state->stream);
    state->stream.level = 1;
    state->stream.level_buf = state->level;
    state->stream.level_buf_size = ISAL_LEVEL_SIZE;
    return state;
}

static inline void isal_close_deflate(void *state) { free(state); }

static inline struct isal_step isal_step_deflate(void *opaque, struct isal_step step, bool is_last) {
    struct isal_zstream *stream = &((struct isal_deflate *)opaque)->stream;
    stream->next_in = (uint8_t *)step.in;
    stream->avail_in = step.in_count;
    stream->next_out = step.out;
    stream->avail_out = step.out_count;
    stream->end_of_stream = is_last ? 1 : 0;
    step.result = isal_deflate(stream);
    step.in = stream->next_in;
    step.in_count = stream->avail_in;
    step.out_count = stream->avail_out;
    return step;
}
