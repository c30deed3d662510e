import DaybookTestSupport
import Foundation

@testable import DaybookContracts

/// A dump under `samples/apps/`, made with the encoder that its app uses.
///
/// Encoders put keys in no fixed order, so a dump is held against its records by what it decodes to. One that decodes to
/// the right records is left as it is; `DAYBOOK_RECORD=1` rewrites the others.
struct AppDump: Sendable, CustomStringConvertible {
    let path: String
    private let check: @Sendable (URL) throws -> String?

    var description: String { path }

    init<Value: Equatable & Sendable>(
        _ path: String,
        of value: Value,
        encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.path = path
        check = { file in
            if let kept = try? Data(contentsOf: file), let decoded = try? decode(kept), decoded == value { return nil }
            guard Expectation.isRecording else {
                return "\(path): does not decode to its records; DAYBOOK_RECORD=1 rewrites it"
            }
            let bytes = try encode(value)
            guard try decode(bytes) == value else { return "\(path): its records do not come back from their encoder" }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try bytes.write(to: file)
            return nil
        }
    }

    /// What is wrong with the dump; nil when nothing is.
    func failure() throws -> String? { try check(AppDump.folder.appendingPathComponent(path)) }

    static let folder = GoldenTests.package.appendingPathComponent("samples/apps")

    /// Every dump but the SQLite stores, which `samples/apps/make_stores.py` makes from the JSON of their rows.
    static let all: [AppDump] = anniversaryCounter + emotionDiary + lists
}

extension AppDump {
    private typealias Counters = AppPreferences<AppModels.Emotion>

    private static let anniversaryCounter: [AppDump] = {
        let key = "DdayManager"
        let preferences = AppPreferences(key: key, records: AppRecords.dDays)
        return [
            AppDump(
                "anniversary-counter/preferences.plist",
                of: preferences,
                encode: { try $0.propertyList(.binary) },
                decode: { try AppPreferences(propertyList: $0, key: key) }
            ),
            AppDump(
                "anniversary-counter/preferences-xml.plist",
                of: preferences.inWholeSeconds,
                encode: { try $0.propertyList(.xml) },
                decode: { try AppPreferences(propertyList: $0, key: key) }
            ),
            AppDump(
                "anniversary-counter/preferences.json",
                of: preferences.inWholeSeconds,
                encode: { try $0.json() },
                decode: { try AppPreferences(json: $0, key: key) }
            ),
            AppDump(
                "anniversary-counter/preferences-first-version.plist",
                of: AppRecords.dDays,
                encode: { records in
                    try AppPreferences(key: key, records: records).archivingPropertyList { $0.map(archivable) }
                },
                decode: { try unarchived($0, key: key) }
            ),
        ]
    }()

    private static func archivable(_ dDay: AppModels.DDay) -> [String: Any] {
        ["targetDate": dDay.targetDate, "dday": dDay.dday, "backgroundColor": dDay.backgroundColor]
    }

    private static func unarchived(_ bytes: Data, key: String) throws -> [AppModels.DDay] {
        let list = try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        let archive = list?[key] as? Data ?? Data()
        let classes: [AnyClass] = [NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self]
        let records = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: archive) as? [[String: Any]]
        return (records ?? []).compactMap { record in
            guard let date = record["targetDate"] as? Date, let dday = record["dday"] as? Int,
                let colour = record["backgroundColor"] as? String
            else { return nil }
            return AppModels.DDay(targetDate: date, dday: dday, backgroundColor: colour)
        }
    }

    private static let emotionDiary: [AppDump] = {
        let key = "EmotionManager"
        let snapshots = AppRecords.emotionSnapshots.enumerated().map { number, snapshot in
            var preferences = Counters(key: key, records: AppRecords.emotions(snapshot.counts))
            preferences.settings.launchCount = 40 + number * 19
            preferences.settings.lastOpened = AppRecords.moment("\(snapshot.day)T22:10:31+09:00", 0.318_274_915)
            return ("emotion-diary/snapshots/\(snapshot.day).plist", preferences)
        }
        // A store in which nothing was tapped yet stands for nine zeros.
        let new = ("emotion-diary/never-tapped.plist", Counters(key: key, records: nil))
        return (snapshots + [new]).map { path, preferences in
            AppDump(
                path,
                of: preferences,
                encode: { try $0.propertyList(.binary) },
                decode: { try AppPreferences(propertyList: $0, key: key) }
            )
        }
    }()

    private static let lists: [AppDump] = [
        list("mj-calendar/months.json", AppRecords.months),
        list("mj-calendar/marks.json", AppRecords.marks),
        list("todo-list/todos.json", AppRecords.todos, .prettyPrinted),
        list("everyday/words.json", AppRecords.words),
        list("weather/saved-locations.json", AppRecords.savedLocations),
    ]

    private static func list<Record: Codable & Equatable & Sendable>(
        _ path: String,
        _ records: [Record],
        _ formatting: JSONEncoder.OutputFormatting = []
    ) -> AppDump {
        AppDump(
            path,
            of: records,
            encode: { records in
                let encoder = JSONEncoder()
                encoder.outputFormatting = formatting
                return try encoder.encode(records)
            },
            decode: { try JSONDecoder().decode([Record].self, from: $0) }
        )
    }
}
