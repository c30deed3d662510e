/// Which JSON records of an import are values and no objects.
package enum BareRecords: UInt8, Sendable {
    /// All of them.
    case all = 1
    /// Some, beside objects whose keys are the other columns.
    case someBesideObjects
    /// Some, beside objects that have the key which the column is named after: the two cannot be told apart.
    case someBesideTheirKey
}

/// What is known of where the values of a column came from, for those who write them back. Apart from the field, which is copied often.
package final class FieldOrigin: Sendable, Hashable {
    let bare: BareRecords?
    let dates: InnerDates
    let otherKeys: Int

    init?(_ bare: BareRecords?, _ dates: InnerDates, _ otherKeys: Int) {
        if bare == nil, dates.isEmpty, otherKeys == 0 { return nil }
        (self.bare, self.dates, self.otherKeys) = (bare, dates, otherKeys)
    }

    package static func == (one: FieldOrigin, other: FieldOrigin) -> Bool {
        one.bare == other.bare && one.dates == other.dates && one.otherKeys == other.otherKeys
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bare)
        hasher.combine(dates)
        hasher.combine(otherKeys)
    }
}

extension Field {
    /// Set where the values are whole JSON records that are no objects, such as the texts of `["x", "y"]`.
    package var bare: BareRecords? {
        get { origin?.bare }
        set { origin = FieldOrigin(newValue, dates, otherKeys) }
    }

    /// The dates inside the values of a column of JSON, where an import or a stage knows of them.
    package var dates: InnerDates {
        get { origin?.dates ?? InnerDates() }
        set { origin = FieldOrigin(bare, newValue, otherKeys) }
    }

    /// How many other keys the file has, where the values stood under one of user defaults.
    package var otherKeys: Int {
        get { origin?.otherKeys ?? 0 }
        set { origin = FieldOrigin(bare, dates, newValue) }
    }

    /// Takes over what is known of another column that this one is made of.
    package mutating func takeOrigin(of other: Field) { origin = other.origin }

    func writeOrigin(to bytes: Bytes) {
        bytes.append(flag: origin != nil)
        guard let origin else { return }
        bytes.append(origin.bare?.rawValue ?? 0)
        origin.dates.write(to: bytes)
        bytes.append(raw: UInt32(origin.otherKeys))
    }

    mutating func readOrigin(_ reader: inout ByteReader) throws(DaybookError) {
        guard try reader.flag() else { return }
        let bare = BareRecords(rawValue: try reader.raw(UInt8.self))
        let dates = try InnerDates(reading: &reader)
        origin = FieldOrigin(bare, dates, Int(try reader.raw(UInt32.self)))
    }
}
