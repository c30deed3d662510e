/// A rule of a job, by the id of its stage and its own: so it is known from run to run.
package struct RuleName: Hashable, Sendable {
    package var stage: String
    package var rule: String

    package init(stage: String, rule: String) { (self.stage, self.rule) = (stage, rule) }
}
