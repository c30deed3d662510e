/// The place of a cell's text in its buffer. Views point to the input; they do not copy it.
public struct TextView: Sendable, BitwiseCopyable {
    public var offset: UInt32
    public var length: UInt32

    @inlinable
    public init(offset: Int, length: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.length = UInt32(truncatingIfNeeded: length)
    }
}

/// The bytes of one cell: UTF-8, valid only inside the closure that receives them.
public typealias Cell = UnsafeBufferPointer<UInt8>

extension Cell {
    @inlinable @inline(__always)
    public func hasBytes(of other: Cell) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress, count > 0 else { return true }
        return memcmp(start, otherStart, count) == 0
    }

    /// Whether the bytes come before other bytes in plain order, which in UTF-8 is by code points.
    @inlinable @inline(__always)
    public func comesBefore(_ other: Cell) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return count < other.count }
        let order = memcmp(start, otherStart, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}

extension Cell {
    /// The eight bytes from a place on, the first in the lowest byte. Bytes after the end of the cell may be anything:
    /// `Bytes` has that much slack after its own end.
    @inlinable
    @inline(__always)
    public func word(at place: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(baseAddress.unsafelyUnwrapped + place).loadUnaligned(as: UInt64.self))
    }

    /// The number that its first bytes are in this machine's order.
    @inlinable
    public func number<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type = Value.self) -> Value {
        UnsafeRawBufferPointer(self).loadUnaligned(as: Value.self)
    }

    /// The first place of a byte from `start` on; nil if there is none.
    public func place(of byte: UInt8, from start: Int = 0) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}

/// A column of text: a view a row into one shared buffer, and a mask of the gaps.
public struct TextColumn: Sendable {
    public let bytes: Bytes
    public var views: [TextView]
    public var missing: Mask?

    public init(_ bytes: Bytes, views: [TextView], missing: Mask? = nil) {
        self.bytes = bytes
        self.views = views
        self.missing = missing
    }

    /// One text per row, by its index in `texts`. Each text is stored once, and the rows point to it.
    public init(_ texts: [String], at places: some Sequence<some BinaryInteger>) {
        let bytes = Bytes()
        let views = texts.map { text in
            let start = bytes.count
            bytes.append(text)
            return TextView(offset: start, length: bytes.count - start)
        }
        self.init(bytes, views: places.map { views[Int($0)] })
    }

    @inlinable
    public var count: Int { views.count }

    /// The cell of a row as Swift text, or nil when it is missing. For messages, not for row loops.
    public subscript(row: Int) -> String? {
        missing.isMissing(row) ? nil : withCell(row) { String(decoding: $0, as: UTF8.self) }
    }

    @inlinable
    public func withCell<Result>(_ row: Int, _ body: (Cell) throws -> Result) rethrows -> Result {
        let view = views[row]
        defer { withExtendedLifetime(bytes) {} }
        return try body(Cell(start: bytes.base + Int(view.offset), count: Int(view.length)))
    }

    /// Calls `body` with every row that has a value.
    @inlinable
    public func forEachValue(_ body: (_ row: Int, _ cell: Cell) -> Void) {
        let base = bytes.base
        defer { withExtendedLifetime(bytes) {} }
        views.withUnsafeBufferPointer { views in
            if let missing {
                for row in 0..<views.count where !missing[row] {
                    body(row, Cell(start: base + Int(views[row].offset), count: Int(views[row].length)))
                }
            } else {
                for row in 0..<views.count {
                    body(row, Cell(start: base + Int(views[row].offset), count: Int(views[row].length)))
                }
            }
        }
    }

    /// One element per row, made from the cell; gaps stay gaps with `filler`.
    @inlinable
    public func mapValues<Element>(
        filler: Element,
        _ transform: (_ row: Int, _ cell: Cell) -> Element
    ) -> Values<Element> {
        let base = bytes.base
        defer { withExtendedLifetime(bytes) {} }
        let elements = views.withUnsafeBufferPointer { views in
            [Element](unsafeUninitializedCapacity: views.count) { new, filled in
                if let missing {
                    for row in 0..<views.count {
                        let cell = Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
                        new.initializeElement(at: row, to: missing[row] ? filler : transform(row, cell))
                    }
                } else {
                    for row in 0..<views.count {
                        let cell = Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
                        new.initializeElement(at: row, to: transform(row, cell))
                    }
                }
                filled = views.count
            }
        }
        return Values(elements, missing: missing)
    }

    /// The rows with a value for which `test` holds.
    @inlinable
    @inline(__always)
    public func rows(where test: (Cell) -> Bool) -> Mask {
        let base = bytes.base
        return withExtendedLifetime(bytes) {
            views.withUnsafeBufferPointer { views in
                func holds(_ row: Int) -> Bool {
                    test(Cell(start: base + Int(views[row].offset), count: Int(views[row].length)))
                }
                guard let missing else { return Mask(count: views.count, where: holds) }
                // Gaps cannot be predicted, so the loop goes from value to value instead of checking each row.
                let words = missing.words.indices.map { place in
                    var word: UInt64 = 0
                    var rest = ~missing.words[place]
                    if views.count - place << 6 < 64 { rest &= 1 << UInt64(views.count - place << 6) - 1 }
                    while rest != 0 {
                        let bit = rest.trailingZeroBitCount
                        word |= (holds(place << 6 | bit) ? 1 : 0) &<< UInt64(truncatingIfNeeded: bit)
                        rest &= rest - 1
                    }
                    return word
                }
                return Mask(words: words, count: views.count)
            }
        }
    }

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> TextColumn {
        let values = Values(views, missing: missing).keeping(kept)
        return TextColumn(bytes, views: values.elements, missing: values.missing)
    }

    /// One text a row, of whatever `write` appends to the bytes. Gaps stay gaps.
    @inlinable
    @inline(__always)
    public init(rows: Int, missing: Mask?, capacity: Int, _ write: (_ row: Int, _ bytes: Bytes) -> Void) {
        var text = TextColumnBuilder(rows: rows, capacity: capacity)
        let bytes = text.bytes
        for row in 0..<rows {
            if missing.isMissing(row) {
                text.appendMissing()
                continue
            }
            let start = bytes.count
            write(row, bytes)
            text.appendView(from: start)
        }
        self = text.build()
    }
}

extension Values {
    /// One text per row, of at most `longest` bytes; `write` returns how many it wrote. Gaps stay gaps.
    @inlinable
    @inline(__always)
    public func text(
        longest: Int,
        _ write: (_ element: Element, _ start: UnsafeMutablePointer<UInt8>) -> Int
    ) -> TextColumn {
        elements.withUnsafeBufferPointer { elements in
            TextColumn(rows: count, missing: missing, capacity: count * Swift.min(longest, 32)) { row, bytes in
                bytes.count += write(elements[row], bytes.reserve(longest))
            }
        }
    }
}

/// Makes a text column row by row, in a buffer of its own.
public struct TextColumnBuilder {
    public let bytes: Bytes
    public private(set) var views: [TextView] = []
    public private(set) var missing: Mask?
    private let rows: Int

    /// `rows` is how many rows there will be; `capacity` a guess at their bytes.
    public init(rows: Int, capacity: Int = 0) {
        self.rows = rows
        bytes = Bytes(capacity: capacity)
        views.reserveCapacity(rows)
    }

    @inlinable
    public mutating func append(_ cell: Cell) {
        let start = bytes.count
        bytes.append(cell)
        appendView(from: start)
    }

    public mutating func append(_ text: String) {
        let start = bytes.count
        bytes.append(text)
        appendView(from: start)
    }

    /// Adds a row that holds whatever was appended to `bytes` since `start`.
    public mutating func appendView(from start: Int) {
        precondition(bytes.count <= Int(UInt32.max), "a text column cannot hold more than 4 GiB")
        views.append(TextView(offset: start, length: bytes.count - start))
    }

    public mutating func appendMissing() {
        missing.insert(views.count, of: rows)
        views.append(TextView(offset: 0, length: 0))
    }

    public func build() -> TextColumn {
        precondition(views.count == rows, "a text column of \(rows) rows was given \(views.count)")
        return TextColumn(bytes, views: views, missing: missing)
    }
}
