import DaybookTestSupport
import Foundation
import Testing

/// What `explain` tells of columns: what they are, where those of outputs come from, and what each stage changes.
@Suite struct ColumnOriginTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("Nr,Tag,Betrag,note\n1,2026-11-20,12.5,x\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            job: sales
            stages:
              - import_csv:
                  path: in.csv
                  columns: { Betrag: decimal }
                  describe: { Betrag: "What the customer paid, <with tax>", Steuer: The tax }
                id: sold
              - rename_columns: { Betrag: amount, Tag: day }
                id: named
              - select_columns: { columns: [day, amount], describe: { day: When it was sold } }
                id: chosen
              - summarise_rows: { by: [day], values: { revenue: sum(amount), most: max(amount) } }
                id: by_day
              - export_csv: { path: out/days.csv }
              - export_csv: { path: out/rows.csv }
                from: named

            """,
            to: "job.yaml"
        )
    }

    @Test func `a column of an output is told with what it is and where it comes from, stage by stage`() throws {
        let page = try command.run("explain", "job.yaml", "--format", "html").output
        let table = try #require(page.components(separatedBy: "<h2 id=\"columns-h\">").dropFirst().first)
        let rows = table.components(separatedBy: "<tr>").filter { $0.contains("scope=\"row\"") }
        #expect(rows.count >= 3)
        let day = try #require(rows.first { $0.contains(">day<") })
        #expect(day.contains("<td>When it was sold</td>"))
        #expect(day.contains(">day: named of Tag<") && day.contains(">Tag: sold<"))
        let revenue = try #require(rows.first { $0.contains(">revenue<") })
        #expect(revenue.contains("</th><td></td>"), "a sum is not what it is a sum of")
        let amount = try #require(rows.first { $0.contains(">amount<") })
        #expect(amount.contains("<td>What the customer paid, &lt;with tax&gt;</td>"))
        for step in ["revenue: by_day of amount", "amount: named of Betrag", "Betrag: sold"] {
            #expect(revenue.contains(">\(step)<"), "\(step)")
        }
        #expect(page.contains("describes Steuer, which it does not have"))
    }

    @Test func `a stage shows what it changes, and all columns behind a disclosure`() throws {
        let page = try command.run("explain", "job.yaml", "--format", "html").output
        let stages = try #require(page.components(separatedBy: "<h2 id=\"stages-h\">").dropFirst().first)
        #expect(stages.contains("<span class=\"change\">+\u{A0}day: text, +\u{A0}amount: decimal</span>"))
        #expect(stages.contains("<span class=\"change\">−\u{A0}"))
        #expect(stages.contains("<summary>2 columns</summary>day: text, amount: decimal</details>"))
    }

    @Test func `text and JSON have the descriptions too`() throws {
        let text = try command.run("explain", "job.yaml").output
        #expect(text.contains("means    Betrag: What the customer paid, <with tax>"))
        #expect(text.contains("means    amount: What the customer paid, <with tax>"))
        let json = try command.run("explain", "job.yaml", "--format", "json").output
        #expect(json.contains("\"from\" : [") && json.contains("\"description\" : \"When it was sold\""))
    }
}
