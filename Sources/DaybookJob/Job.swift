import DaybookBytes
import Foundation

/// Job as its file describes it, with every `${…}` filled in and every engine key checked.
///
/// The job does not know the existing stages and their options: the plan uses the stage table.
public struct Job: Sendable {
    /// Input value from outside the job.
    public struct Param: Sendable {
        public var name: String
        /// Value of `${name}`: from `--set`, or the default.
        public var value: String
        public var help: String?
        public var isSecret: Bool
        /// Whether `--set` gave the value.
        public var isSet: Bool
        public var place: SourcePlace
    }

    /// Name under `job`, or the file's name without its suffix.
    public var name: String
    /// File name in messages.
    public var file: String
    /// Bytes of the file, for the job's hash.
    public var source: [UInt8]
    /// IANA zone such as `Asia/Seoul`; nil if the job names none.
    public var timezone: String?
    public var asOf: AsOf
    /// Value of `${as_of}`: the day from the command line, or from `as_of`.
    public var day: CalendarDay
    public var params: [Param]
    public var rejects: RejectPolicy?
    /// Directory that becomes a link to the outputs of the last run; nil if each output replaces its file separately.
    public var publish: PathText? = nil
    /// How far its files may be from earlier ones; nil for any.
    public var diff: DiffGate? = nil
    /// State directory, relative to the job file; nil for the one beside it.
    public var state: PathText? = nil
    /// Whether the job names a state directory that its text does not give, as by a param without a value.
    public var isStateUnknown = false
    /// How many runs the history keeps; nil for all.
    public var keep: RunCount? = nil
    /// Which days without a passed run are made up; nil for none.
    public var catchUp: CatchUp? = nil
    /// Names of jobs that must have passed for the same day.
    public var predecessors: [String] = []
    /// Files that must have been delivered.
    public var awaited: [AwaitedFile] = []
    /// Notices, each for some events.
    public var notices: [Notice] = []
    /// Whether outputs go to other places than the job names, as in a test or a replay.
    public private(set) var isRedirected = false
    /// Values that the job has its stages for; nil for a job with one of each.
    public var each: ForEach? = nil
    /// Directories that are copied with the outputs among their files.
    public var containers: [Container] = []
    /// Stages in the order of the file.
    public var stages: [JobStage]
    public var tests: [JobTest] = []
    /// Values of environment variables that the job uses and whose names indicate secrets, and secrets of notices.
    public var variableSecrets: [String] = []
    /// Whether params are a part of the name, so that one file is several jobs.
    public var isNamedByParams = false
    /// Places of the texts that use `${as_of}`.
    package var dated: Set<SourcePlace> = []

    /// Marks outputs as redirected. Such a run replaces no files and publishes nothing.
    package mutating func redirect() { (publish, isRedirected) = (nil, true) }

    /// Name without secrets; nil for a job without a name and without a file.
    package func name(in file: String?) -> String? {
        name.isEmpty ? file.map { JobFile.name(of: $0) } : SecretMask(secrets).masking(name)
    }

    /// Values that no log, finding, manifest or reject may show.
    public var secrets: [String] {
        let secrets = params.filter(\.isSecret).map(\.value)
        return secrets + variableSecrets.filter { !secrets.contains($0) }
    }
}

/// One entry under `stages`.
public struct JobStage: Sendable {
    /// Name of the stage type, such as `import_csv`.
    public var type: String
    public var typePlace: SourcePlace
    public var options: [OptionNode.Entry]
    /// Place of the options, or the place for them if there are none.
    public var optionsPlace: SourcePlace
    /// Value in the place of the options that is not a map.
    public var misplacedValue: OptionNode?
    /// Name of this stage in `from`, unique in the job.
    ///
    /// Without an `id` it is the type if the job has one such stage, and `type_1`, `type_2` if it has several.
    public var id: String
    /// Place of the `id`; nil for a generated one.
    public var idPlace: SourcePlace?
    /// Inputs of the stage. Empty means the stage above.
    public var from: [StageReference]
    /// The stage above, if that is not the one before it in the list.
    package var above: [StageReference] = []
    public var rejects: RejectPolicy?
    /// End of its id, and of the ids of the stages that its options name; empty unless it is one of several copies.
    package var scope = ""
    /// Id as the job writes it, the same for all copies.
    public var writtenID: String { String(id.dropLast(scope.count)) }
    /// Whether there is one such stage for all values of `for_each`.
    public var isOnce = false
    /// Column that an import adds.
    package var given: GivenColumn?

    package init(
        type: String,
        typePlace: SourcePlace,
        options: [OptionNode.Entry],
        optionsPlace: SourcePlace,
        misplacedValue: OptionNode? = nil,
        id: String,
        idPlace: SourcePlace? = nil,
        from: [StageReference],
        rejects: RejectPolicy? = nil
    ) {
        (self.type, self.typePlace, self.options) = (type, typePlace, options)
        (self.optionsPlace, self.misplacedValue, self.id) = (optionsPlace, misplacedValue, id)
        (self.idPlace, self.from, self.rejects) = (idPlace, from, rejects)
    }
}

/// Name under `from`: the rows or the rejects of an earlier stage.
public struct StageReference: Sendable, Hashable {
    public enum Port: String, Sendable, Hashable {
        case rows, rejects
    }

    public var id: String
    public var port: Port
    public var place: SourcePlace

    /// Reference as a job writes it: `clean`, `clean.rejects`.
    package var written: String { port == .rows ? id : "\(id).rejects" }

    package init(id: String, port: Port, place: SourcePlace) { (self.id, self.port, self.place) = (id, port, place) }
}

/// One entry under `tests`: rows given to some stages, and rows expected of others.
///
/// No text in it is filled in: `${…}` in the rows of a test is text.
public struct JobTest: Sendable {
    /// Value under the name of a stage in `given` or `expect`.
    public struct Rows: Sendable {
        /// Stage of the rows, or with `.rejects` of the rejects; its place is the place of the name.
        public var stage: StageReference
        /// Rows as written.
        public var node: OptionNode
    }

    /// Rows that an export writes, read again from its output.
    public struct Export: Sendable {
        /// Path of the output, as the job has it with its params filled in.
        public var path: String
        /// Key or table, where several exports write one output.
        public var part: String?
        public var place: SourcePlace
        /// Rows as written.
        public var node: OptionNode
    }

    public var name: String
    /// Place of the name.
    public var place: SourcePlace
    /// Day for `as_of` in the test; nil for the day of the job.
    public var asOf: CalendarDay?
    /// Params that the test sets.
    public var settings: [ParamSetting] = []
    public var given: [Rows] = []
    public var expected: [Rows] = []
    public var exports: [Export] = []
    /// Rows under `findings`, if there are any.
    public var findings: OptionNode?
    /// Rows under `rules`, one for each rule with an expected result.
    public var rules: OptionNode?
    /// Expected result of the gates, if the test names it.
    public var gate: (passes: Bool, place: SourcePlace)?

    /// Day of a test whose job says `today`: always the same, so that no test fails tomorrow.
    public static let defaultDay = CalendarDay(year: 2000, month: 1, day: 1) ?? CalendarDay(number: 0)
}

/// Policy for the rejects of a stage: their file, and their limit.
public struct RejectPolicy: Sendable {
    public var path: PathText?
    /// Limit of rejected rows; nil for the default, which is none.
    public var allow: Allowance?
    public var place: SourcePlace

    package init(path: PathText? = nil, allow: Allowance? = nil, place: SourcePlace) {
        (self.path, self.allow, self.place) = (path, allow, place)
    }
}

extension Job {
    /// The day that a job calls `as_of`.
    public enum AsOf: Sendable, Hashable {
        /// Day on which the run starts, in the job's zone.
        case today
        /// Day before the run starts, for reports made at night.
        case yesterday
        case day(CalendarDay)

        /// Value in a job or on the command line: `today`, `yesterday` or an ISO day; nil for any other text.
        public init?(_ text: String) {
            switch text {
            case "today": self = .today
            case "yesterday": self = .yesterday
            default:
                guard let day = CalendarDay(iso: text) else { return nil }
                self = .day(day)
            }
        }

        /// The day itself. Today is the day in the job's zone, or in UTC: never in the machine's zone, so that a job
        /// means the same everywhere.
        public func day(in timezone: String?, now: Date = Date()) -> CalendarDay {
            if case .day(let day) = self { return day }
            let zone = timezone.flatMap(TimeZone.init(identifier:)) ?? .gmt
            let seconds = now.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: now))
            let today = Int32((seconds / 86_400).rounded(.down))
            return CalendarDay(number: self == .yesterday ? today - 1 : today)
        }
    }
}
