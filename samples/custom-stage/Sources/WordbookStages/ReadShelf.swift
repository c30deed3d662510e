import DaybookContracts
import Foundation

/// Reads the lines of a shelf: a source whose rows come from a service.
public struct ReadShelf: ServiceSource {
    public let address: PathText
    let word: ColumnName
    public private(set) var intake = FileIntake()

    public init(reading options: inout OptionReader) {
        address = options.read("shelf", help: "The directory of the shelf, from where the command is started.")
        word = options.read("word", default: ColumnName("word"), help: "Column for the lines.")
        intake.isNewOnly = options.read(
            "new_only",
            default: false,
            help: "Whether a shelf is read only where it has more files than before."
        )
    }

    public static let description = StageDescription(
        name: "read_shelf",
        summary: "Read the lines of a shelf.",
        examples: [
            StageExample(
                "every line of every file, in the order of their names",
                options: "shelf: words\nword: text\nnew_only: true",
                input: "apple\npear",
                output: "text:text\napple\npear"
            ),
            StageExample(
                "a shelf has to be named",
                options: "word: text",
                input: "",
                refused: "the option 'shelf' is missing"
            ),
        ]
    )

    public var declaredSchema: Schema { Schema([Field(word.text, .text)]) }

    public func open(_ context: any ServiceContext) throws(DaybookError) -> any OpenedService {
        OpenShelf(schema: declaredSchema, files: try Shelf.files(of: address.text), source: context.source)
    }
}

/// The shelf as it was when it was opened. Files are only ever added, so their number tells the state.
private struct OpenShelf: OpenedService {
    let schema: Schema
    let files: [URL]
    let source: SourceName

    var version: InputVersion { InputVersion(.snapshot, "\(files.count)") }

    func rows(_ schema: Schema) -> any StoreRows { ShelfRows(files, schema, source) }
}

private final class ShelfRows: StoreRows, @unchecked Sendable {
    let schema: Schema
    private let files: [URL]
    private let source: SourceName
    /// Touched by the one thread that draws.
    private var next = 0
    private var drawn: Int64 = 0

    init(_ files: [URL], _ schema: Schema, _ source: SourceName) {
        (self.files, self.schema, self.source) = (files, schema, source)
    }

    var share: Double { Double(next) / Double(max(1, files.count)) }

    /// One file is one batch.
    func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch? {
        guard next < files.count else { return nil }
        let lines: ArraySlice<Substring>
        do {
            lines = try String(contentsOf: files[next], encoding: .utf8).split(
                separator: "\n",
                omittingEmptySubsequences: false
            ).dropLast()
        } catch {
            throw .machine("no-shelf", "cannot read '\(files[next].lastPathComponent)' of the shelf")
        }
        next += 1
        findings.saw(records: lines.count)
        let rows = (0..<lines.count).map { StoreRow(drawn + Int64($0) + 1, at: $0) }
        drawn += Int64(lines.count)
        // No later stage may need the column.
        let columns = schema.fields.map { _ in Column.text(TextColumn(lines.map(String.init), at: 0..<lines.count)) }
        return Batch(schema, columns, count: lines.count, provenance: .store(source, rows: rows))
    }

    func pointer(to field: String?, row: Int64) -> String { "/\(row)" }
    func record(again row: Int64) -> StoredRecord? { nil }
}
