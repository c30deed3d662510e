/// Reads records once more, for findings about rows whose morsels are gone.
///
/// A finding that cannot show its record still tells its line, so what cannot be read is no error.
package enum RecordRefetch: Sendable {
    /// By any stretch of the bytes of the source, once it is open, so that neighbours are read together.
    case stretches(open: @Sendable () -> (Range<Int>) -> Bytes?)
    /// One by one.
    case records(@Sendable (RowOrigin) -> Bytes?)

    static func ofFile(_ path: String) -> RecordRefetch {
        .stretches {
            let file = try? Descriptor(opening: path, O_RDONLY)
            return { stretch in
                guard let file else { return nil }
                let bytes = Bytes(capacity: stretch.count)
                while bytes.count < stretch.count {
                    let got = pread(
                        file.number,
                        bytes.mutableBase + bytes.count,
                        stretch.count - bytes.count,
                        off_t(stretch.lowerBound + bytes.count)
                    )
                    guard got > 0 else { return nil }
                    bytes.count += got
                }
                return bytes
            }
        }
    }

    static func ofText(_ text: Bytes) -> RecordRefetch {
        .stretches {
            { stretch in
                guard stretch.lowerBound >= 0, stretch.upperBound <= text.count else { return nil }
                let bytes = Bytes(capacity: stretch.count)
                bytes.append(stretch, of: text)
                return bytes
            }
        }
    }
}
