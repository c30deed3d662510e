import DaybookBytes
import DaybookDates

/// Parses a job file: YAML, engine keys, params and the chain of stages, with every problem of the file.
public struct JobParser: Sendable {
    /// Result of parsing, as far as the file is valid.
    public struct Reading {
        /// The job; nil if the file is not even a map. A job with problems allows further checks, but no run.
        public var job: Job?
        /// All problems, in the order of the file.
        public var problems: [DaybookError]
        /// Text of the file, for excerpts.
        public var source: SourceText
        package let found: Problems

        /// Adds the problems of the caller: each once, in the order of the file, without consequences of a `${…}` that
        /// could not be filled in.
        public mutating func add(_ problems: [DaybookError]) {
            for problem in problems { found.add(problem) }
            self.problems = found.sorted()
        }

        /// The job, if it has no problems.
        public func checked() throws(DaybookErrors) -> Job {
            guard problems.isEmpty, let job else { throw DaybookErrors(problems) }
            return job
        }
    }

    package static let keys = [
        "daybook", "job", "timezone", "as_of", "params", "state", "keep", "catch_up", "after", "wait_for", "rejects",
        "publish", "diff", "notify", "for_each", "container", "stages", "tests",
    ]

    /// Keys under which `${…}` is not replaced, or replaced by other rules.
    private static let unfilled: Set = ["params", "tests"]
    /// Keys that define the built-in values, read before all others.
    private static let heads: Set = ["daybook", "job", "timezone", "as_of"]
    /// Keys that are read once for each value under `for_each`.
    private static let repeated: Set = ["container", "stages"]

    private let settings: [ParamSetting]
    private let asOf: Job.AsOf?
    private let stageNames: Set<String>
    private let isSource: @Sendable (String) -> Bool
    private let search: ForEach.Search
    private let environment: @Sendable (String) -> String?

    /// - Parameters:
    ///   - settings: Values from `--set`.
    ///   - asOf: Day from `--as-of`, which replaces the day of the job.
    ///   - stageNames: Existing stage types. They only improve messages; the plan refuses unknown ones.
    ///   - isSource: Whether a stage type reads no other stage. Only asked about jobs with `for_each`.
    ///   - search: Which values of `for_each` are looked for.
    ///   - environment: Looks up `${env:NAME}`.
    public init(
        settings: [ParamSetting] = [],
        asOf: Job.AsOf? = nil,
        stageNames: some Sequence<String> = [],
        isSource: @escaping @Sendable (String) -> Bool = { _ in false },
        search: ForEach.Search = .none,
        environment: @escaping @Sendable (String) -> String?
    ) {
        self.settings = settings
        self.asOf = asOf
        self.stageNames = Set(stageNames)
        (self.isSource, self.search, self.environment) = (isSource, search, environment)
    }

    /// The job in `source`, or all of its problems.
    public func job(_ source: [UInt8], file: String) throws(DaybookErrors) -> Job {
        try read(source, file: file).checked()
    }

    /// Parses as much of a job as possible, so that a caller can add the problems of the stages.
    public func read(_ source: [UInt8], file: String) -> Reading {
        let yaml = YAMLReader().read(source, file: file)
        let problems = Problems()
        for problem in yaml.problems { problems.add(problem, hiding: problem.place) }
        var job: Job?
        if let root = yaml.root, root.map != nil {
            job = JobReader(parser: self, source: yaml.source, problems: problems).job(root, bytes: source)
        } else if let root = yaml.root, root.text != nil || root.list != nil {
            problems.add(root.expected("a map with the keys of a job", hint: "begin the file with 'daybook: 1'"))
        } else if yaml.problems.isEmpty {
            problems.add(
                "empty-job",
                "the job file is empty",
                at: SourcePlace(file: file, line: 1, column: 1),
                hint: "begin it with 'daybook: 1'"
            )
        }
        return Reading(job: job, problems: problems.sorted(), source: yaml.source, found: problems)
    }
}

extension JobParser {
    /// Builds a job from the tree of one file.
    private struct JobReader {
        let parser: JobParser
        let source: SourceText
        let problems: Problems

        func job(_ root: OptionNode, bytes: [UInt8]) -> Job {
            let raw = EngineMap(root, keys: JobParser.keys, of: "a job", problems)
            let params = ParamReader(
                settings: parser.settings,
                environment: parser.environment,
                source: source,
                problems: problems
            ).read(raw["params"])
            var substitution = Substitution(
                params: params.values,
                environment: parser.environment,
                source: source,
                problems: problems
            )
            // These keys define the built-in values, which all other keys may use.
            let heads = part(of: root, JobParser.heads, &substitution)
            checkVersion(heads["daybook"])
            var timezone: TimezoneName? = heads.read("timezone")
            // An invalid value has its own problem already. The placeholder avoids a second one for stages.
            if timezone == nil, heads["timezone"] != nil { timezone = .placeholder }
            let (name, asOf) = (name(heads["job"]), asOf(heads["as_of"]))
            let day = (parser.asOf ?? asOf).day(in: timezone?.text)
            substitution.builtIn = BuiltInValues(day: day, job: name)
            let rest = Set(JobParser.keys).subtracting(JobParser.heads).subtracting(JobParser.unfilled)
            let map = part(of: root, rest.subtracting(JobParser.repeated), &substitution)
            let reader = ForEachReader(problems: problems)
            var each = reader.forEach(map["for_each"], params: params.values.keys)
            var copies: [[JobStage]] = []
            var containers: [Container] = []
            let values = each?.find(parser.search) ?? []
            for value in values.isEmpty ? [nil] : values.map(Optional.some) {
                substitution.builtIn?.each = value.flatMap { value in each.map { ($0.name.text, value) } }
                let map = part(of: root, JobParser.repeated, &substitution)
                containers += [reader.container(map["container"])].compactMap(\.self)
                copies.append(stages(map["stages"], root: root, isRepeated: raw["for_each"] != nil))
            }
            let state = state(map)
            let (notices, noticeSecrets) = notices(map["notify"], written: raw["notify"])
            return Job(
                name: name,
                file: source.file,
                source: bytes,
                timezone: timezone?.text,
                asOf: asOf,
                day: day,
                params: params.params,
                rejects: map["rejects"].map { RejectPolicy(reading: $0, problems) },
                publish: publish(map["publish"]) ?? published(containers),
                diff: map["diff"].map { DiffGate(reading: $0, problems) },
                state: state,
                isStateUnknown: map["state"] != nil && state == nil,
                keep: map.read("keep"),
                catchUp: map.read("catch_up"),
                predecessors: predecessors(map, of: name),
                awaited: map.read("wait_for") ?? [],
                notices: notices,
                each: each,
                containers: containers,
                stages: each.map { each in
                    StageCopies(isSource: parser.isSource, each: each, values: values).stages(copies)
                } ?? copies[0],
                tests: raw["tests"].map { TestListReader(problems: problems).read($0) } ?? [],
                variableSecrets: Set(params.secrets.values).union(substitution.secrets.values).union(noticeSecrets)
                    .sorted(),
                isNamedByParams: raw["job"]?.text?.contains("${") == true,
                dated: substitution.dated
            )
        }

        /// Some keys of the job, with their values filled in.
        private func part(of root: OptionNode, _ keys: Set<String>, _ substitution: inout Substitution) -> EngineMap {
            let entries = (root.map ?? []).filter { keys.contains($0.key) }
            let filled = substitution.fill(OptionNode(.map(entries), at: root.place))
            return EngineMap(filled, keys: JobParser.keys, of: "a job", problems)
        }

        private func checkVersion(_ node: OptionNode?) {
            guard let node else {
                problems.add(
                    "missing-key",
                    "the job does not say its format version",
                    at: SourcePlace(file: source.file, line: 1, column: 1),
                    hint: "begin the file with 'daybook: 1'"
                )
                return
            }
            guard node.text != "1" else { return }
            problems.add(
                "unknown-version",
                "expected the format version 1, found \(node.displayText)",
                at: node.place,
                hint: "write 'daybook: 1'; a job of a later version needs a later Daybook"
            )
        }

        private func name(_ node: OptionNode?) -> String {
            guard let node else {
                let name = JobFile.name(of: source.file)
                return name == "standard input" ? "standard-input" : name
            }
            if let name = node.lineOfText { return name }
            problems.add(node.expected("a name of one line as 'job'"))
            return ""
        }

        private func asOf(_ node: OptionNode?) -> Job.AsOf {
            guard let node else { return .today }
            if let asOf = node.text.flatMap(Job.AsOf.init) { return asOf }
            if let text = node.text, CalendarDay.isShapedLikeDay(text) {
                problems.add("wrong-type", "'\(text)' is not a day of the calendar", at: node.place)
            } else {
                problems.add(node.expected("'today', 'yesterday' or a date such as 2026-11-21 as 'as_of'"))
            }
            return .today
        }

        /// Empty if an entry is invalid or one of its values is unknown, so that no notice goes to a wrong address.
        private func notices(_ node: OptionNode?, written: OptionNode?) -> (all: [Notice], secrets: [String]) {
            guard let node else { return ([], []) }
            let before = problems.count
            var reader = NotifyReader(problems: problems)
            let notices = reader.read(node, written: written)
            let isWhole = problems.count == before && !problems.isUnknown(anythingIn: node)
            return (isWhole ? notices : [], reader.secrets)
        }

        private func predecessors(_ map: EngineMap, of name: String) -> [String] {
            let names: [String] = map.read("after") ?? []
            if names.contains(name) {
                problems.add("after-itself", "a job cannot come after itself", at: map["after"]?.place)
            }
            return names
        }

        private func state(_ map: EngineMap) -> PathText? {
            guard let node = map["state"], !problems.isUnknown(anythingIn: node), let path: PathText = map.read("state")
            else { return nil }
            let hint =
                path.isStandardStream ? "write it as 'state: /var/lib/daybook'" : ForeignPath.hint(for: path.text)
            guard let hint else { return path }
            let message = "'\(path.text)' is no directory here, and 'state' names one"
            problems.add("bad-path", message, at: node.place, hint: hint)
            return nil
        }

        private func publish(_ node: OptionNode?) -> PathText? {
            guard let node else { return nil }
            let map = EngineMap(node, keys: ["directory"], of: "publish", problems)
            if node.map != nil, map["directory"] == nil {
                let hint = "write it as 'publish: { directory: ../out }'"
                problems.add("missing-key", "'publish' names no directory", at: node.place, hint: hint)
            }
            guard let directory: PathText = map.read("directory") else { return nil }
            guard let problem = PublishedDirectory.problem(of: directory) else { return directory }
            problems.add(problem)
            return nil
        }

        /// Directory that appears at once with all containers.
        private func published(_ containers: [Container]) -> PathText? {
            guard let directory = PublishedDirectory.directory(for: containers) else { return nil }
            guard PublishedDirectory.problem(of: directory) == nil else {
                problems.add(
                    "bad-publish",
                    "the copy of a container needs a directory of the job's own, and '\(containers[0].to.text)' lies in none",
                    at: directory.place,
                    hint: "write 'to: out/'; the job makes 'out' a link that each run switches"
                )
                return nil
            }
            return directory
        }

        private func stages(_ node: OptionNode?, root: OptionNode, isRepeated: Bool) -> [JobStage] {
            guard let node else {
                let hint = "add 'stages:' and a list under it"
                problems.add("missing-key", "the job has no stages", at: root.place, hint: hint)
                return []
            }
            let reader = StageListReader(stageNames: parser.stageNames, isRepeated: isRepeated, problems: problems)
            return StageLinker(reader.read(node), problems).stages()
        }
    }
}

/// Map with known keys, such as a job or a param.
struct EngineMap {
    private let entries: [OptionNode.Entry]
    private let problems: Problems

    /// Reports every key that is not among `keys`, and a value that is not a map.
    init(_ node: OptionNode, keys: [String], of owner: String, _ problems: Problems) {
        self.problems = problems
        guard let entries = node.map else {
            problems.add(node.expected("a map with the keys \(keys.joined(separator: ", "))"))
            self.entries = []
            return
        }
        self.entries = entries
        for entry in entries where !keys.contains(entry.key) {
            problems.add(
                "unknown-key",
                "\(owner) has no key \(entry.key.quotedForMessage)",
                at: entry.keyPlace,
                hint: ["schedule", "cron", "every", "interval"].contains(entry.key) && keys.contains("stages")
                    ? "cron, systemd and others start a job; docs/guides/nightly.md shows how"
                    : problems.hint(for: entry.key, among: keys, listing: "its keys are")
            )
        }
    }

    subscript(key: String) -> OptionNode? { entries.first { $0.key == key }?.value }

    /// Value of `key`, read as an option value; nil if it is missing, or invalid and reported.
    func read<Value: OptionValue>(_ key: String) -> Value? {
        guard let node = self[key] else { return nil }
        do {
            return try Value(reading: node)
        } catch {
            var problem = error.located(at: node.place)
            problem.message = "'\(key)': \(problem.message)"
            problems.add(problem)
            return nil
        }
    }
}

extension OptionNode {
    /// Text of one line; nil for an empty text, and for one with control characters.
    var lineOfText: String? {
        text.flatMap { $0.isEmpty || $0.unicodeScalars.contains { $0.value < 32 } ? nil : $0 }
    }
}

extension RejectPolicy {
    /// Reads `{ path, allow }` and reports its problems.
    package init(reading node: OptionNode, _ problems: Problems) {
        let map = EngineMap(node, keys: ["path", "allow"], of: "rejects", problems)
        path = map.read("path")
        if let path, let problem = OutputName.problem(path.text, "a reject file", at: path.place) {
            problems.add(problem)
        }
        allow = map.read("allow")
        place = node.place
    }
}
