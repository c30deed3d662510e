/// A source stage that can recognise its own files, so that `daybook guess` can offer it.
///
/// The protocol is separate from those that read a source, and a stage takes part by conforming: the command calls
/// every stage of its table, stages of other packages included.
public protocol FormatDetecting: Stage {
    /// How the stage would import the file; nil if the file is not of its format.
    ///
    /// An error means that the file is certainly of this format and still unreadable, such as a truncated document; it
    /// is shown if no other stage recognises the file.
    static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection?
}

/// A file known only by its beginning.
public struct SniffedFile: Sendable {
    /// As messages name it.
    public let name: String
    /// Its beginning: decompressed, and not decoded.
    public let head: Bytes
    /// Whether `head` is all there is.
    public let isWhole: Bool
    /// Whether it is compressed, so that no library can open it as it is.
    public let isCompressed: Bool
    /// The beginning as text; nil if the bytes are not text.
    public let text: FoundText?
    private let reading: @Sendable (_ limit: Int) throws(DaybookError) -> Bytes?
    private let opening: @Sendable (_ companions: [String]) throws(DaybookError) -> StoreFile

    /// - Parameters:
    ///   - reading: reads the whole file, decompressed; nil if it has more bytes than the limit.
    ///   - opening: opens the file for a library.
    public init(
        name: String,
        head: Bytes,
        isWhole: Bool,
        isCompressed: Bool = false,
        text: FoundText?,
        reading: @escaping @Sendable (_ limit: Int) throws(DaybookError) -> Bytes?,
        opening: @escaping @Sendable (_ companions: [String]) throws(DaybookError) -> StoreFile
    ) {
        self.reading = reading
        self.opening = opening
        self.name = name
        self.head = head
        self.isWhole = isWhole
        self.isCompressed = isCompressed
        self.text = text
    }

    /// The whole file, decompressed, for stages that need more than the beginning; nil above `limit` bytes.
    public func whole(limit: Int) throws(DaybookError) -> Bytes? {
        if isWhole { return head.count <= limit ? head : nil }
        return try reading(limit)
    }

    /// The file for a library to open, with the companion files whose names end like `companions`.
    public func store(companions: [String]) throws(DaybookError) -> StoreFile { try opening(companions) }

    /// Whether the file begins with these bytes.
    public func begins(with bytes: [UInt8]) -> Bool {
        defer { withExtendedLifetime(head) {} }
        return head.filled.starts(with: bytes)
    }
}

/// The beginning of a file that is text.
public struct FoundText: Sendable {
    /// UTF-8, without a byte-order mark.
    public let bytes: Bytes
    public let isWhole: Bool
    /// The option `encoding` with its reason, for a stage that has that option; nil where UTF-8 is read without it.
    public let encoding: SuggestedOption?
    /// How a sentence names the encoding: `UTF-8`.
    public let displayText: String

    public init(bytes: Bytes, isWhole: Bool, encoding: SuggestedOption? = nil, displayText: String = "UTF-8") {
        self.displayText = displayText
        self.bytes = bytes
        self.isWhole = isWhole
        self.encoding = encoding
    }
}

/// How a stage would import a file.
public struct FormatDetection: Sendable {
    /// How sure the stage is. The surest stage wins, and of equally sure ones the first in the table of stages. Text of
    /// columns, as `import_csv` recognises it, is at most likely.
    public enum Confidence: Int, Sendable, Comparable {
        /// Many files of other formats look like this too.
        case possible
        /// The shape is right.
        case likely
        /// No other format of the table begins like this.
        case certain

        public static func < (first: Confidence, second: Confidence) -> Bool { first.rawValue < second.rawValue }
    }

    public var confidence: Confidence
    /// What the file is, as a phrase that may open a sentence: `comma-separated text with a header`.
    public var form: String
    /// The imports for the file, most wanted first; never empty.
    public var imports: [SuggestedImport]
    /// Whether cells are text unless the option `columns` overrides it, and `missing` names spellings of a gap, as in
    /// `import_csv`. The detected kinds are then filled in.
    public var cellsAreText: Bool

    public init(_ confidence: Confidence, form: String, imports: [SuggestedImport], cellsAreText: Bool = false) {
        precondition(!imports.isEmpty, "a file that is recognised can be imported")
        self.confidence = confidence
        self.form = form
        self.imports = imports
        self.cellsAreText = cellsAreText
    }
}

/// One stage of a job that imports a file, or a part of it such as one table.
public struct SuggestedImport: Sendable, Hashable {
    /// The part of the file that it reads, such as the name of a table; nil for the whole file.
    public var part: String?
    /// The options except `path`, which comes first and is filled in.
    public var options: [SuggestedOption]
    /// Remarks for the person who reads the job, one sentence or clause each.
    public var notes: [String]

    public init(part: String? = nil, options: [SuggestedOption] = [], notes: [String] = []) {
        self.part = part
        self.options = options
        self.notes = notes
    }

    private static let mostNamed = 40

    /// A note about things that the import leaves out; none if there are none.
    package static func note(_ names: [String], _ what: String) -> [String] {
        names.isEmpty ? [] : ["\(what): \(DisplayText.first(mostNamed, of: names.map { "'\($0)'" }))"]
    }
}

/// An option to write, with the evidence for it.
public struct SuggestedOption: Sendable, Hashable {
    public var key: String
    public var value: SuggestedValue
    /// The evidence for it; a comment.
    public var reason: String?
    /// Other possible values, each with the evidence for it. Written as comments, for the person to choose from.
    public var others: [SuggestedChoice]

    public init(_ key: String, _ value: SuggestedValue, because reason: String? = nil, others: [SuggestedChoice] = []) {
        self.key = key
        self.value = value
        self.reason = reason
        self.others = others
    }
}

/// A value that a person may choose instead.
public struct SuggestedChoice: Sendable, Hashable {
    public var value: SuggestedValue
    public var reason: String

    public init(_ value: SuggestedValue, because reason: String) {
        self.value = value
        self.reason = reason
    }
}

/// A value as a job writes it.
public indirect enum SuggestedValue: Sendable, Hashable {
    /// Text of any kind; quoted where it must be.
    case text(String)
    /// A number, a flag or a word that is written without quotes.
    case plain(String)
    case list([SuggestedValue])
    case map([SuggestedOption])
}
