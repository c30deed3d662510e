/// Reads YAML into a tree of nodes that know where they stand, through the events of libyaml.
///
/// Every scalar stays the text that was written: `no`, `012`, `12:30` and `2026-11-21` are texts, and only a
/// plain `null`, `~` or empty place is nothing. Anchors and aliases are followed; tags, merge keys (`<<`),
/// keys that are not text, repeated keys and several documents are refused, each where it stands. Size,
/// depth and the number of nodes after following aliases are bounded, so no file can exhaust the machine.
public struct YAMLReader: Sendable {
    /// The bounds of a file.
    public struct Limits: Sendable {
        /// How many bytes the file may have. Larger ones are refused unread.
        public var bytes = 4 << 20
        /// How many lists and maps may stand in one another.
        public var depth = 64
        /// How many values and keys there may be once every alias is followed.
        public var nodes = 100_000

        public init() {}
    }

    /// What was read: the tree as far as it could be made out, and everything that is wrong with it.
    public struct Reading: Sendable {
        /// The tree; nil when the file is empty or could not be read to its end.
        public var root: OptionNode?
        public var problems: [DaybookError]
        /// The text that was read, for excerpts. Only its beginning when the file was too large.
        public var source: SourceText
    }

    public var limits: Limits

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Refuses a file by its size alone, so that a caller need not even load it.
    public func checkSize(_ byteCount: Int, file: String) throws(DaybookError) {
        guard byteCount > limits.bytes else { return }
        throw DaybookError(
            "file-too-large",
            "the file has more than \(limits.bytes) bytes, the most that a job file may have",
            at: SourcePlace(file: file, line: 1, column: 1),
            hint: "is this a data file? A job names its data by 'path' and does not hold it"
        )
    }

    /// Reads the bytes of a file, UTF-8 with or without a byte-order mark.
    public func read(_ bytes: [UInt8], file: String) -> Reading {
        do {
            try checkSize(bytes.count, file: file)
        } catch {
            return Reading(problems: [error], source: SourceText(Array(bytes.prefix(4_096)), file: file))
        }
        let source = SourceText(bytes, file: file)
        if let problem = encodingProblem(bytes, file: file) { return Reading(problems: [problem], source: source) }
        var builder = YAMLTreeBuilder(source: source, limits: limits)
        do {
            var events = try YAMLEvents(source.bytes)
            while !builder.isFinished { try builder.take(try events.next()) }
            return Reading(root: builder.root, problems: builder.problems, source: source)
        } catch let failure as YAMLFailure {
            return Reading(problems: builder.problems + [builder.error(for: failure)], source: source)
        } catch {
            return Reading(problems: builder.problems + [error].compactMap { $0 as? DaybookError }, source: source)
        }
    }

    /// Names the encodings that editors on Windows write, which libyaml would report as stray bytes.
    private func encodingProblem(_ bytes: [UInt8], file: String) -> DaybookError? {
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
        return DaybookError(
            "bad-encoding",
            "the file is in UTF-16, and a job file is UTF-8",
            at: SourcePlace(file: file, line: 1, column: 1),
            hint: "save it as UTF-8"
        )
    }
}
