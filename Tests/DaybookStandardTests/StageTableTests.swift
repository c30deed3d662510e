import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

@Suite struct StageTableTests {
    @Test("names, summaries, help and examples keep to the rules of the house")
    func rules() {
        for problem in TableRules.problems(in: .builtIn) { Issue.record(Comment(rawValue: problem)) }
    }

    @Test("the table is in alphabetical order")
    func order() {
        #expect(StageTable.builtIn.names == StageTable.builtIn.names.sorted())
    }

    @Test("every file with a stage stands in the table, under the name of its file")
    func folder() throws {
        var declared: Set<String> = []
        for (file, text) in try Self.sources() {
            for type in Self.stages(declaredIn: text) {
                declared.insert(type)
                #expect(type == file, "\(type) is declared in \(file).swift")
            }
        }
        let listed = Set(StageTable.builtIn.stages.map { TableRules.typeName(of: $0) })
        for type in declared.subtracting(listed).sorted() {
            Issue.record("\(type) has a file in Sources and no line in StageTable.swift")
        }
        #expect(listed.subtracting(declared).isEmpty, "the table lists stages that have no file")
    }

    @Test("what finds stages in the folder sees all four roles")
    func declarations() {
        let text = """
            public struct SortRows: FoldStage {
            struct Other: Sendable {
            public struct ReadFoo: TextSource, Sendable {
            """
        #expect(Self.stages(declaredIn: text) == ["SortRows", "ReadFoo"])
    }

    @Test(
        "a type name gives the name in jobs",
        arguments: [
            ("ValidateHexColours", "validate_hex_colours"), ("CountDDays", "count_d_days"),
            ("ImportCSV", "import_csv"), ("ExportHTMLPage", "export_html_page"), ("SortRows", "sort_rows"),
        ]
    )
    func snakeCase(_ type: String, _ name: String) {
        #expect(TableRules.snakeCase(type) == name)
    }

    /// The sources of all rooms, by file name without its ending.
    private static func sources() throws -> [(file: String, text: String)] {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let urls = try #require(files).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(!urls.isEmpty, "no sources in \(folder.path)")
        return try urls.map {
            ($0.deletingPathExtension().lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
        }
    }

    private static func stages(declaredIn text: String) -> [String] {
        let protocols = /\b(?:(?:Transform|Fold|Sink)Stage|(?:Text|Store|Service)Source|Transform|Check)\b/
        return text.matches(of: /(?m)^(?:public )?struct (\w+)\b([^{]*)/)
            .filter { $0.output.2.contains(protocols) }
            .map { String($0.output.1) }
    }
}
