import DaybookCore

extension Bytes {
    /// Appends whole numbers of at most 64 bits as differences from the least of them, each in as few bytes as the largest difference
    /// needs: none where all are the same (frame of reference: Goldstein et al., ICDE 1998).
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
        let base = try raw(Int64.self)
        let size = Int(try raw(UInt8.self))
        let source = UnsafeRawBufferPointer(try take(count * size))
        func get<Difference: FixedWidthInteger & BitwiseCopyable>(_: Difference.Type) -> [Value] {
            [Value](unsafeUninitializedCapacity: count) { values, filled in
                for place in 0..<count {
                    let difference = source.loadUnaligned(fromByteOffset: place &* size, as: Difference.self)
                    values.initializeElement(
                        at: place,
                        to: Value(truncatingIfNeeded: base &+ Int64(truncatingIfNeeded: difference))
                    )
                }
                filled = count
            }
        }
        switch size {
        case 0: return [Value](repeating: Value(truncatingIfNeeded: base), count: count)
        case 1: return get(UInt8.self)
        case 2: return get(UInt16.self)
        case 4: return get(UInt32.self)
        case 8: return get(UInt64.self)
        default: throw ByteReader.damaged
        }
    }
}
