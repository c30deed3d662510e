/// A partial result from which the keys can be taken out.
public protocol KeyedPartial: PartialResult {
    associatedtype Keys: PartialKeys

    /// Takes its keys out, in partitions by their hashes.
    mutating func takeKeys(partitions: Int) -> [Keys]
    /// Puts a partition back that was settled, when the partial results of all rows have been merged.
    mutating func putBack(_ keys: Keys, scratch: any Scratch) throws(DaybookError)
}

/// A partition of the keys of some rows.
public protocol PartialKeys: PartialResult {
    /// Adds those of later rows.
    mutating func append(_ later: Self, scratch: any Scratch) throws(DaybookError)
    /// Leaves what the end of the fold needs, once the keys of all rows are there.
    mutating func settle(scratch: any Scratch) throws(DaybookError)
}

extension KeyedPartial {
    /// The same for keys whose type is no longer named.
    public mutating func putBack(erased keys: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let keys = keys as? Keys else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try putBack(keys, scratch: scratch)
    }
}

extension PartialKeys {
    /// The same for keys whose type is no longer named.
    public mutating func append(erased later: any PartialKeys, scratch: any Scratch) throws(DaybookError) {
        guard let later = later as? Self else { preconditionFailure("\(Self.self) was handed the keys of another") }
        try append(later, scratch: scratch)
    }
}
