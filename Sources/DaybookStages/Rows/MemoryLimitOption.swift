extension Schema {
    /// Refuses columns by whose values rows cannot be grouped.
    func requireKeys(_ columns: [ColumnName]) throws(DaybookError) {
        for column in columns { try requiringComparable(column, hint: "a JSON value can be written in several ways") }
    }

    /// Refuses columns by which rows cannot be sorted.
    func requireOrder(_ columns: [ColumnName]) throws(DaybookError) {
        let hint = "a JSON value may be of any kind, so there is no order to sort by"
        for column in columns { try requiringComparable(column, hint: hint) }
    }
}

extension OptionReader {
    /// The memory limit of a stage in bytes.
    mutating func readMemoryLimit(help: String) -> Int {
        let mebibytes = read("memory_mebibytes", default: 256, help: help)
        if !(1...1 << 20).contains(mebibytes) {
            refuse("memory_mebibytes", "'memory_mebibytes' has to be from 1 to 1048576")
        }
        return max(1, min(mebibytes, 1 << 20)) << 20
    }
}
