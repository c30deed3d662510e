import DaybookBytes
import DaybookJSON

/// The `manifest.json` of React Native's AsyncStorage: texts under keys, or null for a long value, which is in a file
/// beside it that has the MD5 of the key for a name.
enum AsyncStorage {
    static let displayText = "AsyncStorage of a React Native app"

    /// Whether a dump is such a manifest, by its name and the kinds of its values.
    static func isManifest(_ dump: DumpedJSON, _ path: String) -> Bool {
        FilePath.name(of: path) == "manifest.json" && !dump.entries.isEmpty
            && dump.entries.allSatisfy {
                ["text", "null"].contains(JSONValueName.of(dump.source[$0.value.lowerBound]))
            }
    }

    /// The error for a key whose value is in a file of its own.
    static func keptApart(_ key: String, in path: String, _ place: SourcePlace?) -> DaybookError {
        let message = "the value of the key '\(key)' of \(path) is in a file of its own beside it"
        return DaybookError.data(
            "key-not-found",
            message,
            at: place,
            hint: "read that with import_json; printf %s '\(key)' | md5sum prints its name"
        )
    }

    /// The keys whose values are in files of their own.
    static func keysApart(of defaults: UserDefaultsFile) -> [String] {
        guard defaults.isAsyncStorage, case .json(let dump) = defaults.file else { return [] }
        return dump.entries.filter { dump.source[$0.value.lowerBound] == UInt8(ascii: "n") }.map(\.key)
    }

    /// What a guess says of such keys; nil where there are none.
    static func note(of keys: [String]) -> String? {
        guard !keys.isEmpty else { return nil }
        let shown = keys.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
        let more = keys.count > 20 ? " and \(keys.count - 20) more" : ""
        return
            "in files of their own, which import_json reads: \(shown)\(more); printf %s KEY | md5sum prints the name of each"
    }
}
