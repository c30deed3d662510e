import DaybookBytes
import DaybookEngine

/// Finds the lines of the inputs that findings speak of, by reading a little around each place.
///
/// Only where that is cheap and certain: the input is a plain file, in UTF-8 or in an encoding whose lines end as those of ASCII do, the line is
/// not endless, and the place in it is the one that the finding names. Compressed and vanished files and those in UTF-16 go without.
struct SourceExcerpts {
    /// How far a line may reach to either side of the place, in bytes.
    private static let reach = 2048

    private let directory: String
    private let mask: SecretMask
    /// How many columns of a terminal a line may take.
    private let width: Int?
    private var file: (name: String, descriptor: Descriptor?, lineEnd: LineEnd, head: ArraySlice<UInt8>?)?
    /// Of the inputs that are not in UTF-8, by their paths.
    private let encodings: [String: TextEncoding]
    /// Where the last line began that was looked for by its number in the current file.
    private var found = (line: 1, byte: 0)

    init(_ run: RunReport, width: Int? = nil) {
        (directory, mask, self.width) = (run.directory, run.mask, width)
        let others = run.outcome.inputs.filter { !$0.encoding.isUTF8 && $0.encoding.endsLinesAsASCII }
        encodings = Dictionary(others.map { ($0.path, $0.encoding) }) { first, _ in first }
    }

    /// The line of a finding with carets under the place; nil where it is not to be had.
    mutating func excerpt(of finding: RenderedFinding) -> Excerpt? {
        guard let source = finding.source, let column = finding.column, let bytes = line(of: finding) else {
            return nil
        }
        let length = SourceExcerpts.extent(of: finding.value, in: bytes.line.dropFirst(bytes.at)) ?? 1
        // A CR that ends no line is shown as other control characters are.
        let shown = bytes.line.flatMap { $0 == 13 ? Array("␍".utf8) : [$0] }
        let text = SourceText(shown, file: source)
        let place = SourcePlace(file: source, line: 1, column: column, length: length)
        return Excerpt(of: place, in: text, maskedBy: mask, width: width)
    }

    /// The record of a finding, cell by cell; nil where its file does not tell it beyond doubt, or a secret stands in it.
    ///
    /// - Parameter columns: those that the finding is about, where it names none.
    mutating func record(of finding: RenderedFinding, about columns: [String]) -> FileRecord? {
        jsonRecord(of: finding, about: columns) ?? delimitedRecord(of: finding, about: columns)
    }

    private mutating func delimitedRecord(of finding: RenderedFinding, about columns: [String]) -> FileRecord? {
        guard (finding.line ?? 1) > 1, let found = line(of: finding), found.isWhole, let head = file?.head else {
            return nil
        }
        // Where a secret was taken out, cells could not be told apart.
        for text in [head, found.line[...]].map({ String(decoding: $0, as: UTF8.self) })
        where mask.masking(text) != text { return nil }
        return FileRecord(head: head, found.line[...], at: found.at, of: finding.field, about: columns, mask: mask)
    }

    private mutating func jsonRecord(of finding: RenderedFinding, about columns: [String]) -> FileRecord? {
        guard let source = finding.source, source != "-", let byte = finding.byte, let at = finding.byteInRecord,
            (0..<2 * SourceExcerpts.reach).contains(at), let descriptor = open(source)
        else { return nil }
        let text = descriptor.bytes(at: byte - at, count: 2 * SourceExcerpts.reach)
        return FileRecord(json: text, at: at, of: finding, about: columns, mask: mask)
    }

    /// How many characters what a finding is about takes in its line, quotes and all; nil where that is not known.
    mutating func extent(of finding: RenderedFinding) -> Int? {
        guard finding.endLine == nil, let bytes = line(of: finding) else { return nil }
        return SourceExcerpts.extent(of: finding.value, in: bytes.line.dropFirst(bytes.at))
    }

    /// How many characters of what stands at the place of a finding are its value, bare or in quotes.
    private static func extent(of value: String?, in marked: ArraySlice<UInt8>) -> Int? {
        let (bytes, count) = (value.map { Array($0.utf8) } ?? [], value?.unicodeScalars.count ?? 0)
        if !bytes.isEmpty, marked.starts(with: bytes) { return count }
        let quote = [UInt8(ascii: "\"")]
        return marked.starts(with: quote + bytes + quote) ? count + 2 : nil
    }

    /// Whether a plain file ends its lines by CR alone, as far as its beginning tells.
    static func endsLinesByCR(_ path: String) -> Bool {
        guard let head = Descriptor.plainFile(at: path)?.bytes(count: 64 << 10) else { return false }
        return Compression.find(head) == nil && head.contains(13) && !head.contains(10)
    }

    /// A line, the place of a finding in it, and whether the line is known to its end.
    private typealias FoundLine = (line: [UInt8], at: Int, isWhole: Bool)

    private mutating func line(of finding: RenderedFinding) -> FoundLine? {
        guard let source = finding.source, source != "-", let column = finding.column, let line = finding.line else {
            return nil
        }
        if let byte = finding.byte { return self.line(around: byte, column: column, of: source) }
        return decodedLine(line, column: column, of: source)
    }

    // MARK: - By its number

    /// So many bytes of a file are looked through for the lines of its findings.
    private static let mostLookedThrough = 256 << 20

    /// A line of a file in another encoding, in UTF-8: its place is known by the number alone.
    private mutating func decodedLine(_ number: Int, column: Int, of source: String) -> FoundLine? {
        guard let encoding = encodings[source], let descriptor = open(source),
            let start = start(ofLine: number, in: descriptor)
        else { return nil }
        let end: UInt8 = file?.lineEnd == .carriageReturn ? 13 : 10
        let read = descriptor.bytes(at: start, count: SourceExcerpts.reach)
        let lineEnd = read.firstIndex(of: end) ?? (read.count < SourceExcerpts.reach ? read.endIndex : nil)
        guard let raw = lineEnd.map({ read[..<$0] }),
            let line = SourceExcerpts.text(of: raw.last == 13 ? raw.dropLast() : raw, encoding)
        else { return nil }
        let before = String(decoding: line, as: UTF8.self).unicodeScalars.prefix(column - 1)
        guard before.count == column - 1 else { return nil }
        return (line, String.UnicodeScalarView(before).reduce(0) { $0 + UTF8.width($1) }, true)
    }

    /// Nil where some byte is not of the encoding.
    private static func text(of bytes: ArraySlice<UInt8>, _ encoding: TextEncoding) -> [UInt8]? {
        guard let decoder = try? TextDecoder(encoding) else { return nil }
        let (raw, text) = (Bytes(), Bytes())
        raw.append(bytes)
        decoder.decode(raw, into: text, isLast: true)
        defer { withExtendedLifetime(text) {} }
        return decoder.takeFaults().isEmpty ? Array(text.filled) : nil
    }

    /// Where a line begins, in bytes. Lines of one file are mostly asked for in their order.
    private mutating func start(ofLine number: Int, in descriptor: Descriptor) -> Int? {
        let end: UInt8 = file?.lineEnd == .carriageReturn ? 13 : 10
        if number < found.line { found = (1, 0) }
        while found.line < number {
            guard found.byte < SourceExcerpts.mostLookedThrough else { return nil }
            let block = descriptor.bytes(at: found.byte, count: 1 << 20)
            guard !block.isEmpty else { return nil }
            var next = block.startIndex
            while found.line < number, let place = block[next...].firstIndex(of: end) {
                next = place + 1
                found.line += 1
            }
            found.byte += found.line < number ? block.count : next - block.startIndex
        }
        return found.byte
    }

    // MARK: - By its place

    private mutating func line(around byte: Int, column: Int, of source: String) -> FoundLine? {
        guard let descriptor = open(source) else { return nil }
        let start = max(0, byte - SourceExcerpts.reach)
        let read = descriptor.bytes(at: start, count: 2 * SourceExcerpts.reach)
        let at = byte - start
        guard read.count >= at, !read.isEmpty else { return nil }
        // The CR of a CR LF is no part of the line, and is left out below.
        let ends: Set<UInt8> = file?.lineEnd == .carriageReturn ? [10, 13] : [10]
        let isLineEnd = { (byte: UInt8) in ends.contains(byte) }
        var first = read[..<at].lastIndex(where: isLineEnd).map { $0 + 1 }
        if first == nil, start == 0 { first = read.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
        guard let first, first <= at else { return nil }
        let end = read[at...].firstIndex(where: isLineEnd)
        let last = end ?? read.endIndex
        var line = Array(read[first..<last])
        if line.last == 13, first + line.count - 1 > at { line.removeLast() }
        guard scalars(in: line[..<(at - first)]) == column - 1, String(validating: line, as: UTF8.self) != nil else {
            return nil
        }
        return (line, at - first, end != nil || read.count < 2 * SourceExcerpts.reach)
    }

    private func scalars(in bytes: ArraySlice<UInt8>) -> Int { bytes.count(where: { $0 & 0xC0 != 0x80 }) }

    /// The file, when it is a plain one. Findings of one file stand together, so one is kept open.
    private mutating func open(_ source: String) -> Descriptor? {
        if let file, file.name == source { return file.descriptor }
        let descriptor = Descriptor.plainFile(at: FilePath.join(directory, source)).flatMap { isPacked($0) ? nil : $0 }
        let start = descriptor?.bytes(count: 64 << 10) ?? []
        let end = lineEnd(start)
        var head = SourceExcerpts.firstLine(of: start, end)
        if let encoding = encodings[source] { head = head.flatMap { SourceExcerpts.text(of: $0, encoding)?[...] } }
        file = (source, descriptor, end, head)
        found = (1, 0)
        return descriptor
    }

    /// What ends the lines of a file, by its beginning.
    private func lineEnd(_ start: ArraySlice<UInt8>) -> LineEnd {
        let head = Bytes(start)
        defer { withExtendedLifetime(head) {} }
        return LineEnd(of: head.filled, quote: UInt8(ascii: "\""))
    }

    /// The first line of a file, in which columns may be named; nil where it is very long.
    private static func firstLine(of start: ArraySlice<UInt8>, _ end: LineEnd) -> ArraySlice<UInt8>? {
        let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start
        let line = text.prefix { $0 != 10 && (end == .feed || $0 != 13) }
        guard line.count <= 16 << 10, line.endIndex < start.endIndex else { return nil }
        return line.last == 13 ? line.dropLast() : line
    }

    private func isPacked(_ descriptor: Descriptor) -> Bool {
        let read = descriptor.bytes(count: Magic.length)
        if read.isEmpty || read.prefix(4).contains(0) { return true }
        if read.starts(with: [0xFF, 0xFE]) || read.starts(with: [0xFE, 0xFF]) { return true }
        return Compression.find(read) != nil || (try? Magic.refuse(read, name: "")) == nil
    }
}
