import Foundation

/// Does a run in shards, each a process of its own: in the wrong order, one of them twice, and one of them killed before.
public struct ShardTrial {
    private let count: Int
    private let directory: URL

    public init(_ count: Int, in directory: URL) { (self.count, self.directory) = (count, directory) }

    /// What goes with the plan and not with the merge.
    private static let planned: Set<String> = ["--as-of", "--set"]

    /// A shard that failed, which ends the run.
    public struct Failure: Error {
        public var outcome: CommandTrial.Outcome
    }

    /// The run that `run …` stands for; nil where the arguments are no run, or the run cannot be cut.
    public func run(_ arguments: [String]) throws -> CommandTrial.Outcome? {
        guard arguments.first == "run", arguments.count > 1, arguments[1] != "-" else { return nil }
        let aside = try TemporaryDirectory()
        let plan = aside.url.appendingPathComponent("plan.json").path
        let parts = aside.url.appendingPathComponent("parts").path
        let command = CommandTrial(in: directory)
        let options = Array(arguments.dropFirst(2))
        let ofPlan = ShardTrial.options(options) { ShardTrial.planned.contains($0) }
        let made = try command.run(["plan", arguments[1], "--shards", "\(count)", "-o", plan] + ofPlan)
        guard made.status == 0 else { return nil }
        for number in Array((0..<count).reversed()) + [count / 2] {
            let one = ["run", "--shard", "\(plan)#\(number)", "--into", parts]
            if number == count - 1 { try startAndKill(one) }
            let done = try command.run(one)
            if done.status != 0 { throw Failure(outcome: done) }
        }
        return try command.run(
            ["merge", plan, parts] + ShardTrial.options(options) { !ShardTrial.planned.contains($0) }
        )
    }

    /// Starts a command and kills it.
    private func startAndKill(_ arguments: [String]) throws {
        let (process, output, errors) = try CommandTrial(in: directory).start(arguments)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
    }

    /// Options, each with its value, that are to be kept.
    private static func options(_ all: [String], where isKept: (String) -> Bool) -> [String] {
        var kept: [String] = []
        var keeps = true
        for argument in all {
            if argument.hasPrefix("--") { keeps = isKept(argument) }
            if keeps { kept.append(argument) }
        }
        return kept
    }
}
