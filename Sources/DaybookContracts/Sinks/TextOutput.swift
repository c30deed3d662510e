import Foundation

/// Whether an output is one file or a directory of parts.
package enum OutputParts: String, OptionChoice {
    case one, shards

    package static let help = """
        One file, or a directory of that name with a part for each shard, such as part-000000.csv; one behind the other they are the \
        file. Needs 'publish'.
        """
}

extension SinkTarget {
    /// A text output.
    ///
    /// - Parameters:
    ///   - way: what becomes of the rows of the file.
    ///   - holdsRows: whether the file has rows; by default if one of its lines is not blank.
    package init(
        _ output: PathText,
        _ parts: OutputParts,
        _ way: TextGrowth,
        holdsRows: @escaping @Sendable (BaseFile) -> Bool = { $0.hasLine(behind: 0) }
    ) {
        self.init(output)
        isInParts = parts == .shards
        guard way != .none else { return }
        base = SinkBase(output, mustExist: false)
        growth = Growth(groups: way.columns, holdsRows: holdsRows)
    }
}

extension OptionReader {
    /// Reads whether rows are added after the rows of a text output.
    package mutating func readAppend(to output: PathText, _ parts: OutputParts) -> Bool {
        let appends = read(
            "append",
            default: false,
            help: "Whether the rows come behind those that the file holds already, in the place of them."
        )
        if appends { refuseGrowth("append", of: output, parts) }
        return appends
    }

    /// Reads the same, or whether rows take the place of some of them.
    package mutating func readGrowth(of output: PathText, _ parts: OutputParts) -> TextGrowth {
        let appends = readAppend(to: output, parts)
        let columns: [ColumnName] = read(
            "replace_by",
            default: [],
            help:
                "Columns such as [day]: rows take the place of those that the file holds of the same day, and of days that were read and have none. The file is in the order of these columns."
        )
        refuseRepeats(of: columns, in: "replace_by")
        guard !columns.isEmpty else { return appends ? .appends : .none }
        if appends {
            refuse(
                "replace_by",
                "'append' keeps all old rows, and 'replace_by' does not",
                hint: "choose one of the two"
            )
        }
        refuseGrowth("replace_by", of: output, parts)
        return .replaces(by: columns)
    }

    private mutating func refuseGrowth(_ key: String, of output: PathText, _ parts: OutputParts) {
        if output.isStandardStream {
            refuse(key, "a stream has no old rows", hint: "name a file, or leave '\(key)' out")
        }
        if parts == .shards {
            refuse(key, "an output in parts is made anew by every run", hint: "leave '\(key)' or 'parts' out")
        }
    }
}

/// The text that an output extends: copied unchanged, block by block, before the new rows.
package struct ExtendedText {
    private let base: BaseFile
    /// The output as the job names it.
    private let name: String

    package init(_ base: BaseFile, name: String) { (self.base, self.name) = (base, name) }

    /// Copies the text, and ends its last line if that has no line end; false if the text is empty.
    ///
    /// - Parameters:
    ///   - lineEnds: spellings of the line end; the first is written.
    ///   - check: receives the beginning and the end of a non-empty text, and refuses what new rows cannot follow.
    ///   - pass: receives all of its bytes, block by block.
    package func copy(
        to out: any ByteOutput,
        endingLinesBy lineEnds: [[UInt8]],
        check: (Edges) throws(DaybookError) -> Void,
        pass: (UnsafeBufferPointer<UInt8>) -> Void = { _ in }
    ) throws(DaybookError) -> Bool {
        let file = try file()
        defer { try? file.close() }
        guard let edges = try edges(of: file) else { return false }
        try check(edges)
        var last: [UInt8] = []
        while true {
            let part = try block(of: file)
            guard !part.isEmpty else { break }
            let bytes = Bytes(part)
            pass(bytes.filled)
            last = (last + part.suffix(ExtendedText.longestEnd)).suffix(ExtendedText.longestEnd)
            try out.write(bytes)
        }
        if !lineEnds.contains(where: { last.suffix($0.count) == $0[...] }) {
            try out.write(Bytes(lineEnds[0]))
        }
        return true
    }

    /// The beginning and the end of the text, each at most 1 MiB; nil for an empty text.
    package func edges() throws(DaybookError) -> Edges? {
        let file = try file()
        defer { try? file.close() }
        return try edges(of: file)
    }

    private func file() throws(DaybookError) -> FileHandle {
        guard let file = base.open() else { throw unreadable("it is gone") }
        return file
    }

    /// The same of an open file. Returns to its beginning.
    private func edges(of file: FileHandle) throws(DaybookError) -> Edges? {
        let first = try block(of: file)
        guard !first.isEmpty else { return nil }
        do {
            let end = try file.seekToEnd()
            let start = end - min(end, UInt64(ExtendedText.blockSize))
            try file.seek(toOffset: start)
            let last = try file.read(upToCount: ExtendedText.blockSize) ?? Data()
            try file.seek(toOffset: 0)
            return Edges(first: [UInt8](first), last: [UInt8](last), isWhole: start == 0)
        } catch { throw unreadable(error.localizedDescription) }
    }

    private func block(of file: FileHandle) throws(DaybookError) -> Data {
        do { return try file.read(upToCount: ExtendedText.blockSize) ?? Data() } catch {
            throw unreadable(error.localizedDescription)
        }
    }

    private static let blockSize = 1 << 20
    /// A carriage return and a line feed of four bytes each.
    private static let longestEnd = 8

    private func unreadable(_ reason: String) -> DaybookError {
        .machine("cannot-read", "cannot read '\(name)', which is to be added to: \(reason)")
    }

    /// The beginning and the end of a text, which may be the same.
    package struct Edges {
        package var first: [UInt8]
        package var last: [UInt8]
        /// Whether there is nothing before `last`.
        package var isWhole: Bool

        private static let feed = UInt8(ascii: "\n")

        /// The first line; nil if it is longer than the bytes read.
        package var firstLine: ArraySlice<UInt8>? {
            if let end = first.firstIndex(of: Edges.feed) { return first[..<end] }
            return isWhole ? first[...] : nil
        }

        /// The last line that is not blank; nil if it is longer than the bytes read.
        package var lastLine: ArraySlice<UInt8>? {
            let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
            guard let end = last.lastIndex(where: { !blanks.contains($0) }) else { return nil }
            if let start = last[..<end].lastIndex(of: Edges.feed) { return last[(start + 1)...end] }
            return isWhole ? last[...end] : nil
        }
    }
}

/// What becomes of the rows that a text output has from earlier runs.
package enum TextGrowth: Sendable, Equatable {
    /// The new rows take the place of all.
    case none
    /// The new rows come behind them.
    case appends
    /// The new rows take the place of those that have the same in these columns.
    case replaces(by: [ColumnName])

    package var columns: [ColumnName] { if case .replaces(let columns) = self { columns } else { [] } }
}
