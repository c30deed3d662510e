import Foundation

/// How a file of user defaults is written.
package enum DefaultsFormat: String, CaseIterable, BitwiseCopyable, Sendable {
    case binary, xml, json

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
package enum DefaultsContent: String, CaseIterable, BitwiseCopyable, Sendable {
    case data, text
}

/// What may stand under the key before.
package enum DefaultsReplaced: String, CaseIterable, BitwiseCopyable, Sendable {
    case json
    /// A property list or a keyed archive in data as well.
    case propertyList = "property_list"
}

/// Whether the JSON is that of an array of models or of one.
package enum DefaultsLayout: String, CaseIterable, BitwiseCopyable, Sendable {
    case array, object
}
