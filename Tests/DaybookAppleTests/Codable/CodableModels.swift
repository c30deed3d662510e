import Foundation

@testable import DaybookExpressions

/// The models of six apps, with the property names and types that they declare.
enum AppModels {
    struct DDay: Codable, Equatable {
        var targetDate: Date
        var dday: Int
        var backgroundColor: String
    }

    struct Emotion: Codable, Equatable {
        var emotionState: String
        var emotionCount: Int
    }

    struct Todo: Codable, Equatable {
        var id: Int
        var isDone: Bool
        var detail: String
        var isToday: Bool
    }

    struct Word: Codable, Equatable {
        var text: String
        var savedDate: Date
        var meaning: String?
    }

    struct SavedLocation: Codable, Equatable {
        var location: String
        var savedDate: Date
        var units: String
        var privacyLocation: Bool
    }

    struct Weather: Codable, Equatable {
        struct Main: Codable, Equatable {
            enum CodingKeys: String, CodingKey {
                case temp
                case highest = "temp_max"
                case lowest = "temp_min"
                case felt = "feels_like"
                case humidity
                case pressure
            }

            var temp: Double
            var highest: Double
            var lowest: Double
            var felt: Double
            var humidity: Int
            var pressure: Int
        }
        struct Wind: Codable, Equatable {
            var speed: Double
            var gust: Double?
        }
        struct Condition: Codable, Equatable {
            var id: Int
            var description: String
        }
        struct Rain: Codable, Equatable {
            var hour: Double
        }

        var name: String
        var main: Main
        var wind: Wind
        var weather: [Condition]
        var rain: Rain?
    }

    /// Dates whose doubles are finer than a microsecond, as a clock gives them, and some at the edges.
    static let dates = [
        757_339_200.123_456_7, -0.000_000_1, 0, 1 / 3.0, 793_983_600, -63_114_076_800, 63_113_904_000.987_654,
        Double(sign: .plus, exponent: 29, significand: 1.234_567_890_123_456_7), .leastNonzeroMagnitude, 1e15,
    ].map(Date.init(timeIntervalSinceReferenceDate:))

    static let texts = [
        "", "행복해", "👨‍👩‍👧‍👦 가족", "say \"hi\"\\/", "line\nbreak\ttab\u{1}\u{7F}", "#EC007F", "\u{2028}", "null", "0",
    ]

    static let ddays = dates.enumerated().map { number, date in
        DDay(
            targetDate: date,
            dday: [.max, .min, 0, -5, 100][number % 5],
            backgroundColor: texts[number % texts.count]
        )
    }

    static let words = dates.enumerated().map { number, date in
        Word(text: texts[number % texts.count], savedDate: date, meaning: number % 3 == 0 ? nil : "")
    }

    static let todos = texts.enumerated().map { number, text in
        Todo(id: number == 0 ? .max : number, isDone: number % 2 == 0, detail: text, isToday: number % 3 == 0)
    }

    static let emotions = ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"]
        .map { Emotion(emotionState: $0, emotionCount: 0) }

    static let locations = dates.map {
        SavedLocation(location: "Seoul", savedDate: $0, units: "metric", privacyLocation: false)
    }

    static let weather = Weather(
        name: "서울",
        main: .init(temp: 21.3, highest: 23, lowest: -0.1, felt: 20.87, humidity: 60, pressure: 1013),
        wind: .init(speed: 2.1, gust: nil),
        weather: [.init(id: 800, description: "맑음")],
        rain: nil
    )
}
