import DaybookTestSupport
import Foundation
import Testing

/// Texts that an import brings to one form of Unicode. They are compared byte by byte: Swift takes both forms for the same text.
@Suite struct NormalFormTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial
    private static let decomposed = "\u{1112}\u{1162}\u{11BC}e\u{301}"
    private static let wide = "\u{FF21}\u{FF11}"

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,word,other\n1,\(Self.decomposed),행\n2,\(Self.wide),plain\n", to: "in.csv")
        try place.write(#"[{"word":"\#(Self.decomposed)"},{"word":"\#(Self.wide)"}]"#, to: "in.json")
        try place.write("1 \(Self.decomposed)\n2 \(Self.wide)\n", to: "in.txt")
    }

    private func words(_ stage: String) throws -> [[UInt8]] {
        try place.write(
            """
            daybook: 1
            stages:
              - \(stage)
              - select_columns: { columns: [word] }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return Array((place.text("out.csv") ?? "").utf8).split(separator: 10).dropFirst().map(Array.init)
    }

    @Test(arguments: [
        "import_csv: { path: in.csv, OPTION }", "import_json: { path: in.json, OPTION }",
        "import_fixed_width: { path: in.txt, widths: { id: 2, word: 9 }, OPTION }",
    ])
    func `texts stay, are composed, or made plain`(_ stage: String) throws {
        func expected(_ first: String, _ second: String) -> [[UInt8]] { [Array(first.utf8), Array(second.utf8)] }
        #expect(try words(stage.replacing(", OPTION", with: "")) == expected(Self.decomposed, Self.wide))
        #expect(
            try words(stage.replacing("OPTION", with: "normalise: nfc")) == expected("\u{D589}\u{E9}", Self.wide)
        )
        #expect(try words(stage.replacing("OPTION", with: "normalise: nfkc")) == expected("\u{D589}\u{E9}", "A1"))
    }
}
