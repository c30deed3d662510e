import CScan

/// Finds the bytes of a morsel that are not text, record by record.
public struct InvalidText {
    private let morsel: Morsel
    private let isText: Bool
    private var next = 0

    public init(_ morsel: Morsel) {
        self.init(
            morsel,
            isText: morsel.faults.isEmpty && scan_text_valid(morsel.bytes.base, morsel.length) == morsel.length
        )
    }

    /// - Parameter isText: whether every byte is known to be text.
    public init(_ morsel: Morsel, isText: Bool) { (self.morsel, self.isText) = (morsel, isText) }

    /// The first byte of a record that is not text, with its message. Called for each record in order.
    public mutating func first(in span: RecordSpan) -> (at: Int, kind: Finding.Kind, message: String?)? {
        if isText { return nil }
        var first: (at: Int, kind: Finding.Kind, message: String?)?
        while next < morsel.faults.count, morsel.faults[next].at < span.end {
            let fault = morsel.faults[next]
            let message = "byte \(fault.rawOffset) of the file does not belong to a character"
            first = first ?? (Int(fault.at), .notText, message)
            next += 1
        }
        let start = Int(span.start)
        let length = Int(span.end) - start
        let valid = Int(scan_text_valid(morsel.bytes.base + start, length))
        guard valid < length, start + valid < first?.at ?? .max else { return first }
        if morsel.bytes[start + valid] == 0 { return (start + valid, .nulCharacter, nil) }
        return (start + valid, .notText, "byte \(morsel.offset + start + valid) of the file is not UTF-8")
    }
}

extension Finding.Kind {
    public static let notText = Finding.Kind("invalid-encoding", "bytes that are not text in the encoding of the file")
    public static let nulCharacter = Finding.Kind(
        "nul-character",
        "a NUL character (U+0000) stands here, which no text holds"
    )
}
