/// Something that stops a job: what is wrong, where, and what to do about it.
///
/// Errors are about the user's job, options and machine; findings are about the user's data.
public struct DaybookError: Error, Sendable {
    /// A stable name for a kind of error, such as `unknown-option`. An open set: a stage may add its own.
    public struct Code: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }
    }

    /// Who has to act, which decides the exit code of the command.
    public enum Blame: Sendable, Hashable {
        /// The job file or the command line is wrong (exit 2).
        case job
        /// The data did not pass its gate (exit 1).
        case data
        /// Reading, writing or the machine failed (exit 3).
        case machine
    }

    public var code: Code
    /// What is wrong: lower case, no full stop, quoting what the user wrote.
    public var message: String
    public var place: SourcePlace?
    /// The input that it is about, as a person where the command was started would name it; nil where it is about none.
    public private(set) var file: String?
    /// What to do.
    public var hint: String?
    public var blame: Blame
    /// Whether the message quotes rows, such as those of an output that stands there. Errors of the data may always do.
    package private(set) var quotesData = false
    /// The missing column, if that is the error.
    public var column: String?
    /// The row that it is about, while its file is still to be named.
    package var origin: RowOrigin?

    public init(
        _ code: Code,
        _ message: String,
        at place: SourcePlace? = nil,
        hint: String? = nil,
        blame: Blame = .job,
        column: String? = nil
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
        self.blame = blame
        self.column = column
    }

    /// The same error, of which nothing but the code may leave the house where values must not.
    package var quotingData: DaybookError {
        var error = self
        error.quotesData = true
        return error
    }

    /// The code of an error about a missing column: the data may not have it, or the job may misspell it.
    public static let unknownColumn: Code = "unknown-column"
    /// The code of an error about a stage that could not be read because of another error.
    public static let unreadStage: Code = "unread-stage"

    /// An error of the machine: a file that cannot be read, a disk that is full.
    public static func machine(_ code: Code, _ message: String, hint: String? = nil) -> DaybookError {
        DaybookError(code, message, hint: hint, blame: .machine)
    }

    /// An error of the data: an input that is not as the job says.
    package static func data(
        _ code: Code,
        _ message: String,
        at place: SourcePlace? = nil,
        hint: String? = nil
    ) -> DaybookError {
        DaybookError(code, message, at: place, hint: hint, blame: .data)
    }

    /// The error of a run that a person or a service manager has stopped.
    public static var interrupted: DaybookError {
        .machine("interrupted", "the run was stopped", hint: "nothing was written; the old outputs are as they were")
    }

    /// The error with the name of its input, unless it has one. An interruption concerns no file.
    public func about(_ file: String) -> DaybookError {
        var copy = self
        if code != DaybookError.interrupted.code { copy.file = copy.file ?? file }
        return copy
    }

    /// The same error at `place`, unless it has one already.
    public func located(at place: SourcePlace?) -> DaybookError {
        var copy = self
        copy.place = copy.place ?? place
        return copy
    }
}

/// Several errors at once, so that a person corrects a file in one go.
public struct DaybookErrors: Error, Sendable {
    public var errors: [DaybookError]
    public init(_ errors: [DaybookError]) { self.errors = errors }
    package init(_ error: DaybookError) { errors = [error] }

    package init(
        _ code: DaybookError.Code,
        _ message: String,
        at place: SourcePlace? = nil,
        hint: String? = nil,
        blame: DaybookError.Blame = .job
    ) {
        self.init(DaybookError(code, message, at: place, hint: hint, blame: blame))
    }
}

/// A place in a text that a person wrote: a file, a line and a column, both counted from 1.
///
/// Columns count characters (Unicode scalars), as editors do, not bytes.
public struct SourcePlace: Sendable, Hashable, Codable {
    public var file: String
    public var line: Int
    public var column: Int
    /// How many characters the marked text has; at least 1.
    public var length: Int

    public init(file: String, line: Int, column: Int, length: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
        self.length = max(1, length)
    }
}

extension SourcePlace: CustomStringConvertible {
    public var description: String { "\(file):\(line):\(column)" }
}
