import Foundation

@testable import DaybookContracts

/// The models of the six apps, with the fields and the kinds that the apps declare.
///
/// What the apps read with a plain `JSONDecoder()` must decode as these, field by field.
enum AppModels {
    /// Anniversary Counter: a day that lies some days after a start.
    struct DDay: Codable, Equatable, Sendable {
        var targetDate: Date
        var dday: Int
        var backgroundColor: String
    }

    /// Emotion Diary: how often an emotion was tapped.
    struct Emotion: Codable, Equatable, Sendable {
        var emotionState: String
        var emotionCount: Int
    }

    /// MJ Calendar: a month as the app shows it. `weekday` is that of the 1st, Sunday being 0.
    struct Month: Codable, Equatable, Sendable {
        var year: Int
        var month: Int
        var day: Int
        var weekday: Int
        var lastDay: Int
    }

    /// MJ Calendar: what somebody wrote on a day.
    struct Mark: Codable, Equatable, Sendable {
        var year: Int
        var month: Int
        var day: Int
        var text: String
        var colour: String
    }

    /// Todo List: something to do. The app takes two todos for the same if their ids are.
    struct Todo: Codable, Equatable, Sendable {
        var id: Int
        var isDone: Bool
        var detail: String
        var isToday: Bool
    }

    /// EveryDay: a word and when it was saved, as the attributes of its Core Data entity.
    struct Word: Codable, Equatable, Sendable {
        var savedDate: Date
        var text: String
    }

    /// Weather: a place that was looked up, as the attributes of its Core Data entity.
    struct SavedLocationData: Codable, Equatable, Sendable {
        var location: String
        var savedDate: Date
        var units: String?
        var privacyLocation: Bool
    }

    /// Weather: the part of a response that the app reads.
    struct Response: Codable, Equatable, Sendable {
        struct Main: Codable, Equatable, Sendable {
            enum CodingKeys: String, CodingKey {
                case temp, humidity, pressure
                case highest = "temp_max"
                case lowest = "temp_min"
                case feelsLike = "feels_like"
            }
            var temp: Double
            var highest: Double
            var lowest: Double
            var feelsLike: Double
            var humidity: Int
            var pressure: Int
        }
        struct Wind: Codable, Equatable, Sendable {
            var speed: Double
        }
        var name: String
        var main: Main
        var wind: Wind
    }
}
