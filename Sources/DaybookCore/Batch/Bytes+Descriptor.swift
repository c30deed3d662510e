/// The calls of the system that read into memory and write from it. Each is one call; what it gives is what the system says.
extension Bytes {
    /// Reads at most `count` bytes of a file behind those that are there: how many, 0 at the end, or -1 with `errno`.
    public func append(upTo count: Int, from descriptor: Int32) -> Int { took(read(descriptor, reserve(count), count)) }

    /// The same from `offset` on, wherever the file stands.
    public func append(upTo count: Int, from descriptor: Int32, at offset: Int) -> Int {
        took(pread(descriptor, reserve(count), count, off_t(offset)))
    }

    private func took(_ got: Int) -> Int {
        count += max(0, got)
        return got
    }

    /// Writes a part of what is there: how much of it, or -1 with `errno`.
    public func send(_ part: Range<Int>, to descriptor: Int32) -> Int {
        systemWrite(descriptor, cell(part))
    }

    /// The same to `offset`, wherever the file stands.
    public func send(_ part: Range<Int>, to descriptor: Int32, at offset: Int) -> Int {
        let bytes = cell(part)
        return pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    /// A buffer as writes want it that bypass the page cache of the system: aligned to its size, a power of two. It never grows.
    ///
    /// - Parameter isHuge: Whether to ask for one huge page.
    public static func block(of size: Int, isHuge: Bool) -> Bytes {
        let block = Bytes(capacity: size, alignment: size)
        #if os(Linux)
            if isHuge { madvise(block.mutableBase, size, MADV_HUGEPAGE) }
        #endif
        return block
    }
}

extension [UInt8] {
    /// The bytes of a string of C, without the NUL at its end.
    public init(_ text: UnsafePointer<CChar>) {
        self = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}

/// `write` by a name that the methods above do not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: Cell) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
