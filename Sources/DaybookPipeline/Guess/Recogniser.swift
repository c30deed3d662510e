import DaybookCore

/// Finds out which stage of a table takes a file, and how it would import it.
struct Recogniser {
    var table: StageTable
    /// What looks at the file, for messages: `a guess`.
    var what: String
    /// How many bytes of a file are looked at for its encoding.
    var limit: Int
    var isCancelled: @Sendable () -> Bool

    /// What was found.
    struct Recognised {
        var stage: String
        var recognition: Recognition
        /// How a sentence about the form of the file goes on: `, in UTF-8`.
        var spoken: String
        /// The options that the stage has.
        var options: [OptionSpec]

        var form: String { recognition.form + spoken }
        var takesDates: Bool { options.contains(where: \.namesDates) }
        var namesFiles: Bool { options.contains { $0.key == "file_column" } }
    }

    /// The files that names and patterns stand for, each once.
    func inputs(_ files: [String]) throws(DaybookErrors) -> [InputPath] {
        var inputs: [InputPath] = []
        var seen: Set<String> = []
        do throws(DaybookError) {
            for file in files {
                for input in try PathPattern(file, from: "").expand()
                where seen.insert(FilePath.canonical(input.path)).inserted { inputs.append(input) }
            }
        } catch { throw DaybookErrors([error]) }
        return inputs
    }

    func recognise(_ input: InputPath) throws(DaybookErrors) -> Recognised {
        do throws(DaybookError) {
            return try surest(UnknownFile(input, for: what, limit: limit, isCancelled: isCancelled))
        } catch { throw DaybookErrors([error]) }
    }

    private func surest(_ file: UnknownFile) throws(DaybookError) -> Recognised {
        var best: (stage: any Stage.Type, recognition: Recognition)?
        var failure: DaybookError?
        for stage in table.stages {
            guard let type = stage as? any RecognisingSource.Type else { continue }
            do throws(DaybookError) {
                guard let found = try type.recognise(file) else { continue }
                if best == nil || found.confidence > best!.recognition.confidence { best = (stage, found) }
            } catch { failure = failure ?? error }
        }
        // A broken document is worth more than a table that anything might be.
        if let failure, best?.recognition.confidence ?? .possible == .possible { throw failure }
        // Nearly all texts are lines of one column, also those of documents.
        let foreign = ForeignContent(Array(file.head.filled.prefix(ForeignContent.length)))
        guard let best, foreign == nil || best.recognition.confidence > .possible else { throw unknown(file, foreign) }
        let options = OptionReader.specs(of: best.stage)
        let readsText = options.contains { $0.key == "encoding" }
        return Recognised(
            stage: best.stage.description.name,
            recognition: best.recognition,
            spoken: readsText ? file.text.map { ", in \($0.spoken)" } ?? "" : "",
            options: options
        )
    }

    private func unknown(_ file: UnknownFile, _ foreign: ForeignContent?) -> DaybookError {
        let known = file.text == nil ? "its bytes are those of no text" : "its lines do not make a table"
        return DaybookError(
            "unknown-file",
            "'\(file.name)' is nothing that can be imported: \(foreign.map { "it is \($0.kind)" } ?? known)",
            hint: foreign?.hint
                ?? "name a CSV or JSON file, or another one that a stage of 'daybook stages' imports",
            blame: .data
        )
    }
}
