/// The files that a run reads of those that its paths stand for: those that another run has read.
public struct ChosenFiles: Sendable {
    private let names: Set<String>
    private let mask: SecretMask

    /// - Parameters:
    ///   - names: the files as a manifest names them.
    ///   - mask: by which the manifest hides secrets in the names.
    public init(names: Set<String>, mask: SecretMask) { (self.names, self.mask) = (names, mask) }

    func holds(_ input: InputPath) -> Bool { names.contains(mask.masking(input.name)) }
}
