import DaybookTestSupport

@testable import DaybookContracts
@testable import DaybookJSON

/// Reads bytes with `import_json` as the engine does, and remembers all that came of it.
struct JSONTrial {
    struct Reject: Equatable, CustomStringConvertible {
        /// From 0, counted in the whole input.
        var record: Int
        /// The byte of the input that is to blame.
        var at: Int
        var code: String
        var description: String { "\(record) \(code) at \(at)" }
    }

    /// The cells of each row, joined by `|`, with `∅` for a missing one.
    var rows: [String] = []
    var rejects: [Reject] = []
    var warnings: [Reject] = []
    var skipped = 0
    var seen = 0
    var lines = 0
    /// How many morsels it came in.
    var cuts = 0
    var schema = Schema()
    /// How the document was refused.
    var error: DaybookError?

    /// - Parameters:
    ///   - options: as in a job; `path` is added.
    ///   - window: how many bytes the cutter is shown at first; it is shown more while it finds no end of a record.
    ///   - head: how many bytes the stage may learn from.
    ///   - wanted: the columns to read.
    init(
        _ input: [UInt8],
        options: String = "",
        window: Int = 1 << 20,
        head: Int = .max,
        wanted: ColumnSet = .all
    ) {
        do {
            try read(input, options, window, head, wanted)
        } catch let error as DaybookError {
            self.error = error
        } catch {
            preconditionFailure("\(error)")
        }
    }

    init(_ input: String, options: String = "", window: Int = 1 << 20, head: Int = .max, wanted: ColumnSet = .all) {
        self.init(Array(input.utf8), options: options, window: window, head: head, wanted: wanted)
    }

    private mutating func read(
        _ input: [UInt8],
        _ options: String,
        _ window: Int,
        _ head: Int,
        _ wanted: ColumnSet
    ) throws {
        let stage = try ExampleRunner.make(ImportJSON.self, "path: input.json\n" + options)
        let source = SourceName(index: 0, path: "input.json")
        let first = input.prefix(head)
        let format = try stage.format(
            of: SourceHead(source: source, bytes: Self.copy(first), isWhole: first.count == input.count)
        )
        schema = try stage.schema(of: [format]).selecting(wanted)
        let reader = stage.reader(of: format, schema: schema)
        var cutter = format.makeCutter()
        var start = format.dataStart
        var size = window
        var records = 0
        while start < input.count {
            let end = min(start + size, input.count)
            let part = input[start..<end]
            let cut = try part.withUnsafeBufferPointer { bytes throws(DaybookError) in
                try cutter.cut(bytes, isLast: end == input.count)
            }
            if cut.length == 0, end < input.count {
                size += window
                continue
            }
            let morsel = Morsel(
                source: source,
                bytes: Self.copy(part.prefix(cut.length)),
                offset: start,
                firstLine: 1 + lines,
                firstRecord: cut.records > 0 ? records : 0
            )
            records += take(reader, morsel, before: records)
            start += cut.length
            lines += cut.lines
            cuts += 1
            size = window
        }
    }

    private mutating func take(_ reader: any RecordReader, _ morsel: Morsel, before: Int) -> Int {
        var findings = Findings()
        let batch = reader.read(morsel, reporting: &findings)
        func reject(_ finding: Findings.Record) -> Reject {
            Reject(
                record: before + Int(finding.record),
                at: morsel.offset + Int(finding.at),
                code: findings.subjects[findings.index(of: finding.token)].kind.code
            )
        }
        rejects += findings.rejectedRecords.map(reject)
        warnings += findings.warnedRecords.map(reject)
        skipped += findings.skipped.reduce(0) { $0 + $1.count }
        seen += findings.recordsSeen
        precondition(
            findings.recordsSeen == batch.count + findings.rejectedRecords.count,
            "the ledger does not balance"
        )
        for row in 0..<batch.count {
            rows.append(batch.columns.map { $0.displayText(row) ?? "∅" }.joined(separator: "|"))
        }
        return findings.recordsSeen
    }

    /// A buffer with quotes and digits behind its end, so that reading past it shows.
    private static func copy(_ part: ArraySlice<UInt8>) -> Bytes {
        let bytes = Bytes(capacity: part.count)
        part.withUnsafeBufferPointer { bytes.append($0) }
        for place in bytes.count..<bytes.capacity + Bytes.slack {
            bytes.mutableBase[place] = UInt8(ascii: place % 2 == 0 ? "7" : "\"")
        }
        return bytes
    }
}
