import DaybookCore

/// Where the first row of each group came from, in a few bytes each.
package struct OriginLog: Sendable {
    private var bytes: [UInt8] = []
    private var steps = RowSteps()
    /// What was known before every 32nd origin, from where others are read.
    private var marks: [RowSteps] = []
    package private(set) var count = 0

    private static let stride = 32
    /// Stands for the record of a row that a stage made.
    private static let made: Int64 = -2

    /// - Parameter origin: nil for a row that a stage made.
    package mutating func append(_ origin: RowOrigin?) {
        if count % Self.stride == 0 { marks.append(steps.reading(from: bytes.count)) }
        steps.put(origin ?? RowOrigin(source: 0, offset: 0, length: 0, line: 0, record: Int(Self.made)), &bytes)
        count += 1
    }

    /// Calls `body` with the origins of some rows; each is found at once where it is behind the one before.
    func forEach(_ numbers: [Int32], _ body: (_ place: Int, _ origin: RowOrigin?) -> Void) {
        var steps = RowSteps()
        var next = 0
        bytes.withUnsafeBufferPointer { bytes in
            for (place, number) in numbers.enumerated() {
                let number = Int(number)
                if place == 0 || number < next || number / Self.stride > next / Self.stride {
                    steps = marks[number / Self.stride]
                    next = number / Self.stride * Self.stride
                }
                while next <= number {
                    steps.take(bytes)
                    next += 1
                }
                body(place, steps.origin.record == Self.made ? nil : steps.origin)
            }
        }
    }

    package var footprint: Int { bytes.capacity + marks.capacity * MemoryLayout<RowSteps>.stride }

    package func write(to out: Bytes) { out.append(array: bytes) }

    /// Reads what `write(to:)` has written of so many rows, and calls `body` with each.
    package static func read(
        _ reader: inout ByteReader,
        _ count: Int,
        _ body: (_ place: Int, _ origin: RowOrigin?) -> Void
    ) throws(DaybookError) {
        let bytes = try reader.take(Int(try reader.raw(UInt32.self)))
        var steps = RowSteps()
        for place in 0..<count {
            guard steps.next < bytes.count else { throw ByteReader.damaged }
            steps.take(bytes)
            body(place, steps.origin.record == made ? nil : steps.origin)
        }
    }
}
