import DaybookJSON
import Foundation

/// A file of user defaults as it is built, for one or several exports. Used by one thread at a time.
final class DefaultsFile: @unchecked Sendable {
    let format: DefaultsFormat
    private var content: DefaultsBase
    private let name: String
    /// The places that exports fill.
    private var places: [(key: String, tokens: [String])] = []
    /// The number of exports that still receive rows.
    private var open = 0

    /// Throws if the old file cannot be read, or not be written in the form that the job names.
    init(_ stage: ExportUserDefaults, _ base: BaseFile?) throws(DaybookError) {
        name = stage.into?.text ?? ""
        guard let base else {
            format = stage.format ?? .binary
            content = try format == .json ? DefaultsBase(Bytes("{}\n"), name: name) : .propertyList([], format)
            return
        }
        content = try DefaultsBase(try base.read(), name: name, isWritten: true)
        let kept = content.format
        format = stage.format ?? kept
        guard (kept == .json) != (format == .json) else { return }
        let message =
            kept == .json
            ? "'\(name)' is a JSON dump, and 'format: \(format.rawValue)' would have to guess the types of its values"
            : "'\(name)' is a property list, and JSON has no dates, no binary values and no types of numbers"
        throw DaybookError("cannot-keep", message, at: stage.formatPlace, hint: "leave 'format' away, or 'into'")
    }

    /// The value of a key; nil if there is none.
    func value(of key: String) -> PlaceEditor.Old? { content.value(of: key) }

    /// Begins the rows of one export. Refuses a place inside that of another, and a key that looks like a slip.
    func open(for stage: ExportUserDefaults) throws(DaybookError) {
        let tokens = stage.records.tokens
        let other = places.first { place in
            place.key == stage.key && (place.tokens.starts(with: tokens) || tokens.starts(with: place.tokens))
        }
        if let other {
            let message =
                "the rows go to '\(stage.records.written)' under '\(stage.key)', and those of another stage to "
                + "'\(JSONPointer(tokens: other.tokens).written)': one place holds the other"
            throw DaybookError("same-place", message, at: stage.keyPlace, hint: "give each stage a place of its own")
        }
        if !stage.areKeys, stage.content == nil, content.isAsyncStorage(name), content.value(of: stage.key) == nil {
            let message =
                "'\(name)' is \(AsyncStorage.displayText), which keeps texts, and has none under '\(stage.key)'"
            throw DaybookError("other-content", message, at: stage.keyPlace, hint: "write 'as: text'")
        }
        if !stage.isNew, !stage.areKeys {
            do throws(DaybookError) {
                try content.check(adding: stage.key, name: name)
            } catch { throw error.located(at: stage.keyPlace) }
        }
        places.append((stage.key, tokens))
        open += 1
    }

    func put(_ value: PlaceEditor.Old, under key: String) throws(DaybookError) {
        switch (content, value) {
        case (.propertyList(var entries, let format), .original(let value)):
            let entry = StoredEntry(key: key, value: value)
            if let index = entries.firstIndex(where: { $0.unit == entry.unit }) {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
            content = .propertyList(entries, format)
        case (.dump(let dump), .dumped(let text)):
            content = .dump(try dump.setting(text, under: key, name: name))
        default: preconditionFailure("a value of one format was to be put in a file of another")
        }
    }

    /// Whether the file is a document whose values are what they look like.
    private var isDocument: Bool { if case .dump(let dump) = content { dump.coding == .base64 } else { false } }

    /// Whether the value of a key is what it looks like, and no other form of a value of user defaults.
    func isNative(_ key: String) -> Bool {
        guard isDocument, case .dumped(let text)? = value(of: key) else { return isDocument }
        return JSONPlace.kind(of: text) != "text"
    }

    /// Makes the file of all of its keys.
    func put(_ keys: DefaultsBase) {
        let isDocument = isDocument
        content = keys
        guard isDocument, case .dump(var dump) = keys else { return }
        dump.coding = .base64
        content = .dump(dump)
    }

    /// Ends the rows of one export. After the last one, the file is complete and goes to the output.
    func finish(_ out: any ByteOutput) throws(DaybookError) {
        open -= 1
        guard open == 0 else { return }
        switch content {
        case .propertyList(let entries, _): try write(entries, out)
        case .dump(let dump): try out.write(dump.written)
        }
    }

    /// Writes a property list of the entries, after reading it back to verify it.
    private func write(_ entries: [StoredEntry], _ out: any ByteOutput) throws(DaybookError) {
        guard let propertyList = format.propertyList else {
            preconditionFailure("a property list was to be written as \(format.rawValue)")
        }
        let bytes = Bytes(try OriginalValue.map(entries).data(propertyList, as: format.rawValue))
        let back = try DefaultsBase.entries(ofWritten: bytes)
        guard let key = StoredEntry.firstDifference(entries, back) else { return try out.write(bytes) }
        let message = "'\(key)' would not be the same in a property list written as \(format.rawValue)"
        throw DaybookError.data("cannot-keep", message, hint: format == .xml ? "write 'format: binary'" : nil)
    }
}

extension OriginalValue {
    /// The value as a property list. Refuses what Foundation cannot write, or not as it is.
    func data(
        _ format: PropertyListSerialization.PropertyListFormat,
        as name: String = "a property list"
    ) throws(DaybookError) -> Data {
        if let twice = composedTwice(at: "") {
            let message =
                "'\(twice)' stands twice, with its characters composed in two ways, which Foundation cannot write"
            let hint = "rename one of the two in the app, or write a JSON dump"
            throw DaybookError.data("cannot-keep", message, hint: hint)
        }
        if format == .xml, let unfit = unfitForXML(at: "") {
            let message = "'\(unfit.path)' is \(unfit.reason), which an XML property list cannot hold"
            throw DaybookError.data("cannot-keep", message, hint: "write 'format: binary'")
        }
        do { return try PropertyListSerialization.data(fromPropertyList: foundation, format: format, options: 0) } catch
        {
            throw DaybookError.data("cannot-keep", "Foundation does not write these values as \(name)")
        }
    }
}

/// Collects the rows as one JSON array, or the one row as an object, and puts it in its place in the file.
///
/// A property list is built as a whole, so its contents are in memory several times; hence the limit.
public struct DefaultsWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let stage: ExportUserDefaults
    private let file: DefaultsFile
    private var editor: PlaceEditor
    private let rows = Bytes()
    private var proof = ModelProof()
    private let brackets: RowBrackets
    /// The keys written so far; nil where rows have none.
    private var distinct: DistinctKeys?

    private var place: SourcePlace? { stage.into?.place ?? stage.output.place }

    init(_ stage: ExportUserDefaults, in context: SinkContext) throws(DaybookError) {
        self.stage = stage
        brackets = RowBrackets(stage.encoding.keys)
        distinct = stage.encoding.keys.map { DistinctKeys($0) }
        let name = stage.into?.text ?? ""
        if let shared = context.shared as? DefaultsWriter {
            file = shared.file
        } else {
            do throws(DaybookError) { file = try DefaultsFile(stage, context.base) } catch {
                throw error.located(at: stage.into?.place)
            }
        }
        editor = PlaceEditor(
            stage: stage,
            name: name.isEmpty ? stage.output.text : name,
            // What the run itself has made lacks what is to come.
            adds: stage.isNew || file.value(of: stage.key) == nil,
            content: stage.content ?? (file.isNative(stage.key) ? .native : nil),
            shape: try stage.shape(of: context.schema),
            renamed: try stage.renamed(in: context.schema),
            areBare: context.schema.fields.contains { $0.bare != nil }
        )
        try file.open(for: stage)
        guard !stage.areKeys else { return }
        do throws(DaybookError) {
            // What cannot be replaced is told before a row is read.
            _ = try edited(with: Bytes(stage.layout == .array ? "[]" : "{}"))
        } catch { throw error.located(at: stage.into?.place) }
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        if !stage.isOneRow { rows.append(brackets.opening) }
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        proof.add(piece)
        guard piece.rows > 0 else { return }
        guard rows.count + piece.bytes.count < DefaultsBase.limit else {
            let message =
                "the rows \(stage.areKeys ? "" : "under '\(stage.key)' ")come to more than \(DefaultsBase.limit >> 20) MiB, and user defaults are made in memory"
            throw DaybookError.data("too-large", message).located(at: place)
        }
        try distinct?.add(piece)
        if stage.isOneRow, writtenRows + piece.rows > 1 { throw notOneRow("more than one") }
        if writtenRows > 0 { rows.append(UInt8(ascii: ",")) }
        rows.append(piece.bytes)
        writtenRows += piece.rows
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try proof.check(stage.output)
        if !stage.isOneRow { rows.append(brackets.closing) }
        editor.model = stage.encoding.model
        if stage.isOneRow, writtenRows == 0 { throw notOneRow("none") }
        do throws(DaybookError) {
            if stage.areKeys {
                file.put(try KeyRows.file(of: rows, file.format, name: stage.output.text))
            } else {
                try file.put(try edited(with: rows), under: stage.key)
            }
            try file.finish(out)
        } catch { throw error.located(at: place) }
    }

    /// The value of the key with rows in their place, and with what the job sets.
    private func edited(with rows: Bytes) throws(DaybookError) -> PlaceEditor.Old {
        var records = PlaceEditor.Edit(pointer: stage.records, json: rows, layout: stage.layout)
        records.areKeyed = stage.encoding.keys != nil
        let edits = [records] + stage.set
        guard var value = file.value(of: stage.key) else {
            let text = try editor.fresh(edits)
            return file.format == .json ? .dumped(try editor.dumped(text)) : .original(try editor.original(text))
        }
        for edit in edits { value = try editor.edited(value, edit) }
        return value
    }

    private func notOneRow(_ found: String) -> DaybookError {
        DaybookError.data("not-one-row", "'layout: object' writes one row, and there is \(found)")
            .located(at: stage.layoutPlace)
    }
}

extension Bytes {
    convenience init(_ content: Data) {
        self.init(capacity: content.count)
        append(contentsOf: content)
    }

    // Copied instead of using its span: `Data` stores a few bytes inline, and an optimised build may have moved the
    // value before they are read.
    package func append(contentsOf content: Data) { append([UInt8](content)) }
}
