/// The emotions that a job knows, with the other words that stand for them.
struct EmotionNames: OptionValue {
    let names: [String]
    /// Every word, and the emotion that it stands for.
    let lookup: TextLookup

    /// The nine of the Emotion Diary, in its order: happy, loving, liking, flustered, upset, gloomy, bored, tedious,
    /// troubled.
    static let emotionDiary = EmotionNames(
        ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"],
        aliases: [:]
    )

    init(_ names: [String], aliases: [String: [String]]) {
        self.names = names
        var words = names
        var values = Array(names.indices)
        for (place, name) in names.enumerated() {
            for alias in aliases[name] ?? [] {
                words.append(alias)
                values.append(place)
            }
        }
        lookup = TextLookup(words, values: values)
    }

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .list(of: .text))]) }
    static var placeholder: EmotionNames { emotionDiary }
    var written: String { names.written }

    init(reading node: OptionNode) throws(DaybookError) {
        var aliases: [String: [String]] = [:]
        var names: [String] = []
        if let map = node.map {
            for entry in map {
                names.append(entry.key)
                if case .nothing = entry.value.content { continue }
                aliases[entry.key] = try [String](reading: entry.value)
            }
        } else {
            names = try [String](reading: node)
        }
        guard !names.isEmpty else { throw node.expected("at least one emotion") }
        var words: Set<String> = []
        for word in names + names.flatMap({ aliases[$0] ?? [] }) where !words.insert(word).inserted {
            throw DaybookError("bad-option", "'\(word)' stands for two emotions, or twice for one", at: node.place)
        }
        self.init(names, aliases: aliases)
    }
}
