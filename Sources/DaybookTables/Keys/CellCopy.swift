extension Cell {
    /// Copies the bytes. Most cells are short; those of 8 to 32 bytes are copied as two pieces that may overlap.
    @inline(__always)
    func copy(to target: UnsafeMutablePointer<UInt8>) {
        guard let start = baseAddress else { return }
        let (from, to) = (UnsafeRawPointer(start), UnsafeMutableRawPointer(target))
        @inline(__always)
        func both<Piece: BitwiseCopyable>(_: Piece.Type) {
            let last = count &- MemoryLayout<Piece>.size
            let (one, two) = (from.loadUnaligned(as: Piece.self), (from + last).loadUnaligned(as: Piece.self))
            to.storeBytes(of: one, as: Piece.self)
            (to + last).storeBytes(of: two, as: Piece.self)
        }
        if 8...16 ~= count {
            both(UInt64.self)
        } else if 17...32 ~= count {
            both(SIMD16<UInt8>.self)
        } else {
            to.copyMemory(from: from, byteCount: count)
        }
    }
}

extension Bytes {
    /// Appends a cell that is mostly short.
    @inline(__always)
    func append(cell: Cell) {
        cell.copy(to: reserve(cell.count))
        count &+= cell.count
    }
}
