import ArgumentParser
import DaybookBytes
import DaybookDates
import DaybookJSON

extension CodableDates: ExpressibleByArgument {}

/// `daybook model FILE`.
struct ModelCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("model", "Print a Swift model as the fields of importers and exporters.") { name in
            """
            Reads the structs, classes and enums of a Swift file that are Codable, and
            prints the one that no other holds as options to paste into a job: the
            columns of an import, the fields of an export, and 'model', by which the
            export proves that the app can read what was written. What the reader does
            not know, such as a custom init(from:), is refused with its line.

            Examples:
              \(name) model App.swift
              \(name) model App.swift --type Todo --dates iso
            """
        }
    }

    @Argument(help: "The Swift file.", completion: .file(extensions: ["swift"]))
    var file: String

    @Option(help: "The type to print, if several stand alone.")
    var type: String?

    @Option(help: "How the app writes dates: apple_seconds, as JSONEncoder does, epoch_seconds, epoch_millis, or iso.")
    var dates = CodableDates.appleSeconds

    mutating func run() throws {
        let source = try SwiftSource.read(file, name: FilePath.name(of: file))
        Terminal.print(try ModelText(type ?? source.only(), of: source, dates: dates).yaml)
    }
}
