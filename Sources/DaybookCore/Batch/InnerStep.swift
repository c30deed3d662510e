/// A step from the JSON value of a field to a value inside it.
public enum InnerStep: Sendable, Hashable {
    /// To a key of an object.
    case key(String)
    /// To an element of an array, whose number stands in the column that `number` ends at.
    case element
    /// The number of the element itself; the last step of the column that holds it.
    case number
}

extension InnerStep {
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
