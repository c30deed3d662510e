extension BLOBTreatment: OptionChoice {}

extension CodableDates: OptionChoice {
    /// The names of the strategies of Swift's `JSONEncoder`, and what other tools call them.
    package static let otherWords = [
        "deferredtodate": "apple_seconds", "default": "apple_seconds", "reference_date": "apple_seconds",
        "secondssince1970": "epoch_seconds", "unix": "epoch_seconds", "epoch": "epoch_seconds",
        "millisecondssince1970": "epoch_millis", "millis": "epoch_millis", "iso8601": "iso",
    ]
}

extension CoreDataDates: OptionChoice {}

extension DefaultsContent: OptionChoice {
    package static let otherWords = ["string": "text", "base64": "data"]
}

extension DefaultsFormat: OptionChoice {
    package static let otherWords = ["bplist": "binary", "binary1": "binary", "plist": "xml", "xml1": "xml"]
}

extension DefaultsLayout: OptionChoice {
    package static let otherWords = ["list": "array"]
}

extension DefaultsReplaced: OptionChoice {
    package static let otherWords = ["archive": "property_list", "plist": "property_list"]
}

extension FirstWeekday: OptionChoice {
    package static let otherWords = ["sun": "sunday", "mon": "monday", "sat": "saturday"]
}
