/// Finds the lines of the inputs that findings speak of, by reading a little around each place.
///
/// Only where that is cheap and certain: the input is a plain UTF-8 file, the line is not endless, and the place in it
/// is the one that the finding names. Compressed, decoded and vanished files go without.
struct SourceExcerpts {
    /// How far a line may reach to either side of the place, in bytes.
    private static let reach = 2048

    private let directory: String
    private let mask: SecretMask
    /// How many columns of a terminal a line may take.
    private let width: Int?
    private var file: (name: String, descriptor: Descriptor?, lineEnd: LineEnd, head: ArraySlice<UInt8>?)?

    init(directory: String, mask: SecretMask = SecretMask([]), width: Int? = nil) {
        self.directory = directory
        self.mask = mask
        self.width = width
    }

    /// The line of a finding with carets under the place; nil where it is not to be had.
    mutating func excerpt(of finding: RenderedFinding) -> Excerpt? {
        guard let source = finding.source, source != "-", let column = finding.column, let byte = finding.byte,
            finding.line != nil, let bytes = line(around: byte, column: column, of: source)
        else { return nil }
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
        guard let source = finding.source, source != "-", let column = finding.column, let byte = finding.byte,
            (finding.line ?? 1) > 1, let found = line(around: byte, column: column, of: source), found.isWhole,
            let head = file?.head
        else { return nil }
        // Where a secret was taken out, cells could not be told apart.
        for text in [head, found.line[...]].map({ String(decoding: $0, as: UTF8.self) })
        where mask.masking(text) != text { return nil }
        return FileRecord(
            head: head,
            line: found.line[...],
            at: found.at,
            field: finding.field,
            columns: columns,
            mask: mask
        )
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
        guard let source = finding.source, source != "-", let column = finding.column, let byte = finding.byte,
            finding.line != nil, finding.endLine == nil,
            let bytes = line(around: byte, column: column, of: source)
        else { return nil }
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

    /// The line, the place in it, and whether it is known to its end.
    private mutating func line(around byte: Int, column: Int, of source: String) -> (
        line: [UInt8], at: Int, isWhole: Bool
    )? {
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
        file = (source, descriptor, end, SourceExcerpts.firstLine(of: start, end))
        return descriptor
    }

    /// What ends the lines of a file, by its beginning.
    private func lineEnd(_ start: ArraySlice<UInt8>) -> LineEnd {
        let head = Bytes()
        head.append(start)
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
