import DaybookDates

/// Puts the values of a row back into the JSON record that it came from.
///
/// What no column names stays as it stood, byte for byte, and so does a value that means what it meant: the import cut
/// no digit off, an escape stays one, and an instant stays in its zone.
package struct RecordPatch: Sendable {
    private enum Part: Sendable {
        /// An object, some of whose fields rows hold.
        case object
        /// A value that rows hold; a date may have been finer than rows keep it.
        case value(isInstant: Bool)
        /// A field whose value rows hold under another name, or one that the job leaves out.
        case gone

        var isGone: Bool { if case .gone = self { true } else { false } }
    }

    private struct Node: Sendable {
        var key: [UInt8]
        var part: Part
        var below: [Int] = []
    }

    private var nodes = [Node(key: [], part: .object)]
    private let refuses: Bool
    package let keeps: Bool
    /// Whether a record that is no object may be an instant.
    private var isBareInstant = false

    /// - Parameters:
    ///   - properties: what is written of each row.
    ///   - schema: the columns of the rows.
    init(_ properties: [CodableProperty], of schema: Schema, _ unlisted: UnlistedFields) {
        refuses = unlisted.dropped != nil
        keeps = unlisted == .keep
        for property in properties {
            let isInstant =
                switch property.conversion {
                case .instant: true
                // Not where a stage has read the text, perhaps to write it otherwise.
                case .isoInstant: !schema.fields[property.column].dates.written.isEmpty
                default: false
                }
            if property.path.isEmpty { isBareInstant = isInstant }
            add(property.path[...], .value(isInstant: isInstant), below: 0)
        }
        for property in properties where property.column >= 0 {
            let field = schema.fields[property.column]
            // A column that a stage made of a field does not stand for it.
            guard let source = field.source,
                field.isRenamed || source == field.name && source != property.path.joined(separator: ".")
            else { continue }
            add(JSONKeyTree.path(source, nests: true)[...], .gone, below: 0)
            add([source], .gone, below: 0)
        }
        for path in unlisted.dropped ?? [] { add(path[...], .gone, below: 0) }
    }

    private mutating func add(_ path: ArraySlice<String>, _ part: Part, below node: Int) {
        guard let key = path.first else { return }
        let bytes = Array(key.utf8)
        let next = nodes[node].below.first { nodes[$0].key == bytes } ?? nodes.count
        if next == nodes.count {
            nodes.append(Node(key: bytes, part: path.count == 1 ? part : .object))
            nodes[node].below.append(next)
        }
        if path.count > 1 { add(path.dropFirst(), part, below: next) }
    }

    /// The value of the record whose text this is, behind its key if it has one; nil for a broken one.
    static func value(in record: Cell) -> Cell? {
        guard let base = record.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: record.count)
        cursor.skipSpace()
        // No key is an object.
        if cursor.byte != UInt8(ascii: "{") {
            let start = cursor.position
            guard cursor.skipValue() else { return nil }
            let end = cursor.position
            cursor.skipSpace()
            let isKey = cursor.byte == UInt8(ascii: ":") || cursor.byte == UInt8(ascii: ",")
            guard isKey else { return Cell(rebasing: record[start..<end]) }
            guard cursor.stepBehindKey() else { return nil }
        }
        return Cell(rebasing: record[cursor.position...])
    }

    /// Whether an object has no value.
    static func isEmpty(_ row: Cell) -> Bool {
        guard let base = row.baseAddress else { return false }
        var cursor = JSONCursor(base, to: row.count)
        cursor.skipSpace()
        return members(&cursor)?.allSatisfy { cursor.cell($0.value).first == UInt8(ascii: "n") } ?? false
    }

    /// Appends the record with the row's values in it; the row alone where other fields are not kept.
    ///
    /// - Returns: the pointer of a field that would be lost, and no keys for a record that is not all JSON, such as one with
    ///   NaN in it; nil if nothing is lost.
    func write(_ row: Cell, into record: Cell, to out: Bytes) -> [String]? {
        guard let old = record.baseAddress, let new = row.baseAddress else { return nil }
        var (before, after) = (JSONCursor(old, to: record.count), JSONCursor(new, to: row.count))
        after.skipSpace()
        let isObject = after.byte == UInt8(ascii: "{") && before.byte == UInt8(ascii: "{")
        let value = Cell(rebasing: row[after.position...])
        if !isObject, keeps, RecordPatch.areSame(record, value, isInstant: isBareInstant) {
            out.append(Cell(rebasing: row[..<after.position]))
            out.append(record)
            return nil
        }
        if isObject, keeps { return merge(&before, &after, at: 0, to: out) }
        // Nothing of the record stays, so the row has the order of its fields.
        if isObject, let lost = merge(&before, &after, at: 0, to: Bytes()) { return lost }
        out.append(row)
        return nil
    }

    /// A member of an object: its key as it stands, what that spells, and its value.
    private struct Member {
        var written: Range<Int>
        var key: [UInt8]
        var value: Range<Int>
    }

    /// The members of an object; nil where it is not JSON.
    private static func members(_ cursor: inout JSONCursor) -> [Member]? {
        var members: [Member] = []
        let isRead = cursor.members { cursor, key in
            let start = cursor.position
            guard cursor.skipValue() else { return false }
            members.append(Member(written: key.bytes, key: cursor.name(key), value: start..<cursor.position))
            return true
        }
        return isRead ? members : nil
    }

    private func merge(_ before: inout JSONCursor, _ after: inout JSONCursor, at node: Int, to out: Bytes) -> [String]?
    {
        guard let old = RecordPatch.members(&before), let new = RecordPatch.members(&after) else { return [] }
        var taken = [Bool](repeating: false, count: new.count)
        out.append(UInt8(ascii: "{"))
        var isFirst = true
        func begin(_ key: Cell) {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            out.append(UInt8(ascii: "\""))
            out.append(key)
            out.append("\":")
        }
        for member in old {
            let key = before.cell(member.written)
            let place = nodes[node].below.first { nodes[$0].key == member.key }
            let index = new.firstIndex { $0.key == member.key }
            if let index { taken[index] = true }
            let value = before.cell(member.value)
            let isObject = value.first == UInt8(ascii: "{")
            if let place, !nodes[place].below.isEmpty, isObject {
                let written = index.map { after.cell(new[$0].value) }
                guard written?.first ?? UInt8(ascii: "{") == UInt8(ascii: "{") else {
                    begin(key)
                    out.append(written ?? value)
                    continue
                }
                let inner = Bytes()
                if let lost = merged(value, written, at: place, to: inner) {
                    return lost.isEmpty ? [] : [String(decoding: member.key, as: UTF8.self)] + lost
                }
                // What rows held all of and have no value of any more is gone with its key.
                if written == nil, inner.count == 2, value.count > 2 { continue }
                begin(key)
                out.append(inner)
                continue
            }
            if let index {
                let written = after.cell(new[index].value)
                let isInstant = if let place, case .value(true) = nodes[place].part { true } else { false }
                begin(key)
                out.append(RecordPatch.areSame(value, written, isInstant: isInstant) ? value : written)
            } else if place == nil {
                if refuses { return [String(decoding: member.key, as: UTF8.self)] }
                guard keeps else { continue }
                begin(key)
                out.append(value)
            } else if let place, !nodes[place].part.isGone, value.first == UInt8(ascii: "n") {
                // Also in the place of an object, of which the row has no value.
                begin(key)
                out.append(value)
            }
        }
        for (index, member) in new.enumerated() where !taken[index] {
            let value = after.cell(member.value)
            // A field that was not there lacks as before.
            if value.first == UInt8(ascii: "n") { continue }
            begin(after.cell(member.written))
            out.append(value)
        }
        out.append(UInt8(ascii: "}"))
        return nil
    }

    private func merged(_ old: Cell, _ new: Cell?, at node: Int, to out: Bytes) -> [String]? {
        let nothing = Bytes("{}")
        defer { withExtendedLifetime(nothing) {} }
        let new = new ?? nothing.filled
        guard let before = old.baseAddress, let after = new.baseAddress else { return nil }
        var (one, other) = (JSONCursor(before, to: old.count), JSONCursor(after, to: new.count))
        return merge(&one, &other, at: node, to: out)
    }

    /// Whether two values mean the same.
    private static func areSame(_ old: Cell, _ new: Cell, isInstant: Bool) -> Bool {
        if old.elementsEqual(new) { return true }
        guard let first = old.first, let second = new.first else { return false }
        if first == UInt8(ascii: "\""), second == first {
            let (one, other) = (text(old), text(new))
            return one == other || (isInstant && instant(one) != nil && instant(one) == instant(other))
        }
        let (one, other) = (String(decoding: old, as: UTF8.self), String(decoding: new, as: UTF8.self))
        if let one = Int64(one), let other = Int64(other) { return one == other }
        guard let one = Double(one), let other = Double(other) else { return false }
        // An import cuts instants to microseconds.
        return one == other || (isInstant && abs(one - other) < 0.000_001)
    }

    private static func instant(_ text: [UInt8]) -> Int64? {
        text.withUnsafeBufferPointer { ReadInstant(iso: $0)?.micros }
    }

    private static func text(_ cell: Cell) -> [UInt8] {
        guard let base = cell.baseAddress else { return [] }
        return JSONString.name(base, 1..<cell.count - 1, isEscaped: true)
    }
}

extension Schema {
    /// The same columns of rows each of which is one record of JSON.
    package var ofRecords: Schema {
        var schema = self
        schema.areRecords = true
        return schema
    }
}

extension CodableEncoding {
    /// How rows go back into their records; nil where they are written as they are.
    ///
    /// - Parameters:
    ///   - unlisted: what the job says of other fields; nil where it says nothing, which then means `usual`.
    ///   - place: where it says so.
    package func patch(
        _ unlisted: UnlistedFields?,
        else usual: UnlistedFields,
        of schema: Schema,
        nests: Bool,
        at place: SourcePlace?
    ) throws(DaybookError) -> RecordPatch? {
        let mode = unlisted ?? usual
        guard mode != .dropAll else { return nil }
        guard schema.areRecords else {
            guard unlisted != nil, !schema.isOpen else { return nil }
            let message =
                "'unlisted' is about the records that rows came from, and here a row is no record of JSON any more"
            let hint =
                "put the export before stages that gather rows, join them or make new ones, or leave 'unlisted' out"
            throw DaybookError("no-records", message, at: place, hint: hint)
        }
        return RecordPatch(try properties(of: schema, nests: nests), of: schema, mode)
    }
}

/// The records of a batch's rows.
struct BatchRecords {
    private let morsel: Morsel
    private let spans: [RecordSpan]

    /// Nil for rows that are no longer beside the text of their records.
    init?(_ provenance: Provenance) {
        guard case .morsel(let morsel, let spans, _) = provenance else { return nil }
        (self.morsel, self.spans) = (morsel, spans)
    }

    /// The value of a row's record. Valid as long as the batch is.
    func value(of row: Int) -> Cell? {
        let span = spans[row]
        return RecordPatch.value(in: morsel.bytes.cell(Int(span.start)..<Int(span.end)))
    }
}

/// What becomes of the fields of a row's record that no column names.
package enum UnlistedFields: Sendable, Hashable {
    /// They are written as they stood.
    case keep
    /// They refuse the row.
    case fail
    /// These are left out, with all inside them, and any other refuses the row.
    case drop([JSONPointer])
    /// All are left out.
    case dropAll

    /// The pointers of fields that are left out; nil for those that are not refused.
    var dropped: [[String]]? {
        switch self {
        case .keep, .dropAll: nil
        case .fail: []
        case .drop(let pointers): pointers.map(\.tokens)
        }
    }
}

extension UnlistedFields: OptionValue {
    private static let words = ["keep", "fail", "drop"]

    package static let kind = OptionKind.either([
        .choice(words),
        .object([
            OptionSpec(
                key: "drop",
                kind: .list(of: .text),
                help:
                    "Fields that are left out; any other fails the run. A field inside another is written /place/lat.",
                isRequired: true
            )
        ]),
    ])
    package static var placeholder: UnlistedFields { .keep }

    package init(reading node: OptionNode) throws(DaybookError) {
        let expected = "keep, fail, drop, or { drop: [FIELD] }"
        if let map = node.map {
            guard let entry = map.first, map.count == 1, entry.key == "drop" else { throw node.expected(expected) }
            let pointers = try [String](reading: entry.value).map { name throws(DaybookError) in
                let pointer = name.hasPrefix("/") ? try? JSONPointer(written: name) : JSONPointer(tokens: [name])
                guard let pointer else { throw entry.value.expected("names of fields, or pointers such as /place/lat") }
                return pointer
            }
            self = .drop(pointers)
            return
        }
        switch node.text {
        case "keep": self = .keep
        case "fail": self = .fail
        case "drop": self = .dropAll
        default: throw node.expected(expected, hint: node.text.flatMap { NearestName.hint(for: $0, among: Self.words) })
        }
    }

    package var written: String {
        switch self {
        case .keep: "keep"
        case .fail: "fail"
        case .dropAll: "drop"
        case .drop(let pointers): "{ drop: [\(pointers.map(\.written.written).joined(separator: ", "))] }"
        }
    }

    package static let help =
        "What becomes of fields of a record that no column names: keep them as they stood, fail, drop them, or { drop: [a, b] } alone."
}

extension Finding.Kind {
    static let unlisted = Finding.Kind(
        "unlisted-field",
        "the record has a field that no column holds, and writing the row would lose it",
        mend:
            "leave the column in, declare it where there are 'fields', or write 'unlisted: keep' or 'unlisted: { drop: [FIELD] }'"
    )

    static let brokenRecord = Finding.Kind(
        "not-json",
        "the record of the row is not all JSON, so its other fields cannot be kept",
        mend: "mend NaN and Infinity in the input, or write 'unlisted: drop'"
    )

    static let recordOutOfReach = Finding.Kind(
        "no-record",
        "the record of the row is no longer beside it, so its other fields cannot be kept",
        mend: "put the export before stages that gather rows, or write 'unlisted: drop'"
    )
}
