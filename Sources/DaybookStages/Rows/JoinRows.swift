import DaybookTables

/// Looks each row up in the rows of another stage, by one or several columns: a hash join, whose build side is the
/// lookup.
///
/// Rows keep their order. The job decides about lookup rows with equal keys, so a row is never duplicated silently. A
/// row with a missing key value has no partner, as in SQL, and equals nothing.
///
/// The build side stays in memory, with the taken columns only, or goes to disk beyond a limit; the probe side streams.
/// Right and full joins end with the lookup rows that had no partner.
public struct JoinRows: Stage, Transform, Joining {
    enum Kind: String, OptionChoice {
        case inner, left, right, full, semi, anti

        static let otherWords = [
            "left_outer": "left", "right_outer": "right", "full_outer": "full", "outer": "full", "left_join": "left",
            "right_join": "right", "inner_join": "inner", "left_semi": "semi", "left_anti": "anti",
        ]

        /// Whether rows get columns of the lookup, instead of only being kept or dropped.
        var takesColumns: Bool { self != .semi && self != .anti }
        /// Whether rows without a partner are kept.
        var keepsRows: Bool { self == .left || self == .full }
        /// Whether lookup rows without a partner follow at the end.
        var keepsLookup: Bool { self == .right || self == .full }
    }
    enum Duplicates: String, OptionChoice { case refuse, all, first, last }
    enum Unmatched: String, OptionChoice { case reject, drop }

    public static let inputs = JoinedInputs.mainAndBuildSide
    static let unmatchedName = "without a partner"
    static let matchedName = "with a partner"
    static let addedName = "from the lookup without a partner"

    let by: JoinKeys
    let kind: Kind
    let take: TakenColumns?
    let duplicates: Duplicates
    let unmatched: Unmatched
    /// Memory limit for the lookup, in bytes.
    let memoryLimit: Int
    /// Approximate bytes of partners read from disk at a time; open to tests.
    package var partBytes = 32 << 20

    public init(reading options: inout OptionReader) {
        by = options.read("by", help: "Columns of the key: names, or a map from each name here to that in the lookup.")
        kind = options.read(
            "kind",
            default: .inner,
            help:
                "Keep rows with a partner (inner), all rows (left), all rows of the lookup (right) or of both (full); "
                + "or only ask for a partner, and keep rows that have one (semi) or none (anti)."
        )
        take = options.optional(
            "take",
            help:
                "Columns to take from the lookup: names, or a map from each to its new name; all but the key otherwise."
        )
        duplicates = options.read(
            "duplicates",
            default: .refuse,
            help: "What to do when several rows of the lookup have one key: refuse to run, make a row of each (all), "
                + "or take the first or the last."
        )
        unmatched = options.read(
            "unmatched",
            default: .reject,
            help: "What becomes of a row without a partner in an inner or right join: reject it, or drop it by name."
        )
        memoryLimit = options.readMemoryLimit(help: "Rows of the lookup to hold before they go to disk.")
        if options.isWritten("unmatched"), kind != .inner, kind != .right {
            let hint = "leave it out"
            options.refuse("unmatched", "'unmatched' has no meaning in a join of kind \(kind.rawValue)", hint: hint)
        }
        for name in ["duplicates", "take"] where options.isWritten(name) && !kind.takesColumns {
            let message = "'\(name)' has no meaning in a join of kind \(kind.rawValue), which takes no columns"
            options.refuse(name, message, hint: "leave it out")
        }
    }

    /// Several partners make several output rows of one row.
    public var makesRows: Bool { kind.takesColumns && duplicates == .all }
    public var finishes: Bool { kind.keepsLookup }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        // Another number of stages is an error elsewhere.
        let (rows, lookup) = (inputs.from[0], inputs.from[1])
        let name = "'\(lookup.id)'"
        for entry in by.entries {
            let mine = try JoinKeys.kind(of: entry.column, in: rows.schema)
            let other = try JoinKeys.kind(of: entry.other, in: lookup.schema)
            guard let mine, let other, mine != other else { continue }
            throw DaybookError(
                "wrong-kind",
                "column '\(entry.column)' holds \(mine.rawValue), and '\(entry.other)' of \(name) \(other.rawValue)",
                at: entry.other.place ?? entry.column.place,
                hint: "make them of one kind with cast_columns first"
            )
        }
        let (taken, isOpen) = kind.takesColumns ? try taken(of: lookup.schema) : ([], false)
        let schema = try schema(after: rows.schema, taking: taken, of: name, isOpen: isOpen)
        return Binding(
            schema,
            sides: [side],
            merging: finishes ? MetRows() : nil,
            // A right or full join needs all columns: lookup rows have to have the other side's columns, even if no
            // stage reads them.
            needing: { [by, kind] wanted in
                kind.keepsLookup ? .all : wanted.making(taken.map(\.name), from: by.entries.map(\.column))
            },
            { (sides, scratch) throws(DaybookError) in
                .transform(try RowJoin(self, taken, sides[0], named: name, scratch))
            }
        )
    }

    /// The columns that the join needs of the lookup, and whether it needs the origins of lookup rows: to report two
    /// rows with one key, or to emit rows without a partner.
    private var side: Binding.Side {
        let keys = by.entries.map(\.other)
        let columns: ColumnSet =
            kind.takesColumns
            ? take.map { ColumnSet(keys + $0.entries.map(\.column)) } ?? .all
            : ColumnSet(keys)
        return Binding.Side(columns, needsOrigins: kind.keepsLookup || refusesRepeats, memory: memoryLimit)
    }

    /// The taken columns, each with its lookup field and new name, and whether the data may add more.
    private func taken(of lookup: Schema) throws(DaybookError) -> (taken: [TakenColumn], isOpen: Bool) {
        guard let take else {
            let keys = Set(by.entries.map(\.other.text))
            let taken = lookup.fields.filter { !keys.contains($0.name) }.map { (ColumnName($0.name), $0) }
            return (taken, lookup.isOpen)
        }
        var (taken, isOpen): ([TakenColumn], Bool) = ([], false)
        for entry in take.entries {
            guard let field = try lookup.requiring(entry.column) else {
                isOpen = true
                continue
            }
            taken.append((entry.name, field))
        }
        return (taken, isOpen)
    }

    private func schema(
        after input: Schema,
        taking taken: [TakenColumn],
        of lookup: String,
        isOpen: Bool
    ) throws(DaybookError) -> Schema {
        var result = input
        for (name, field) in taken {
            guard input.index(of: name) == nil else {
                throw DaybookError(
                    "column-exists",
                    "there is a column named '\(name)' already, and \(lookup) has one too",
                    at: name.place,
                    hint: take == nil
                        ? "say with 'take' which columns to take, and under which names"
                        : "take it under another name: { \(field.name): other_name }"
                )
            }
            result = try result.adding(name, field.kind, keys: name.text == field.name ? field.keys : nil)
        }
        return isOpen ? Schema(result.fields, isOpen: true) : result
    }

    /// Whether two lookup rows with one key end the run.
    var refusesRepeats: Bool { kind.takesColumns && duplicates == .refuse }

    /// Which of the lookup rows with one key to keep.
    var choice: PackedRun.Choice {
        // The existence of a partner does not depend on the choice.
        guard kind.takesColumns else { return .first }
        return switch duplicates {
        case .all: .all
        case .refuse, .first: .first
        case .last: .last
        }
    }

    public static let description = StageDescription(
        name: "join_rows",
        summary: "Look each row up in the rows of another stage, and take columns from there.",
        details: """
            'from' names two stages: the one whose rows flow through, and the lookup, which is read to its end before. A lookup beyond \
            the memory goes to disk, where finding takes longer. Rows keep their order. A row without a value in the key has no partner. When several rows of the lookup have one \
            key, the run ends unless 'duplicates' says what is meant: with 'all' a row becomes one for each of its partners, in the \
            order of the lookup, and the ledger counts it as folded and these as made. Where each row has one partner at most, put \
            the side that repeats first. In a right or full join the rows of the lookup that no row has met come out behind all \
            others, in their order and with their key, and the ledger names them; rows that 'duplicates' leaves out are not among \
            them. A column of the lookup may not have the name of one that is there already. What later stages find in a column of the \
            lookup stands at the row that it was looked up for.
            """,
        examples: [
            StageExample(
                "each entry takes the meaning of its emotion; one that the lookup does not have is rejected",
                options: "by: emotion\ntake: [meaning]",
                input: """
                    date:day,emotion:text
                    2026-03-01,행복해
                    2026-03-02,기뻐
                    2026-03-03,
                    2026-03-04,우울해
                    2026-03-05,행복해
                    """,
                beside: """
                    emotion:text,meaning:text,rank:integer
                    우울해,gloomy,2
                    행복해,happy,1
                    ,nothing,3
                    """,
                output: """
                    date:day,emotion:text,meaning:text
                    2026-03-01,행복해,happy
                    2026-03-04,우울해,gloomy
                    2026-03-05,행복해,happy
                    """,
                findings: ["2 emotion no-partner", "3 emotion missing-value"]
            ),
            StageExample(
                "a left join keeps every row; columns can be taken under other names, and of two rows with one key the last",
                options: """
                    by: { owner: id, year: year }
                    kind: left
                    take: { name: owner_name }
                    duplicates: last
                    """,
                input: """
                    year:integer,owner:integer,name:text
                    2026,1,walk
                    2025,1,milk
                    2026,,letter
                    """,
                beside: """
                    id:integer,year:integer,name:text
                    1,2026,민아
                    1,2026,김민아
                    2,2026,준호
                    """,
                output: """
                    year:integer,owner:integer,name:text,owner_name:text
                    2026,1,walk,김민아
                    2025,1,milk,
                    2026,,letter,
                    """
            ),
            StageExample(
                "with all partners a row becomes several, and one without a partner is rejected as before",
                options: "by: order\nduplicates: all",
                input: "order:integer,who:text\n7,민아\n8,준호\n9,서연",
                beside: """
                    order:integer,item:text,price:decimal
                    7,tea,4.5
                    9,cake,6
                    7,cup,12
                    """,
                output: """
                    order:integer,who:text,item:text,price:decimal
                    7,민아,tea,4.5
                    7,민아,cup,12
                    9,서연,cake,6
                    """,
                findings: ["2 order no-partner"]
            ),
            StageExample(
                "a full join keeps the rows of both sides, and those that only the lookup has come last",
                options: "by: { who: name }\nkind: full\ntake: { phone: number }",
                input: """
                    who:text,day:day
                    민아,2026-03-01
                    ,2026-03-02
                    서연,2026-03-03
                    """,
                beside: "name:text,phone:text\n준호,02-1\n민아,02-2\n,02-3",
                output: """
                    who:text,day:day,number:text
                    민아,2026-03-01,02-2
                    ,2026-03-02,
                    서연,2026-03-03,
                    준호,,02-1
                    ,,02-3
                    """
            ),
            StageExample(
                "a right join keeps only what the lookup has",
                options: "by: id\nkind: right\nduplicates: all\nunmatched: drop",
                input: "id:integer,note:text\n1,seen\n4,lost",
                beside: """
                    id:integer,n:integer
                    3,0
                    1,1
                    3,2
                    1,3
                    """,
                output: """
                    id:integer,note:text,n:integer
                    1,seen,1
                    1,seen,3
                    3,,0
                    3,,2
                    """,
                findings: ["2 - dropped as without a partner"]
            ),
            StageExample(
                "a lookup that is larger than the memory it may take goes to disk, and the rows are the same",
                options: "by: id\nmemory_mebibytes: 64",
                input: "id:integer\n1\n2",
                beside: "id:integer,note:text\n2,seen\n1,lost",
                output: "id:integer,note:text\n1,lost\n2,seen"
            ),
            StageExample(
                "a semi join keeps each row that has a partner once, as it is",
                options: "by: id\nkind: semi",
                input: "id:integer\n1\n2",
                beside: "id:integer,note:text\n2,seen\n2,seen again",
                output: "id:integer\n2",
                findings: ["1 - dropped as without a partner"]
            ),
            StageExample(
                "an anti join keeps what the lookup does not have",
                options: "by: id\nkind: anti",
                input: "id:integer\n1\n2\n",
                beside: "id:integer,note:text\n2,seen\n2,seen again",
                output: "id:integer\n1\n",
                findings: ["2 - dropped as with a partner"]
            ),
            StageExample(
                "what has no partner can be dropped and counted",
                options: "by: id\nunmatched: drop",
                input: "id:integer\n1\n2",
                beside: "id:integer,note:text\n2,seen",
                output: "id:integer,note:text\n2,seen",
                findings: ["1 - dropped as without a partner"]
            ),
            StageExample(
                "a key without a partner that looks like another is warned of: a blank, or a letter that is composed otherwise",
                options: "by: name\nkind: left",
                input: "name:text\nSeoul \nBusan",
                beside: "name:text,code:integer\nSeoul,2\nBusan,51",
                output: "name:text,code:integer\nSeoul ,\nBusan,51",
                findings: ["1 name look-alikes"]
            ),
            StageExample(
                "a column may not stand there twice",
                options: "by: id",
                input: "id:integer,name:text",
                beside: "id:integer,name:text",
                refused: "there is a column named 'name' already, and 'second' has one too"
            ),
            StageExample(
                "keys of different kinds never meet",
                options: "by: id",
                input: "id:integer",
                beside: "id:text",
                refused: "column 'id' holds integer, and 'id' of 'second' text"
            ),
        ]
    )
}

/// The key columns of both sides.
struct JoinKeys: OptionValue {
    let entries: [(column: ColumnName, other: ColumnName)]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: JoinKeys { JoinKeys(entries: [(.placeholder, .placeholder)]) }
    var written: String { entries.map(\.column).written }

    private init(entries: [(column: ColumnName, other: ColumnName)]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        let entries = try PairedColumns.read(node)
        guard !entries.isEmpty else { throw node.expected("at least one column") }
        for (index, entry) in entries.enumerated() {
            for earlier in entries[..<index] where earlier.0 == entry.0 || earlier.1 == entry.1 {
                throw DaybookError("bad-option", "the key names a column twice", at: entry.1.place)
            }
        }
        self.entries = entries.map { ($0, $1) }
    }

    /// The kind of a key column, or nil before the data was read.
    static func kind(of column: ColumnName, in schema: Schema) throws(DaybookError) -> ColumnKind? {
        let kind = try schema.requiring(column)?.kind
        guard kind != .json else {
            let message = "column '\(column)' holds json, by which no row can be found"
            let hint = "a JSON value can be written in several ways; make it text with cast_columns first"
            throw DaybookError("wrong-kind", message, at: column.place, hint: hint)
        }
        return kind
    }
}

/// Columns of the lookup, each with its new name.
struct TakenColumns: OptionValue {
    let entries: [(column: ColumnName, name: ColumnName)]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: TakenColumns { TakenColumns(entries: []) }
    var written: String { entries.map(\.column).written }

    private init(entries: [(column: ColumnName, name: ColumnName)]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        let entries = try PairedColumns.read(node)
        for (index, (_, name)) in entries.enumerated() where entries[..<index].contains(where: { $0.1 == name }) {
            throw DaybookError("name-taken", "two columns would be named '\(name)'", at: name.place)
        }
        self.entries = entries.map { ($0, $1) }
    }
}

/// Reads a list of column names, or a map from one name to another.
private enum PairedColumns {
    static func read(_ node: OptionNode) throws(DaybookError) -> [(ColumnName, ColumnName)] {
        guard let map = node.map else { return try [ColumnName](reading: node).map { ($0, $0) } }
        return try map.map { (entry) throws(DaybookError) in
            guard !entry.key.isEmpty else { throw node.expected("a column name") }
            return (ColumnName(entry.key, at: entry.keyPlace), try ColumnName(reading: entry.value))
        }
    }
}
