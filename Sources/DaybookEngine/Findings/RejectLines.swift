import DaybookCore

/// Rejects as NDJSON, and where the record of each stands in its morsel, so that those of several stages can be merged.
package struct RejectLines: Sendable {
    /// Where a line ends, and where its record stands.
    package struct End: BitwiseCopyable {
        package var position: Int
        package var offset: Int
    }

    package let bytes: Bytes
    package let ends: [End]

    /// The lines of several stages about one morsel, in the order of its records; for one record, in that of the stages.
    package static func merged(_ parts: [RejectLines]) -> Bytes {
        if parts.count == 1 { return parts[0].bytes }
        var order: [(position: Int, part: Int, start: Int, end: Int)] = []
        for (part, lines) in parts.enumerated() {
            var start = 0
            for line in lines.ends {
                order.append((line.position, part, start, line.offset))
                start = line.offset
            }
        }
        order.sort { ($0.position, $0.part, $0.start) < ($1.position, $1.part, $1.start) }
        let bytes = Bytes(capacity: parts.reduce(0) { $0 + $1.bytes.count })
        for line in order {
            bytes.append(UnsafeBufferPointer(rebasing: parts[line.part].bytes.filled[line.start..<line.end]))
        }
        return bytes
    }
}
