import Foundation

/// A job as its file says it, with every `${…}` filled in and every engine key checked.
///
/// Which stages exist and what options they take is not known here: the plan asks the stage table.
public struct Job: Sendable {
    /// A value that the job takes from outside.
    public struct Param: Sendable {
        public var name: String
        /// What `${name}` stands for: what `--set` gave, or else the default.
        public var value: String
        public var help: String?
        public var isSecret: Bool
        /// Whether `--set` gave the value.
        public var isSet: Bool
        public var place: SourcePlace
    }

    /// The name under `job`, or else the file's name without its ending.
    public var name: String
    /// The file as messages name it.
    public var file: String
    /// The bytes of the file, for the job's hash.
    public var source: [UInt8]
    /// An IANA zone such as `Asia/Seoul`, or nil when the job names none.
    public var timezone: String?
    public var asOf: AsOf
    /// The day of this reading: that of the command line, or else that of `as_of`. `${as_of}` stands for it.
    public var day: CalendarDay
    public var params: [Param]
    public var rejects: RejectPolicy?
    /// The directory that becomes a link to the outputs of the last run; nil where each output is put in place by itself.
    public var publish: PathText? = nil
    /// Who is told of which runs.
    public var notices: [Notice] = []
    /// Whether what it writes goes to other places than it says, as in a test or a replay.
    public private(set) var isRedirected = false
    /// The stages in the order of the file.
    public var stages: [JobStage]
    public var tests: [JobTest] = []
    /// The values of variables of the environment that the job uses and whose names speak of secrets, and those of notices.
    public var variableSecrets: [String] = []
    /// Whether params are a part of the name, so that one file is several jobs.
    public var isNamedByParams = false

    /// Lets what it writes go elsewhere, where nothing is replaced and so nothing has to be published.
    package mutating func redirect() { (publish, isRedirected) = (nil, true) }

    /// The values that no log, finding, manifest or reject may show.
    public var secrets: [String] {
        let secrets = params.filter(\.isSecret).map(\.value)
        return secrets + variableSecrets.filter { !secrets.contains($0) }
    }
}

/// One entry under `stages`.
public struct JobStage: Sendable {
    /// The name of the stage type, such as `import_csv`.
    public var type: String
    public var typePlace: SourcePlace
    public var options: [OptionNode.Entry]
    /// Where the options stand; where they would stand when there are none.
    public var optionsPlace: SourcePlace
    /// What stands in the place of the options and is no map of them.
    public var misplacedValue: OptionNode?
    /// The name by which `from` calls this stage, unique in the job.
    ///
    /// Without an `id` it is the type when the job has one such stage, and `type_1`, `type_2` when it has several.
    public var id: String
    /// Where the `id` was written; nil for one that was made.
    public var idPlace: SourcePlace?
    /// What the stage reads. Empty means the stage above.
    public var from: [StageReference]
    public var rejects: RejectPolicy?

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
        self.type = type
        self.typePlace = typePlace
        self.options = options
        self.optionsPlace = optionsPlace
        self.misplacedValue = misplacedValue
        self.id = id
        self.idPlace = idPlace
        self.from = from
        self.rejects = rejects
    }
}

/// A name under `from`: what an earlier stage passed on, or what it rejected.
public struct StageReference: Sendable, Hashable {
    public enum Port: String, Sendable, Hashable {
        case rows, rejects
    }

    public var id: String
    public var port: Port
    public var place: SourcePlace

    package init(id: String, port: Port, place: SourcePlace) {
        self.id = id
        self.port = port
        self.place = place
    }
}

/// One entry under `tests`: rows given to some stages, and what is expected of others.
///
/// Nothing in it is filled in: `${…}` in the rows of a test is text.
public struct JobTest: Sendable {
    /// What stands under the name of a stage in `given` or `expect`.
    public struct Rows: Sendable {
        /// The stage whose rows they are, or with `.rejects` what it rejected; placed where it is named.
        public var stage: StageReference
        /// The rows as they are written.
        public var node: OptionNode
    }

    public var name: String
    /// Where the name stands.
    public var place: SourcePlace
    /// The day that the test takes for `as_of`; nil where it leaves that to the job.
    public var asOf: CalendarDay?
    /// Params that the test sets.
    public var settings: [ParamSetting] = []
    public var given: [Rows] = []
    public var expected: [Rows] = []
    /// The rows under `findings`, if there are any.
    public var findings: OptionNode?
    /// The rows under `rules`, one for each rule that is expected to end in some way.
    public var rules: OptionNode?
    /// Whether the gates hold, where the test says so.
    public var gate: (passes: Bool, place: SourcePlace)?

    /// The day of a test whose job says `today`: always the same one, so that no test fails tomorrow.
    public static let defaultDay = CalendarDay(year: 2000, month: 1, day: 1) ?? CalendarDay(number: 0)
}

extension StageReference {
    /// The reference as a job writes it: `clean`, `clean.rejects`.
    package var written: String { port == .rows ? id : "\(id).rejects" }
}

/// What happens to the rows that a stage rejects: where they are written, and how many are too many.
public struct RejectPolicy: Sendable {
    public var path: PathText?
    /// How many rows may be rejected; nil where the job leaves it to the default, which is none.
    public var allow: Allowance?
    public var place: SourcePlace

    package init(path: PathText? = nil, allow: Allowance? = nil, place: SourcePlace) {
        self.path = path
        self.allow = allow
        self.place = place
    }
}

extension Job {
    /// Its name without secrets; nil where it gives itself none, and stands in no file.
    package func name(in file: String?) -> String? {
        name.isEmpty ? file.map { JobFile.name(of: $0) } : SecretMask(secrets).masking(name)
    }
}

extension Job {
    /// The day that a job calls `as_of`.
    public enum AsOf: Sendable, Hashable {
        /// The day on which the run starts, in the job's zone.
        case today
        /// The day before that, as a report wants that is made in the night.
        case yesterday
        case day(CalendarDay)

        /// What a job or the command line writes: `today`, `yesterday` or an ISO day; nil for anything else.
        public init?(_ text: String) {
            switch text {
            case "today": self = .today
            case "yesterday": self = .yesterday
            default:
                guard let day = CalendarDay(iso: text) else { return nil }
                self = .day(day)
            }
        }

        /// The day itself. Today is the day in the job's zone, or in UTC: never in the machine's zone, so that a job means the same
        /// everywhere.
        public func day(in timezone: String?, now: Date = Date()) -> CalendarDay {
            if case .day(let day) = self { return day }
            let zone = timezone.flatMap(TimeZone.init(identifier:)) ?? .gmt
            let seconds = now.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: now))
            let today = Int32((seconds / 86_400).rounded(.down))
            return CalendarDay(number: self == .yesterday ? today - 1 : today)
        }
    }
}
