import DaybookCore

/// What becomes of files that hold nothing at all.
///
/// Most often such a file is a delivery that failed: its rows are not there, and no row could tell of it.
enum EmptyFiles: String, OptionChoice {
    case refuse, allow

    static let help = "Whether a file that holds nothing at all is an error."

    /// Refuses what a stage read, where some of it holds nothing.
    func check(_ empty: [SourceName], of count: Int, hint: String) throws(DaybookError) {
        guard self == .refuse, let first = empty.first else { return }
        let others = empty.count - 1
        let named = empty.dropFirst().prefix(3).map { "'\($0.path)'" }.joined(separator: ", ")
        throw DaybookError(
            "empty-file",
            "'\(first.path)' is empty"
                + (others == 0 ? "" : ", as \(others == 1 ? "is" : "are") \(others) more of \(count) files: \(named)")
                + (others > 3 ? ", …" : ""),
            at: SourcePlace(file: first.path, line: 1, column: 1),
            hint: hint,
            blame: .data
        )
    }
}

extension SourceHead {
    /// Whether there is nothing in the file but white space.
    var isBlank: Bool {
        defer { withExtendedLifetime(bytes) {} }
        return isWhole && bytes.filled.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
