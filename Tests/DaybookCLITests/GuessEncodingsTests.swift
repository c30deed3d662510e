import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Which encodings `daybook guess` and the hint of a run propose.
@Suite struct GuessEncodingsTests: GuessingSuite {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test(arguments: [
        ("iso-8859-7", "id,age,name\n1,39,Έλενα\n2,23,Γιώργος Νικολάου\n3,36,Βασίλης\n"),
        ("windows-1252", "id,name\n1,english\n2,©\n"),
    ])
    func encodingsAreAmongTheChoices(_ encoding: String, _ text: String) throws {
        let writer = try EncodingWriter(TextEncoding(named: encoding))
        let (cell, out) = (Bytes(text), Bytes())
        writer.encode(cell, 0..<cell.count, into: out) { Issue.record("no character for \($0)") }
        try place.write(Data(out.array), to: "in.csv")
        let outcome = try command.run("guess", "in.csv")
        #expect(
            outcome.status == 0 && outcome.output.contains("encoding: \(encoding)"),
            "\(outcome.output)\(outcome.errors)"
        )
    }

    @Test func theHintOfARunNamesTheEncoding() throws {
        let text = "이름,기분\n김민아,행복해\n이소라,우울해\n"
        try place.write(Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }), to: "in.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run("run", "job.yaml")
        #expect(run.status != 0 && run.errors.contains("utf-16be"), "\(run.errors)")
    }
}
