import DaybookContracts

/// Invented rows, half of them from the cells of an example and half of them at the edges of what a column can hold.
public enum RandomRows {
    /// Rows with the columns of `example`.
    public static func batch(like example: Batch, count: Int, _ random: inout SeededGenerator) throws -> Batch {
        var lines = [BatchText.write(example.keeping([]))]
        for _ in 0..<count {
            let cells = example.columns.map { cell(like: $0, &random) }
            lines.append(cells.joined(separator: ","))
        }
        return try BatchText.read(lines.joined(separator: "\n"))
    }

    /// A cell as `BatchText` writes it; empty for a missing one.
    private static func cell(like column: Column, _ random: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return ""
        case 2...5 where column.count > 0:
            return column.displayText(Int.random(in: 0..<column.count, using: &random)).map(BatchText.cell) ?? ""
        default: return BatchText.cell(value(column.kind, &random))
        }
    }

    private static func value(_ kind: ColumnKind, _ random: inout SeededGenerator) -> String {
        switch kind {
        case .text: text(&random)
        case .json: ["{}", "[1, \"a\"]", "\"text\"", "-0.5e-7", "true"].randomElement(using: &random)!
        case .integer:
            [0, 1, -1, 255, -256, .max, .min, Int64.random(in: -99_999...99_999, using: &random)]
                .randomElement(using: &random)!.description
        case .decimal:
            [0, -0.0, 0.1, -1e300, .leastNonzeroMagnitude, .infinity, Double.random(in: -9...9, using: &random)]
                .randomElement(using: &random)!.description
        case .flag: Bool.random(using: &random) ? "true" : "false"
        // A few years only: a stage may fill the time between two days, and then gives a row for each month of it.
        case .day: CalendarDay(number: Int32.random(in: 19_000...21_000, using: &random)).description
        case .instant:
            CalendarDay(number: Int32.random(in: -1_000...1_000, using: &random)).description + "T23:59:59.999999Z"
        }
    }

    private static let scalars = Array("aAfF09# ,;\"\n\r\t\u{1}\u{FEFF}\u{FFFD}é가힣😀=+-@".unicodeScalars)

    /// Texts that mean something else in some form in which values are kept.
    package static let reservedWords = [
        "$null", "$class", "$objects", "CF$UID", "NaN", "nan", "null", "nil", "true", "-0", "\\N", "",
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        if Int.random(in: 0..<12, using: &random) == 0 { return reservedWords.randomElement(using: &random)! }
        let length = Int.random(in: 0..<12, using: &random)
        var result = ""
        for _ in 0..<length { result.unicodeScalars.append(scalars.randomElement(using: &random)!) }
        return result
    }

    /// Other bytes than those of an example: some changed, some put in, some taken out.
    static func bytes(like example: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let spice = Array("\",\n\r#\\{}[]:;\t ".utf8) + [0, 0xFF, 0xEA, 0xB0]
        var bytes = example
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where place < bytes.count: bytes[place] = spice.randomElement(using: &random)!
            case 1 where place < bytes.count: bytes.remove(at: place)
            default: bytes.insert(spice.randomElement(using: &random)!, at: place)
            }
        }
        return bytes
    }
}

extension ExampleRunner {
    /// Runs a stage with the options of an example on invented rows, or bytes, in all disguises. What it makes of them
    /// at once is taken to be right; what it makes of them in any other way has to be the same.
    public static func failures(
        of stage: any Stage.Type,
        withOptionsOf example: StageExample,
        rows: Int,
        _ random: inout SeededGenerator
    ) -> [ExampleFailure] {
        var log = FailureLog(stage: stage, example: example)
        guard example.refused == nil else { return [] }
        do {
            try runRandom(try make(stage, example.options), rows, &random, &log)
        } catch let error as DaybookError where error.blame == .data {
            // A stage may refuse rows as a whole, such as more of them than its output can hold.
        } catch {
            log.add("throws \(messages(of: error))", as: "random rows, \(random)")
        }
        return log.failures
    }

    private static func runRandom(
        _ stage: any Stage,
        _ count: Int,
        _ random: inout SeededGenerator,
        _ log: inout FailureLog
    ) throws {
        if let source = stage as? any TextSource {
            let bytes = RandomRows.bytes(like: Array(log.example.input.utf8), &random)
            let places = (0..<8).map { _ in Int.random(in: 0...bytes.count, using: &random) }
            return survive(source, bytes, places, &log)
        }
        if let source = stage as? any StoreSource { return try survive(source, &random, &log) }
        let rows = try RandomRows.batch(like: try BatchText.read(log.example.input), count: count, &random)
        switch stage {
        case let stage as any Transform & Stage:
            try TransformTrial(stage, rows: rows, beside: try log.example.beside.map(BatchText.read)).run(&log)
        case let stage as any Fold & Stage: try fold(stage, rows, try log.example.beside.map(BatchText.read), &log)
        case let stage as any SinkStage: try sink(stage, rows, &log)
        default: break
        }
    }

    private static func survive(_ stage: some TextSource, _ bytes: [UInt8], _ places: [Int], _ log: inout FailureLog) {
        SourceTrial.survive(bytes, cutAt: places, stage, &log)
    }
    private static func survive(
        _ stage: some StoreSource,
        _ random: inout SeededGenerator,
        _ log: inout FailureLog
    ) throws {
        let trial = StoreTrial(stage, log.example)
        var bytes = try trial.bytes()
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
        }
        try trial.survive(bytes, &log)
    }
    private static func sink(_ stage: any SinkStage, _ rows: Batch, _ log: inout FailureLog) throws {
        try SinkTrial(stage, rows: rows, base: log.example.base).run(&log)
    }

    /// Runs a stage once, with options and rows or bytes that are nobody's example. Whether they are refused is not asked: only
    /// a stage that stops the process fails.
    public static func tryOut(_ stage: any Stage.Type, _ options: String, on input: String, beside: String?) {
        let example = StageExample("is survived", options: options, input: input, beside: beside, output: "")
        var log = FailureLog(stage: stage, example: example)
        do {
            switch try make(stage, options) {
            case let stage as any TextSource: survive(stage, Array(input.utf8), [], &log)
            case let stage as any StoreSource: try store(stage, &log)
            case let stage as any Transform & Stage:
                _ = try TransformTrial(
                    stage,
                    rows: try BatchText.read(example.input),
                    beside: try example.beside.map(BatchText.read)
                )
            case let stage as any Fold & Stage:
                try fold(once: stage, try BatchText.read(example.input), try example.beside.map(BatchText.read))
            case let stage as any SinkStage: try sink(once: stage, example)
            default: break
            }
        } catch {
            // Refused.
        }
    }

    private static func store(_ stage: some StoreSource, _ log: inout FailureLog) throws {
        let trial = StoreTrial(stage, log.example)
        try trial.survive(try trial.bytes(), &log)
    }
    private static func sink(once stage: any SinkStage, _ example: StageExample) throws {
        let rows = try BatchText.read(example.input)
        _ = try SinkTrial(stage, rows: rows, base: nil)
    }
}
