/// Unit of work from a source: the text of some records with its reader, or rows that are already read.
package struct SourceItem: Sendable {
    /// Content of a batch.
    enum Content: Sendable {
        /// Morsel and its reader.
        case text(any RecordReader)
        case rows(Batch, Findings)
    }

    let content: Content
    /// Text of the records, for findings about records that became no rows; nil for the rows of a store.
    package let records: Morsel?
    /// Number of raw bytes read for the item.
    package let byteCount: Int
    /// Time that the source took to make the item.
    var nanoseconds: UInt64 = 0
    /// Input whose digest receives the bytes.
    var input: OpenInput?
    /// Bytes of the file before the morsel that contain no records: a byte-order mark, a header.
    var prefix: Bytes?

    init(_ content: Content, _ records: Morsel?, byteCount: Int) {
        (self.content, self.records, self.byteCount) = (content, records, byteCount)
    }

    /// Rows that are already read, with their findings.
    package init(_ rows: Batch, _ findings: Findings, of records: Morsel? = nil, byteCount: Int) {
        self.init(.rows(rows, findings), records, byteCount: byteCount)
    }

    package func read(reporting findings: inout Findings) -> Batch {
        switch (content, records) {
        case (.text(let reader), let morsel?) where morsel.length > 0: return reader.read(morsel, reporting: &findings)
        case (.text(let reader), _): return Batch(empty: reader.schema)
        case (.rows(let batch, let found), _):
            findings = found
            return batch
        }
    }

    /// Adds the bytes to the digest of the input. Called in the order of the input.
    func hash() {
        if let prefix { input?.hash(prefix.filled) }
        if let input, let records { input.hash(records.cell) }
    }
}

/// Supplies the items of a source in order; used by one thread at a time.
package protocol SourceItemFeed: AnyObject {
    /// Number of raw bytes that became items. At the end it includes bytes of no item, such as a checksum after the
    /// last record.
    var byteCount: Int { get }
    func next() throws(DaybookError) -> SourceItem?
}

/// Reads the files of one source one after another and cuts them into morsels.
///
/// Used by one thread at a time. Bytes after the last whole record are carried into the next morsel, so every byte
/// belongs to exactly one morsel.
package final class SourceFeed: SourceItemFeed, @unchecked Sendable {
    private let texts: [ReadableText]
    private let morselSize: Int
    private var current = 0
    private var cutter: (any RecordCutter)?
    private var prefix: Bytes?
    /// Bytes that are read and not yet cut, after the first `used` bytes.
    private var carry = Bytes()
    private var used = 0
    private var isAtEnd = false
    private var offset = 0
    private var line = 1
    private var column = 1
    private var record = 0
    /// Number of bytes of all earlier files, and number of bytes already attributed to morsels.
    private var byteCountBefore = 0
    private var toldByteCount = 0

    init(_ texts: [ReadableText], morselSize: Int) {
        self.texts = texts
        self.morselSize = max(64, morselSize)
    }

    package var byteCount: Int {
        byteCountBefore + (current < texts.count ? texts[current].input.fileByteCount : 0)
    }

    package func next() throws(DaybookError) -> SourceItem? {
        while current < texts.count {
            do throws(DaybookError) {
                if cutter == nil { try begin(texts[current]) }
                if let item = try cutNext(texts[current]) { return item }
            } catch { throw error.about(texts[current].input.path.shown) }
            cutter = nil
            byteCountBefore = byteCount
            current += 1
        }
        return nil
    }

    private func begin(_ text: ReadableText) throws(DaybookError) {
        isAtEnd = false
        used = 0
        carry = Bytes(capacity: morselSize)
        if let part = text.part {
            cutter = text.format.makeCutter(of: part)
            (offset, line, column, record) = (part.offset, part.line, part.column, part.record)
            return text.input.begin(part)
        }
        cutter = text.format.makeCutter()
        offset = 0
        record = 0
        // The header is read again here and set aside, so that the records begin at the start of a buffer.
        let head = Bytes(capacity: max(morselSize, text.format.dataStart))
        // At least one read, since a byte-order mark is known only afterwards.
        repeat { guard try fill(head, from: text.input) else { break } } while head.count < text.format.dataStart
        let start = min(text.format.dataStart, head.count)
        prefix = head.copy(..<start)
        carry.append(start..., of: head)
        offset = start + text.input.markLength
        var cursor = LineCursor(head.filled, firstLine: 1, lineEnd: text.format.lineEnd)
        (line, column) = cursor.place(of: start)
        withExtendedLifetime(head) {}
    }

    /// Reads once more; false at the end of the file or of its part.
    private func fill(_ bytes: Bytes, from input: OpenInput) throws(DaybookError) -> Bool {
        guard !isAtEnd else { return false }
        if bytes.capacity - bytes.count < 4096 { _ = bytes.reserve(max(4096, bytes.count)) }
        isAtEnd = try input.read(bytes.capacity - bytes.count, into: bytes) == 0
        return !isAtEnd
    }

    private func cutNext(_ text: ReadableText) throws(DaybookError) -> SourceItem? {
        var window = 0
        while true {
            while carry.count - used < morselSize, try fillCarry(from: text.input) {}
            let rest = carry.count - used
            if rest == 0 {
                guard let prefix = prefix.take(), prefix.count > 0 else { return nil }
                // A file without records still has bytes that belong to its digest.
                return item(morsel(Bytes(), RecordCut(length: 0, lines: 0), text, []), text, prefix)
            }
            // An unterminated record leaves many bytes to cut again; they are cut like the rest, a morsel at a time.
            window = max(window, rest < 2 * morselSize ? rest : morselSize)
            let bytes = carry.cell(used..<used + window)
            guard let cut = try nextCut(of: bytes, isLast: isAtEnd && window == rest, in: text.input) else {
                return nil
            }
            if cut.length > 0 { return take(cut, text) }
            if window < rest {
                window = min(rest, window * 2)
                continue
            }
            // One record is longer than the bytes read: read as much again and search again.
            precondition(!isAtEnd, "a cutter must cut at the end of a file")
            _ = carry.reserve(carry.count)
            _ = try fill(carry, from: text.input)
            window = carry.count - used
        }
    }

    /// Where the next records end. What the cutter refuses is told at the record, unless it says where by itself; in a part of a
    /// file no line is known.
    private func nextCut(of bytes: Cell, isLast: Bool, in input: OpenInput) throws(DaybookError) -> RecordCut? {
        do throws(DaybookError) {
            return try cutter?.cut(bytes, isLast: isLast)
        } catch {
            guard input.holder == nil else { throw error }
            throw error.located(at: SourcePlace(file: input.name.path, line: line, column: column))
        }
    }

    /// Moves the remaining bytes to the front and reads once more after them; false at the end of the file.
    private func fillCarry(from input: OpenInput) throws(DaybookError) -> Bool {
        if used > 0 {
            let rest = Bytes(capacity: max(morselSize, carry.count - used))
            rest.append(used..., of: carry)
            carry = rest
            used = 0
        }
        return try fill(carry, from: input)
    }

    /// Makes a morsel of the cut bytes. Usually the buffer itself becomes the morsel and the few remaining bytes are
    /// copied; if many remain, the morsel is copied instead.
    private func take(_ cut: RecordCut, _ text: ReadableText) -> SourceItem {
        let faults = text.input.takeFaults(upTo: offset + cut.length, from: offset)
        let bytes: Bytes
        if used == 0, carry.count - cut.length <= cut.length {
            bytes = carry
            carry = Bytes(capacity: max(morselSize, bytes.count - cut.length))
            carry.append(cut.length..., of: bytes)
            bytes.count = cut.length
        } else {
            bytes = carry.copy(used..<used + cut.length)
            used += cut.length
        }
        let morsel = morsel(bytes, cut, text, faults)
        offset += cut.length
        line += cut.lines
        column = cut.nextColumn
        record += cut.records
        return item(morsel, text, prefix.take())
    }

    private func morsel(_ bytes: Bytes, _ cut: RecordCut, _ text: ReadableText, _ faults: [DecodingFault]) -> Morsel {
        Morsel(
            source: text.input.name,
            bytes: bytes,
            offset: offset,
            firstLine: line,
            lineEnd: text.format.lineEnd,
            lineEnds: cut.lines,
            firstColumn: column,
            firstRecord: record,
            faults: faults,
            isConverted: text.input.isConverted,
            holder: text.input.holder,
            notes: cut.notes
        )
    }

    private func item(_ morsel: Morsel, _ text: ReadableText, _ prefix: Bytes?) -> SourceItem {
        let read = byteCount
        defer { toldByteCount = read }
        var item = SourceItem(.text(text.reader), morsel, byteCount: read - toldByteCount)
        (item.input, item.prefix) = (text.input, prefix)
        return item
    }
}
