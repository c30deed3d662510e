/// Something noticed in the data; the run goes on.
public enum Finding {
    /// One kind of finding, declared in the file of the stage that makes it.
    public struct Kind: Sendable, Hashable {
        /// A stable name, such as `not-a-hex-colour`.
        public let code: String
        /// The fault, in lower case; `{value}` is replaced by the value in quotes.
        public let message: String
        public let severity: Severity
        /// Whether the message names another row instead of the value: its last `{row}` becomes the place of that row.
        public let namesRow: Bool
        /// How the job may read such values, so that no row is lost; shown if many rows have this finding. Nil if only
        /// the row can be corrected.
        public let mend: String?
        /// The columns whose values caused the message, if no single one is to blame.
        public let shows: [String]
        /// What the message says of the value behind the fault.
        public let hint: ValueHint?
        /// Whether the first finding of a column is reported for all, and the others only counted.
        public let isToldOnce: Bool

        public init(
            _ code: String,
            _ message: String,
            severity: Severity = .error,
            namesRow: Bool = false,
            mend: String? = nil,
            showing shows: [String] = [],
            hint: ValueHint? = nil,
            isToldOnce: Bool = false
        ) {
            self.code = code
            self.message = message
            self.severity = severity
            self.namesRow = namesRow
            self.mend = mend
            self.shows = shows
            self.hint = hint
            self.isToldOnce = isToldOnce
        }

        /// The message about a value, for texts that do not show the value elsewhere. A long value is described by its
        /// length: its beginning might be that of a secret, and a part would not show that.
        package func message(about value: @autoclosure () -> Cell?) -> String {
            guard message.contains("{value}") else { return message }
            let value = value()
            let isLong = (value?.count ?? 0) > DisplayText.longestValue
            let shown = isLong ? "a value of \(DisplayText.count(value?.count ?? 0, "byte"))" : DisplayText.value(value)
            return message.replacing("{value}", with: shown, maxReplacements: 1)
        }
    }

    public enum Severity: String, Sendable, Hashable, Codable {
        /// The row is rejected.
        case error
        /// The row goes on.
        case warning
        /// The row goes on, and the rule that it breaks allows it.
        case note
    }

    /// A kind of finding about one column, registered with `Findings` once per batch so that each finding costs no more
    /// than a few stored numbers.
    public struct Token: Sendable, BitwiseCopyable {
        let index: UInt32
    }

    /// The subject that a token stands for.
    public struct Subject: Sendable, Hashable {
        public var kind: Kind
        /// The column that the finding is about, or nil for the whole row.
        public var column: String?
        /// The number of the broken rule among the rules of the stage; nil if no rule is concerned.
        public var rule: Int?
    }
}

/// The findings of a stage about the rows of one batch: which to reject, which to drop, what to warn of.
///
/// The engine takes rejected and dropped rows out of the batch that the stage returns, so a stage returns every row it
/// received. A row that is rejected twice keeps its first reason.
public struct Findings: Sendable {
    /// A finding about a row of the batch.
    public struct Row: Sendable, BitwiseCopyable {
        public var row: UInt32
        public var token: Finding.Token
    }

    /// A finding about a record that did not become a row, or about a place inside it.
    public struct Record: Sendable, BitwiseCopyable {
        /// The byte range of the record in its morsel.
        public var span: RecordSpan
        /// The byte of the morsel that caused the finding.
        public var at: UInt32
        /// The number of the record in its morsel, from 0.
        public var record: UInt32
        public var token: Finding.Token

        fileprivate init(_ record: Int, _ span: RecordSpan, at: Int, _ token: Finding.Token) {
            (self.span, self.token) = (span, token)
            self.at = UInt32(truncatingIfNeeded: at)
            self.record = UInt32(truncatingIfNeeded: record)
        }
    }

    /// Rows of the batch that break one rule.
    public struct Failure: Sendable {
        /// Set for each row that breaks it.
        public var rows: Mask
        public var token: Finding.Token
        public var fate: Fate
    }

    /// The fate of a row that breaks a rule.
    public enum Fate: Sendable, Hashable {
        /// The row goes on, and is reported with its place.
        case reported
        /// It is rejected.
        case rejected
        /// The row goes on, and is only counted.
        case counted
    }

    public private(set) var subjects: [Finding.Subject] = []
    /// The index of each subject, once there are many.
    private var places: [Finding.Subject: Int] = [:]
    public private(set) var rejectedRows: [Row] = []
    public private(set) var warnedRows: [Row] = []
    public private(set) var rejectedRecords: [Record] = []
    public private(set) var warnedRecords: [Record] = []
    /// Dropped rows and, for each, the index of its name in `dropNames`.
    public private(set) var droppedRows: [(row: UInt32, name: UInt16)] = []
    public private(set) var dropNames: [String] = []
    /// What the importer skipped that is not a row: blank lines, comments.
    public private(set) var skipped: [(name: String, count: Int)] = []
    /// Records that the importer took out without a reproach, which became no rows, by name.
    public private(set) var droppedRecords: [(name: String, count: Int)] = []
    /// The records that the importer saw, counted separately from the rows it made.
    public private(set) var recordsSeen = 0
    /// The rows that a stage turned into others, and how many these were.
    public private(set) var unfolded = (rows: 0, into: 0)
    /// Missing values that a stage filled, by column.
    public private(set) var filled: [(column: String, count: Int)] = []
    /// Texts that a stage mended, by column.
    public private(set) var mended: [(column: String, count: Int)] = []
    /// The rows that break rules. One row may break several, and each is reported.
    public private(set) var failures: [Failure] = []
    /// Faults of the rows as a whole.
    public private(set) var verdicts: [(token: Finding.Token, message: String)] = []
    /// Findings that are counted but not reported.
    public private(set) var untold: [(token: Finding.Token, count: Int)] = []
    /// The values that rules measured, by their numbers.
    public private(set) var observations: [(rule: Int, observation: RuleObservation)] = []
    /// How many rows each rule checked, by its number.
    public private(set) var looks: [(rule: Int, rows: Int)] = []
    /// Messages that no template can give, by the index of their finding.
    private var rowDetails: [Int: String] = [:]
    private var recordDetails: [Int: String] = [:]
    private var rowWarningDetails: [Int: String] = [:]
    /// The path to the faulty value inside the cell, likewise.
    private var rowInsides: [Int: [String]] = [:]
    private var rowWarningInsides: [Int: [String]] = [:]
    /// The rows that messages of warnings name, in the order of their marks.
    private var rowsNamed: [Int: [RowOrigin]] = [:]
    /// The rows that findings name, if their kind has `namesRow`.
    private var namedByRejects = NamedRows()
    private var namedByWarnings = NamedRows()

    public init() {}

    public var isEmpty: Bool {
        rejectedRows.isEmpty && warnedRows.isEmpty && rejectedRecords.isEmpty && warnedRecords.isEmpty
            && droppedRows.isEmpty && failures.isEmpty && verdicts.isEmpty && untold.isEmpty
            && observations.isEmpty
    }

    /// Registers a kind of finding about `column`, before the loop that may report it.
    public mutating func token(_ kind: Finding.Kind, in column: ColumnName? = nil, rule: Int? = nil) -> Finding.Token {
        let subject = Finding.Subject(kind: kind, column: column?.text, rule: rule)
        let known = subjects.count > 32 ? places[subject] : subjects.firstIndex(of: subject)
        if let known { return Finding.Token(index: UInt32(known)) }
        subjects.append(subject)
        // A linear search of few is quicker than a dictionary.
        if subjects.count == 33 {
            places = Dictionary(uniqueKeysWithValues: zip(subjects, subjects.indices))
        } else if subjects.count > 33 {
            places[subject] = subjects.count - 1
        }
        return Finding.Token(index: UInt32(subjects.count - 1))
    }

    /// The index in `subjects` of a token's subject.
    public func index(of token: Finding.Token) -> Int { Int(token.index) }

    /// Rejects a row of the batch.
    public mutating func reject(_ row: Int, _ token: Finding.Token) {
        rejectedRows.append(Row(row: UInt32(truncatingIfNeeded: row), token: token))
    }

    /// Rejects a row for its relation to another, `named`, which the finding names; nil if its place is unknown.
    public mutating func reject(_ row: Int, _ token: Finding.Token, naming named: RowOrigin?) {
        if let named { namedByRejects.append(named, of: rejectedRows.count) }
        reject(row, token)
    }

    /// Rejects a row with a message of its own; for rare cases, since the text is made at once.
    ///
    /// - Parameter inside: the keys and element numbers that lead from the JSON value of the cell to the faulty value.
    public mutating func reject(_ row: Int, _ token: Finding.Token, saying message: String, inside: [String] = []) {
        rowDetails[rejectedRows.count] = message
        if !inside.isEmpty { rowInsides[rejectedRows.count] = inside }
        reject(row, token)
    }

    /// Records the rows that break a rule. A row that breaks several is reported for each, and rejected once.
    public mutating func fail(_ rows: Mask, _ token: Finding.Token, _ fate: Fate) {
        if rows.words.contains(where: { $0 != 0 }) { failures.append(Failure(rows: rows, token: token, fate: fate)) }
    }

    /// Records a fault of the rows as a whole, with its own message.
    public mutating func judge(_ token: Finding.Token, saying message: String) { verdicts.append((token, message)) }

    /// Records the value that a rule measured over all rows.
    public mutating func observe(_ observation: RuleObservation, for rule: Int) {
        observations.append((rule, observation))
    }

    /// Counts findings that are not reported one by one.
    public mutating func count(_ count: Int, _ token: Finding.Token) {
        if count > 0 { untold.append((token, count)) }
    }

    /// Records how many rows of the batch a rule checked.
    public mutating func look(at rows: Int, for rule: Int) { looks.append((rule, rows)) }

    /// The mark in a message for the next row that it names: `/words/8`, or `line 9` without pointers.
    public static let rowMark = "{row}"

    /// Records a warning about a row, which goes on. Its kind has `severity: .warning`; with `.error`, reports would
    /// call it an error although no row is rejected.
    ///
    /// - Parameter named: other rows, one for each `rowMark` in the message; only the engine knows their display text.
    public mutating func warn(
        _ row: Int,
        _ token: Finding.Token,
        saying message: String? = nil,
        naming named: [RowOrigin] = [],
        inside: [String] = []
    ) {
        if let message { rowWarningDetails[warnedRows.count] = message }
        if !inside.isEmpty { rowWarningInsides[warnedRows.count] = inside }
        if !named.isEmpty { rowsNamed[warnedRows.count] = named }
        warnedRows.append(Row(row: UInt32(truncatingIfNeeded: row), token: token))
    }

    /// Warns of a row for its relation to another, `named`, which the finding names; nil if its place is unknown.
    public mutating func warn(_ row: Int, _ token: Finding.Token, naming named: RowOrigin?) {
        if let named { namedByWarnings.append(named, of: warnedRows.count) }
        warn(row, token)
    }

    /// The name under which rows are dropped, registered once per batch.
    public struct DropName: Sendable, BitwiseCopyable {
        let index: UInt16
    }

    /// Registers a name under which rows are dropped, before the loop that may drop some.
    public mutating func dropName(_ name: String) -> DropName {
        if let known = dropNames.firstIndex(of: name) { return DropName(index: UInt16(known)) }
        dropNames.append(name)
        return DropName(index: UInt16(dropNames.count - 1))
    }

    /// Drops a row without an error, counted under a name such as `duplicates`.
    public mutating func drop(_ row: Int, _ name: DropName) {
        droppedRows.append((UInt32(truncatingIfNeeded: row), name.index))
    }

    public mutating func drop(_ row: Int, as name: String) { drop(row, dropName(name)) }

    /// Records that a row became `count` others, for a stage that does not keep its rows.
    public mutating func unfold(into count: Int) { unfold(rows: 1, into: count) }

    /// Records that so many rows became so many others.
    public mutating func unfold(rows: Int, into count: Int) {
        unfolded.rows += rows
        unfolded.into += count
    }

    /// Rejects a record that never became a row. `at` is the byte of the morsel that caused it.
    public mutating func reject(
        record: Int,
        _ span: RecordSpan,
        at: Int,
        _ token: Finding.Token,
        saying message: String? = nil
    ) {
        if let message { recordDetails[rejectedRecords.count] = message }
        rejectedRecords.append(Record(record, span, at: at, token))
    }

    /// Records a warning about a record that still becomes a row.
    public mutating func warn(record: Int, _ span: RecordSpan, at: Int, _ token: Finding.Token) {
        warnedRecords.append(Record(record, span, at: at, token))
    }

    /// Counts what an importer skips that is not a row.
    public mutating func skip(_ count: Int, as name: String) {
        if count > 0 { skipped.append((name, count)) }
    }

    /// Counts records that an importer drops without an error. They are among the records that it saw.
    public mutating func drop(records count: Int, as name: String) {
        if count > 0 { droppedRecords.append((name, count)) }
    }

    /// Counts missing values of a column that a stage filled.
    public mutating func fill(_ count: Int, in column: ColumnName) {
        if count > 0 { filled.append((column.text, count)) }
    }

    /// Counts texts of a column that a stage mended.
    public mutating func mend(_ count: Int, in column: ColumnName) {
        if count > 0 { mended.append((column.text, count)) }
    }

    /// Records how many records the importer saw; each must have become a row, or be rejected or dropped.
    public mutating func saw(records: Int) { recordsSeen += records }

    /// The own message of a rejected row; `index` counts `rejectedRows`.
    public func message(ofRejectedRow index: Int) -> String? { rowDetails[index] }
    /// The path to the faulty value inside the cell.
    public func inside(ofRejectedRow index: Int) -> [String] { rowInsides[index] ?? [] }
    public func inside(ofWarnedRow index: Int) -> [String] { rowWarningInsides[index] ?? [] }
    public func message(ofWarnedRow index: Int) -> String? { rowWarningDetails[index] }
    /// The other rows that the message of a warning names.
    public func rows(namedByWarning index: Int) -> [RowOrigin] { rowsNamed[index] ?? [] }
    /// The row that the kind of a finding names.
    public func row(namedByReject index: Int) -> RowOrigin? { namedByRejects[index] }
    public func row(namedByWarning index: Int) -> RowOrigin? { namedByWarnings[index] }
    public func message(ofRejectedRecord index: Int) -> String? { recordDetails[index] }

    /// The rows of a batch of `count` rows that are neither rejected nor dropped; nil if all are kept.
    public func keptRows(of count: Int) -> [Int32]? {
        guard !rejectedRows.isEmpty || !droppedRows.isEmpty || failures.contains(where: { $0.fate == .rejected }) else {
            return nil
        }
        var gone = Mask(count: count)
        for finding in rejectedRows { gone.insert(Int(finding.row)) }
        for dropped in droppedRows { gone.insert(Int(dropped.row)) }
        for failure in failures where failure.fate == .rejected { gone.formUnion(failure.rows) }
        return gone.unsetRows
    }
}

/// The rows that some of many findings name, one each, by the numbers of the findings.
struct NamedRows: Sendable {
    private var numbers: [UInt32] = []
    private var rows: [RowOrigin] = []

    /// Records the row that a finding names; findings come in ascending order.
    mutating func append(_ row: RowOrigin, of finding: Int) {
        numbers.append(UInt32(truncatingIfNeeded: finding))
        rows.append(row)
    }

    subscript(finding: Int) -> RowOrigin? {
        let place = numbers.partitioningIndex { $0 >= finding }
        return place < numbers.count && numbers[place] == finding ? rows[place] : nil
    }
}

/// What a message says of a value behind its fault: the nearest allowed value, or the mended one.
///
/// It is worded only for the findings that are shown.
public struct ValueHint: Sendable {
    private let source: any Hashable & Sendable
    private let words: @Sendable (Cell?) -> String

    /// - Parameter source: what the words come from; hints of equal ones are equal.
    public init(of source: any Hashable & Sendable, _ words: @escaping @Sendable (Cell?) -> String) {
        (self.source, self.words) = (source, words)
    }

    package func text(about value: Cell?) -> String { words(value) }
}

extension ValueHint: Hashable {
    public static func == (one: ValueHint, other: ValueHint) -> Bool {
        AnyHashable(one.source) == AnyHashable(other.source)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(source)) }
}
