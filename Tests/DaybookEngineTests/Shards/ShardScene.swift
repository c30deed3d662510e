import DaybookTestSupport
import Foundation
import Testing

/// A job, its input, and the files of its shards, in a place of their own: `plan.json` and `parts`.
struct ShardScene {
    let place: TemporaryDirectory
    let command: CommandTrial

    /// - Parameters:
    ///   - options: of `plan`, besides the number of shards.
    ///   - others: further files, by their names.
    init(
        input: String,
        job: String,
        shards: Int,
        options: [String] = [],
        beside others: [String: String] = [:]
    ) throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(input, to: "in.csv")
        for (name, text) in others { try place.write(text, to: name) }
        try place.write(job, to: "job.yaml")
        try succeed(["plan", "job.yaml", "--shards", "\(shards)", "-o", "plan.json"] + options)
        for number in 0..<shards { try succeed("run", "--shard", "plan.json#\(number)", "--into", "parts") }
    }

    /// 900 rows in which every name comes twice or more, in shards of its own and in others.
    static let names = "name,day\n" + (1...900).map { "name \($0 * 7 % 311),\($0 % 100)\n" }.joined()

    @discardableResult
    func succeed(_ arguments: String...) throws -> String { try succeed(arguments) }

    @discardableResult
    private func succeed(_ arguments: [String]) throws -> String {
        let outcome = try command.run(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return outcome.errors
    }

    func url(_ name: String) -> URL { place.url.appendingPathComponent(name) }
    func file(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

    /// The file of a shard, or of several such as `0-1`.
    func part(_ numbers: String) -> String { "parts/shard-\(numbers).daybook-shard" }

    /// Holds that a merge of some places gives what one process gives, in all of these files.
    func merge(_ places: [String], gives names: [String]) throws {
        try succeed("run", "job.yaml")
        let whole = try names.map(file)
        for name in names { try FileManager.default.removeItem(at: url(name)) }
        let outcome = try command.run(["merge", "plan.json"] + places)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names.map(file) == whole)
    }
}
