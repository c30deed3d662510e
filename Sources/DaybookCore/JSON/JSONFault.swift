/// Why bytes are not JSON, as RFC 8259 has it.
package enum JSONFault: UInt8, Sendable {
    case noValue, noKey, noColon, noCommaInObject, noCommaInArray, trailingComma, secondValue
    case badLiteral, badNumber, leadingZero, notANumber
    case openString, controlCharacter, badEscape, loneSurrogate
    case tooDeep, endsEarly

    package var kind: Finding.Kind {
        switch self {
        case .controlCharacter: Finding.Kind("control-character", message)
        case .loneSurrogate: Finding.Kind("lone-surrogate", message)
        case .tooDeep: Finding.Kind("nested-too-deeply", message)
        default: Finding.Kind("not-json", message)
        }
    }

    package var message: String {
        switch self {
        case .noValue: "expected a value"
        case .noKey: "expected a key in double quotes"
        case .noColon: "expected ':' behind the key"
        case .noCommaInObject: "expected ',' or '}'"
        case .noCommaInArray: "expected ',' or ']'"
        case .trailingComma: "nothing follows the comma"
        case .secondValue: "something stands behind the value"
        case .badLiteral: "expected a value; JSON knows the words true, false and null, in lower case"
        case .badNumber: "this is not a JSON number"
        case .notANumber:
            "NaN and Infinity are no JSON, null is; import_json reads them as missing with 'not_a_number: missing'"
        case .leadingZero: "a JSON number cannot begin with a zero that other digits follow"
        case .openString: "a string opens here and is never closed"
        case .controlCharacter: "a control character stands in a string; JSON wants it as \\n, \\t or \\u0000"
        case .badEscape: "a backslash in a string is followed by none of \" \\ / b f n r t u"
        case .loneSurrogate: "a \\u escape is half of a surrogate pair, which is no character"
        case .tooDeep: "objects and arrays are nested deeper than \(JSONCursor.deepest) levels"
        case .endsEarly: "the JSON text ends before its value does"
        }
    }
}
