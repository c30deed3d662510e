extension Bytes {
    /// Appends whole numbers of at most 64 bits as differences from the minimum, each in as few bytes as the largest
    /// difference needs: none if all are equal (frame of reference: Goldstein et al., ICDE 1998).
    package func append<Value: FixedWidthInteger & BitwiseCopyable>(packed values: ArraySlice<Value>) {
        values.withUnsafeBufferPointer { values in
            var (least, greatest) = (values.first ?? 0, values.first ?? 0)
            for value in values { (least, greatest) = (min(least, value), max(greatest, value)) }
            let base = Int64(truncatingIfNeeded: least)
            let spread = UInt64(bitPattern: Int64(truncatingIfNeeded: greatest) &- base)
            append(raw: base)
            append(UInt8(spread == 0 ? 0 : spread <= 0xFF ? 1 : spread <= 0xFFFF ? 2 : spread <= 0xFFFF_FFFF ? 4 : 8))
            func put<Difference: FixedWidthInteger & BitwiseCopyable>(_: Difference.Type) {
                let size = MemoryLayout<Difference>.size
                let target = UnsafeMutableRawPointer(reserve(values.count * size))
                for place in 0..<values.count {
                    let difference = Int64(truncatingIfNeeded: values[place]) &- base
                    let stored = Difference(truncatingIfNeeded: difference)
                    target.storeBytes(of: stored, toByteOffset: place &* size, as: Difference.self)
                }
                count += values.count * size
            }
            switch spread {
            case 0: return
            case ...0xFF: put(UInt8.self)
            case ...0xFFFF: put(UInt16.self)
            case ...0xFFFF_FFFF: put(UInt32.self)
            default: put(UInt64.self)
            }
        }
    }
}

extension ByteReader {
    /// As many numbers as `Bytes.append(packed:)` has written.
    mutating func packed<Value: FixedWidthInteger & BitwiseCopyable>(_ count: Int) throws(DaybookError) -> [Value] {
        var failure: DaybookError?
        let values = [Value](unsafeUninitializedCapacity: count) { values, filled in
            do throws(DaybookError) {
                try forEachPacked(count) { (place, value: Value) in values.initializeElement(at: place, to: value) }
                filled = count
            } catch { failure = error }
        }
        if let failure { throw failure }
        return values
    }

    /// Calls `body` with each of `count` numbers.
    @inline(__always)
    mutating func forEachPacked<Value: FixedWidthInteger & BitwiseCopyable>(
        _ count: Int,
        _ body: (_ place: Int, _ value: Value) -> Void
    ) throws(DaybookError) {
        let base = try raw(Int64.self)
        let size = Int(try raw(UInt8.self))
        let source = UnsafeRawBufferPointer(try take(count * size))
        @inline(__always)
        func each<Difference: FixedWidthInteger & BitwiseCopyable>(_: Difference.Type) {
            for place in 0..<count {
                let difference = source.loadUnaligned(
                    fromByteOffset: place &* MemoryLayout<Difference>.size,
                    as: Difference.self
                )
                body(place, Value(truncatingIfNeeded: base &+ Int64(truncatingIfNeeded: difference)))
            }
        }
        switch size {
        case 0: for place in 0..<count { body(place, Value(truncatingIfNeeded: base)) }
        case 1: each(UInt8.self)
        case 2: each(UInt16.self)
        case 4: each(UInt32.self)
        case 8: each(UInt64.self)
        default: throw ByteReader.damaged
        }
    }
}

extension Bytes {
    /// Appends numbers of 128 bits, packed where none of them needs more than 64.
    func append(packed values: ArraySlice<Int128>) {
        let areNarrow = values.allSatisfy { Int64(exactly: $0) != nil }
        append(flag: areNarrow)
        if areNarrow {
            append(packed: values.map { Int64(truncatingIfNeeded: $0) }[...])
        } else {
            append(array: Array(values))
        }
    }
}

extension ByteReader {
    /// Calls `body` with each of `count` numbers that `Bytes.append(packed:)` has written.
    @inline(__always)
    mutating func forEachWide(_ count: Int, _ body: (_ place: Int, _ value: Int128) -> Void) throws(DaybookError) {
        if try flag() { return try forEachPacked(count) { (place, value: Int64) in body(place, Int128(value)) } }
        let values: [Int128] = try array()
        guard values.count == count else { throw ByteReader.damaged }
        for (place, value) in values.enumerated() { body(place, value) }
    }

    /// As many numbers as `Bytes.append(packed:)` has written.
    mutating func wide(_ count: Int) throws(DaybookError) -> [Int128] {
        var values: [Int128] = []
        try forEachWide(count) { values.append($1) }
        return values
    }
}
