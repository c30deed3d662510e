/// The byte-order mark of UTF-8 before a record, as where two exports were put one behind the other.
///
/// The one at the beginning of a file is taken off when the file is opened; any other would be a part of the first value, unseen.
enum ByteOrderMark {
    static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    static func begins(_ text: Cell) -> Bool { text.starts(with: bytes) }
}

extension Finding.Kind {
    static let byteOrderMark = Finding.Kind(
        "byte-order-mark",
        "a byte-order mark (U+FEFF), which nobody sees, stands before this record, as where two files were put one behind the "
            + "other; take it out"
    )
}
