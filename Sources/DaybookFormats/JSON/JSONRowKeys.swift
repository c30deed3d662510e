import Foundation

/// The keys that rows are written with, which the records of a file have to share that they are added to.
package struct JSONRowKeys: Sendable {
    /// All that a row may have.
    private let known: Set<String>
    /// Those that every row has.
    private let always: Set<String>
    /// Whether rows may be values without keys.
    private let takesValues: Bool
    /// Where the job names the file.
    private let place: SourcePlace?

    /// Of keys in objects only the outermost one counts.
    package init(_ encoding: CodableEncoding, _ schema: Schema, nests: Bool, at place: SourcePlace?) {
        // A check of the columns has refused what cannot be written.
        let properties = (try? encoding.properties(of: schema, nests: nests)) ?? []
        takesValues = properties.contains { $0.path.isEmpty }
        known = Set(properties.compactMap(\.path.first))
        always = Set(properties.filter { $0.path.count == 1 && $0.absence != .leftOut }.map { $0.path[0] })
        self.place = place
    }

    /// Refuses a file whose first or last record is not like the rows, or not whole.
    ///
    /// A record that is longer than what is given of the file is not looked at.
    func check(_ edges: ExtendedText.Edges) throws(DaybookError) {
        guard takesValues || edges.first.first == UInt8(ascii: "{") else {
            throw DaybookError(
                "not-json-lines",
                "the file that is to be added to does not begin with '{', so it is no JSON Lines",
                at: place,
                hint: "write to another path, or move the old file away"
            )
        }
        if let first = edges.firstLine { try check(first, "first") }
        if let last = edges.lastLine { try check(last, "last") }
    }

    private func check(_ line: ArraySlice<UInt8>, _ which: String) throws(DaybookError) {
        let value = try? JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed)
        if takesValues, value != nil, value as? [String: Any] == nil { return }
        guard let record = value as? [String: Any] else {
            throw DaybookError(
                "torn-line",
                "the \(which) line of the file that is to be added to is no whole record",
                at: place,
                hint: "take that line out, or move the old file away"
            )
        }
        let strange = record.keys.filter { !known.contains($0) }.sorted()
        let lost = always.filter { record[$0] == nil }.sorted()
        guard !strange.isEmpty || !lost.isEmpty else { return }
        var parts: [String] = []
        if !strange.isEmpty { parts.append("has \(JSONRowKeys.list(strange)), which the rows have not") }
        if !lost.isEmpty { parts.append("lacks \(JSONRowKeys.list(lost)), which the rows have") }
        throw DaybookError(
            "columns-differ",
            "the \(which) record of the file that is to be added to \(parts.joined(separator: ", and "))",
            at: place,
            hint: "make the columns alike with select_columns and rename_columns, or move the old file away"
        )
    }

    private static func list(_ keys: [String]) -> String {
        let more = keys.count > 8 ? " and \(keys.count - 8) more" : ""
        return keys.prefix(8).map { "'\($0.prefix(80))'" }.joined(separator: ", ") + more
    }
}
