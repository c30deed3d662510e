import Foundation

/// Collects the rows as one JSON array, or the one row as an object, and stores it under its key.
///
/// A property list is built as a whole, so its contents are in memory several times; hence the limit.
public struct DefaultsWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let stage: ExportUserDefaults
    private let format: DefaultsFormat
    private let base: DefaultsBase?
    private let editor: PlaceEditor
    /// The value of the key in the base, with what the job sets.
    private var old: PlaceEditor.Old?
    private let rows = Bytes()

    private var key: String { stage.key }
    /// The name of the base in messages.
    private var baseName: String { stage.into?.text ?? "" }
    private var place: SourcePlace? { stage.into?.place ?? stage.output.place }

    init(_ stage: ExportUserDefaults, base: BaseFile?, _ schema: Schema) throws(DaybookError) {
        self.stage = stage
        let name = stage.into?.text ?? ""
        let editor = PlaceEditor(
            key: stage.key,
            name: name,
            adds: stage.isNew,
            replaced: stage.replaced,
            content: stage.content,
            records: stage.records,
            shape: try stage.shape(of: schema),
            isStrict: stage.encoding.fields == nil,
            dates: stage.encoding.dates
        )
        do throws(DaybookError) {
            self.base = try base.map { file throws(DaybookError) in try DefaultsBase(try file.read(), name: name) }
            var old = self.base?.value(of: stage.key)
            for edit in stage.set {
                guard let value = old else { break }
                old = try editor.edited(value, edit)
            }
            // What cannot be replaced is told before a row is read.
            let none = Bytes(stage.layout == .array ? "[]" : "{}")
            if let old { _ = try editor.edited(old, DefaultsWriter.edit(stage, none)) }
            (self.editor, self.old) = (editor, old)
        } catch { throw error.located(at: stage.into?.place) }
        if !stage.isNew {
            do throws(DaybookError) {
                try self.base?.check(adding: stage.key, name: name)
            } catch { throw error.located(at: stage.keyPlace) }
        }
        let kept = self.base?.format
        format = stage.format ?? kept ?? .binary
        guard let kept, (kept == .json) != (format == .json) else { return }
        let message =
            kept == .json
            ? "'\(name)' is a JSON dump, and 'format: \(format.rawValue)' would have to guess the types of its values"
            : "'\(name)' is a property list, and JSON has no dates, no binary values and no types of numbers"
        throw DaybookError("cannot-keep", message, at: stage.formatPlace, hint: "leave 'format' away, or 'into'")
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        if stage.layout == .array { rows.append(UInt8(ascii: "[")) }
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard piece.rows > 0 else { return }
        guard rows.count + piece.bytes.count < DefaultsBase.limit else {
            let message =
                "the rows under '\(key)' come to more than \(DefaultsBase.limit >> 20) MiB, and user defaults are made in memory"
            throw DaybookError.data("too-large", message).located(at: place)
        }
        if stage.layout == .object, writtenRows + piece.rows > 1 { throw notOneRow("more than one") }
        if writtenRows > 0 { rows.append(UInt8(ascii: ",")) }
        rows.append(piece.bytes)
        writtenRows += piece.rows
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        if stage.layout == .array { rows.append(UInt8(ascii: "]")) }
        if stage.layout == .object, writtenRows == 0 { throw notOneRow("none") }
        do throws(DaybookError) {
            let edit = DefaultsWriter.edit(stage, rows)
            let new: PlaceEditor.Old
            if let old {
                new = try editor.edited(old, edit)
            } else {
                let text = try editor.fresh([edit] + stage.set)
                new = format == .json ? .dumped(try editor.dumped(text)) : .original(try editor.original(text))
            }
            try write(new, out)
        } catch { throw error.located(at: place) }
    }

    private static func edit(_ stage: ExportUserDefaults, _ rows: Bytes) -> PlaceEditor.Edit {
        PlaceEditor.Edit(pointer: stage.records, json: rows, layout: stage.layout)
    }

    private func write(_ new: PlaceEditor.Old, _ out: any ByteOutput) throws(DaybookError) {
        switch (new, base) {
        case (.original(let value), .propertyList(let entries, _)): try write(entries, value, out)
        case (.original(let value), _): try write([], value, out)
        case (.dumped(let text), .dump(let dump)):
            let (before, after) = try dump.surroundings(of: key, name: baseName)
            try out.write(before)
            try out.write(text)
            try out.write(after)
        case (.dumped(let text), _):
            let before = Bytes("{")
            before.append(jsonString: key)
            before.append(UInt8(ascii: ":"))
            try out.write(before)
            try out.write(text)
            try out.write(Bytes("}\n"))
        }
    }

    private func notOneRow(_ found: String) -> DaybookError {
        DaybookError.data("not-one-row", "'layout: object' writes one row, and there is \(found)")
            .located(at: stage.layoutPlace)
    }

    /// Writes a property list of the entries and the rows, after reading it back to verify it.
    private func write(_ kept: [StoredEntry], _ value: OriginalValue, _ out: any ByteOutput) throws(DaybookError) {
        guard let propertyList = format.propertyList else {
            preconditionFailure("a property list was to be written as \(format.rawValue)")
        }
        var entries = kept
        let entry = StoredEntry(key: key, value: value)
        if let index = entries.firstIndex(where: { $0.unit == entry.unit }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
        let whole = OriginalValue.map(entries)
        if let twice = whole.composedTwice(at: "") {
            let message =
                "'\(twice)' stands twice, with its characters composed in two ways, which Foundation cannot write"
            let hint = "rename one of the two in the app, or write a JSON dump"
            throw DaybookError.data("cannot-keep", message, hint: hint)
        }
        if format == .xml, let unfit = whole.unfitForXML(at: "") {
            let message = "'\(unfit.path)' is \(unfit.reason), which an XML property list cannot hold"
            throw DaybookError.data("cannot-keep", message, hint: "write 'format: binary'")
        }
        let bytes: Bytes
        do {
            let written = try PropertyListSerialization.data(
                fromPropertyList: whole.foundation,
                format: propertyList,
                options: 0
            )
            bytes = Bytes(capacity: written.count)
            bytes.append(contentsOf: written)
        } catch {
            throw DaybookError.data("cannot-keep", "Foundation does not write these values as \(format.rawValue)")
        }
        let back = try DefaultsBase.entries(ofWritten: bytes)
        guard let key = StoredEntry.firstDifference(entries, back) else { return try out.write(bytes) }
        let message = "'\(key)' would not be the same in a property list written as \(format.rawValue)"
        throw DaybookError.data("cannot-keep", message, hint: format == .xml ? "write 'format: binary'" : nil)
    }
}

extension Bytes {
    // Copied instead of using its span: `Data` stores a few bytes inline, and an optimised build may have moved the
    // value before they are read.
    package func append(contentsOf content: Data) { append([UInt8](content)) }
}
