import DaybookJSON
import Foundation

/// Collects the rows as one JSON array, or the one row as an object, and puts it in its place in the file.
///
/// A property list is built as a whole, so its contents are in memory several times; hence the limit.
public struct DefaultsWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let stage: ExportUserDefaults
    private let file: DefaultsFile
    private let editor: PlaceEditor
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
            key: stage.key,
            name: name.isEmpty ? stage.output.text : name,
            // What the run itself has made lacks what is to come.
            adds: stage.isNew || file.value(of: stage.key) == nil,
            replaced: stage.replaced,
            content: stage.content ?? (file.isNative(stage.key) ? .native : nil),
            records: stage.records,
            shape: try stage.shape(of: context.schema),
            isStrict: stage.encoding.fields == nil,
            dates: stage.encoding.dates
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
    // Copied instead of using its span: `Data` stores a few bytes inline, and an optimised build may have moved the
    // value before they are read.
    package func append(contentsOf content: Data) { append([UInt8](content)) }
}
