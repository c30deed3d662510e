import Foundation

/// What JSON or a property list means, read by Foundation; text and data that hold one of these are read too.
///
/// Dates of property lists are equal to the microsecond, which is what an instant of a row has.
indirect enum ValueTree: Equatable {
    case null
    case flag(Bool)
    case whole(Int128)
    case decimal(Decimal)
    case real(Double)
    case text(String)
    case date(Date)
    case data(Data)
    case list([ValueTree])
    case object([String: ValueTree])

    init?(_ bytes: Data) {
        if bytes.starts(with: Data("bplist".utf8)) || bytes.starts(with: Data("<?xml".utf8)) {
            guard let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil) else { return nil }
            self.init(list: list)
        } else {
            guard let tree = try? JSONDecoder().decode(Decoded.self, from: bytes) else { return nil }
            self = tree.tree
        }
    }

    private init?(list value: Any) {
        switch value {
        case let all as [Any]: self = .list(all.compactMap { ValueTree(list: $0) })
        case let all as [String: Any]: self = .object(all.compactMapValues { ValueTree(list: $0) })
        case let value as String: self = .of(text: value)
        case let value as Date: self = .date(value)
        case let value as Data: self = ValueTree(value).flatMap(\.whole) ?? .data(value)
        default:
            // A flag casts to a number, and the other way about.
            switch type(of: value) {
            case is Bool.Type: self = .flag(value as? Bool ?? false)
            case is Double.Type, is Float.Type: self = .real(value as? Double ?? .nan)
            default:
                guard let number = value as? NSNumber else { return nil }
                let kind = String(cString: number.objCType)
                if kind == "c" || kind == "B" {
                    self = .flag(number.boolValue)
                } else if kind == "d" || kind == "f" {
                    self = .real(number.doubleValue)
                } else {
                    self = .whole(Int128(number.int64Value))
                }
            }
        }
    }

    /// Itself where it is no single value.
    private var whole: ValueTree? {
        switch self {
        case .list, .object: self
        default: nil
        }
    }

    private static func of(text: String) -> ValueTree {
        let bytes = Data(text.utf8)
        if let tree = ValueTree(bytes)?.whole { return tree }
        return Data(base64Encoded: text).flatMap { ValueTree($0)?.whole } ?? .text(text)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Decoded: Decodable {
        let tree: ValueTree

        init(from decoder: any Decoder) throws {
            if let fields = try? decoder.container(keyedBy: Key.self) {
                var object: [String: ValueTree] = [:]
                for key in fields.allKeys {
                    object[key.stringValue] = try fields.decode(Decoded.self, forKey: key).tree
                }
                tree = .object(object)
                return
            }
            if var elements = try? decoder.unkeyedContainer() {
                var list: [ValueTree] = []
                while !elements.isAtEnd { list.append(try elements.decode(Decoded.self).tree) }
                tree = .list(list)
                return
            }
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                tree = .null
            } else if let text = try? value.decode(String.self) {
                tree = .of(text: text)
            } else if let flag = try? value.decode(Bool.self) {
                tree = .flag(flag)
            } else if let whole = try? value.decode(Int64.self) {
                tree = .whole(Int128(whole))
            } else if let decimal = try? value.decode(Decimal.self), decimal != 0 {
                tree = .decimal(decimal)
            } else {
                tree = .real(try value.decode(Double.self))
            }
        }
    }

    /// The first place at which two differ.
    ///
    /// - Parameter areNearly: whether numbers may be dates of a property list.
    func difference(from other: ValueTree, at path: String = "", areNearly: Bool = false) -> String? {
        switch (self, other) {
        case (.list(let mine), .list(let others)) where mine.count == others.count:
            for (index, pair) in zip(mine, others).enumerated() {
                if let found = pair.0.difference(from: pair.1, at: "\(path)/\(index)", areNearly: areNearly) {
                    return found
                }
            }
            return nil
        case (.object(let mine), .object(let others)) where Set(mine.keys) == Set(others.keys):
            for (key, value) in mine {
                if let found = others[key].flatMap({
                    value.difference(from: $0, at: "\(path)/\(key)", areNearly: areNearly)
                }) {
                    return found
                }
            }
            return nil
        case (.date(let mine), .date(let others)) where abs(mine.timeIntervalSince(others)) < 0.000_001: return nil
        case (.decimal(let mine), .decimal(let others)) where areNearly && abs(mine - others) < 0.000_001: return nil
        default: return self == other ? nil : "at '\(path)': \(self) became \(other)"
        }
    }
}
