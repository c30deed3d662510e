import Foundation

/// The name of a time zone in the IANA database, such as `Asia/Seoul`.
///
/// Abbreviations (`KST`, `PST`) name several zones and are refused, as are offsets such as `+09:00`.
package struct TimezoneName: OptionValue {
    package let text: String

    package static var kind: OptionKind { .text }
    package static var placeholder: TimezoneName { TimezoneName(text: "Etc/UTC") }

    private init(text: String) { self.text = text }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("a time zone such as Asia/Seoul") }
        guard Self.exists(text) else {
            throw DaybookError(
                "unknown-timezone",
                "no time zone \(text.quotedForMessage)",
                at: node.place,
                hint: Self.hint(for: text)
            )
        }
        self.text = text
    }

    package var written: String { text }

    private static func exists(_ name: String) -> Bool {
        if name == "UTC" || name == "GMT" { return true }
        guard name.utf8.count <= 64, let zone = TimeZone(identifier: name), zone.identifier == name else {
            return false
        }
        return name.contains("/") || TimeZone.abbreviationDictionary[name] == nil
    }

    private static func hint(for name: String) -> String {
        let first = name.unicodeScalars.first
        if first == "+" || first == "-" {
            return "name the zone, such as Asia/Seoul: an offset alone does not know of summer time"
        }
        if let zone = TimeZone.abbreviationDictionary[name] { return "did you mean '\(zone)'?" }
        let names = TimeZone.knownTimeZoneIdentifiers
        if name.utf8.count <= 64, let near = NearestName.hint(for: name, among: names) { return near }
        return "name it as the IANA database does, such as Asia/Seoul or Etc/UTC"
    }
}
