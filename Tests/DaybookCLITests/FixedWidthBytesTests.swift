import DaybookTestSupport
import Foundation
import Testing

/// Columns that are counted in bytes of the file, as banks and mainframes count them, against files that iconv made.
@Suite struct FixedWidthBytesTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    /// What the names are made of, and how many bytes a character takes that is no ASCII; 0 where UTF-8 tells.
    @Test(
        "amounts behind names keep every digit",
        arguments: [
            ("cp949", "김민아서준호행복 ab", 2), ("shift_jis", "東京カナかな山 xy", 2), ("gbk", "北京上海人民 qz", 2),
            ("big5", "臺北高雄人民 qz", 2), ("utf-8", "김é中ab ", 0),
        ]
    )
    func amounts(encoding: String, letters: String, size: Int) throws {
        var random = SeededGenerator(seed: 7)
        let width = 12
        func bytes(_ letter: Character) -> Int {
            letter.isASCII ? 1 : size > 0 ? size : String(letter).utf8.count
        }
        var (text, expected) = ("", "name,amount,day\n")
        for _ in 0..<200 {
            var (name, length) = ("", 0)
            while let letter = letters.randomElement(using: &random), length + bytes(letter) <= width {
                if letter == " ", name.isEmpty || name.hasSuffix(" ") { continue }
                name.append(letter)
                length += bytes(letter)
            }
            let amount = String(Int.random(in: 0...99_999_999, using: &random))
            text += name + String(repeating: " ", count: width - length)
            text += String(repeating: " ", count: 8 - amount.count) + amount + "20261121\n"
            let trimmed = name.trimmingCharacters(in: .whitespaces)
            expected += "\(trimmed),\(amount),20261121\n"
        }
        try place.write(text, to: "in.utf-8")
        try place.write(
            """
            daybook: 1
            stages:
              - import_fixed_width:
                  path: in.txt
                  encoding: \(encoding)
                  widths: { name: \(width), amount: 8, day: 8 }
                  widths_in: bytes
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let made = try command.shell(
            "iconv -f utf-8 -t \(encoding) in.utf-8 >in.txt && \"$DAYBOOK\" run job.yaml"
        )
        #expect(made.status == 0, "\(made.errors)")
        #expect(place.text("out.csv") == expected)
    }

    @Test("an encoding whose characters do not tell their bytes is refused by name", arguments: ["euc-jp", "gb18030"])
    func refused(encoding: String) throws {
        try place.write("abc 123\n", to: "in.txt")
        try place.write(
            """
            daybook: 1
            stages:
              - import_fixed_width: { path: in.txt, encoding: \(encoding), widths: { a: 4, b: 3 }, widths_in: bytes }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(encoding), "\(outcome.errors)")
    }
}
