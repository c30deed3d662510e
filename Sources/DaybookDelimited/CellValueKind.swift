/// The kinds that cells of a text file are read as.
enum CellValueKind: String, ReadableKind {
    case text, integer, decimal, flag, day

    static func hint(insteadOf other: ColumnKind) -> String? {
        switch other {
        case .instant: "read it as text and put normalise_dates behind"
        case .json: "read it as text; a cell of such a file is no JSON value"
        default: nil
        }
    }
}
