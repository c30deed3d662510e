import DaybookBytes

/// Reads `params`, and finds the value of each in `--set`, the default and the environment.
package struct ParamReader {
    let settings: [ParamSetting]
    let environment: @Sendable (String) -> String?
    let source: SourceText
    let problems: Problems

    /// Params with their values; nil for a param without a value, which is reported.
    struct Reading {
        var params: [Job.Param] = []
        var values: [String: String?] = [:]
        /// Values of environment variables in the params whose names indicate secrets.
        var secrets: [String: String] = [:]
    }

    func read(_ node: OptionNode?) -> Reading {
        let isEmpty = if case .nothing? = node?.content { true } else { false }
        let expected = "a map of params, such as '{ diary: entries.csv }'"
        let entries = isEmpty ? [] : problems.entries(of: node, expecting: expected)
        let given = settings(among: entries.map(\.key))
        var reading = Reading()
        var defaults = Substitution(
            params: [:],
            environment: environment,
            source: source,
            problems: problems,
            isForDefaults: true
        )
        for entry in entries {
            let param = problems.value { () throws(DaybookError) in
                try read(entry, given: given[entry.key], defaults: &defaults)
            }
            reading.values[entry.key] = .some(param?.value)
            if let param { reading.params.append(param) }
        }
        reading.secrets = defaults.secrets
        return reading
    }

    private func read(
        _ entry: OptionNode.Entry,
        given: String?,
        defaults: inout Substitution
    ) throws(DaybookError) -> Job.Param? {
        if !Self.isName(entry.key) {
            problems.add(
                "bad-name",
                "a param cannot be named \(entry.key.quotedForMessage)",
                at: entry.keyPlace,
                hint: "a name is made of letters, digits, '_' and '-'"
            )
        }
        var fallback: OptionNode?
        var help: String?
        // The name decides, unless the job says otherwise.
        var isSecret = SecretName.speaks(entry.key)
        var isToldSecret = false
        defaults.showsVariables = false
        switch entry.value.content {
        case .nothing: break
        case .text: fallback = entry.value
        case .list: throw entry.value.expected("a text, or a map with the keys default, help, secret")
        case .map:
            let map = EngineMap(entry.value, keys: ["default", "help", "secret"], of: "a param", problems)
            help = map.read("help")
            // An invalid flag hides the value, since a secret shown by mistake cannot be withdrawn.
            if map["secret"] != nil {
                isSecret = map.read("secret") ?? true
                isToldSecret = isSecret
                defaults.showsVariables = !isSecret
            }
            fallback = map["default"]
        }
        if let fallback, fallback.text == nil {
            problems.add(fallback.expected("a text as the default", hint: "write \"\" for an empty text"))
            if given == nil { return nil }
        }
        let value: String
        if let given {
            value = given
        } else if let fallback {
            value = defaults.fill(fallback).text ?? ""
        } else {
            throw DaybookError(
                "missing-param",
                "the param \(entry.key.quotedForMessage) has no value",
                at: entry.keyPlace,
                hint: "add '--set \(entry.key.shortened(to: 80))=…' to the command, or give it a default"
            )
        }
        if isSecret, !value.isEmpty, value.count < SecretMask.leastLength {
            let name = entry.key.quotedForMessage
            let least = "a secret has at least \(SecretMask.leastLength) characters, or none"
            throw DaybookError(
                "short-secret",
                isToldSecret
                    ? "the secret \(name) is too short to be hidden"
                    : "the param \(name) is a secret by its name, and too short to be hidden",
                // An excerpt would show a default in the job.
                at: given == nil ? nil : entry.keyPlace,
                hint: isToldSecret ? least : "\(least); for what is none, write 'secret: false'"
            )
        }
        return Job.Param(
            name: entry.key,
            value: value,
            help: help,
            isSecret: isSecret,
            isSet: given != nil,
            place: entry.keyPlace
        )
    }

    /// Values from `--set`, without duplicates and unknown params, which are refused.
    private func settings(among names: [String]) -> [String: String] {
        var given: [String: String] = [:]
        let declared = Set(names)
        for setting in settings {
            if !declared.contains(setting.name) {
                problems.add(
                    "unknown-param",
                    "--set: no param \(setting.name.quotedForMessage)",
                    at: nil,
                    hint: names.isEmpty
                        ? "the job has no params"
                        : problems.hint(for: setting.name, among: names, listing: "the params are")
                )
            } else if given.updateValue(setting.value, forKey: setting.name) != nil {
                problems.add(
                    "duplicate-setting",
                    "--set gives the param \(setting.name.quotedForMessage) twice",
                    at: nil
                )
            }
        }
        return given
    }

    /// Letters, digits, `_` and `-` of any script: the characters that are unambiguous in `${…}` and `from`.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || $0.properties.isGraphemeExtend
                    || $0 == "_" || $0 == "-"
            }
    }
}

/// One `--set name=value` of the command line.
public struct ParamSetting: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        (self.name, self.value) = (name, value)
    }

    /// Parses `name=value`. The value may be empty and may contain `=`.
    public init(_ argument: String) throws(DaybookError) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            throw DaybookError(
                "bad-setting",
                "expected '--set name=value', found \(argument.quotedForMessage)",
                hint: "name a param of the job, then '=' and its value"
            )
        }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
