/// What a job says of how records are laid out.
package enum JSONReadLayout: String, CaseIterable, BitwiseCopyable, Sendable { case auto, lines, document }
