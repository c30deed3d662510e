import DaybookContracts

/// A promise that a stage breaks.
protocol Fault: Sendable {}

enum Sound: Fault {}
enum WrongValue: Fault {}
enum CountsRows: Fault {}
enum LooksUnderGaps: Fault {}
enum LosesColumns: Fault {}
enum ForgetsNeed: Fault {}
enum TakesFirstColumn: Fault {}
enum LosesProvenance: Fault {}
enum DropsUnnamed: Fault {}
enum PromisesOther: Fault {}
enum WarnsOutside: Fault {}
enum WritesOver: Fault {}
enum LosesInBytes: Fault {}
enum LeansLeft: Fault {}
enum Miscounts: Fault {}

/// Writes twice the number of column `number` to column `twice`.
struct DoubleNumbers<Broken: Fault>: TransformStage {
    private let number = ColumnName("number")
    private let twice = ColumnName("twice")

    init(reading options: inout OptionReader) {}

    static var description: StageDescription {
        StageDescription(
            name: "double_numbers",
            summary: "Double numbers.",
            examples: [
                StageExample(
                    "numbers are doubled",
                    input: "number:integer\n4\n\n-1",
                    output: "number:integer,twice:integer\n4,8\n,\n-1,-2"
                )
            ]
        )
    }

    private func `is`(_ fault: any Fault.Type) -> Bool { Broken.self == fault }

    func schema(after input: Schema) throws(DaybookError) -> Schema {
        let checked = try input.requiring(number, .integer)
        if self.is(WritesOver.self) { return checked.addingOrReplacing(twice, .integer) }
        return try checked.adding(twice, self.is(PromisesOther.self) ? .text : .integer)
    }

    func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making([twice], from: self.is(ForgetsNeed.self) ? [] : [number])
    }

    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        if self.is(ForgetsNeed.self), batch.schema[number] == nil { return batch }
        var source = batch.integers(in: number)
        if self.is(TakesFirstColumn.self), case .integers(let first) = batch.columns[0] { source = first }
        let odd: Int64 = self.is(WrongValue.self) || self.is(CountsRows.self) && batch.count == 2 ? 1 : 0
        let doubled = source.mapValues { $0 &* 2 &+ odd }
        if self.is(LooksUnderGaps.self), source.elements.contains(.max) {
            findings.reject(0, findings.token(Finding.Kind("too-big", "too big")))
        }
        if self.is(WarnsOutside.self) { findings.warn(batch.count, findings.token(Finding.Kind("odd", "odd"))) }
        var result = batch.setting(twice, to: .integers(doubled))
        if self.is(LosesColumns.self) {
            let schema = Schema([Field("number", .integer), Field("twice", .integer)])
            result = batch.replacing(schema, [batch.column(number), .integers(doubled)])
        }
        if self.is(LosesProvenance.self) { result.provenance = .made }
        if self.is(DropsUnnamed.self), batch.count > 0 { return result.keeping([0]) }
        return result
    }
}

/// Adds up column `number`.
struct AddNumbers<Broken: Fault>: FoldStage {
    struct Partial: FoldPartial, BinaryForm {
        var foldedRows: Int
        var sum: Int64

        init(rows: Int, sum: Int64) { (foldedRows, self.sum) = (rows, sum) }

        func write(to bytes: Bytes) {
            bytes.append(raw: Int64(foldedRows))
            bytes.append(raw: Broken.self == LosesInBytes.self ? 0 : sum)
        }

        init(reading reader: inout ByteReader) throws(DaybookError) {
            foldedRows = Int(try reader.raw(Int64.self))
            sum = try reader.raw()
        }
    }

    private let number = ColumnName("number")

    init(reading options: inout OptionReader) {}

    static var description: StageDescription {
        StageDescription(
            name: "add_numbers",
            summary: "Add numbers.",
            examples: [
                StageExample("numbers are added", input: "number:integer\n4\n\n-1\n7", output: "sum:integer\n10")
            ]
        )
    }

    func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(number, .integer)
        return Schema([Field("sum", .integer)])
    }

    func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet(number) }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Partial {
        let values = batch.integers(in: number)
        var sum = (0..<values.count).reduce(Int64(0)) { $0 + (values[$1] ?? 0) }
        if Broken.self == CountsRows.self, batch.count == 2 { sum += 1 }
        return Partial(rows: Broken.self == Miscounts.self ? 1 : batch.count, sum: sum)
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) {
        // Right only when the later one is a single row: ((a + b) + c), never a + (b + c).
        let isLeft = Broken.self != LeansLeft.self || later.foldedRows <= 1
        if Broken.self != Miscounts.self { earlier.foldedRows += later.foldedRows }
        earlier.sum += isLeft ? later.sum : 0
    }

    func finish(_ partial: Partial?, _ output: FoldOutput) throws(DaybookError) {
        let sum = Column.integers(Values([partial?.sum ?? 0]))
        try output.emit(Batch(output.schema, [sum], count: 1, provenance: .made))
    }
}
