import DaybookDates

/// A sink that writes rows as an app's decoder reads them.
package protocol CodableSink: Sink {
    var encoding: CodableEncoding { get }
    /// Whether main.temp is written inside an object main.
    var nests: Bool { get }
    /// Whether the output is one record.
    var isOne: Bool { get }
    /// What becomes of the fields of a row's record that no column names.
    var otherFields: UnlistedFields { get }
}

/// The columns of an output, compared with the Swift type that is to read them before a row is there.
///
/// What only rows show is not told: missing values of a column, and what stands inside JSON.
package struct ModelColumns {
    private typealias Part = (path: ArraySlice<String>, property: CodableProperty)
    private typealias Shape = SwiftModel.Shape
    private typealias Field = SwiftModel.Field

    package private(set) var errors: [DaybookError] = []
    /// Columns that no field of the type reads.
    package private(set) var unread: [String] = []
    /// Whether the job does not tell all columns, so that fields may be filled by others.
    package let isOpen: Bool

    private let model: SwiftModel
    private let source: SwiftSource
    private let dates: CodableDates
    private let place: SourcePlace
    /// The fields of the records that rows came from, where those without a column are kept; nil where none is.
    private let kept: [[String]]?
    private let fieldPlaces: [String: SourcePlace]

    /// - Parameters:
    ///   - schema: the columns of the rows that the sink is given.
    ///   - records: the columns of all imports; nil where the inputs were not looked at.
    ///   - place: of the sink in the job.
    ///   - type: that reads the output; nil for the one of the job's own `model`, else the only one of the source.
    package init(
        _ sink: any CodableSink,
        _ schema: Schema,
        from records: [Schema]?,
        at place: SourcePlace,
        _ source: SwiftSource,
        type: String?
    ) throws(DaybookError) {
        let encoding = sink.encoding
        var name = type ?? encoding.model?.name ?? ""
        if name.isEmpty { name = try source.only() }
        // Around the type of a record stands what holds records.
        if !name.hasPrefix("["), !sink.isOne, encoding.keys?.inPairs != true {
            name = encoding.keys == nil ? "[\(name)]" : "[String: \(name)]"
        }
        model = try source.model(of: name)
        let keepsOthers = schema.areRecords && sink.otherFields == .keep
        // Else fields are all that is written.
        isOpen = schema.isOpen && encoding.fields == nil || keepsOthers && records == nil
        let others = records?.flatMap { records in
            records.fields.indices.map { JSONKeyTree.path(of: $0, among: records.fields, nests: true) }
        }
        kept = keepsOthers ? others : nil
        (self.source, self.place) = (source, place)
        dates = encoding.model?.dates ?? encoding.dates
        fieldPlaces = Dictionary((encoding.fields ?? []).map { ($0.key, $0.place) }) { first, _ in first }
        let whole = CodableModel(model, dates: dates)
        if let reason = whole.check(isOne: sink.isOne, encoding.keys) {
            let hint = "name the type of the whole output with '--type'"
            throw DaybookError("model-differs", reason, at: place, hint: hint)
        }
        var element = whole.element
        if encoding.keys != nil, case .dictionary(_, let value) = whole.dictionary?.whole { element = value }
        hold(try encoding.properties(of: schema, nests: sink.nests).map { ($0.path[...], $0) }, element, nil, [])
    }

    // MARK: - Comparison

    /// - Parameters:
    ///   - field: the field of that shape; nil for a row.
    ///   - path: the keys that lead to it.
    private mutating func hold(_ parts: [Part], _ shape: Shape, _ field: (Field, of: String)?, _ path: [String]) {
        var shape = shape
        while case .optional(let inner) = shape { shape = inner }
        for part in parts where part.path.isEmpty {
            guard let written = reason(part.property, shape) else { continue }
            add("\(written), and \(words(field, shape))", at: part.property, hint: hint(part.property, shape))
        }
        let inner = parts.filter { !$0.path.isEmpty }
        switch shape {
        case .type(let number):
            if case .record(let fields) = model.types[number].form {
                let holdsAll = inner.count < parts.count
                guard !inner.isEmpty || !holdsAll else { return }
                return hold(inner, fields, model.types[number].name, path, isOpen: isOpen || holdsAll)
            }
        case .dictionary(_, let value):
            for key in Set(inner.compactMap(\.path.first)).sorted() {
                let mine = inner.filter { $0.path.first == key }.map { ($0.path.dropFirst(), $0.property) }
                hold(mine, value, field, path + [key])
            }
            return
        default: break
        }
        guard let first = inner.first?.property else { return }
        let message = "column '\(name(of: first))' is written inside an object, and \(words(field, shape))"
        add(message, at: first, hint: "write the value as the app reads it, or leave the column out")
    }

    /// - Parameter isOpen: whether what is not among the parts may stand in JSON, or in columns that are not known.
    private mutating func hold(_ parts: [Part], _ fields: [Field], _ type: String, _ path: [String], isOpen: Bool) {
        for field in fields {
            let (mine, way) = (parts.filter { $0.path.first == field.key }, path + [field.key])
            if !mine.isEmpty {
                hold(mine.map { ($0.path.dropFirst(), $0.property) }, field.shape, (field, of: type), way)
                continue
            }
            if case .optional = field.shape { continue }
            if isOpen || kept?.contains(where: { $0.starts(with: way) }) == true { continue }
            let hint = "write a column of that name, or declare it '\(model.name(field.shape))?' in the app"
            let words = words((field, of: type), field.shape)
            add("\(words), and no column fills it", at: parts.first?.property, hint: hint)
        }
        let known = Set(fields.map(\.key))
        unread += parts.filter { !known.contains($0.path.first ?? "") }.map { name(of: $0.property) }
    }

    private mutating func add(_ message: String, at property: CodableProperty?, hint: String) {
        let place = property.flatMap { fieldPlaces[$0.key] } ?? self.place
        errors.append(DaybookError("model-differs", message, at: place, hint: hint))
    }

    private func name(of property: CodableProperty) -> String { property.columnName?.text ?? property.key }

    /// `'due' of 'Todo' (New.swift:5) is Date, which the app reads as iso`.
    private func words(_ field: (Field, of: String)?, _ shape: Shape) -> String {
        let dated = shape == .date ? ", which the app reads as \(dates.rawValue)" : ""
        guard let (field, type) = field else { return "a row is \(model.name(shape))\(dated)" }
        let place = SwiftLexer.place(field.at, in: source.bytes, name: source.name)
        return "'\(field.key)' of '\(type)' (\(source.name):\(place.line)) is \(model.name(field.shape))\(dated)"
    }

    // MARK: - Kinds

    /// How a column is written, where no value of that form is one of the shape.
    private func reason(_ property: CodableProperty, _ shape: Shape) -> String? {
        let name = "column '\(name(of: property))'"
        switch property.conversion {
        case .text, .json(.text): return takesText(shape) ? nil : "\(name) is text"
        case .isoDay: return shape == .text ? nil : "\(name) is a day, written as text"
        case .isoInstant, .isoStartOfDay:
            return shape == .text || shape == .date && dates == .iso ? nil : "\(name) is an instant, written as iso"
        case .integer, .wholeAsDouble, .decimalAsWhole, .json(.integer):
            return takesNumber(shape, isWhole: true) ? nil : "\(name) is a whole number"
        case .decimal, .json(.decimal): return takesNumber(shape, isWhole: false) ? nil : "\(name) is a decimal"
        case .flag, .json(.flag): return shape == .flag ? nil : "\(name) is a flag"
        case .instant(let unit), .startOfDay(let unit):
            let isRead = shape == .date ? dates.unit == unit : [.double, .float, .decimal].contains(shape)
            return isRead ? nil : "\(name) is an instant, written as \(unit.rawValue)"
        case .json(.date), .json(.json), .textAsJSON: return nil
        }
    }

    private func takesText(_ shape: Shape) -> Bool {
        switch shape {
        case .text, .uuid, .url, .data: true
        case .date: dates == .iso
        case .type(let number): if case .words = model.types[number].form { true } else { false }
        default: false
        }
    }

    private func takesNumber(_ shape: Shape, isWhole: Bool) -> Bool {
        switch shape {
        case .double, .float, .decimal: true
        case .integer: isWhole
        case .date: dates != .iso
        case .type(let number): if case .numbers = model.types[number].form { isWhole } else { false }
        default: false
        }
    }

    private func hint(_ property: CodableProperty, _ shape: Shape) -> String {
        guard shape == .date else {
            return "change the column with cast_columns or derive_columns, or the field in the app"
        }
        switch property.conversion {
        case .instant, .startOfDay, .isoInstant, .isoStartOfDay:
            return "write 'dates: \(dates.rawValue)' in the export, or say in 'model' how the app reads dates"
        default: return "make an instant of it with normalise_dates, or say in 'model' how the app reads dates"
        }
    }
}
