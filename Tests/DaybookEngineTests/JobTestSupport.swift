import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// What is read from the text of a YAML file.
func yaml(_ text: String) -> YAMLReader.Reading {
    YAMLReader().read(Array(text.utf8), file: "job.yaml")
}

/// What is wrong with a YAML file, as it is printed.
func yamlProblems(_ text: String) -> String {
    let reading = yaml(text)
    return ErrorRenderer(source: reading.source).render(reading.problems)
}

/// What is read from a job whose file lacks only its first line.
func job(
    _ text: String,
    set settings: [String: String] = [:],
    environment: [String: String] = [:],
    stageNames: [String] = []
) -> JobParser.Reading {
    JobParser(
        settings: settings.sorted { $0.key < $1.key }.map { ParamSetting(name: $0.key, value: $0.value) },
        stageNames: stageNames,
        environment: { environment[$0] }
    ).read(Array("daybook: 1\n\(text)".utf8), file: "jobs/nightly.yaml")
}

/// What is wrong with such a job: `line:column message [code] (hint)`, one to a line.
func jobProblems(
    _ text: String,
    set settings: [String: String] = [:],
    environment: [String: String] = [:],
    stageNames: [String] = []
) -> [String] {
    job(text, set: settings, environment: environment, stageNames: stageNames).problems.map { problem in
        let place = problem.place.map { "\($0.line):\($0.column) " } ?? ""
        return "\(place)\(problem.message) [\(problem.code.rawValue)]" + (problem.hint.map { " (\($0))" } ?? "")
    }
}

/// A tree on one line: text in quotes only where it was quoted, `∅` for nothing.
func flat(_ node: OptionNode?) -> String {
    switch node?.content {
    case nil: "no tree"
    case .nothing?: "∅"
    case .text(let text, let quoted)?: quoted ? "'\(text)'" : text
    case .list(let items)?: "[\(items.map { flat($0) }.joined(separator: ", "))]"
    case .map(let entries)?: "{\(entries.map { "\($0.key): \(flat($0.value))" }.joined(separator: ", "))}"
    }
}

/// Random numbers from a seed (SplitMix64), so that a failure can be had again.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
