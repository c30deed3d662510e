import DaybookJSON
import Foundation

/// Writes rows under a key of an app's user defaults, as the `Data` that its `JSONDecoder` decodes to an array of
/// models.
///
/// The other keys of an existing file are kept, with their types. A value that cannot be kept unchanged stops the run:
/// the output is read back and compared before it is accepted. The output is built in memory, and so are the rows under
/// the key: at most 128 MiB.
public struct ExportUserDefaults: SinkStage, SinkOperator {
    public let output: PathText
    let key: String
    let keyPlace: SourcePlace?
    /// Whether the rows are the keys of the file.
    let areKeys: Bool
    let format: DefaultsFormat?
    let formatPlace: SourcePlace?
    package private(set) var encoding: CodableEncoding
    let nest: Bool
    let nestPlace: SourcePlace?
    let into: PathText?
    /// Whether a key that is not in `into` is added beside one of nearly its name.
    let isNew: Bool
    let replaced: DefaultsReplaced
    let layout: DefaultsLayout
    let layoutPlace: SourcePlace?
    /// Nil for that of 'into', else data.
    let content: DefaultsContent?
    /// Where in the value the records stand.
    let records: JSONPointer
    /// Whether the only row is the value itself.
    var isOneRow: Bool { layout == .object && encoding.keys == nil }
    private let unlisted: UnlistedFields?
    private let unlistedPlace: SourcePlace?
    private var patch: RecordPatch?
    /// Single values beside the records.
    let set: [PlaceEditor.Edit]

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
        let keyHelp = "The key under which the app keeps its values."
        let key: String? =
            options.isWritten("keys") ? options.optional("key", help: keyHelp) : options.read("key", help: keyHelp)
        let rows: KeysAsRows? = options.optional(
            "keys",
            help: "With 'rows', the rows are all keys of the file, with the columns key, type and value."
        )
        self.key = key ?? ""
        areKeys = rows != nil
        keyPlace = options.place(of: "key") ?? options.place(of: "keys")
        format = options.optional(
            "format",
            help: "A property list in one of its forms, or a JSON dump; else that of 'into', or binary."
        )
        formatPlace = options.place(of: "format")
        var encoding = CodableEncoding(reading: &options, dates: .appleSeconds, leavesOutMissing: true)
        encoding.leavesOutGiven = true
        encoding.model = encoding.model?.forDefaults(encoding.dates)
        nest = options.read("nest", default: true, help: "Whether main.temp becomes a key inside an object main.")
        nestPlace = options.place(of: "nest")
        into = options.optional("into", help: "File whose other keys are kept; it may be the file to write.")
        isNew = options.read(
            "new_key",
            default: false,
            help: "Whether the key is new to 'into', although a key of nearly that name is there."
        )
        replaced = options.read(
            "replaces",
            default: .json,
            help: "What the key of 'into' may hold: such JSON, or a property list or archive of an earlier version too."
        )
        let layout: DefaultsLayout = options.read(
            "layout",
            default: .array,
            help: "An array of objects, or one object alone."
        )
        layoutPlace = options.place(of: "layout")
        let form: DefaultsContent? = options.optional(
            "as",
            help:
                "How the app keeps the value: JSON as data or text, as it is in a property list, or as one in data; else as in 'into'."
        )
        let former: FormerContent? = options.optional(
            "content",
            help: "The former name of 'as': data or text with JSON."
        )
        content = form ?? former?.content
        let records: RecordsPlace = options.read(
            "records",
            default: RecordsPlace(),
            help:
                "Where in the value the records stand, such as /items, or { each_key: day } where each has a key; what is beside them stays."
        )
        self.records = records.pointer
        encoding.keys = areKeys ? KeyRows.keys : records.keys
        self.encoding = encoding
        self.layout = records.keys.map { $0.inPairs == true ? .array : .object } ?? layout
        if records.keys != nil, options.isWritten("layout") {
            options.refuse("layout", "'layout' is about rows without keys, and 'each_key' gives each row one")
        }
        unlisted = options.optional("unlisted", help: UnlistedFields.help + " Usually keep, and fail with 'fields'.")
        unlistedPlace = options.place(of: "unlisted")
        let set: OptionMap<SetValue> = options.read(
            "set",
            default: OptionMap(entries: []),
            help: "Single values beside the records, by their JSON pointers, such as { /version: 2 }."
        )
        self.set = ExportUserDefaults.edits(set, besides: records.pointer, &options)
        if form != nil, former != nil { options.refuse("content", "'as' says it too", hint: "leave 'content' out") }
        if let reason = encoding.model?.check(isOne: isOneRow, records.keys) { options.refuse("model", reason) }
        if key == "" { options.refuse("key", "'key' is empty, and an app asks for a name") }
        let others = [
            "key", "into", "records", "layout", "as", "content", "set", "fields", "model", "new_key", "replaces",
        ]
        for option in others + ["unlisted", "dates", "nest"] where areKeys && options.isWritten(option) {
            options.refuse(option, "'\(option)' is about the rows under a key, and 'keys: rows' writes all keys")
        }
        if into?.isStandardStream == true {
            options.refuse("into", "'into' is read before the run, so it must be a file")
        }
    }

    /// The kinds that the columns give to what JSON writes as any number.
    func shape(of schema: Schema) throws(DaybookError) -> NativeShape {
        var shape = NativeShape(areKeyed: encoding.keys != nil)
        for place in try encoding.numbers(in: schema, nests: nest) {
            shape.add(place.isDate ? .date : .real, at: (isOneRow ? [] : [nil]) + place.path)
        }
        return shape
    }

    /// Where a value that a stage has renamed stood before: it keeps its kind.
    func renamed(in schema: Schema) throws(DaybookError) -> [(from: [String?], to: [String?])] {
        let above: [String?] = isOneRow ? [] : [nil]
        return try encoding.renamed(in: schema, nests: nest).flatMap { ways in
            ways.from.map { (above + $0, above + ways.to) }
        }
    }

    private static func edits(
        _ set: OptionMap<SetValue>,
        besides records: JSONPointer,
        _ options: inout OptionReader
    ) -> [PlaceEditor.Edit] {
        set.entries.compactMap { entry in
            guard let pointer = try? JSONPointer(written: entry.key), !pointer.tokens.isEmpty else {
                options.refuse("set", "'\(entry.key)' is no JSON pointer to a value, such as /version")
                return nil
            }
            guard !pointer.tokens.starts(with: records.tokens) else {
                let message = "'\(entry.key)' is a place of the records"
                let hint = records.tokens.isEmpty ? "'records' says where in the value they stand" : nil
                options.refuse("set", message, hint: hint)
                return nil
            }
            return PlaceEditor.Edit(pointer: pointer, json: Bytes(entry.value.json))
        }
    }

    public static let description = StageDescription(
        name: "export_user_defaults",
        summary: "Write rows under a key of an app's user defaults, as its own decoder reads them.",
        details: """
            The rows become a JSON array as Swift's JSONEncoder writes one, and stand under the key as data: raw in a binary \
            property list, <data> in an XML one, base64 in a JSON dump. 'as' says otherwise: as text, as an array of the \
            property list itself (native), or as data that PropertyListEncoder writes. 'fields' is the model as the app declares it; \
            a date is written as 'dates' says, a day is the instant at which it begins in the job's timezone, and a missing \
            value of an optional field (date?) is left out with its key. Without 'fields', every column is written: main.temp \
            inside an object main, and what is missing is left out with its key, as is an object without any that the source did \
            not have as {}. With 'into', all other keys of that file are kept with their types, and the value keeps its form: JSON, text and base64 are \
            put on again as they were found, and in a property list so are dates, data, URLs and decimals; without 'dates', dates have \
            the form in which an import read them, and one that nobody changed stays as it stood. A kind that did not stand \
            at a place before is refused there unless 'fields' declares it. A value that could not be kept is refused, as is a key that \
            holds no records or a keyed archive (unless 'replaces' says that it gives way to JSON), and one that \
            is not there while a near one is. With 'records', the rows take the place of those that stand at a pointer inside the value, \
            and 'set' changes single values beside them. With 'model', each row is read as the app's decoder would read it, by the type \
            that a Swift file declares; one that it refuses fails the run. Keyed archives as whole files and SharedPreferences \
            of Android are read and not written. At most 128 MiB stand under the key.
            """,
        examples: ExportUserDefaults.examples
    )

    public var readBack: ReadBack? {
        if areKeys { return ReadBack("import_user_defaults", ["keys": "rows"]) }
        var readBack = ReadBack("import_user_defaults", ["key": key])
        readBack.options += RecordsPlace.options(records, encoding.keys)
        return readBack
    }

    public var target: SinkTarget {
        var target = SinkTarget(output)
        target.base = into.map { SinkBase($0, mustExist: true) }
        // Exports into one file agree about what it is made of.
        let file = ["user defaults", into?.text ?? "", format?.rawValue ?? ""].joined(separator: "\u{0}")
        target.part = SinkTarget.Part(of: file, "\(key)\u{0}\(records.written)")
        return target
    }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        if areKeys {
            try KeyRows.check(inputs.schema, at: keyPlace)
            return Binding(inputs.schema, .sink(self))
        }
        var bound = self
        bound.encoding = encoding.keepingDates(of: inputs.schema, otherFields)
        try bound.encoding.check(inputs.schema, nests: nest, at: nestPlace)
        bound.patch = try bound.encoding.patch(
            unlisted,
            else: otherFields,
            of: inputs.schema,
            nests: nest,
            at: unlistedPlace
        )
        var binding = Binding(inputs.schema, .sink(bound))
        (binding.keepsRecords, binding.readsRecords) = (bound.patch?.keeps == true, bound.patch != nil)
        let others = inputs.schema.fields.map(\.otherKeys).max() ?? 0
        guard into == nil, others > 0 else { return binding }
        let keys = others == 1 ? "one other key that stands" : "\(others) other keys that stand"
        let message =
            "'\(output.text)' will have the keys that the job writes, and not the \(keys) beside the rows where they are read"
        let hint = "name that file with 'into' to keep them"
        binding.notes = [JobWarning("other-keys", message, at: keyPlace, hint: hint)]
        return binding
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> TextPiece {
        let frame = CodableRowWriter.Frame(separator: ",", terminator: "", onOneLine: false)
        return CodableRowWriter(encoding, batch.schema, nests: nest, frame, patching: patch)
            .write(batch, reporting: &findings)
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> DefaultsWriter {
        try DefaultsWriter(self, in: context)
    }
}

extension ExportUserDefaults: CodableSink {
    package var nests: Bool { nest }
    package var isOne: Bool { isOneRow }
    package var otherFields: UnlistedFields { unlisted ?? (encoding.fields == nil ? .keep : .fail) }
}

/// How a file of user defaults is written.
enum DefaultsFormat: String, OptionChoice {
    case binary, xml, json

    static let otherWords = ["bplist": "binary", "binary1": "binary", "plist": "xml", "xml1": "xml"]

    /// Nil for JSON, which Foundation does not write here.
    var propertyList: PropertyListSerialization.PropertyListFormat? { [.binary: .binary, .xml: .xml][self] }
}

/// How an app stores its records.
enum DefaultsContent: String, OptionChoice {
    /// As data that holds JSON.
    case data = "json_data"
    case text
    /// As arrays and dictionaries of the property list itself.
    case native
    /// As data that PropertyListEncoder wrote.
    case listData = "plist_data"

    static let otherWords = [
        "data": "json_data", "string": "text", "json": "text", "base64": "json_data", "plist": "plist_data",
    ]

    var isList: Bool { self == .native || self == .listData }

    var displayText: String {
        switch self {
        case .data: "JSON as data"
        case .text: "JSON as text"
        case .native: "an array or a dictionary of the property list itself"
        case .listData: "data that holds a property list"
        }
    }
}

/// Words for JSON of an option's former name.
enum FormerContent: String, OptionChoice {
    case data, text

    static let otherWords = ["string": "text", "base64": "data"]

    var content: DefaultsContent { self == .data ? .data : .text }
}

/// The permitted old value of the key.
enum DefaultsReplaced: String, OptionChoice {
    case json
    /// Also a property list or a keyed archive in data.
    case propertyList = "property_list"

    static let otherWords = ["archive": "property_list", "plist": "property_list"]
}

/// Whether the JSON is an array of models or one model.
enum DefaultsLayout: String, OptionChoice {
    case array, object

    static let otherWords = ["list": "array"]
}

/// A single value that a job sets: a number, text, true, false or null.
struct SetValue {
    let json: String
}

extension SetValue: OptionValue {
    static let kind = OptionKind.text
    static var placeholder: SetValue { SetValue(json: "null") }
    var written: String { json }

    init(reading node: OptionNode) throws(DaybookError) {
        if case .nothing = node.content {
            self.init(json: "null")
            return
        }
        guard let text = node.text else { throw node.expected("a number, text, true, false or null") }
        let (bytes, quoted) = (Bytes(text), Bytes())
        quoted.append(jsonString: text)
        let isPlain = node.plainText != nil && StoredValueReader.scalar(bytes.filled) != nil
        self.init(json: isPlain ? text : quoted.text(0..<quoted.count))
    }
}
