import DaybookDates
import DaybookJSON

/// Reads the value of a key in an app's user defaults: property lists in three encodings, and JSON dumps of them.
///
/// The formats of the file and its values are detected by content, and recorded in the manifest. Rows are then read as
/// in `import_json`: columns and kinds are inferred, and faulty values are rejected with the path to them, such as
/// `/DdayManager/3/dday`. A list that is truncated, cyclic or unfolds without bound stops the run.
public struct ImportUserDefaults: TextSource, ContainerSource {
    public let paths: [PathText]
    public var encoding: TextEncoding { .utf8 }
    public let fileColumn: ColumnName?
    public let intake: FileIntake
    let keys: [String]
    let keyPlace: SourcePlace?
    /// Whether each key of the file is a row.
    private let areRows: Bool
    /// Whether the file itself is the value.
    let isWhole: Bool
    /// Where in the value the records stand.
    let records: RecordsPlace
    let recordsPlace: SourcePlace?
    let absent: AbsentKey
    let dates: DumpedDates?
    let datesPlace: SourcePlace?
    let columns: OptionMap<ColumnKind>
    private let model: CodableModel?
    /// The date columns that the job declares.
    private let named: [DumpedDates.Column]
    /// Columns that are read as instants and converted to days, and the time zone of the days.
    private let days: [String]
    private let zone: ZoneRules?

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as dump-*.plist, a list, or -.")
        let key: [String]? = options.optional(
            "key",
            help: "The key whose value holds the rows, or several; without it, the keys are listed."
        )
        let rows: KeysAsRows? = options.optional(
            "keys",
            help:
                "With 'rows', each key is a row with its type and its value, as export_user_defaults writes them back."
        )
        areRows = rows != nil
        isWhole = options.read(
            "whole",
            default: false,
            help: "Whether the file itself is the value: what an app encoded into a property list of its own."
        )
        records = options.read("records", default: RecordsPlace(), help: RecordsPlace.help)
        recordsPlace = options.place(of: "records")
        absent = options.read(
            "absent",
            default: .error,
            help: "What a key that is not there stands for: an error, no rows (empty), or records as JSON text."
        )
        dates = options.optional(
            "dates",
            help:
                "How dates are written: apple_seconds, epoch_seconds, epoch_millis or iso, or a map of columns to these."
        )
        columns = options.readKinds(help: "Kinds of columns that the values do not tell.")
        let word = if case .word(let word)? = dates { word } else { CodableDates.appleSeconds }
        model = options.readModel(records, dates: word)
        fileColumn = options.readFileColumn()
        intake = options.readIntake(declaresColumns: (key == nil && !isWhole) || !columns.entries.isEmpty)
        keys = key ?? []
        keyPlace = options.place(of: "key")
        datesPlace = options.place(of: "dates")
        let named = dates?.named(among: columns) ?? []
        self.named = named
        days = columns.entries.filter { $0.value == .day }.map(\.key).filter { day in named.contains { $0.key == day } }
        zone = days.first.flatMap { day in
            ZoneRules(named: options.timezone(because: "'\(day)' is to be a day and is written as an instant"))
        }
        if options.isWritten("key"), keys.isEmpty { options.refuse("key", "'key' names no key") }
        if let twice = keys.first(where: { key in keys.filter { $0 == key }.count > 1 }) {
            options.refuse("key", "'key' names '\(twice)' twice")
        }
        if isWhole, key != nil {
            let message = "'whole' says that the file has no keys, and 'key' names one"
            options.refuse("whole", message, hint: "keep one of them")
        }
        if isWhole, options.isWritten("absent") {
            options.refuse("absent", "'absent' is about a key that is not there")
        }
        for option in ["key", "whole", "records", "absent", "dates", "columns", "model"]
        where areRows && options.isWritten(option) {
            let message = "'\(option)' is about the rows under a key, and 'keys: rows' reads the keys themselves"
            options.refuse(option, message)
        }
        for option in ["records", "absent", "dates", "columns", "model"]
        where key == nil && !isWhole && !areRows && options.isWritten(option) {
            let message = "'\(option)' is about the rows under a key, and without 'key' the keys are listed"
            options.refuse(option, message, hint: "add 'key', or 'whole: true' where the file has no keys")
        }
        for entry in columns.entries where entry.value != .instant && entry.value != .day {
            guard named.contains(where: { $0.key == entry.key }) else { continue }
            let message = "'dates' makes '\(entry.key)' an instant, and 'columns' says \(entry.value.rawValue)"
            options.refuse("dates", message, hint: "take it out of one of them")
        }
    }

    public static let description = StageDescription(
        name: "import_user_defaults",
        summary: "Read what an app keeps under a key of its user defaults, from a property list or a JSON dump.",
        details: """
            Binary, XML and OpenStep property lists, SharedPreferences of Android and JSON dumps are told apart by their content. \
            The value may be data, base64 or text holding JSON, a property list, a keyed archive, or plain JSON; each element of \
            an array is a row, and anything else is one row. Objects of an app's own classes in an archive are records: $class, \
            and their fields; one that stands in itself again is there a reference by its $object. What Flutter writes as text \
            in SharedPreferences, doubles and lists, is what it stands for. 'records' points to those that stand inside the value, such as /items beside a \
            version; text and data on the way are read like that of a key. A key that is not there, or null in a dump, is an error unless 'absent' says what it \
            stands for; then the run warns. Without 'key', every key is a row with its kind and its size in bytes, elements \
            or pairs. With 'keys: rows', every key is a row with its type and its value as JSON: data is base64, a date the number of seconds since 2001, \
            and an array or a dictionary with such values inside is a property list in base64. With 'whole', the file has no keys: it is what an app's PropertyListEncoder or NSKeyedArchiver wrote to a file of \
            its own. Numbers stay numbers unless 'dates' says how dates are written: then the columns that 'columns' names \
            instant or day are read so or, where it names none, those called like a date, such as savedDate or createdAt. The \
            dates of a property list itself are instants, also where 'columns' says that they are numbers. A value without \
            records has the columns that 'columns' declares. With 'model', each record is read as the app's decoder would read it, by the type \
            that a Swift file declares, and one that it refuses is rejected; values of a property list as PropertyListDecoder reads them.
            """,
        examples: ImportUserDefaults.examples
    )

    /// Whether each key becomes a row.
    private var listsKeys: Bool { keys.isEmpty && !isWhole && !areRows }

    public var declaredSchema: Schema {
        if listsKeys { return UserDefaultsListing.schema }
        if areRows { return KeyRows.schema }
        var schema = columns.declaredSchema
        for column in named where !days.contains(column.key) {
            schema = schema.addingOrReplacing(ColumnName(column.key), .instant, source: column.key)
        }
        return schema.ofRecords
    }

    public func missing(from formats: [JSONFormat]) -> [DaybookError] {
        if listsKeys || areRows { return [] }
        let shape = JSONShape(of: formats)
        let map = if case .columns(let map) = dates { map } else { OptionMap<CodableDates>(entries: []) }
        let mapped = map.entries.map { ($0.key, $0.place) }
        let declared = columns.entries.map { ($0.key, $0.place) }
        return shape.missing("columns", declared, beside: mapped.map(\.0))
            + shape.missing("dates", mapped, beside: declared.map(\.0))
    }

    public func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents {
        if isWhole {
            let (text, words) = try UserDefaultsFile.whole(file, source, at: records)
            return ContainerContents([text], recognised: [words])
        }
        if areRows {
            let text = try KeyRows.json(of: DefaultsBase(file, name: source.path))
            return ContainerContents([ContainedText(text, in: TextHolder(pointer: ""))], recognised: ["keys as rows"])
        }
        let defaults = try UserDefaultsFile(file, source)
        if listsKeys {
            let listing = UserDefaultsListing.text(defaults, size: file.count)
            return ContainerContents([listing], recognised: [defaults.recognised])
        }
        var contents = ContainerContents([], recognised: [defaults.recognised])
        for key in keys {
            let (text, words) = try text(under: key, of: defaults)
            contents.texts.append(text)
            contents.recognised.append("\(key): \(words)")
        }
        return contents
    }

    private func text(
        under key: String,
        of defaults: UserDefaultsFile
    ) throws(DaybookError) -> (text: ContainedText, words: String) {
        if defaults.isAbsent(key), let standIn = absent.text(for: key, nearest: defaults.nearest(to: key)) {
            return standIn
        }
        return try defaults.text(try defaults.entry(key, keyPlace), at: records)
    }

    public func format(of head: SourceHead) throws(DaybookError) -> JSONFormat {
        // The text is what stands at the pointer.
        var place = RecordsPlace()
        place.keys = areRows ? KeyRows.keys : records.keys
        return try JSONFormat(of: head, .auto, records: place.keys == nil ? nil : place, at: recordsPlace)
    }

    public func schema(of formats: [JSONFormat]) throws(DaybookError) -> Schema {
        let shape = JSONShape(of: formats)
        let missing = Set(missing(from: formats).compactMap(\.column))
        let instants = try (dates?.columns(shape, columns, datesPlace) ?? []).filter { !missing.contains($0.key) }
        // Without this, a file without keys would have no columns.
        let declared =
            listsKeys || areRows
            ? declaredSchema.fields.map { ($0.name, $0.kind) }
            : columns.entries.filter {
                // Property-list dates override a declared number: an app that stores seconds in JSON may have stored
                // dates before.
                !missing.contains($0.key) && (![.decimal, .integer].contains($0.value) || !shape.isInstant($0.key))
            }.map { ($0.key, $0.value) }
        let plan = try JSONPlan(shape, declared: declared, instants: instants)
        for format in formats { format.plan.set(plan) }
        var schema = written(plan, formats, instants)
        for day in days where !missing.contains(day) {
            if let column = schema.index(of: day) { schema.fields[column].kind = .day }
        }
        return listsKeys ? schema : schema.ofRecords
    }

    /// The columns, with the facts that a writer needs to restore them.
    private func written(_ plan: JSONPlan, _ formats: [JSONFormat], _ instants: [DumpedDates.Column]) -> Schema {
        let encodings = dates?.encodings.map(\.rawValue) ?? []
        let otherKeys = formats.map(\.facts.otherKeys).max() ?? 0
        guard !listsKeys else { return plan.schema }
        return Schema(
            plan.leaves.map { leaf in
                var field = leaf.field
                field.otherKeys = otherKeys
                let form = field.kind == .day ? .iso : instants.first { $0.key == field.name }?.value
                let isOfList = formats.contains { $0.facts.instants.contains(field.name) }
                if let form, !isOfList { field.dates.written = [form.rawValue] }
                guard field.kind == .json else { return field }
                let keys = leaf.path.map { InnerStep.key(String(decoding: $0, as: UTF8.self)) }
                var dates = InnerDates()
                for format in formats {
                    var known = InnerDates()
                    known.ways = format.facts.dates
                    // A value that is a whole record has no key.
                    dates.add(known.inside(field.bare == nil ? keys : []))
                    // Property-list dates are typed; dates in JSON are known only by the columns' names.
                    if format.facts.dates.isEmpty { dates.written = encodings }
                }
                field.dates = dates
                return field
            }
        )
    }

    public func warnings(of formats: [JSONFormat]) -> [(text: Int, warning: SourceWarning)] {
        JSONFormat.mixtures(in: formats)
    }

    public func reader(of format: JSONFormat, schema: Schema) -> any RecordReader {
        let days = schema.names.filter(days.contains)
        guard let zone, !days.isEmpty else { return format.reader(schema, model) }
        var instants = schema
        for day in days {
            instants = instants.addingOrReplacing(ColumnName(day), .instant, source: schema[ColumnName(day)]?.source)
        }
        return DayReader(reader: format.reader(instants, model), schema: schema, days: days, zone: zone)
    }
}

/// The substitute for a missing key: an app that has saved nothing has no key, but still shows something.
enum AbsentKey: OptionValue {
    /// The run ends: a missing key is mostly a typing mistake.
    case error
    /// No rows.
    case empty
    /// The app's default contents, as JSON text.
    case records(String)

    private static let words = ["error", "empty"]

    static var kind: OptionKind { .either([.choice(words), .text]) }
    static var placeholder: AbsentKey { .error }

    init(reading node: OptionNode) throws(DaybookError) {
        let expected = "error, empty, or the JSON text of records"
        guard let text = node.text else {
            let isYAML = node.list != nil || node.map != nil
            throw node.expected(expected, hint: isYAML ? "put the JSON in quotes: '[{\"count\": 0}]'" : nil)
        }
        switch text {
        case "error": self = .error
        case "empty": self = .empty
        default:
            let bytes = Bytes(text)
            defer { withExtendedLifetime(bytes) {} }
            guard StoredValueReader.container(bytes.filled) != nil else {
                throw node.expected(expected, hint: NearestName.hint(for: text, among: AbsentKey.words))
            }
            try AbsentKey.check(bytes, at: node.place)
            self = .records(text)
        }
    }

    private static func check(_ text: Bytes, at place: SourcePlace) throws(DaybookError) {
        var cursor = JSONCursor(text.base, to: text.count)
        guard !cursor.skipValue() || !cursor.finish(), let fault = cursor.fault else { return }
        let before = text.filled[..<min(cursor.faultAt, text.count)].count { $0 & 0xC0 != 0x80 }
        throw DaybookError("not-json", "at character \(before + 1) of the JSON text: \(fault.message)", at: place)
    }

    var written: String {
        switch self {
        case .error: "error"
        case .empty: "empty"
        case .records(let text): text.written
        }
    }

    /// The substitute for the key; nil if its absence is an error.
    func text(for key: String, nearest: String?) -> (text: ContainedText, words: String)? {
        let (text, displayText): (String, String)
        switch self {
        case .error: return nil
        case .empty: (text, displayText) = ("[]", "no rows are read")
        case .records(let records): (text, displayText) = (records, "the records of 'absent' are read")
        }
        let meant = nearest.map { "; did you mean '\($0)'?" } ?? ""
        let message = "nothing stands under the key '\(key)', so \(displayText)\(meant)"
        let warning = Finding.Kind("absent-key", message, severity: .warning)
        let holder = TextHolder(pointer: "/" + JSONPointer.escaped(key))
        return (ContainedText(Bytes(text), in: holder, warnings: [warning]), "nothing, so \(displayText)")
    }
}

/// The date columns of a dump and their encodings: one word for all of them, or a word for each.
enum DumpedDates: OptionValue {
    case word(CodableDates)
    case columns(OptionMap<CodableDates>)

    static var kind: OptionKind { .either([CodableDates.kind, .map(of: CodableDates.kind)]) }
    static var placeholder: DumpedDates { .word(.placeholder) }

    init(reading node: OptionNode) throws(DaybookError) {
        if node.map != nil {
            self = .columns(try OptionMap(reading: node))
        } else {
            self = .word(try CodableDates(reading: node))
        }
    }

    var written: String {
        switch self {
        case .word(let encoding): encoding.written
        case .columns(let map): map.written
        }
    }

    /// The encodings in use.
    var encodings: [CodableDates] {
        switch self {
        case .word(let encoding): [encoding]
        case .columns(let map): CodableDates.allCases.filter { one in map.entries.contains { $0.value == one } }
        }
    }

    typealias Column = (key: String, value: CodableDates)

    /// The date columns that the job declares, by name in a map or as `instant` or `day` among `columns`.
    func named(among columns: OptionMap<ColumnKind>) -> [Column] {
        switch self {
        case .columns(let map): map.entries.map { ($0.key, $0.value) }
        case .word(let encoding):
            // A day in text form is read as a day.
            columns.entries.filter { $0.value == .instant || ($0.value == .day && encoding != .iso) }
                .map { ($0.key, encoding) }
        }
    }

    /// The columns that become instants, given the columns in the data.
    func columns(_ shape: JSONShape, _ declared: OptionMap<ColumnKind>, _ place: SourcePlace?) throws(DaybookError)
        -> [Column]
    {
        let named = named(among: declared)
        guard case .word(let encoding) = self, named.isEmpty else { return named }
        let leaves = try JSONPlan(shape, declared: declared.entries.map { ($0.key, $0.value) }).leaves
        let dates = leaves.filter { leaf in
            let fits = encoding == .iso ? leaf.seen == .text : leaf.seen.isNumber
            return fits && !leaf.isDeclared && DateKey.saysDate(leaf.path[leaf.path.count - 1])
        }
        if dates.isEmpty, !leaves.isEmpty, !leaves.contains(where: { $0.field.kind == .instant || $0.isDeclared }) {
            let message = "no column of \(encoding == .iso ? "text" : "numbers") is named like a date"
            let hint =
                "name the columns, as in dates: { saved: \(encoding.rawValue) }; there are "
                + leaves.prefix(10).map(\.field.name).joined(separator: ", ")
            throw DaybookError("no-dates", message, at: place, hint: hint)
        }
        return dates.map { ($0.field.name, encoding) }
    }
}
