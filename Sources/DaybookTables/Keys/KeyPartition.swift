/// A partition of the keys of some rows, for other processes to find the rows that share a key.
public struct KeyPartition: PartialKeys, BinaryForm {
    /// How many rows there are, whether or not this partition has their key.
    private var rows: Int
    private(set) var keys: PartitionedKeys

    package init(_ keys: PartitionedKeys, rows: Int) { (self.keys, self.rows) = (keys, rows) }

    /// Takes keys out of where they were gathered.
    package static func taken(from keys: inout PartitionedKeys, rows: Int, partitions: Int) -> [KeyPartition] {
        keys.takePartitions(partitions).map { KeyPartition($0, rows: rows) }
    }

    public mutating func append(_ later: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        keys.append(later.keys, raisedBy: rows)
        rows += later.rows
        if keys.footprint > scratch.memoryLimit / 2 { try keys.spill(to: scratch) }
    }

    public mutating func settle(scratch: any Scratch) throws(DaybookError) { try keys.keepRepeated(scratch) }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(rows))
        try keys.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        keys = try PartitionedKeys(reading: &reader)
    }
}

extension PartitionedKeys {
    /// Adds a partition of the same rows.
    package mutating func putBack(_ partition: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        append(partition.keys, raisedBy: 0)
        if footprint > scratch.memoryLimit / 4 { try spill(to: scratch) }
    }
}
