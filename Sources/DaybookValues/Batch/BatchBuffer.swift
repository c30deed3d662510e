/// Batches in order: in memory up to a limit, beyond it on disk.
public struct BatchBuffer: Sendable {
    private enum Place {
        case memory(Batch)
        /// Its number in the file.
        case file(Int)
    }

    /// About how many bytes of rows stay in memory before they go to disk.
    private let memoryLimit: Int
    private var places: [Place] = []
    private var file: BatchFile?
    private var footprint = 0
    public private(set) var rowCount = 0

    public init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

    /// Batches in memory, which never spill.
    public init(inMemory batches: [Batch]) {
        memoryLimit = .max
        places = batches.map { .memory($0) }
        rowCount = batches.reduce(0) { $0 + $1.count }
    }

    /// How many batches there are.
    public var count: Int { places.count }

    /// Adds rows that are self-contained, without a reference to their morsel.
    public mutating func append(_ batch: Batch, _ scratch: any Scratch) throws(DaybookError) {
        places.append(.memory(batch))
        rowCount += batch.count
        footprint += batch.footprint
        if footprint > memoryLimit { try spill(to: scratch) }
    }

    /// All batches; nil where some are on disk.
    public var inMemory: [Batch]? {
        guard file == nil else { return nil }
        return places.compactMap { if case .memory(let batch) = $0 { batch } else { nil } }
    }

    public func batch(_ index: Int) throws(DaybookError) -> Batch {
        switch places[index] {
        case .memory(let batch): return batch
        case .file(let number):
            guard let file else { preconditionFailure("a batch is in a file that is not there") }
            return try file.batch(number)
        }
    }

    /// Calls `body` with every batch in order.
    public func forEachBatch(_ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        for index in 0..<count { try body(try batch(index)) }
    }

    /// Moves the rows in memory to disk.
    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        if file == nil { file = BatchFile(file: try scratch.makeFile()) }
        guard var file else { return }
        for (index, place) in places.enumerated() {
            guard case .memory(let batch) = place else { continue }
            places[index] = .file(file.places.count)
            try file.append(batch)
        }
        self.file = file
        footprint = 0
    }
}

/// Batches in a scratch file, each to be read again by its number.
public struct BatchFile: Sendable {
    public let file: any ScratchFile
    /// The byte range of each batch.
    public private(set) var places: [Range<Int>] = []

    public init(file: any ScratchFile) { self.file = file }

    public mutating func append(_ batch: Batch) throws(DaybookError) {
        let bytes = Bytes(capacity: batch.footprint)
        batch.write(to: bytes)
        // A copy may have appended rows after these.
        let start = file.length
        try file.append(bytes)
        withExtendedLifetime(bytes) {}
        places.append(start..<start + bytes.count)
    }

    public func batch(_ index: Int) throws(DaybookError) -> Batch {
        let place = places[index]
        let bytes = Bytes(capacity: place.count)
        try file.read(place.count, at: place.lowerBound, into: bytes)
        var reader = ByteReader(bytes.filled)
        defer { withExtendedLifetime(bytes) {} }
        return try Batch(reading: &reader)
    }
}

/// Batches as bytes: for scratch files and for partials that travel. Not a file format; the bytes are in this machine's
/// order and change with the version.
extension Batch: BinaryForm {
    /// Writes the batch column by column, text packed together and origins without their morsel.
    public func write(to bytes: Bytes) {
        bytes.append(raw: UInt32(count))
        bytes.append(raw: UInt32(schema.fields.count))
        for (field, column) in zip(schema.fields, columns) {
            bytes.append(counted: field.name)
            bytes.append(flag: field.source == nil)
            bytes.append(counted: field.source ?? "")
            bytes.append(raw: UInt32(field.keys?.count ?? 0))
            for key in field.keys ?? [] { bytes.append(counted: key) }
            bytes.append(raw: UInt32(field.inside.count))
            for step in field.inside { step.write(to: bytes) }
            field.writeOrigin(to: bytes)
            column.write(to: bytes)
        }
        switch provenance.gathered() {
        case .gathered(let provenance):
            bytes.append(flag: true)
            bytes.append(array: provenance)
        case .made, .morsel, .store: bytes.append(flag: false)
        }
    }

    /// Reads a batch that `write(to:)` has written.
    public init(reading reader: inout ByteReader) throws(DaybookError) {
        let count = Int(try reader.raw(UInt32.self))
        var fields: [Field] = []
        var columns: [Column] = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let name = try reader.text()
            let isComputed = try reader.flag()
            let source = try reader.text()
            var keys: [String] = []
            for _ in 0..<(try reader.raw(UInt32.self)) { keys.append(try reader.text()) }
            var inside: [InnerStep] = []
            for _ in 0..<(try reader.raw(UInt32.self)) { inside.append(try InnerStep(reading: &reader)) }
            var field = Field(name, .text, source: isComputed ? nil : source, keys: keys.isEmpty ? nil : keys)
            field.inside = inside
            try field.readOrigin(&reader)
            let column = try Column(reading: &reader, count: count)
            field.kind = column.kind
            fields.append(field)
            columns.append(column)
        }
        var provenance = Provenance.made
        if try reader.flag() {
            let rows = try reader.array(RowOrigin.self)
            guard rows.count == count else { throw ByteReader.damaged }
            provenance = .gathered(rows)
        }
        self.init(Schema(fields), columns, count: count, provenance: provenance)
    }
}

extension Column {
    private static let codes = ColumnKind.allCases

    fileprivate func write(to bytes: Bytes) {
        // The kind stands in the list of kinds, for it is its own case.
        bytes.append(raw: UInt8(Column.codes.firstIndex(of: kind)!))
        bytes.append(array: missing?.words ?? [])
        switch self {
        case .text(let column), .json(let column):
            let views = TextColumn.emptyingGaps(column.views, column.missing)
            bytes.append(array: views.map(\.length))
            let start = bytes.reserve(views.reduce(0) { $0 + Int($1.length) })
            var end = start
            for view in views {
                end.update(from: column.bytes.base + Int(view.offset), count: Int(view.length))
                end += Int(view.length)
            }
            bytes.count += end - start
        case .integers(let values), .instants(let values): bytes.append(array: values.elements)
        case .decimals(let values): bytes.append(array: values.elements)
        case .flags(let values): bytes.append(array: values.elements.map { UInt8($0 ? 1 : 0) })
        case .days(let values): bytes.append(array: values.elements)
        }
    }

    fileprivate init(reading reader: inout ByteReader, count: Int) throws(DaybookError) {
        let code = Int(try reader.raw(UInt8.self))
        guard code < Column.codes.count else { throw ByteReader.damaged }
        let missing = try Mask(reading: &reader, count: count)
        switch Column.codes[code] {
        case .text: self = .text(try TextColumn(reading: &reader, missing))
        case .json: self = .json(try TextColumn(reading: &reader, missing))
        case .integer: self = .integers(Values(try reader.array(), missing: missing))
        case .instant: self = .instants(Values(try reader.array(), missing: missing))
        case .decimal: self = .decimals(Values(try reader.array(), missing: missing))
        case .flag: self = .flags(Values(try reader.array(UInt8.self).map { $0 != 0 }, missing: missing))
        case .day: self = .days(Values(try reader.array(), missing: missing))
        }
        guard self.count == count else { throw ByteReader.damaged }
    }
}

extension Mask {
    /// Nil stands for a column without gaps.
    fileprivate init?(reading reader: inout ByteReader, count: Int) throws(DaybookError) {
        let words = try reader.array(UInt64.self)
        if words.isEmpty { return nil }
        guard words.count == (count + 63) / 64 else { throw ByteReader.damaged }
        self.init(words: words, count: count)
    }
}

extension TextColumn {
    fileprivate init(reading reader: inout ByteReader, _ missing: Mask?) throws(DaybookError) {
        let lengths = try reader.array(UInt32.self)
        var end = 0
        let views = lengths.map { length in
            defer { end += Int(length) }
            return TextView(offset: end, length: Int(length))
        }
        self.init(Bytes(try reader.take(end)), views: views, missing: missing)
    }
}
