import DaybookCore
import Foundation

/// How a file of user defaults is written.
enum DefaultsFormat: String, OptionChoice {
    case binary, xml, json

    static let otherWords = ["bplist": "binary", "binary1": "binary", "plist": "xml", "xml1": "xml"]

    /// Nil for JSON, which Foundation has no part in.
    var propertyList: PropertyListSerialization.PropertyListFormat? {
        switch self {
        case .binary: .binary
        case .xml: .xml
        case .json: nil
        }
    }
}

/// How an app keeps its JSON.
enum DefaultsContent: String, OptionChoice {
    case data, text

    static let otherWords = ["string": "text", "base64": "data"]
}

/// What may stand under the key before.
enum DefaultsReplaced: String, OptionChoice {
    case json
    /// A property list or a keyed archive in data as well.
    case propertyList = "property_list"

    static let otherWords = ["archive": "property_list", "plist": "property_list"]
}

/// Whether the JSON is that of an array of models or of one.
enum DefaultsLayout: String, OptionChoice {
    case array, object

    static let otherWords = ["list": "array"]
}
