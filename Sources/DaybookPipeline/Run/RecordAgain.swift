import DaybookCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads single records once more, for findings about rows whose morsels are gone.
enum RecordAgain {
    static func ofFile(_ path: String) -> @Sendable (RowOrigin) -> Bytes? {
        { origin in
            // A finding that cannot show the record still tells its line, so a failure here is no error.
            guard let file = try? Descriptor(opening: path, O_RDONLY) else { return nil }
            let bytes = Bytes(capacity: Int(origin.length))
            let got = pread(file.number, bytes.mutableBase, Int(origin.length), off_t(origin.offset))
            guard got == Int(origin.length) else { return nil }
            bytes.count = got
            return bytes
        }
    }

    static func ofText(_ text: Bytes) -> @Sendable (RowOrigin) -> Bytes? {
        { origin in
            let (start, end) = (Int(origin.offset), Int(origin.offset) + Int(origin.length))
            guard start >= 0, end <= text.count else { return nil }
            let bytes = Bytes(capacity: end - start)
            bytes.append(UnsafeBufferPointer(rebasing: text.filled[start..<end]))
            withExtendedLifetime(text) {}
            return bytes
        }
    }
}
