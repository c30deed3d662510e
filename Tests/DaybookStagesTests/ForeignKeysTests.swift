import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Hashes mean something only in the process whose seed made them, so partial results that hold some are read back there alone.
@Suite struct ForeignKeysTests {
    /// What is written, with the seed of another process in it.
    private func foreign(_ written: Bytes) throws -> Bytes {
        defer { withExtendedLifetime(written) {} }
        var bytes = Array(written.filled)
        let seed = withUnsafeBytes(of: KeyHash.seed) { Array($0) }
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: seed) })
        bytes[place] ^= 1
        let copy = Bytes(capacity: bytes.count)
        bytes.withUnsafeBufferPointer { copy.append($0) }
        return copy
    }

    private func refusal<Partial>(
        of bytes: Bytes,
        _ read: (inout ByteReader) throws(DaybookError) -> Partial
    ) -> DaybookError? {
        defer { withExtendedLifetime(bytes) {} }
        var reader = ByteReader(bytes.filled)
        do throws(DaybookError) {
            _ = try read(&reader)
            return nil
        } catch { return error }
    }

    @Test("rows of deduplicate_rows with keys of another process are refused", arguments: ["false", "true"])
    func distinctRows(_ warn: String) throws {
        let stage = try ExampleRunner.make(DeduplicateRows.self, "by: k\nwarn: \(warn)")
        var findings = Findings()
        let rows = try BatchText.read("k:text\na\nb\na")
        let partial = try stage.partial(of: rows, reporting: &findings)
        let bytes = Bytes()
        try partial.write(to: bytes)
        #expect(refusal(of: bytes) { reader throws(DaybookError) in try DistinctRows(reading: &reader) } == nil)
        let error = refusal(of: try foreign(bytes)) { reader throws(DaybookError) in try DistinctRows(reading: &reader)
        }
        #expect(error?.code == "foreign-keys")
        #expect(
            error?.message
                == "a partial result holds keys that another process has hashed, and equal keys would not be found"
        )
        #expect(error?.blame == .machine)
    }

    @Test("keys of unique that another process has hashed are refused")
    func keyMemory() throws {
        let rows = try BatchText.read("k:text\na\nb\na")
        let memory = KeyMemory(rows, by: [ColumnName("k")], asked: nil)
        let bytes = Bytes()
        try memory.write(to: bytes)
        #expect(refusal(of: bytes) { reader throws(DaybookError) in try KeyMemory(reading: &reader) } == nil)
        let error = refusal(of: try foreign(bytes)) { reader throws(DaybookError) in try KeyMemory(reading: &reader) }
        #expect(error?.code == "foreign-keys")
    }

    @Test("groups whose keys another process has hashed are refused")
    func groups() throws {
        let stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { n: count }")
        var findings = Findings()
        let partial = try stage.partial(of: try BatchText.read("k:text\na\nb\na"), reporting: &findings)
        let bytes = Bytes()
        try partial.write(to: bytes)
        #expect(refusal(of: bytes) { reader throws(DaybookError) in try GroupSummary(reading: &reader) } == nil)
        let error = refusal(of: try foreign(bytes)) { reader throws(DaybookError) in
            try GroupSummary(reading: &reader)
        }
        #expect(error?.code == "foreign-keys")
    }
}
