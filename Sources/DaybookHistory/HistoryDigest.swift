import CSQLite
import DaybookBytes

/// A digest as the history keeps it: its bytes, which are half as many as its digits.
struct HistoryDigest: HistoryValue {
    private let digits: String

    /// - Parameter digits: empty for the digest of a file that was not read to its end.
    init(_ digits: String) { self.digits = digits }

    /// What is no digest is kept as it is.
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) {
        guard let bytes = Hexadecimal.bytes(of: digits) else { return try statement.bind(digits, at: place) }
        var bound = Result<Void, SQLiteError>.success(())
        bytes.withUnsafeBufferPointer { bytes in
            bound = Result { () throws(SQLiteError) in try statement.bind(blob: bytes, at: place) }
        }
        try bound.get()
    }
}

extension SQLiteStatement {
    /// The digits of a digest; nil where there is none. What was no digest stands there as text.
    func digest(_ column: Int) -> String? {
        let text = type(column) == SQLITE_BLOB ? Hexadecimal.text(of: bytes(column)) : text(column)
        return text?.isEmpty == true ? nil : text
    }
}
