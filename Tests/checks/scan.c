// Holds the kernels of CScan against references that look at one byte at a time, over random bytes; what check-arm64 compiles.
//
// The references say what a kernel promises in the plainest way there is. They share no code with CScan, so they also hold its portable
// variants, which other processors than x86-64 use.
#include <stdio.h>
#include <stdlib.h>

#include "CScan.h"

enum { MOST = 400, ROOM = MOST + 128 };

static uint64_t state;

static uint64_t dice(uint64_t sides) {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % sides;
}

static uint64_t round_seed;

static void hold(bool holds, const char *kernel, const char *what) {
    if (holds) return;
    printf("%s: another %s than its reference, with seed %llu\n", kernel, what, (unsigned long long)round_seed);
    exit(1);
}

/// Bytes of `alphabet`, mostly its first `common` ones, with as many behind the end as kernels may read.
static size_t fill(uint8_t *bytes, const char *alphabet, size_t letters, size_t common) {
    size_t length = dice(8) == 0 ? dice(3) * 64 : dice(MOST);
    uint64_t rare = 1 + dice(40);
    for (size_t i = 0; i < ROOM; i++) bytes[i] = (uint8_t)alphabet[dice(rare) == 0 ? dice(letters) : dice(common)];
    return length;
}

static void hold_counts(void) {
    uint8_t bytes[ROOM];
    size_t length = fill(bytes, "ab\n\r\"\xFF\x80", 7, 2);
    size_t quotes = 0, feeds = 0, returns = 0, ends = 0;
    bool returns_end = dice(2);
    uint8_t next = "\n\r\0a"[dice(4)];
    for (size_t i = 0; i < length; i++) {
        quotes += bytes[i] == '"';
        feeds += bytes[i] == '\n';
        returns += bytes[i] == '\r';
        uint8_t following = i + 1 < length ? bytes[i + 1] : next;
        ends += bytes[i] == '\n' || (returns_end && bytes[i] == '\r' && following != '\n');
    }
    struct scan_counts counts = scan_count(bytes, length, '"');
    hold(counts.quotes == quotes && counts.line_feeds == feeds && counts.carriage_returns == returns, "scan_count", "count");
    hold(scan_count_line_ends(bytes, length, next, returns_end) == ends, "scan_count_line_ends", "count");
}

static void hold_places(void) {
    uint8_t bytes[ROOM];
    size_t length = fill(bytes, "ab\n\r\xC3\xA4\xED\x95\x9C", 9, dice(2) ? 2 : 9);
    size_t to = dice(length + 1), from = dice(to + 1);
    bool returns_end = dice(2);
    // A walk starts behind a CR only where that has been passed whole.
    struct scan_place wanted = {0, 0, 0};
    for (size_t i = from; i < to; i++) {
        bool is_end = bytes[i] == '\n' || (returns_end && bytes[i] == '\r' && (i + 1 == length || bytes[i + 1] != '\n'));
        if (is_end) {
            wanted = (struct scan_place){wanted.line_ends + 1, i + 1, 0};
        } else {
            wanted.characters += (bytes[i] & 0xC0) != 0x80;
        }
    }
    struct scan_place found = scan_walk(bytes, length, from, to, returns_end, (struct scan_place){0, 0, 0});
    hold(found.line_ends == wanted.line_ends, "scan_walk", "number of lines");
    hold(found.line_start == wanted.line_start, "scan_walk", "begin of a line");
    hold(found.characters == wanted.characters, "scan_walk", "number of characters");
}

/// The index of delimited text, one byte after the other.
struct reference_index {
    struct csv_index index;
    uint32_t positions[ROOM + 64], records[ROOM + 64], quoted[ROOM + 64];
};

static void reference_index(struct reference_index *into, const uint8_t *bytes, size_t length, bool is_last, bool returns_end) {
    struct csv_index index = {0};
    bool inside = false, is_long = false, closed = false;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        bool at_end = i + 1 == length, before_feed = !at_end && bytes[i + 1] == '\n';
        bool is_return = byte == '\r' && (returns_end || before_feed || at_end);
        bool is_separator = byte == ',' || byte == '\n' || is_return;
        if (closed && !is_separator && byte != '"') index.irregular = true;
        if (byte == '"') {
            index.has_quotes = true;
            inside = !inside;
            // What a quote may follow: nothing, a separator or another quote.
            uint8_t before = i > 0 ? bytes[i - 1] : ',';
            bool after_return = before == '\r' && returns_end;
            if (inside) {
                if (before == '"') index.has_doubled_quotes = true;
                if (before != ',' && before != '\n' && before != '"' && !after_return) index.irregular = true;
            }
            closed = !inside;
            continue;
        }
        if (inside) {
            if (byte == '\n' || is_return) is_long = index.has_long_records = true;
        } else {
            if (byte == '\r') *(is_return ? &index.has_carriage_returns : &index.has_stray_returns) = true;
            bool ends = byte == '\n' || (is_return && !before_feed);
            if (ends || byte == ',') {
                if (closed) into->quoted[index.quoted++] = (uint32_t)index.positions;
                into->positions[index.positions++] = (uint32_t)i;
            }
            if (ends) {
                into->records[index.records++] = (uint32_t)index.positions | (is_long ? CSV_LONG_RECORD : 0);
                is_long = false;
            }
        }
        closed = false;
    }
    index.ends_inside = inside;
    // A closing quote as the very last byte is left to whoever reads byte by byte, except where a block of 64 ends.
    if (closed && length % 64 != 0) index.irregular = true;
    if (!is_last && index.records > 0 && bytes[length - 1] == '\r' && into->positions[index.positions - 1] == length - 1) {
        index.records--;
    }
    size_t ended = index.records > 0 ? into->records[index.records - 1] & ~CSV_LONG_RECORD : 0;
    index.length = ended > 0 ? into->positions[ended - 1] + (size_t)1 : 0;
    if (!is_last || inside) {
        index.positions = ended;
        while (index.quoted > 0 && into->quoted[index.quoted - 1] >= ended) index.quoted--;
    } else if (index.length < length) {
        if (closed) into->quoted[index.quoted++] = (uint32_t)index.positions;
        into->positions[index.positions++] = (uint32_t)length;
        into->records[index.records++] = (uint32_t)index.positions | (is_long ? CSV_LONG_RECORD : 0);
        index.length = length;
    }
    into->index = index;
}

static void hold_csv_index(void) {
    static struct reference_index wanted;
    static uint32_t positions[ROOM + 64], records[ROOM + 64], quoted[ROOM + 64];
    uint8_t bytes[ROOM];
    size_t length = 0, aim = dice(MOST);
    bool is_clean = dice(4) != 0;
    if (is_clean) {
        // Fields as they should be, so that not every text is irregular.
        while (length < aim) {
            if (dice(3) == 0) {
                bytes[length++] = '"';
                for (size_t left = dice(12); left > 0; left--) {
                    uint8_t byte = (uint8_t)"abc,\n\r\""[dice(7)];
                    bytes[length++] = byte;
                    if (byte == '"') bytes[length++] = '"';
                }
                bytes[length++] = '"';
            } else {
                for (size_t left = dice(dice(6) == 0 ? 90 : 9); left > 0; left--) bytes[length++] = (uint8_t)('a' + dice(26));
            }
            uint64_t end = dice(8);
            if (end == 1) bytes[length++] = '\r';
            bytes[length++] = end == 0 ? '\r' : end < 4 ? '\n' : ',';
            if (length > MOST - 40) break;
        }
        if (length > 0 && dice(2)) length--;
        if (length > 0 && dice(8) == 0) length -= dice(length < 9 ? length : 9);
    } else {
        length = fill(bytes, "abc,\n\r\"\"", 8, 3);
    }
    bool is_last = dice(2), returns_end = dice(2);
    reference_index(&wanted, bytes, length, is_last, returns_end);
    struct csv_room room = {positions, records, quoted};
    struct csv_index found = csv_index_text(bytes, length, ',', '"', is_last, returns_end, room);
    const char *kernel = "csv_index_text";
    hold(found.irregular == wanted.index.irregular, kernel, "verdict on its quotes");
    if (found.irregular) return;
    hold(found.has_quotes == wanted.index.has_quotes && found.has_doubled_quotes == wanted.index.has_doubled_quotes, kernel, "word on quotes");
    hold(found.has_carriage_returns == wanted.index.has_carriage_returns && found.has_stray_returns == wanted.index.has_stray_returns,
         kernel, "word on carriage returns");
    hold(found.ends_inside == wanted.index.ends_inside, kernel, "end");
    hold(found.length == wanted.index.length, kernel, "length");
    hold(found.positions == wanted.index.positions && memcmp(positions, wanted.positions, 4 * found.positions) == 0, kernel, "position");
    hold(found.records == wanted.index.records && memcmp(records, wanted.records, 4 * found.records) == 0, kernel, "record");
    hold(found.quoted == wanted.index.quoted && memcmp(quoted, wanted.quoted, 4 * found.quoted) == 0, kernel, "quoted field");
}

static void hold_csv_rows(void) {
    enum { ROWS = 64, COLUMNS = 3 };
    static uint8_t text[ROOM], written[ROWS * COLUMNS * 160], wanted[ROWS * COLUMNS * 160];
    struct csv_column columns[COLUMNS];
    uint32_t views[COLUMNS][ROWS * 2];
    fill(text, "abcdefg\xEF,\"\n\r\t", 13, 8);
    struct csv_style style = {',', '"', dice(4) == 0, dice(4) == 0, dice(4) == 0, dice(4) == 0 ? 1 + dice(4) : 0};
    size_t rows = 1 + dice(ROWS);
    for (size_t column = 0; column < COLUMNS; column++) {
        columns[column] = (struct csv_column){views[column], text, dice(3) == 0 ? dice(UINT64_MAX) & dice(UINT64_MAX) : 0, dice(40) == 0};
        for (size_t row = 0; row < ROWS; row++) {
            views[column][row * 2] = (uint32_t)dice(MOST - 100);
            views[column][row * 2 + 1] = (uint32_t)dice(dice(9) == 0 ? 100 : 12);
        }
    }
    struct csv_cursor cursor = {0, 0, written};
    bool is_done = csv_write_rows(columns, COLUMNS, rows, style, &cursor);
    // Byte by byte, up to the first cell that must be looked at.
    uint8_t *out = wanted;
    size_t row = 0, column = 0;
    for (; row < rows; row++, column = 0) {
        for (; column < COLUMNS; column++) {
            if (columns[column].missing >> row & 1) {
                if (style.missing_length != 0) goto stopped;
            } else {
                const uint8_t *cell = text + views[column][row * 2];
                size_t length = views[column][row * 2 + 1];
                bool is_odd = length == 0 || length == style.missing_length || columns[column].all_are_odd;
                is_odd |= style.guards_marks && column == 0 && length > 0 && cell[0] == 0xEF;
                for (size_t i = 0; i < length; i++) is_odd |= cell[i] == ',' || cell[i] == '"' || cell[i] <= '\r';
                if (is_odd) goto stopped;
                if (style.quotes_all) *out++ = '"';
                for (size_t i = 0; i < length; i++) *out++ = cell[i];
                if (style.quotes_all) *out++ = '"';
            }
            *out++ = ',';
        }
        out--;
        if (style.ends_with_return) *out++ = '\r';
        *out++ = '\n';
    }
stopped:
    hold(is_done == (row == rows) && cursor.row == row && cursor.column == column, "csv_write_rows", "place to stop at");
    size_t length = (size_t)(out - wanted);
    hold((size_t)(cursor.out - written) == length && memcmp(written, wanted, length) == 0, "csv_write_rows", "text");
}

static void hold_json_cut(void) {
    uint8_t bytes[ROOM];
    size_t length = fill(bytes, dice(2) ? "ab,[]{}\"\\" : "ab,[[]{\"\\", 9, dice(2) ? 3 : 9);
    // In several steps, as a file comes.
    struct json_cut found = {0};
    json_cut_elements(&found, bytes, dice(length + 1));
    if (!found.ended) json_cut_elements(&found, bytes, length);
    struct json_cut wanted = {0};
    size_t i = 0;
    for (; i < length && !wanted.ended; i++) {
        bool is_escaped = wanted.escaped;
        wanted.escaped = !is_escaped && bytes[i] == '\\';
        if (is_escaped || wanted.escaped) continue;
        if (bytes[i] == '"') wanted.in_string = !wanted.in_string;
        if (wanted.in_string) continue;
        if (bytes[i] == '[' || bytes[i] == '{') wanted.depth++;
        if (bytes[i] == ',' && wanted.depth == 0) wanted.cut = i + 1, wanted.commas++;
        if (bytes[i] == ']' || bytes[i] == '}') {
            if (wanted.depth == 0) {
                wanted.ended = true;
                break;
            }
            wanted.depth--;
        }
    }
    hold(found.ended == wanted.ended && found.position == i, "json_cut_elements", "end");
    hold(found.cut == wanted.cut && found.commas == wanted.commas && found.depth == wanted.depth, "json_cut_elements", "cut");
    if (!found.ended) hold(found.in_string == wanted.in_string && found.escaped == wanted.escaped, "json_cut_elements", "state");
}

static void hold_json_text(void) {
    uint8_t bytes[ROOM], other[ROOM], out[ROOM * 6 + 16], wanted[ROOM * 6];
    size_t length = fill(bytes, "abc\"\\\n\x01\x1F\x7F\xC3\t\b\f\r", 14, 3);
    size_t size = 0;
    bool is_ascii = true;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        const char *letters = "\"\"\\\\\bb\tt\nn\ff\rr", *found = NULL;
        for (const char *letter = letters; *letter; letter += 2) found = (uint8_t)*letter == byte ? letter + 1 : found;
        is_ascii = is_ascii && byte < 0x80;
        if (found) {
            wanted[size++] = '\\';
            wanted[size++] = (uint8_t)*found;
        } else if (byte < 0x20) {
            size += (size_t)sprintf((char *)wanted + size, "\\u%04x", byte);
        } else {
            wanted[size++] = byte;
        }
    }
    struct json_escaped escaped = json_escape(out, bytes, length);
    hold(escaped.length == size && escaped.is_ascii == is_ascii && memcmp(out, wanted, size) == 0, "json_escape", "text");

    uint32_t special = 0;
    size_t plain = 0, feed = 0;
    for (int i = 0; i < 32; i++) special |= (uint32_t)(bytes[i] == '"' || bytes[i] == '\\' || bytes[i] < 0x20) << i;
    while (plain < length && bytes[plain] != '"' && bytes[plain] != '\\' && bytes[plain] >= 0x20) plain++;
    while (feed < length && bytes[feed] != '\n') feed++;
    hold(json_special32(bytes) == special, "json_special32", "mask");
    hold(json_copy_plain(out, bytes, length) == plain && memcmp(out, bytes, plain) == 0, "json_copy_plain", "copy");
    hold(json_line_feed(bytes, 0, length) == feed, "json_line_feed", "place");

    memcpy(other, bytes, sizeof other);
    // Also behind the end, where a difference is none.
    size_t changed = dice(length + 20);
    if (dice(2)) other[changed] ^= 1;
    hold(json_same(bytes, other, length) == (memcmp(bytes, other, length) == 0), "json_same", "verdict");
    json_copy_blocks(out, bytes, length);
    hold(memcmp(out, bytes, length) == 0, "json_copy_blocks", "copy");
}

/// The length of the character at `i`, by the number that it encodes; 0 where there is none.
static size_t character(const uint8_t *bytes, size_t i, size_t length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = bytes[i];
    size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (size == 0 || i + size > length) return 0;
    uint32_t scalar = size == 1 ? first : first & (0x7Fu >> size);
    for (size_t k = 1; k < size; k++) {
        if (bytes[i + k] >> 6 != 2) return 0;
        scalar = scalar << 6 | (bytes[i + k] & 0x3F);
    }
    return scalar < least[size] || scalar > 0x10FFFF || (scalar >= 0xD800 && scalar < 0xE000) ? 0 : size;
}

static void hold_utf8(void) {
    static const char *const pieces[] = {"a", "abcdefghijklmnopqrstuvwxyz", "\xC3\xA4", "\xED\x95\x9C", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF",
                                         // None of these is a character.
                                         "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xFF", "\xC3"};
    uint8_t bytes[ROOM + 64];
    size_t length = 0, aim = dice(MOST);
    uint64_t damage = 1 + dice(60);
    while (length < aim) {
        const char *piece = pieces[dice(damage) == 0 ? dice(15) : dice(7)];
        memcpy(bytes + length, piece, strlen(piece));
        length += strlen(piece);
        if (dice(200) == 0) bytes[length++] = 0;
    }
    if (length > 0) length -= dice(length < 4 ? length : 4);
    memset(bytes + length, 0x80, 64);
    size_t valid = 0, step, text = 0;
    while (valid < length && (step = character(bytes, valid, length)) > 0) valid += step;
    while (text < valid && bytes[text] != 0) text++;
    hold(scan_utf8_valid(bytes, length) == valid, "scan_utf8_valid", "place");
    hold(scan_text_valid(bytes, length) == text, "scan_text_valid", "place");
}

static void hold_counted(void) {
    uint8_t bytes[64 * 8];
    size_t width = (size_t)1 << dice(4);
    uint64_t most = width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
    uint64_t numbers[64], start = dice(3) == 0 ? most - dice(100) : dice(most), odd = 1 + dice(30);
    for (size_t i = 0; i < 64; i++) {
        numbers[i] = (dice(odd) == 0 && odd < 30 ? dice(most) : start + i) & most;
        memcpy(bytes + i * width, &numbers[i], width); // Both processors have the lowest byte first.
    }
    struct scan_counted wanted = {numbers[0], 0, 0};
    for (uint64_t i = 0; i < 8; i++) {
        if (numbers[i + 1] != numbers[i] + 1) continue;
        wanted.first = numbers[i] - i;
        break;
    }
    if (wanted.first <= most - 63) {
        for (uint64_t i = 0; i < 64; i++) {
            wanted.counted |= (uint64_t)(numbers[i] == wanted.first + i) << i;
            wanted.near |= (uint64_t)(numbers[i] >= wanted.first && numbers[i] - wanted.first < 64) << i;
        }
    }
    struct scan_counted found = scan_counted(bytes, width);
    hold(found.first == wanted.first && found.counted == wanted.counted && found.near == wanted.near, "scan_counted", "answer");
}

int main(int count, char **arguments) {
    static void (*const checks[])(void) = {hold_counts, hold_places, hold_csv_index, hold_csv_rows,
                                           hold_json_cut, hold_json_text, hold_utf8, hold_counted};
    uint64_t rounds = count > 1 ? strtoull(arguments[1], NULL, 10) : 20000;
    static const enum scan_level levels[] = {SCAN_PORTABLE, SCAN_LEVEL_AVX2, SCAN_LEVEL_AVX512};
    // Where there are no such instructions, one level is all.
    for (size_t level = 0; level < (SCAN_X86 ? 3 : 1); level++) {
        scan_set_limit(levels[level]);
        for (round_seed = 1; round_seed <= rounds; round_seed++) {
            for (size_t check = 0; check < sizeof checks / sizeof *checks; check++) {
                state = round_seed * 64 + check;
                checks[check]();
            }
        }
    }
    printf("%llu rounds of random bytes, and every kernel gives the answers of its reference\n", (unsigned long long)rounds);
    return 0;
}
