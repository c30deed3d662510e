extension SourceHead {
    /// Whether there is nothing in the file but white space.
    package var isBlank: Bool {
        defer { withExtendedLifetime(bytes) {} }
        return isWhole && bytes.filled.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
