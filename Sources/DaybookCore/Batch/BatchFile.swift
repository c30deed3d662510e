/// Batches in a scratch file, each to be read again by its number.
public struct BatchFile: Sendable {
    public let file: any ScratchFile
    /// Where each batch stands, in bytes.
    public private(set) var places: [Range<Int>] = []

    public init(file: any ScratchFile) { self.file = file }

    public mutating func append(_ batch: Batch) throws(DaybookError) {
        let bytes = Bytes(capacity: batch.footprint)
        batch.write(to: bytes)
        // A copy may have written behind these.
        let start = file.length
        try file.append(bytes)
        withExtendedLifetime(bytes) {}
        places.append(start..<start + bytes.count)
    }

    public func batch(_ index: Int) throws(DaybookError) -> Batch {
        let place = places[index]
        let bytes = Bytes(capacity: place.count)
        try file.read(place.count, at: place.lowerBound, into: bytes)
        var reader = ByteReader(bytes.filled)
        defer { withExtendedLifetime(bytes) {} }
        return try Batch(reading: &reader)
    }
}
