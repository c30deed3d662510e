import DaybookBytes

/// Finds the contents of a column's BLOBs, where they are not the BLOBs themselves.
package protocol BLOBContents: Sendable {
    /// Where the bytes are that a BLOB stands for.
    func place(of blob: Cell) -> BLOBPlace

    /// The JSON text of these bytes; nil if they hold no values that JSON can hold.
    func json(of contents: Cell) -> Bytes?
}

/// The place of the bytes that a BLOB stands for.
package enum BLOBPlace {
    /// The BLOB from this byte on.
    case blob(from: Int)
    /// A file beside the store; these are its bytes.
    case file(Bytes)
    /// A file beside the store that is missing or cannot be read.
    case missingFile
    /// A file beside the store with more bytes than one value may have.
    case largeFile
}

extension UnsafeBufferPointer<UInt8> {
    /// The file name in Core Data's reference to external data: 2, a UUID and 0; nil for other bytes.
    package var externalName: String? {
        guard namesExternalData else { return nil }
        let name = self[1..<37]
        let isUUID = name.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place) || (Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80)
        }
        return isUUID ? String(decoding: name, as: UTF8.self) : nil
    }
}
