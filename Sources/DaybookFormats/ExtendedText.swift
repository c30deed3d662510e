import Foundation

/// The text that an output goes on from: copied as it is, block by block, before new rows come behind it.
package struct ExtendedText {
    private let base: BaseFile
    /// The output as the job names it.
    private let name: String

    package init(_ base: BaseFile, name: String) { (self.base, self.name) = (base, name) }

    /// Copies the text, and ends its last line where that is not ended; false where it is empty.
    ///
    /// - Parameters:
    ///   - lineEnds: spellings of the end of a line, of which the first is written.
    ///   - check: looks at the first bytes, at most 1 MiB, and refuses what new rows cannot follow.
    package func copy(
        to out: any ByteOutput,
        endingLinesBy lineEnds: [[UInt8]],
        check: (ArraySlice<UInt8>) throws(DaybookError) -> Void
    ) throws(DaybookError) -> Bool {
        guard let file = FileHandle(forReadingAtPath: base.path) else { throw unreadable("it is gone") }
        defer { try? file.close() }
        var last: [UInt8] = []
        var isFirst = true
        while true {
            let part: Data
            do { part = try file.read(upToCount: 1 << 20) ?? Data() } catch {
                throw unreadable(error.localizedDescription)
            }
            guard !part.isEmpty else { break }
            let bytes = Bytes(capacity: part.count)
            part.withUnsafeBytes { bytes.append($0.bindMemory(to: UInt8.self)) }
            if isFirst { try check([UInt8](part)[...]) }
            isFirst = false
            last = (last + part.suffix(ExtendedText.longestEnd)).suffix(ExtendedText.longestEnd)
            try out.write(bytes)
        }
        guard !isFirst else { return false }
        if !lineEnds.contains(where: { last.suffix($0.count) == $0[...] }) {
            let end = Bytes()
            end.append(lineEnds[0])
            try out.write(end)
        }
        return true
    }

    /// A carriage return and a line feed of four bytes each.
    private static let longestEnd = 8

    private func unreadable(_ reason: String) -> DaybookError {
        .machine("cannot-read", "cannot read '\(name)', which is to be added to: \(reason)")
    }
}
