import Foundation

@testable import DaybookContracts

/// The UserDefaults of an app: one key that holds the JSON of its records as `Data`, among keys that do not concern them.
struct AppPreferences<Record: Codable & Equatable & Sendable>: Equatable, Sendable {
    /// What stands beside the records: one value of each kind that a property list knows.
    struct Settings: Codable, Equatable, Sendable {
        struct Reminder: Codable, Equatable, Sendable {
            var hour: Int
            var weekdays: [Int]
        }
        enum CodingKeys: String, CodingKey {
            case languages = "AppleLanguages"
            case launchCount, lastOpened, isPremium, widgetOpacity, reminder, deviceToken
        }
        var languages = ["ko-KR", "en-KR"]
        var launchCount = 214
        var lastOpened = AppRecords.moment("2026-11-20T23:41:07+09:00", 0.062_518_239)
        var isPremium = false
        var widgetOpacity = 0.85
        var reminder = Reminder(hour: 9, weekdays: [2, 4, 6])
        var deviceToken = Data((0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
    }

    var settings = Settings()
    let key: String
    /// Nil before the app has saved any.
    var records: [Record]?
}

extension AppPreferences {
    /// The property list that UserDefaults keeps.
    func propertyList(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        var values = keptValues
        values[key] = try records.map { try JSONEncoder().encode($0) }
        return try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
    }

    /// As the first version of the app left it: the records archived, where later ones encode them.
    func archivingPropertyList(_ values: ([Record]) -> [[String: Any]]) throws -> Data {
        var list = keptValues
        list[key] = try records.map {
            try NSKeyedArchiver.archivedData(withRootObject: values($0) as Any, requiringSecureCoding: false)
        }
        return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    /// The same as JSON, where `Data` becomes base64 text and a date the text that property lists have for it.
    func json() throws -> Data {
        var values = keptValues
        values["lastOpened"] = ISO8601DateFormatter().string(from: settings.lastOpened)
        values["deviceToken"] = settings.deviceToken.base64EncodedString()
        values[key] = try records.map { try JSONEncoder().encode($0).base64EncodedString() }
        return try JSONSerialization.data(withJSONObject: values, options: [.prettyPrinted, .sortedKeys])
    }

    private var keptValues: [String: Any] {
        [
            "AppleLanguages": settings.languages,
            "launchCount": settings.launchCount,
            "lastOpened": settings.lastOpened,
            "isPremium": settings.isPremium,
            "widgetOpacity": settings.widgetOpacity,
            "reminder": ["hour": settings.reminder.hour, "weekdays": settings.reminder.weekdays] as [String: Any],
            "deviceToken": settings.deviceToken,
        ]
    }

    /// Reads a property list of either format.
    init(propertyList: Data, key: String) throws {
        self.key = key
        settings = try PropertyListDecoder().decode(Settings.self, from: propertyList)
        let values = try PropertyListSerialization.propertyList(from: propertyList, format: nil) as? [String: Any]
        records = try (values?[key] as? Data).map { try JSONDecoder().decode([Record].self, from: $0) }
    }

    /// Reads the JSON form.
    init(json: Data, key: String) throws {
        self.key = key
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        settings = try decoder.decode(Settings.self, from: json)
        let values = try JSONSerialization.jsonObject(with: json) as? [String: Any]
        records = try (values?[key] as? String).map { text in
            try JSONDecoder().decode([Record].self, from: Data(base64Encoded: text) ?? Data())
        }
    }

    /// The same with dates to the second, which is all that XML and JSON dumps keep of a property list's own dates.
    var inWholeSeconds: Self {
        var rounded = self
        rounded.settings.lastOpened = Date(
            timeIntervalSinceReferenceDate: settings.lastOpened.timeIntervalSinceReferenceDate.rounded(.down)
        )
        return rounded
    }
}
