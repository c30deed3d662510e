import Synchronization

/// A partition of the groups of some rows, for other processes to put together.
public struct GroupPartition: PartialKeys, BinaryForm {
    /// How many places of first rows there are, whether or not this partition has their group.
    private var rows: Int
    private(set) var groups: PartitionedBytes
    /// What is known of no groups.
    private let nothing: [any GroupValues]

    init(_ groups: PartitionedBytes, _ nothing: [any GroupValues], rows: Int) {
        (self.groups, self.nothing, self.rows) = (groups, nothing, rows)
    }

    public mutating func append(_ later: GroupPartition, scratch: any Scratch) throws(DaybookError) {
        groups.append(later.groups, raisedBy: rows)
        rows += later.rows
        if groups.footprint > scratch.memoryLimit / 2 { try groups.spill(to: scratch) }
    }

    /// Leaves one of each group.
    public mutating func settle(scratch: any Scratch) throws(DaybookError) {
        let parts = groups.takeParts()
        let nothing = nothing
        let settled = Mutex(PartitionedBytes())
        try scratch.concurrently(parts.count) { (part) throws(DaybookError) in
            let run = try GroupTable(nothing, of: parts[part]).run
            try settled.withLock { (settled) throws(DaybookError) in
                settled.append(run, to: part)
                if settled.footprint > scratch.memoryLimit / 4 { try settled.spill(to: scratch) }
            }
        }
        groups = settled.withLock { $0 }
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(rows))
        GroupValuesCode.write(nothing, to: bytes)
        try groups.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        nothing = try GroupValuesCode.read(&reader)
        groups = try PartitionedBytes(reading: &reader)
    }
}
