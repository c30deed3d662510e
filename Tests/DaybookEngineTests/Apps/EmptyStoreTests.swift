import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// An app that has saved nothing yet goes through its pipeline as any other: no rows, and no error.
@Suite struct EmptyStoreTests {
    @Test("a file of nothing is no list: an app that lost its store is not one that has saved nothing")
    func nothing() throws {
        let todos = try AppRun("todo-list", files: ["todos": Data()], endsWith: 1)
        #expect(todos.outcome.errors.contains("[empty-file]"))
        #expect(throws: CocoaError.self) { try todos.bytes("todos.json") }
    }

    @Test("JSON without records")
    func lists() throws {
        let list = "[]"
        let todos = try AppRun("todo-list", files: ["todos": Data(list.utf8)])
        #expect(try todos.records("todos.json", as: AppModels.Todo.self).isEmpty)
        #expect(try todos.text("sections.csv") == "section,done,detail,id\n")
        let calendar = try AppRun("mj-calendar", files: ["months": Data(list.utf8), "marks": Data(list.utf8)])
        #expect(try calendar.records("months.json", as: AppModels.Month.self).isEmpty)
        #expect(try calendar.text("months.csv") == "date,weekday,starts_on,lastDay,ends_on\n")
        let weather = try AppRun("weather", files: ["responses": Data()])
        #expect(try weather.bytes("responses.ndjson").isEmpty)
        #expect(try weather.text("labels.csv").split(separator: "\n").count == 1)
    }

    @Test("an empty list under the key", arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func preferences(_ format: PropertyListSerialization.PropertyListFormat) throws {
        var days = AppPreferences<AppModels.DDay>(key: "DdayManager", records: [])
        // XML has no fractions of a second.
        if format == .xml { days = days.inWholeSeconds }
        let counter = try AppRun("anniversary-counter", files: ["dump": try days.propertyList(format)])
        let written = try AppPreferences<AppModels.DDay>(
            propertyList: counter.bytes("preferences.plist"),
            key: "DdayManager"
        )
        #expect(written == days)
        #expect(try counter.text("d-days.csv").split(separator: "\n").count == 1)

        let emotions = AppPreferences<AppModels.Emotion>(key: "EmotionManager", records: [])
        let dump = try emotions.propertyList(format)
        let diary = try AppRun("emotion-diary", files: ["snapshots": dump, "latest": dump])
        #expect(try diary.text("labels.csv") == "label\n")
        #expect(try diary.text("gains.csv").split(separator: "\n").count == 1)
    }

    @Test("stores without rows")
    func stores() throws {
        let words = try AppRun("everyday", files: ["store": try without("ZWORD", "everyday/EveryDay.sqlite")])
        #expect(try words.records("words.json", as: AppModels.Word.self).isEmpty)
        let places = try AppRun(
            "weather",
            files: ["store": try without("ZSAVEDLOCATIONDATA", "weather/Weather.sqlite")]
        )
        #expect(try places.records("saved-locations.json", as: AppModels.SavedLocationData.self).isEmpty)
    }

    private func without(_ table: String, _ store: String) throws -> Data {
        try SQLStore.emptied(AppDump.folder.appendingPathComponent(store), of: table)
    }
}
