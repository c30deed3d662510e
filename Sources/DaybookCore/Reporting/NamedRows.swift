/// The rows that some of many findings name, one each, by the numbers of the findings.
struct NamedRows: Sendable {
    private var numbers: [UInt32] = []
    private var rows: [RowOrigin] = []

    /// Notes the row that a finding names; findings come in the order of their numbers.
    mutating func append(_ row: RowOrigin, of finding: Int) {
        numbers.append(UInt32(truncatingIfNeeded: finding))
        rows.append(row)
    }

    subscript(finding: Int) -> RowOrigin? {
        let place = numbers.partitioningIndex { $0 >= finding }
        return place < numbers.count && numbers[place] == finding ? rows[place] : nil
    }
}
