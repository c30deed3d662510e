/// The dates inside the JSON values of a column, which a writer of dates has to find again.
package struct InnerDates: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        /// An instant, as text in ISO 8601.
        case instant
        /// A day, as text such as 2026-11-21.
        case day
        /// A date in one value and something else in another, so that texts and dates cannot be told apart.
        case mixed
    }

    /// The path from a value of the column to the dates.
    package struct Way: Sendable, Hashable {
        package var steps: [InnerStep]
        package var kind: Kind

        package init(_ steps: [InnerStep], _ kind: Kind) { (self.steps, self.kind) = (steps, kind) }

        /// Such as `/*/due`, where `*` is every element of an array.
        package var pointer: String {
            steps.map { step in
                switch step {
                case .key(let key): "/" + JSONPointer.escaped(key)
                case .element, .number: "/*"
                }
            }.joined()
        }
    }

    package var ways: [Way] = []
    /// How dates in the columns beside it are written, by the names of `dates`: inner ones are still numbers or texts.
    package var written: [String] = []

    package init() {}

    package var isEmpty: Bool { ways.isEmpty && written.isEmpty }

    /// Adds the inner dates of another column that becomes part of this one, at the end of `steps`.
    package mutating func add(_ other: InnerDates, behind steps: [InnerStep] = []) {
        for way in other.ways {
            let way = Way(steps + way.steps, way.kind)
            if let known = ways.firstIndex(where: { $0.steps == way.steps }) {
                if ways[known].kind != way.kind { ways[known].kind = .mixed }
            } else {
                ways.append(way)
            }
        }
        for name in other.written where !written.contains(name) { written.append(name) }
    }

    /// The inner dates of the values at the end of `steps`.
    package func inside(_ steps: [InnerStep]) -> InnerDates {
        var result = self
        result.ways = ways.compactMap { way in
            way.steps.starts(with: steps) ? Way(Array(way.steps.dropFirst(steps.count)), way.kind) : nil
        }
        return result
    }

    func write(to bytes: Bytes) {
        bytes.append(raw: UInt32(ways.count))
        for way in ways {
            bytes.append(way.kind.rawValue)
            bytes.append(raw: UInt32(way.steps.count))
            for step in way.steps { step.write(to: bytes) }
        }
        bytes.append(raw: UInt32(written.count))
        for name in written { bytes.append(counted: name) }
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        for _ in 0..<(try reader.raw(UInt32.self)) {
            guard let kind = Kind(rawValue: try reader.raw(UInt8.self)) else { throw ByteReader.damaged }
            var steps: [InnerStep] = []
            for _ in 0..<(try reader.raw(UInt32.self)) { steps.append(try InnerStep(reading: &reader)) }
            ways.append(Way(steps, kind))
        }
        for _ in 0..<(try reader.raw(UInt32.self)) { written.append(try reader.text()) }
    }
}

/// A step from the JSON value of a field to a value inside it.
public enum InnerStep: Sendable, Hashable {
    /// To a key of an object.
    case key(String)
    /// To an element of an array; its number is in the column that `number` ends at.
    case element
    /// The number of the element itself; the last step of the column that holds it.
    case number

    func write(to bytes: Bytes) {
        switch self {
        case .key(let key):
            bytes.append(raw: UInt8(0))
            bytes.append(counted: key)
        case .element: bytes.append(raw: UInt8(1))
        case .number: bytes.append(raw: UInt8(2))
        }
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        switch try reader.raw(UInt8.self) {
        case 0: self = .key(try reader.text())
        case 1: self = .element
        case 2: self = .number
        default: throw ByteReader.damaged
        }
    }
}
