import DaybookCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Finds the lines of the inputs that findings speak of, by reading a little around each place.
///
/// Only where that is cheap and certain: the input is a plain UTF-8 file, the line is not endless, and the place in it
/// is the one that the finding names. Compressed, decoded and vanished files go without.
struct SourceExcerpts {
    /// How far a line may reach to either side of the place, in bytes.
    private static let reach = 2048

    private let directory: String
    private let mask: SecretMask
    private var file: (name: String, descriptor: Descriptor?)?

    init(directory: String, mask: SecretMask = SecretMask([])) {
        self.directory = directory
        self.mask = mask
    }

    /// The line of a finding with carets under the place; nil where it is not to be had.
    mutating func excerpt(of finding: RenderedFinding) -> Excerpt? {
        guard let source = finding.source, source != "-", let column = finding.column, let byte = finding.byte,
            finding.line != nil, let bytes = line(around: byte, column: column, of: source)
        else { return nil }
        let value = finding.value.map { Array($0.utf8) } ?? []
        let marked = bytes.line.dropFirst(bytes.at)
        var length = 1
        if !value.isEmpty, marked.starts(with: value) {
            length = finding.value?.unicodeScalars.count ?? 1
        } else if marked.starts(with: [UInt8(ascii: "\"")] + value + [UInt8(ascii: "\"")]) {
            length = 2 + (finding.value?.unicodeScalars.count ?? 0)
        }
        let text = SourceText(Array(bytes.line), file: source)
        return Excerpt(of: SourcePlace(file: source, line: 1, column: column, length: length), in: text, maskedBy: mask)
    }

    private mutating func line(around byte: Int, column: Int, of source: String) -> (line: [UInt8], at: Int)? {
        guard let descriptor = open(source) else { return nil }
        let start = max(0, byte - SourceExcerpts.reach)
        var buffer = [UInt8](repeating: 0, count: 2 * SourceExcerpts.reach)
        let got = buffer.withUnsafeMutableBytes { pread(descriptor.number, $0.baseAddress, $0.count, off_t(start)) }
        let at = byte - start
        guard got >= at, got > 0 else { return nil }
        let read = buffer[..<got]
        let isLineEnd = { (byte: UInt8) in byte == 10 || byte == 13 }
        var first = read[..<at].lastIndex(where: isLineEnd).map { $0 + 1 }
        if first == nil, start == 0 { first = read.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
        guard let first, first <= at else { return nil }
        let last = read[at...].firstIndex(where: isLineEnd) ?? read.endIndex
        let line = Array(read[first..<last])
        guard scalars(in: line[..<(at - first)]) == column - 1, String(validating: line, as: UTF8.self) != nil else {
            return nil
        }
        return (line, at - first)
    }

    private func scalars(in bytes: ArraySlice<UInt8>) -> Int { bytes.count(where: { $0 & 0xC0 != 0x80 }) }

    /// The file, when it is a plain one. Findings of one file stand together, so one is kept open.
    private mutating func open(_ source: String) -> Descriptor? {
        if let file, file.name == source { return file.descriptor }
        let descriptor = try? Descriptor(opening: FilePath.join(directory, source), O_RDONLY | O_NONBLOCK)
        let isPlain = descriptor.map { (try? $0.status())?.isRegularFile == true && !isPacked($0) } ?? false
        file = (source, isPlain ? descriptor : nil)
        return file?.descriptor
    }

    private func isPacked(_ descriptor: Descriptor) -> Bool {
        var head = [UInt8](repeating: 0, count: Magic.length)
        let got = head.withUnsafeMutableBytes { pread(descriptor.number, $0.baseAddress, $0.count, 0) }
        guard got > 0 else { return true }
        let read = head[..<got]
        if read.starts(with: [0xFF, 0xFE]) || read.starts(with: [0xFE, 0xFF]) || read.contains(0) { return true }
        return Magic.compression(of: read) != nil || (try? Magic.refuse(read, name: "")) == nil
    }
}
