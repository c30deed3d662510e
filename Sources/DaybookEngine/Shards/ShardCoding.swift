/// Coding of a stage's result and rows as bytes, for the file of a shard.
struct ShardCoding {
    let stages: [PlannedStage]
    private let header: PartialCoding.Header

    init(_ stages: [PlannedStage], plan: UInt64) {
        self.stages = stages
        header = PartialCoding.Header(plan: plan, seed: HashSeed.current)
    }

    /// All fields of a result except the partial of a fold.
    private struct Counts: Codable {
        var line: LedgerLine
        var findings: FindingSummary
        var hasUnbalancedBatch: Bool
    }

    func write(_ result: StageResult, to file: ShardFileWriter) throws(DaybookError) {
        let bytes = Bytes()
        let counts = Counts(line: result.line, findings: result.findings, hasUnbalancedBatch: result.hasUnbalancedBatch)
        try PartialCoding.write(counts, for: header, to: bytes)
        if let partial = result.partial { try PartialCoding.write(partial, for: header, to: bytes) }
        try file.append(.result, stage: result.stage, bytes)
    }

    func write(_ product: WorkResult.Product, of stage: Int, to file: ShardFileWriter) throws(DaybookError) {
        let bytes = Bytes()
        switch product {
        case .nothing: return
        case .piece(let piece, let input):
            guard let piece = piece as? any Codable else { preconditionFailure("a plan refuses pieces that stay here") }
            try PartialCoding.write(piece, for: header, to: bytes)
            try file.append(.piece, stage: stage, input: input, bytes)
        case .part(let part):
            try PartialCoding.write(part, for: header, to: bytes)
            try file.append(.part, stage: stage, bytes)
        case .held(let held):
            bytes.append(raw: UInt64(held.count))
            bytes.append(flag: held.kept != nil)
            bytes.append(array: held.kept ?? [])
            held.rows.write(to: bytes)
            try file.append(.held, stage: stage, bytes)
        case .waiting(let batch, let input):
            batch.write(to: bytes)
            try file.append(.waiting, stage: stage, input: input, bytes)
        case .side(let batch, let number):
            batch.write(to: bytes)
            try file.append(.side, stage: stage, input: number, bytes)
        }
    }

    /// Writes the numbers of records read from each source.
    func write(records counts: [Int: Int], to file: ShardFileWriter) throws(DaybookError) {
        for (source, count) in counts.sorted(by: { $0.key < $1.key }) {
            let bytes = Bytes()
            bytes.append(raw: UInt64(count))
            try file.append(.records, stage: source, bytes)
        }
    }

    /// Number of records read from a source.
    func count(_ record: ShardFile.Record) throws(DaybookError) -> Int {
        var reader = ByteReader(record.bytes.filled)
        defer { withExtendedLifetime(record.bytes) {} }
        return Int(clamping: try reader.raw(UInt64.self) & 0xFFFF_FFFF_FFFF)
    }

    /// Result of a stage for all rows.
    func result(_ record: ShardFile.Record) throws(DaybookError) -> StageResult {
        var result = StageResult(try stage(record))
        var reader = ByteReader(record.bytes.filled)
        defer { withExtendedLifetime(record.bytes) {} }
        let counts = try PartialCoding.read(Counts.self, for: header, from: &reader)
        (result.line, result.findings) = (counts.line, counts.findings)
        result.hasUnbalancedBatch = counts.hasUnbalancedBatch
        if !reader.isAtEnd {
            guard let merger = stages[record.stage].binding?.merger else { throw ByteReader.damaged }
            result.partial = try partial(of: merger, &reader)
        }
        return result
    }

    func write(_ keys: some PartialKeys, of stage: Int, pass: Int, to file: ShardFileWriter) throws(DaybookError) {
        let bytes = Bytes()
        try PartialCoding.write(keys, for: header, to: bytes)
        try file.append(.keys, stage: stage, input: pass, bytes)
    }

    func keys(_ record: ShardFile.Record) throws(DaybookError) -> any PartialKeys {
        guard record.kind == .keys, let type = try stage(record).keys else { throw ByteReader.damaged }
        var reader = ByteReader(record.bytes.filled)
        defer { withExtendedLifetime(record.bytes) {} }
        return try PartialCoding.read(type, for: header, from: &reader)
    }

    /// Result of a stage for some rows.
    func product(_ record: ShardFile.Record) throws(DaybookError) -> WorkResult.Entry {
        let stage = try stage(record)
        var entry = WorkResult.Entry(result: StageResult(stage))
        var reader = ByteReader(record.bytes.filled)
        defer { withExtendedLifetime(record.bytes) {} }
        switch record.kind {
        case .step, .rejects, .records, .result, .keys, .end: throw ByteReader.damaged
        case .piece:
            guard case .sink(let sink) = stage.operation, stage.inputs.indices.contains(record.input)
            else { throw ByteReader.damaged }
            entry.product = .piece(try piece(of: sink, &reader), input: record.input)
        case .part:
            let part = try PartialCoding.read(OutputPart.self, for: header, from: &reader)
            guard part.bytes >= 0, part.rows >= 0 else { throw ByteReader.damaged }
            entry.product = .part(part)
        case .held:
            let count = Int(clamping: try reader.raw(UInt64.self))
            let isPart = try reader.flag()
            let kept = try reader.array(Int32.self)
            let rows = try Batch(reading: &reader)
            guard count >= rows.count, !isPart || kept.count == rows.count else { throw ByteReader.damaged }
            entry.product = .held(WorkResult.Held(rows: rows, count: count, kept: isPart ? kept : nil))
        case .waiting: entry.product = .waiting(try Batch(reading: &reader), input: record.input)
        case .side: entry.product = .side(try Batch(reading: &reader), number: record.input)
        }
        return entry
    }

    private func stage(_ record: ShardFile.Record) throws(DaybookError) -> PlannedStage {
        guard stages.indices.contains(record.stage) else { throw ByteReader.damaged }
        return stages[record.stage]
    }

    private func partial<Merger: ResultMerger>(
        of merger: Merger,
        _ reader: inout ByteReader
    ) throws(DaybookError) -> any PartialResult {
        try PartialCoding.read(Merger.Partial.self, for: header, from: &reader)
    }

    private func piece<Sink: SinkOperator>(
        of sink: Sink,
        _ reader: inout ByteReader
    ) throws(DaybookError) -> any Sendable {
        guard let type = Sink.Piece.self as? any Decodable.Type,
            let piece = try PartialCoding.read(type, for: header, from: &reader) as? Sink.Piece
        else { throw ByteReader.damaged }
        return piece
    }
}
