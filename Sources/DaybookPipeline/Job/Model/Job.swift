import DaybookCore

/// A job as its file says it, with every `${…}` filled in and every engine key checked.
///
/// Which stages exist and what options they take is not known here: the plan asks the stage table.
public struct Job: Sendable {
    /// The day that the job calls `as_of`.
    public enum AsOf: Sendable, Hashable {
        /// The day on which the run starts, in the job's zone.
        case today
        case day(CalendarDay)
    }

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
    public var timezonePlace: SourcePlace?
    public var asOf: AsOf
    public var asOfPlace: SourcePlace?
    public var params: [Param]
    public var rejects: RejectPolicy?
    /// The directory that becomes a link to the outputs of the last run; nil where each output is put in place by itself.
    public var publish: PathText? = nil
    /// The stages in the order of the file.
    public var stages: [JobStage]
    public var tests: [JobTest] = []
    /// The values of variables of the environment that the job uses and whose names speak of secrets.
    public var variableSecrets: [String] = []

    /// The values that no log, finding, manifest or reject may show.
    public var secrets: [String] {
        let secrets = params.filter(\.isSecret).map(\.value)
        return secrets + variableSecrets.filter { !secrets.contains($0) }
    }
}
