@testable import DaybookApple
@testable import DaybookContracts

/// The three spellings of property lists, and archives in them: each is read, or refused as the data's fault.
///
/// One reader tells them apart by their content; the targets differ in what their corpus begins with, so that each spelling is
/// given its time.
extension FuzzTarget {
    static let propertyLists = ["plist-binary", "plist-xml", "plist-openstep", "archive"].map { name in
        FuzzTarget(name, readPropertyList)
    }

    private static let defaults = stages(
        ImportUserDefaults.self,
        [
            "", "key: k\ncolumns: { d: instant }\ndates: apple_seconds", "key: k\ncolumns: { a: json }",
            "key: k\nabsent: empty",
        ]
    )

    private static func readPropertyList(_ bytes: [UInt8]) throws {
        let content = Bytes(capacity: bytes.count)
        bytes.withUnsafeBufferPointer { content.append($0) }
        var silent: [String] = []
        do throws(DaybookError) {
            let file = try UserDefaultsFile(content, SourceName(index: 0, path: "input"))
            for entry in file.entries.prefix(8) {
                if try file.text(entry).words.isEmpty { silent.append(entry.key) }
            }
        } catch {
            try promise(error.blame == .data, "the blame is not the data's: \(error.message)")
        }
        try promise(silent.isEmpty, "\(silent) do not say what they are")
        try read(bytes, defaults)
    }
}
