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
