/// Something in a job that is allowed and likely not what its author means. `validate` tells it; the job runs all the same.
public struct JobWarning: Sendable {
    /// A stable name for a kind of warning, such as `quoted-zone`.
    public var code: DaybookError.Code
    /// What is odd: lower case, no full stop, quoting what the user wrote.
    public var message: String
    public var place: SourcePlace?
    /// What to do.
    public var hint: String?

    public init(_ code: DaybookError.Code, _ message: String, at place: SourcePlace? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
    }
}
