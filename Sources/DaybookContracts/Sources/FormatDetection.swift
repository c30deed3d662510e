/// A source stage that can tell whether a file is one of its own, so that `daybook guess` can offer it.
///
/// It stands beside the protocols that say how a source reads, and a stage takes part by conforming: the command asks
/// every stage of its table, those of other packages too.
public protocol FormatDetecting: Stage {
    /// How the stage would import the file; nil when the file is nothing for it.
    ///
    /// An error says that the file is the stage's own beyond doubt and cannot be read all the same, as a truncated
    /// document; it is shown when no other stage knows better.
    static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection?
}

/// A file of which nothing is known but its beginning.
public struct SniffedFile: Sendable {
    /// As messages name it.
    public let name: String
    /// Its beginning: decompressed, and not decoded.
    public let head: Bytes
    /// Whether `head` is all there is.
    public let isWhole: Bool
    /// Whether it is compressed, so that no library can open it as it is.
    public let isCompressed: Bool
    /// The beginning as text; nil where the bytes are those of no text.
    public let text: FoundText?
    private let reading: @Sendable (_ limit: Int) throws(DaybookError) -> Bytes?
    private let opening: @Sendable (_ companions: [String]) throws(DaybookError) -> StoreFile

    /// - Parameters:
    ///   - reading: gives the whole file, decompressed; nil when it has more bytes than the limit.
    ///   - opening: gives the file as a library opens it.
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

    /// The whole file, decompressed, for a stage that cannot tell by the beginning; nil when it has more than `limit` bytes.
    public func whole(limit: Int) throws(DaybookError) -> Bytes? {
        if isWhole { return head.count <= limit ? head : nil }
        return try reading(limit)
    }

    /// The file as a library opens it, with the files beside it whose names end like `companions`.
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
    /// How sure the stage is. Of several stages the surest one is taken.
    public enum Confidence: Int, Sendable, Comparable {
        /// Many files that are something else look like this too.
        case possible
        /// The shape is right.
        case likely
        /// Only files of this form begin like this.
        case certain

        public static func < (first: Confidence, second: Confidence) -> Bool { first.rawValue < second.rawValue }
    }

    public var confidence: Confidence
    /// What the file is, as a phrase that may open a sentence: `comma-separated text with a header`.
    public var form: String
    /// The imports that the file needs, in the order in which a person would want them; never none.
    public var imports: [SuggestedImport]
    /// Whether cells are text until the option `columns` says otherwise, and `missing` names spellings of a gap, as in
    /// `import_csv`. What the columns turn out to hold is then filled in.
    public var cellsAreText: Bool

    public init(
        _ confidence: Confidence,
        form: String,
        imports: [SuggestedImport],
        cellsAreText: Bool = false
    ) {
        precondition(!imports.isEmpty, "a file that is recognised can be imported")
        self.confidence = confidence
        self.form = form
        self.imports = imports
        self.cellsAreText = cellsAreText
    }
}

/// One stage of a job that imports a file, or a part of it such as one table.
public struct SuggestedImport: Sendable, Hashable {
    /// The part of the file that it reads, such as the name of a table; nil when it reads the whole file.
    public var part: String?
    /// The options, but for `path`, which stands first and is filled in.
    public var options: [SuggestedOption]
    /// Remarks for the person who reads the job, one sentence or clause each.
    public var notes: [String]

    public init(part: String? = nil, options: [SuggestedOption] = [], notes: [String] = []) {
        self.part = part
        self.options = options
        self.notes = notes
    }
}

/// An option as it is to be written, with what speaks for it.
public struct SuggestedOption: Sendable, Hashable {
    public var key: String
    public var value: SuggestedValue
    /// What speaks for it; a comment.
    public var reason: String?
    /// Other values that are possible, each with what speaks for it. Comments for the person to choose from.
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

extension SuggestedImport {
    private static let mostNamed = 40

    /// What to note of things that the import leaves out; no note where there are none.
    package static func note(_ names: [String], _ what: String) -> [String] {
        guard !names.isEmpty else { return [] }
        let more = names.count > mostNamed ? " and \(names.count - mostNamed) more" : ""
        return ["\(what): \(names.prefix(mostNamed).map { "'\($0)'" }.joined(separator: ", "))\(more)"]
    }
}
