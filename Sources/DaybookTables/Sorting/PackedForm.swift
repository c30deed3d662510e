/// The packed form of rows to sort, each in one piece, so that sorting and spilling move whole rows.
///
/// ```
/// row      length of the rest, length of the key (LEB128), key, rest
/// key      the columns to sort by, as `SortKeyTable` writes them
/// rest     the other columns, each 0 when missing, and the origin of the row
/// text     its length + 1 (LEB128), then its bytes
/// decimal  1, then its 64 bits; the rest repeats decimals of a key too, for -0 and 0 have one key
/// others   as in a key
/// origin   0 when a stage made the row; else source, length, offset, record and line (LEB128)
/// number   instead of the origin, if rows are numbered: 8 bytes; such rows do not need their keys: the rest omits them
/// ```
package struct PackedForm: Sendable {
    private struct KeyPart {
        var column: Int
        var key: SortKey
    }

    private let schema: Schema
    private let keys: [KeyPart]
    /// The columns outside the key.
    private let rest: [Int]
    private let areNumbered: Bool

    package init(_ schema: Schema, by keys: [SortKey], areNumbered: Bool = false) {
        self.schema = schema
        self.areNumbered = areNumbered
        self.keys = keys.compactMap { key in schema.index(of: key.column).map { KeyPart(column: $0, key: key) } }
        let alone = self.keys.map(\.column).filter { areNumbered || schema.fields[$0].kind != .decimal }
        rest = schema.fields.indices.filter { !alone.contains($0) }
    }

    // MARK: - Packing

    /// The rows of a batch in order.
    package func sorted(_ batch: Batch) -> PackedRun {
        let table = SortKeyTable(batch, by: keys.map(\.key))
        let provenance: [RowOrigin] =
            if !areNumbered, case .gathered(let rows) = batch.provenance.gathered() { rows } else { [] }
        var places = [UInt32](repeating: 0, count: batch.count)
        places.withUnsafeMutableBufferPointer { lengths in
            var pass = LengthPass(lengths: lengths, areKeys: false)
            for column in rest { pass.visit(batch.columns[column], flip: 0, gap: 0) }
            for row in 0..<batch.count {
                lengths[row] += areNumbered ? 8 : provenance.isEmpty ? 1 : PackedOrigin.length(provenance[row])
            }
        }
        var length = 0
        for row in 0..<batch.count {
            let key = table.withKey(row) { $0.count }
            let rest = Int(places[row])
            length += LEB128.length(of: UInt64(rest)) + LEB128.length(of: UInt64(key)) + key + rest
        }
        let bytes = Bytes(capacity: length)
        bytes.count = length
        var marks = RunMarks()
        places.withUnsafeMutableBufferPointer { places in
            var end = bytes.mutableBase
            for row in table.sortedRows() {
                let row = Int(row)
                let start = end
                table.withKey(row) { key in
                    LEB128.put(UInt64(places[row]), &end)
                    LEB128.put(UInt64(key.count), &end)
                    end.update(from: key.baseAddress.unsafelyUnwrapped, count: key.count)
                    end += key.count
                    marks.note(key, at: start - bytes.mutableBase, every: RunMarks.stepInMemory)
                }
                let rest = Int(places[row])
                places[row] = UInt32(end - bytes.mutableBase)
                end += rest
            }
            var pass = WritePass(cursors: places, target: bytes.mutableBase, areKeys: false)
            for column in rest { pass.visit(batch.columns[column], flip: 0, gap: 0) }
            for row in 0..<batch.count {
                var end = bytes.mutableBase + Int(places[row])
                if areNumbered {
                    UnsafeMutableRawPointer(end).storeBytes(of: Int64(row), as: Int64.self)
                } else if provenance.isEmpty {
                    end.pointee = 0
                } else {
                    PackedOrigin.put(provenance[row], &end)
                }
            }
        }
        return PackedRun(.memory(bytes), length: length, marks, raise: areNumbered ? 0 : nil)
    }

    // MARK: - Unpacking

    /// The rows as a batch, whose text stays in place.
    ///
    /// - Parameter rows: rows without another owner; each key is decoded to its text in place.
    package func batch(_ rows: PackedRows) -> Batch {
        var columns = schema.fields.map { Column.empty($0.kind) }
        var cursor = PackedCursor(rows.bytes, rows.order.map { rows.keys[Int($0)].start })
        for part in keys {
            let kind = schema.fields[part.column].kind
            columns[part.column] = cursor.take(kind, isKey: true, flip: part.key.flip, gap: part.key.gap)
        }
        for column in rest { columns[column] = cursor.take(schema.fields[column].kind) }
        return Batch(schema, columns, count: rows.order.count, provenance: cursor.takeProvenance())
    }

    /// The kinds of the columns outside the key.
    var restKinds: [ColumnKind] { rest.map { schema.fields[$0].kind } }

    /// The columns outside the key, of numbered rows. Their text stays in place.
    package func rest(of rows: PackedRows) -> [Column] {
        var cursor = PackedCursor(rows.bytes, rows.order.map { rows.keys[Int($0)].end })
        return rest.map { cursor.take(schema.fields[$0].kind) }
    }
}

/// Reads packed rows column by column.
private struct PackedCursor {
    private let bytes: Bytes
    /// The position of the next column in each row.
    private var places: [UInt32]

    init(_ bytes: Bytes, _ places: [UInt32]) { (self.bytes, self.places) = (bytes, places) }

    mutating func take(_ kind: ColumnKind, isKey: Bool = false, flip: UInt8 = 0, gap: UInt8 = 0) -> Column {
        switch kind {
        case .text: .text(text(isKey, flip, gap))
        case .json: .json(text(isKey, flip, gap))
        case .integer: .integers(values(gap, 0) { WholeKey.read($0, flip) })
        case .instant: .instants(values(gap, 0) { WholeKey.read($0, flip) })
        case .day:
            .days(
                values(gap, 0) { start in
                    let (value, length) = WholeKey.read(start, flip)
                    return (Int32(truncatingIfNeeded: value), length)
                }
            )
        case .flag: .flags(values(gap, false) { ($0.pointee ^ flip == 0x41, 1) })
        case .decimal:
            .decimals(
                values(gap, 0) { start in
                    // For a key only the length counts: 2 means NaN alone.
                    if isKey, start.pointee == 2 { return (0, 1) }
                    let bits = UnsafeRawPointer(start + 1).loadUnaligned(as: UInt64.self).bigEndian
                    return (Double(bitPattern: bits), 9)
                }
            )
        }
    }

    @inline(__always)
    private mutating func values<Element>(
        _ gap: UInt8,
        _ filler: Element,
        _ read: (UnsafePointer<UInt8>) -> (value: Element, length: Int)
    ) -> Values<Element> {
        let base = bytes.base
        let count = places.count
        var missing: Mask?
        let elements = places.withUnsafeMutableBufferPointer { places in
            [Element](unsafeUninitializedCapacity: count) { new, filled in
                for row in 0..<count {
                    let start = base + Int(places[row])
                    if start.pointee == gap {
                        missing.insert(row, of: count)
                        new.initializeElement(at: row, to: filler)
                        places[row] &+= 1
                    } else {
                        let (value, length) = read(start)
                        new.initializeElement(at: row, to: value)
                        places[row] &+= UInt32(truncatingIfNeeded: length)
                    }
                }
                filled = count
            }
        }
        return Values(elements, missing: missing)
    }

    private mutating func text(_ isKey: Bool, _ flip: UInt8, _ gap: UInt8) -> TextColumn {
        let base = bytes.mutableBase
        let views = values(gap, TextView(offset: 0, length: 0)) { start in
            if isKey { return Self.keyText(base, start - UnsafePointer(base), flip) }
            var next = start
            let length = Int(truncatingIfNeeded: LEB128.take(&next)) - 1
            return (TextView(offset: next - UnsafePointer(base), length: length), next - start + length)
        }
        return TextColumn(bytes, views: views.elements, missing: views.missing)
    }

    /// Text ends with two zeros, and each zero in it is followed by 0xFF; all bytes are inverted in a descending key.
    @inline(__always)
    private static func keyText(_ base: UnsafeMutablePointer<UInt8>, _ place: Int, _ flip: UInt8) -> (TextView, Int) {
        let start = base + place + 1
        var end = start
        while end.pointee != flip { end += 1 }
        if flip == 0, end[1] == 0 { return (TextView(offset: place + 1, length: end - start), end - start + 3) }
        var target = start
        end = start
        while end.pointee != flip || end[1] != flip {
            let byte = end.pointee
            target.pointee = byte ^ flip
            target += 1
            end += byte == flip ? 2 : 1
        }
        return (TextView(offset: place + 1, length: target - start), end - start + 3)
    }

    /// The origins of the rows. If a stage made even one of them, all count as made: provenance cannot say both.
    mutating func takeProvenance() -> Provenance {
        var provenance: [RowOrigin] = []
        provenance.reserveCapacity(places.count)
        defer { withExtendedLifetime(bytes) {} }
        for place in places {
            guard let origin = PackedOrigin.take(bytes.base + Int(place)) else { return .made }
            provenance.append(origin)
        }
        return .gathered(provenance)
    }
}

/// The origin of one row, in as many bytes as it needs.
enum PackedOrigin {
    /// The source with a flag for one-line records; more than 0. Lines mostly differ from records as in the row before.
    @inline(__always)
    private static func numbers(_ origin: RowOrigin) -> (UInt64, UInt64, UInt64, UInt64, UInt64) {
        let source = UInt64(UInt32(bitPattern: origin.source)) << 1 | (origin.isOneLine ? 1 : 0)
        let ahead = origin.line &- origin.record
        return (
            source + 1, UInt64(origin.length), UInt64(bitPattern: origin.offset), UInt64(bitPattern: origin.record),
            UInt64(bitPattern: ahead << 1 ^ ahead >> 63)
        )
    }

    @inline(__always)
    static func length(_ origin: RowOrigin) -> UInt32 {
        let (source, length, offset, record, ahead) = numbers(origin)
        let bytes =
            LEB128.length(of: source) + LEB128.length(of: length) + LEB128.length(of: offset)
            + LEB128.length(of: record) + LEB128.length(of: ahead)
        return UInt32(truncatingIfNeeded: bytes)
    }

    @inline(__always)
    static func put(_ origin: RowOrigin, _ end: inout UnsafeMutablePointer<UInt8>) {
        let (source, length, offset, record, ahead) = numbers(origin)
        LEB128.put(source, &end)
        LEB128.put(length, &end)
        LEB128.put(offset, &end)
        LEB128.put(record, &end)
        LEB128.put(ahead, &end)
    }

    @inline(__always)
    static func take(_ start: UnsafePointer<UInt8>) -> RowOrigin? {
        var next = start
        let source = LEB128.take(&next)
        guard source > 0 else { return nil }
        let length = Int(LEB128.take(&next))
        let offset = Int(Int64(bitPattern: LEB128.take(&next)))
        let record = Int64(bitPattern: LEB128.take(&next))
        let ahead = LEB128.take(&next)
        let line = record &+ (Int64(bitPattern: ahead >> 1) ^ -Int64(bitPattern: ahead & 1))
        var origin = RowOrigin(source: 0, offset: offset, length: length, line: Int(line), record: Int(record))
        origin.source = Int32(bitPattern: UInt32(truncatingIfNeeded: (source - 1) >> 1))
        origin.isOneLine = (source - 1) & 1 == 1
        return origin
    }
}
