import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// What commands say at a terminal stands in its width; what they say to anything else is not broken.
@Suite struct TerminalWidthTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let rows = (0..<60).map { "\($0),\($0 % 3 == 0 ? "분홍색" : "#EC007F")\n" }.joined()
        try place.write("id,colour\n" + rows, to: "in.csv")
        try place.write(
            """
            daybook: 1
            rejects: { allow: 50% }
            stages:
              - import_csv: { path: in.csv }
                id: entries_of_every_day
              - validate_hex_colours: { column: colour }
                id: clean
              - check_rows:
                  rules: [{ id: not_more_rows_than_anybody_wants_to_see, row_count: { max: 5 }, warn: "> 0" }]
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        try place.write("daybook: 1\nstages: [{ import_csv: { paht: 'a-file-of-a-long-name.csv' } }]\n", to: "no.yaml")
    }

    /// The lines that a terminal of that width is shown, without colours; nil where no terminal is to be had.
    private func shown(_ arguments: String, width: Int) throws -> [String]? {
        // `script` gives the command a terminal; not every machine has it.
        let line =
            "command -v script >/dev/null || exit 77; "
            + "script -qec \"stty cols \(width); $DAYBOOK \(arguments)\" /dev/null"
        let outcome = try command.shell(line)
        guard outcome.status != 77 else { return nil }
        return outcome.output.replacing("\r\n", with: "\n").split(separator: "\n").map { line in
            String(line.replacing(/\u{1B}\[[0-9;]*[mK]/, with: "").replacing("\r", with: ""))
        }
    }

    @Test(arguments: ["run job.yaml", "validate no.yaml", "explain job.yaml", "stages sort_rows", "run no.yaml"])
    func `lines stand in the width of a terminal`(_ arguments: String) throws {
        for width in [60, 80, 200] {
            guard let lines = try shown(arguments, width: width) else { return }
            #expect(!lines.isEmpty)
            // What stands in a block of its own, to be copied, is shown as it is.
            for line in lines where !(arguments.hasPrefix("stages") && line.hasPrefix("    ")) {
                #expect(Prose.width(of: line) <= width, "\(line)")
            }
        }
    }

    @Test func `the ledger is as wide as it needs to be`() throws {
        guard let narrow = try shown("run job.yaml", width: 60), let wide = try shown("run job.yaml", width: 200) else {
            return
        }
        #expect(narrow.contains { $0.hasSuffix("in  out  rejected") })
        #expect(wide.contains { $0.hasSuffix("rejected  dropped  folded  made") })
        #expect(narrow.contains("  … and 19 more of the same, at in.csv:5:3, in.csv:8:3,"))
        let plain = try command.run("run", "job.yaml").errors
        #expect(plain.contains("rejected  dropped  folded  made\n") && !plain.contains("of the same"))
    }

    @Test func `a profile keeps what it says of a column beside it`() throws {
        guard let lines = try shown("profile in.csv", width: 60) else { return }
        for line in lines { #expect(Prose.width(of: line) <= 60, "\(line)") }
    }
}
