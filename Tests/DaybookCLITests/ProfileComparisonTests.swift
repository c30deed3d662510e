import DaybookTestSupport
import Foundation
import Testing

/// `daybook profile --compare`: what has changed since a profile that was kept.
@Suite struct ProfileComparisonTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        var (old, new) = ("id,country,amount,note\n", "id,country,amount,extra\n")
        for row in 0..<100 {
            old += "\(row),\(row % 2 == 0 ? "KR" : "DE"),\(row),x\n"
            new += "\(row),\(row % 2 == 0 ? "KR" : "FR"),\(row < 40 ? "" : "\(row * 3)"),\(row)\n"
        }
        try place.write(old, to: "old.csv")
        try place.write(new + "100,KR,1,1\n", to: "new.csv")
        let kept = try command.run("profile", "old.csv", "--format", "json", "-o", "old.json")
        #expect(kept.status == 0, "\(kept.errors)")
    }

    /// The column 'note' is gone from all but the old file.
    private func compared(_ arguments: String..., ending status: Int32 = 1) throws -> String {
        let outcome = try command.run(["profile", "--compare", "old.json"] + arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(/(a column is|columns are|a table is) gone: '/) == (status == 1))
        return outcome.output
    }

    @Test func bothAreToldBesideEachOther() throws {
        let text = try compared("new.csv")
        #expect(text.hasPrefix("new.csv\n  beside old.csv\n  rows: 100 before, 101 now (+1 %)\n"))
        #expect(text.contains("  columns that came: extra\n  columns that went: note\n"))
        // What has changed most comes first.
        let columns = text.matches(of: /(?m)^([a-z]+)  (?:integer|text)$/).map { String($0.1) }
        #expect(columns == ["amount", "country", "id"])
        #expect(text.contains(/missing +0 % +39\.6 % +\+39\.6 points/))
        #expect(text.contains(/median +49\.5 +2\d\d/) && text.contains(/95 % are below/))
        #expect(text.contains("  values that came: 'FR' (50)\n  values that went: 'DE' (50)\n"))
    }

    @Test func programsAreToldTheSame() throws {
        let text = try compared("new.csv", "--format", "json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["profile_comparison"] as? Int == 1)
        let table = try #require((document["tables"] as? [[String: Any]])?.first)
        #expect(table["columns_came"] as? [String] == ["extra"] && table["columns_went"] as? [String] == ["note"])
        let changed = try #require(table["columns_changed"] as? [[String: Any]])
        #expect(changed.map { $0["name"] as? String } == ["amount", "country", "id"])
        let facts = try #require(changed[0]["facts"] as? [String: [String: Any]])
        #expect(facts["least"]?["old"] as? Int == 0 && facts["least"]?["new"] as? Int == 1)
        #expect(facts["missing_share"]?["changed"] as? Bool == true && facts["holds"]?["changed"] as? Bool == false)
    }

    @Test func thePageHoldsBoth() throws {
        let page = try compared("new.csv", "--format", "html")
        #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.contains("<bdi>old.csv</bdi>"))
        #expect(page.contains("<th scope=\"row\">missing</th><td class=\"num\">0 %</td><td class=\"num\">39.6 %</td>"))
        #expect(page.contains("<b lang=\"\">extra</b>") && page.contains("&#39;FR&#39; (50)"))
    }

    @Test func aFileBesideItsOwnProfileIsTheSame() throws {
        let text = try compared("old.csv", ending: 0)
        #expect(
            text == """
                old.csv
                  rows: 100 before, 100 now
                  columns that are the same: id, country, amount, note
                  nothing has changed

                """
        )
    }

    @Test func otherValuesAndOtherWaysOfWritingAreNotTheSame() throws {
        func text(_ prefix: String, _ day: (Int) -> String) -> String {
            "symbol,day\n" + (10..<30).map { "\(prefix)\($0),\(day($0))\n" }.joined()
        }
        try place.write(text("A") { "11/\($0)/2026" }, to: "old.csv")
        _ = try command.run("profile", "old.csv", "--format", "json", "-o", "old.json")
        try place.write(text("B") { "2026-11-\($0)" }, to: "new.csv")
        let both = try compared("new.csv", ending: 0)
        #expect(both.contains("  columns with other values that look alike: symbol\n"), "\(both)")
        #expect(!both.contains("nothing has changed") && !both.contains("columns that are the same"), "\(both)")
        #expect(both.contains(/written +MM\/dd\/yyyy +iso +another way/), "\(both)")
        let same = try compared("old.csv", ending: 0)
        #expect(same.contains("columns that are the same: symbol, day\n  nothing has changed"), "\(same)")
    }

    @Test func wholeNumbersThatADoubleDoesNotHoldAreMarked() throws {
        try place.write("n\n9007199254740993\n9007199254740995\n", to: "old.csv")
        let kept = try command.run("profile", "old.csv", "--format", "json", "-o", "old.json")
        #expect(kept.status == 0, "\(kept.errors)")
        let profile = place.text("old.json") ?? ""
        #expect(profile.contains("\"least\" : 9007199254740993,") && profile.contains("\"most\" : 9007199254740995"))
        try place.write("n\n9007199254740993\n9007199254741999\n", to: "new.csv")
        let text = try compared("new.csv", ending: 0)
        #expect(text.contains(/least +≈/) && text.contains(/most +≈ [^ ]+ +≈/))
    }

    @Test func tablesAreFoundByTheirNames() throws {
        try place.write("a,b\n1,2\n", to: "other.csv")
        _ = try command.run("profile", "old.csv", "other.csv", "--format", "json", "-o", "old.json")
        let text = try compared("other.csv", "new.csv")
        #expect(text.contains("other.csv\n  rows: 1 before, 1 now\n"))
        #expect(text.contains("new.csv\n  this table came\n") && text.contains("old.csv\n  this table went\n"))
    }

    @Test("what is no profile that is known is refused, with what to do")
    func otherProfiles() throws {
        let deep = String(repeating: "[", count: 200_000)
        for (text, message) in [
            (
                "{\"profile\": 2, \"tables\": []}",
                "error: 'kept.json' is a profile of version 2, and version 1 is the one"
            ),
            ("{\"tables\": []}", "error: 'kept.json' is no profile [bad-profile]"),
            ("{\"profile\": 1, \"tables\": \(deep)", "error: 'kept.json' is no profile [bad-profile]"),
            (deep, "error: 'kept.json' is no profile [bad-profile]"), ("", "error: 'kept.json' is no profile"),
            (
                "{\"profile\": 1, \"tables\": [{\"file\": \"a\", \"rows\": 9223372036854775807, \"columns\": []}]}",
                "error: 'kept.json' is no profile [bad-profile]"
            ),
            (
                "{\"profile\": 1, \"tables\": [{\"file\": \"a\", \"rows\": -1, \"columns\": []}]}",
                "error: 'kept.json' is no profile [bad-profile]"
            ),
        ] {
            try place.write(text, to: "kept.json")
            let outcome = try command.run("profile", "--compare", "kept.json", "new.csv")
            #expect(outcome.status == 3 && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
            #expect(outcome.errors.contains("profile"))
        }
        let missing = try command.run("profile", "--compare", "none.json", "new.csv")
        #expect(missing.status == 3 && missing.errors.contains("none.json"))
        let rules = try command.run("profile", "--compare", "old.json", "new.csv", "--rules")
        #expect(rules.status == 2 && rules.errors.contains("which is compared with nothing"))
        let over = try command.run("profile", "--compare", "old.json", "new.csv", "-o", "old.json")
        #expect(over.status == 2 && over.errors.contains("[output-is-input]"))
    }

    @Test func whatAKeptProfileSaysIsNoMarkup() throws {
        let evil = "</td><script>alert(1)</script>\u{1B}[2J"
        let cells = "\"\(evil)\",1\n"
        try place.write("\"\(evil)\",n\n" + cells + cells, to: "evil.csv")
        _ = try command.run("profile", "evil.csv", "--format", "json", "-o", "old.json")
        let page = try compared("new.csv", "--format", "html")
        #expect(!page.contains("<script") && !page.contains("\u{1B}") && page.contains("&lt;script&gt;"))
        #expect(try !compared("new.csv").contains("\u{1B}"))
        // Numbers at the ends of what a double holds do no harm.
        let most =
            "{\"least\": -1.7e308, \"most\": 1.7e308, \"mean\": 0, \"median\": {\"value\": 1e308, \"exact\": false}}"
        let column =
            "{\"name\": \"amount\", \"holds\": \"x\", \"count\": 9, \"missing\": 0, \"distinct\": {\"count\": 3, "
            + "\"exact\": false}, \"top\": [], \"numbers\": \(most), \"days\": {\"first\": \"x\", \"last\": \"9999-12-31\"}}"
        try place.write(
            "{\"profile\": 1, \"tables\": [{\"file\": \"a\", \"rows\": 9, \"columns\": [\(column)]}]}",
            to: "old.json"
        )
        for format in ["text", "json", "html"] {
            #expect(try compared("new.csv", "--format", format, ending: 0).contains("amount"))
        }
    }
}
