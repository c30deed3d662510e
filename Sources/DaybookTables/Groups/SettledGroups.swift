import DaybookCore
import Synchronization

/// All groups of one part in the order in which their rows are made: in memory as a table, or packed in segments that are read one
/// after the other.
package struct SettledGroups: Sendable {
    /// Groups that are packed, in memory or on disk.
    enum Segment: Sendable {
        case memory(Bytes)
        case file(any ScratchFile, Range<Int>)

        /// - Parameter values: what is known of no groups.
        func part(of values: [any GroupValues]) throws(DaybookError) -> GroupPart {
            var part = GroupPart(values)
            switch self {
            case .memory(let bytes):
                var reader = ByteReader(bytes.filled)
                part = try GroupPart(reading: &reader, values)
                withExtendedLifetime(bytes) {}
            case .file(let file, let range):
                try file.reading(range) { (reader) throws(DaybookError) in
                    part = try GroupPart(reading: &reader, values)
                }
            }
            part.finish()
            return part
        }
    }

    package var part: GroupPart
    package var order: [Int32] = []
    var segments: [Segment] = []
}

/// Where the segments of all parts go: into memory as long as there is room, and then to disk.
final class SegmentStore: Sendable {
    private struct State {
        var bytes = 0
        var file: (any ScratchFile)?
    }

    private let limit: Int
    private let scratch: any Scratch
    private let state = Mutex(State())

    /// - Parameter limit: how many bytes the fold may take in memory.
    init(limit: Int, _ scratch: any Scratch) { (self.limit, self.scratch) = (limit, scratch) }

    /// Packs a part in segments, of which one of each part is unpacked at a time.
    func pack(_ groups: inout SettledGroups) throws(DaybookError) {
        let (part, order) = (groups.part, groups.order)
        groups = SettledGroups(part: GroupPart(part.nothing))
        let size = Double(limit) / 8 / Double(Parts.count)
        let step = max(16, Int(size / (Double(max(part.footprint, 1)) / Double(max(part.count, 1)))))
        for start in stride(from: 0, to: order.count, by: step) {
            let bytes = Bytes(capacity: 1 << 10)
            part.taking(Array(order[start..<min(start + step, order.count)])).write(to: bytes)
            groups.segments.append(try keep(bytes))
        }
    }

    private func keep(_ bytes: Bytes) throws(DaybookError) -> SettledGroups.Segment {
        try state.withLock { (state) throws(DaybookError) -> SettledGroups.Segment in
            if state.bytes + bytes.count <= limit / 8 * 5 {
                state.bytes += bytes.count
                let exact = Bytes(capacity: bytes.count)
                exact.append(bytes)
                return .memory(exact)
            }
            let file = if let file = state.file { file } else { try scratch.makeFile() }
            state.file = file
            let start = file.length
            try file.append(bytes.filled)
            withExtendedLifetime(bytes) {}
            return .file(file, start..<file.length)
        }
    }
}
