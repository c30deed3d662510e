extension OptionReader {
    /// Reads the memory limit of a stage, in bytes; rows beyond it go to disk.
    mutating func readMemoryLimit(help: String) -> Int {
        let mebibytes = read("memory_mebibytes", default: 256, help: help)
        if !(1...1 << 20).contains(mebibytes) {
            refuse("memory_mebibytes", "'memory_mebibytes' has to be from 1 to 1048576")
        }
        return max(1, min(mebibytes, 1 << 20)) << 20
    }
}
