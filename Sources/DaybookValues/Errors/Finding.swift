/// Something noticed in the data; the run goes on.
public enum Finding {
    /// One kind of finding, declared in the file of the stage that makes it.
    public struct Kind: Sendable, Hashable {
        /// A stable name, such as `not-a-hex-colour`.
        public let code: String
        /// What is wrong, in lower case; `{value}` stands for the value in quotes.
        public let message: String
        public let severity: Severity
        /// Whether the message names another row instead of the value: the last `{row}` in it stands for its place.
        public let namesRow: Bool
        /// How the job may read such values, so that no row is lost; told where many rows are found so. Nil where only the row
        /// can be mended.
        public let mend: String?
        /// The columns whose values stand behind the message, where no single one is to blame.
        public let shows: [String]
        /// What the value may be, of which the nearest to it is offered.
        public let allowed: NearestNames?
        /// Whether the first of a column stands for all, which are only counted.
        public let isToldOnce: Bool

        public init(
            _ code: String,
            _ message: String,
            severity: Severity = .error,
            namesRow: Bool = false,
            mend: String? = nil,
            showing shows: [String] = [],
            allowed: NearestNames? = nil,
            isToldOnce: Bool = false
        ) {
            self.code = code
            self.message = message
            self.severity = severity
            self.namesRow = namesRow
            self.mend = mend
            self.shows = shows
            self.allowed = allowed
            self.isToldOnce = isToldOnce
        }

        /// The message about a value, for texts in which no other part of the program puts it. A long one is told by its length: its
        /// beginning might be that of a secret, which nobody would know by a part of it.
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

    /// A kind of finding about one column, made known to `Findings` once a batch so that noting one costs no more than
    /// a few stored numbers.
    public struct Token: Sendable, BitwiseCopyable {
        let index: UInt32
    }

    /// What a token stands for.
    public struct Subject: Sendable, Hashable {
        public var kind: Kind
        /// The column that the finding is about, or nil for the whole row.
        public var column: String?
        /// The number of the rule that is broken, among those of the stage; nil for what no rule asked for.
        public var rule: Int?
    }
}

/// What a stage has to say about the rows of one batch: which to reject, which to drop, what to warn of.
///
/// The engine takes the rejected and dropped rows out of the batch that the stage returns, so a stage returns every row
/// that it was given. A row that is rejected twice keeps its first reason.
public struct Findings: Sendable {
    /// A finding about a row of the batch.
    public struct Row: Sendable, BitwiseCopyable {
        public var row: UInt32
        public var token: Finding.Token
    }

    /// A finding about a record that an importer could not make a row of, or about a place inside it.
    public struct Record: Sendable, BitwiseCopyable {
        /// Where the record stands in its morsel.
        public var span: RecordSpan
        /// The byte of the morsel that is to blame.
        public var at: UInt32
        /// The number of the record in its morsel, from 0.
        public var record: UInt32
        public var token: Finding.Token
    }

    /// Rows of the batch that break one rule.
    public struct Failure: Sendable {
        /// Set for each row that breaks it.
        public var rows: Mask
        public var token: Finding.Token
        public var fate: Fate
    }

    /// What becomes of a row that breaks a rule.
    public enum Fate: Sendable, Hashable {
        /// It goes on, and is told with its place.
        case reported
        /// It is rejected.
        case rejected
        /// It goes on, and is only counted.
        case counted
    }

    public private(set) var subjects: [Finding.Subject] = []
    /// Where each stands, once there are many.
    private var places: [Finding.Subject: Int] = [:]
    public private(set) var rejectedRows: [Row] = []
    public private(set) var warnedRows: [Row] = []
    public private(set) var rejectedRecords: [Record] = []
    public private(set) var warnedRecords: [Record] = []
    /// Dropped rows and, for each, the index of its name in `dropNames`.
    public private(set) var droppedRows: [(row: UInt32, name: UInt16)] = []
    public private(set) var dropNames: [String] = []
    /// What the importer passed over that is not a row: blank lines, comments.
    public private(set) var skipped: [(name: String, count: Int)] = []
    /// Records that the importer took out without a reproach, which became no rows, by name.
    public private(set) var droppedRecords: [(name: String, count: Int)] = []
    /// The records that the importer saw, counted apart from the rows it made.
    public private(set) var recordsSeen = 0
    /// The rows that a stage turned into others, and how many these were.
    public private(set) var unfolded = (rows: 0, into: 0)
    /// Missing values that a stage filled, by column.
    public private(set) var filled: [(column: String, count: Int)] = []
    /// The rows that break rules. One row may break several, and each is told.
    public private(set) var failures: [Failure] = []
    /// What is wrong with the rows as a whole.
    public private(set) var verdicts: [(token: Finding.Token, message: String)] = []
    /// Findings that are counted without being told.
    public private(set) var untold: [(token: Finding.Token, count: Int)] = []
    /// What rules measured, by their numbers.
    public private(set) var observations: [(rule: Int, observation: RuleObservation)] = []
    /// How many rows were held against each rule, by its number.
    public private(set) var looks: [(rule: Int, rows: Int)] = []
    /// Messages that a template cannot give, by position in the list of findings they belong to.
    private var rowDetails: [Int: String] = [:]
    private var recordDetails: [Int: String] = [:]
    private var rowWarningDetails: [Int: String] = [:]
    /// The way to the value to blame inside the cell, likewise.
    private var rowInsides: [Int: [String]] = [:]
    private var rowWarningInsides: [Int: [String]] = [:]
    /// The rows that messages of warnings name, in the order in which they do.
    private var rowsNamed: [Int: [RowOrigin]] = [:]
    /// The rows that are named by findings whose kind says so.
    private var namedByRejects = NamedRows()
    private var namedByWarnings = NamedRows()

    public init() {}

    public var isEmpty: Bool {
        rejectedRows.isEmpty && warnedRows.isEmpty && rejectedRecords.isEmpty && warnedRecords.isEmpty
            && droppedRows.isEmpty && failures.isEmpty && verdicts.isEmpty && untold.isEmpty
            && observations.isEmpty
    }

    /// Makes a kind of finding about `column` known, before the loop that may note it.
    public mutating func token(
        _ kind: Finding.Kind,
        in column: ColumnName? = nil,
        rule: Int? = nil
    ) -> Finding.Token {
        let subject = Finding.Subject(kind: kind, column: column?.text, rule: rule)
        let known = subjects.count > 32 ? places[subject] : subjects.firstIndex(of: subject)
        if let known { return Finding.Token(index: UInt32(known)) }
        subjects.append(subject)
        // Of few a look at each is quicker than a dictionary.
        if subjects.count == 33 {
            places = Dictionary(uniqueKeysWithValues: zip(subjects, subjects.indices))
        } else if subjects.count > 33 {
            places[subject] = subjects.count - 1
        }
        return Finding.Token(index: UInt32(subjects.count - 1))
    }

    /// Where the subject of a token stands in `subjects`.
    public func index(of token: Finding.Token) -> Int { Int(token.index) }

    /// Rejects a row of the batch.
    public mutating func reject(_ row: Int, _ token: Finding.Token) {
        rejectedRows.append(Row(row: UInt32(truncatingIfNeeded: row), token: token))
    }

    /// Rejects a row for what it has to do with another, which the kind of the finding names; nil where its place is not known.
    public mutating func reject(_ row: Int, _ token: Finding.Token, naming named: RowOrigin?) {
        if let named { namedByRejects.append(named, of: rejectedRows.count) }
        reject(row, token)
    }

    /// Rejects a row with a message of its own; for rare cases, since the text is made at once.
    ///
    /// - Parameter inside: the keys and numbers of elements that lead from the JSON value of the cell to what is to blame.
    public mutating func reject(_ row: Int, _ token: Finding.Token, saying message: String, inside: [String] = []) {
        rowDetails[rejectedRows.count] = message
        if !inside.isEmpty { rowInsides[rejectedRows.count] = inside }
        reject(row, token)
    }

    /// Notes the rows that break a rule. A row that breaks several is told for each, and rejected once.
    public mutating func fail(_ rows: Mask, _ token: Finding.Token, _ fate: Fate) {
        if rows.words.contains(where: { $0 != 0 }) { failures.append(Failure(rows: rows, token: token, fate: fate)) }
    }

    /// Notes what is wrong with the rows as a whole, in words of its own.
    public mutating func judge(_ token: Finding.Token, saying message: String) { verdicts.append((token, message)) }

    /// Notes what a rule measured of all rows.
    public mutating func observe(_ observation: RuleObservation, for rule: Int) {
        observations.append((rule, observation))
    }

    /// Counts findings that are not told one by one.
    public mutating func count(_ count: Int, _ token: Finding.Token) {
        if count > 0 { untold.append((token, count)) }
    }

    /// Says how many rows of the batch were held against a rule.
    public mutating func look(at rows: Int, for rule: Int) { looks.append((rule, rows)) }

    /// Stands in a message for the next of the rows that it names: `/words/8`, or `line 9` where there are no pointers.
    public static let rowMark = "{row}"

    /// Notes a warning about a row, which goes on. Its kind has `severity: .warning`; with `.error`, reports would call it
    /// an error although no row is rejected.
    ///
    /// - Parameter named: other rows, one for each `rowMark` in the message; only the engine knows how their source names them.
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

    /// Warns of a row for what it has to do with another, which the kind of the finding names; nil where its place is not known.
    public mutating func warn(_ row: Int, _ token: Finding.Token, naming named: RowOrigin?) {
        if let named { namedByWarnings.append(named, of: warnedRows.count) }
        warn(row, token)
    }

    /// The name under which rows are dropped, made known once a batch.
    public struct DropName: Sendable, BitwiseCopyable {
        let index: UInt16
    }

    /// Makes a name known under which rows are dropped, before the loop that may drop some.
    public mutating func dropName(_ name: String) -> DropName {
        if let known = dropNames.firstIndex(of: name) { return DropName(index: UInt16(known)) }
        dropNames.append(name)
        return DropName(index: UInt16(dropNames.count - 1))
    }

    /// Takes a row out without a reproach, counted under a name such as `duplicates`.
    public mutating func drop(_ row: Int, _ name: DropName) {
        droppedRows.append((UInt32(truncatingIfNeeded: row), name.index))
    }

    public mutating func drop(_ row: Int, as name: String) { drop(row, dropName(name)) }

    /// Says that a row became `count` others, for a stage that does not keep its rows.
    public mutating func unfold(into count: Int) { unfold(rows: 1, into: count) }

    /// Says that so many rows became so many others.
    public mutating func unfold(rows: Int, into count: Int) {
        unfolded.rows += rows
        unfolded.into += count
    }

    /// Rejects a record that never became a row. `at` is the byte of the morsel that is to blame.
    public mutating func reject(
        record: Int,
        _ span: RecordSpan,
        at: Int,
        _ token: Finding.Token,
        saying message: String? = nil
    ) {
        if let message { recordDetails[rejectedRecords.count] = message }
        rejectedRecords.append(
            Record(
                span: span,
                at: UInt32(truncatingIfNeeded: at),
                record: UInt32(truncatingIfNeeded: record),
                token: token
            )
        )
    }

    /// Notes a warning about a record, which becomes a row all the same.
    public mutating func warn(record: Int, _ span: RecordSpan, at: Int, _ token: Finding.Token) {
        warnedRecords.append(
            Record(
                span: span,
                at: UInt32(truncatingIfNeeded: at),
                record: UInt32(truncatingIfNeeded: record),
                token: token
            )
        )
    }

    /// Counts something that an importer passes over and that is not a row.
    public mutating func skip(_ count: Int, as name: String) {
        if count > 0 { skipped.append((name, count)) }
    }

    /// Counts records that an importer takes out without a reproach. They are among those that it saw.
    public mutating func drop(records count: Int, as name: String) {
        if count > 0 { droppedRecords.append((name, count)) }
    }

    /// Counts missing values of a column that a stage filled.
    public mutating func fill(_ count: Int, in column: ColumnName) {
        if count > 0 { filled.append((column.text, count)) }
    }

    /// Says how many records the importer saw; they must all have become rows, or be rejected or dropped.
    public mutating func saw(records: Int) { recordsSeen += records }

    /// The message of a rejected row that has one of its own; `index` counts `rejectedRows`.
    public func message(ofRejectedRow index: Int) -> String? { rowDetails.isEmpty ? nil : rowDetails[index] }
    /// The way to the value to blame inside the cell.
    public func inside(ofRejectedRow index: Int) -> [String] { rowInsides.isEmpty ? [] : rowInsides[index] ?? [] }
    public func inside(ofWarnedRow index: Int) -> [String] {
        rowWarningInsides.isEmpty ? [] : rowWarningInsides[index] ?? []
    }
    public func message(ofWarnedRow index: Int) -> String? { rowWarningDetails[index] }
    /// The other rows that the message of a warning names.
    public func rows(namedByWarning index: Int) -> [RowOrigin] { rowsNamed[index] ?? [] }
    /// The row that the kind of a finding names.
    public func row(namedByReject index: Int) -> RowOrigin? { namedByRejects[index] }
    public func row(namedByWarning index: Int) -> RowOrigin? { namedByWarnings[index] }
    public func message(ofRejectedRecord index: Int) -> String? { recordDetails[index] }

    /// The rows of a batch of `count` that are neither rejected nor dropped, or nil when all are kept.
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

    /// Notes the row that a finding names; findings come in the order of their numbers.
    mutating func append(_ row: RowOrigin, of finding: Int) {
        numbers.append(UInt32(truncatingIfNeeded: finding))
        rows.append(row)
    }

    subscript(finding: Int) -> RowOrigin? {
        let place = numbers.partitioningIndex { $0 >= finding }
        return place < numbers.count && numbers[place] == finding ? rows[place] : nil
    }
}
