import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookJSON

extension SwiftModel {
    /// The model in one line, for comparison.
    fileprivate var line: String {
        let declared = types.map { type in
            let form =
                switch type.form {
                case .record(let fields): "{" + text(fields) + "}"
                case .words(let words): "words " + words.joined(separator: "|")
                case .numbers(let shape, let all): name(shape) + " " + all.map(String.init).joined(separator: "|")
                case .cases(let cases): cases.map { "\($0.key)(\(text($0.fields)))" }.joined(separator: "|")
                }
            return "\(type.name) \(form)"
        }
        return ([name(root)] + declared).joined(separator: "; ")
    }

    private func text(_ fields: [Field]) -> String {
        fields.map { "\($0.key): \(name($0.shape))" }.joined(separator: ", ")
    }
}

@Suite struct SwiftSourceTests {
    static func read(_ text: String, _ type: String? = nil) throws -> String {
        let source = try SwiftSource(Array(text.utf8), name: "App.swift")
        return try source.model(of: type ?? source.outermost.first ?? "").line
    }

    @Test(
        "what is read of a source",
        arguments: [
            ("struct A: Codable { var a: Int; let b: String? }", "A; A {a: Int, b: String?}"),
            ("struct A: Decodable { let a, b: Int, c: String }", "A; A {a: Int, b: Int, c: String}"),
            (
                "final class A: Encodable { var a = 1, b = true, c = \"x\", d = -0.5 }",
                "A; A {a: Int, b: Bool, c: String, d: Double}"
            ),
            ("struct A { var a: [Int?] }\nextension A: Codable {}", "A; A {a: [Int?]}"),
            (
                "struct A: Codable { var a: Array<Set<Dictionary<String, [Date: URL]>>> }",
                "A; A {a: [[[String: [Date: URL]]]]}"
            ),
            ("struct A: Codable { let a = 1; var b: Optional<Foundation.Data> = nil }", "A; A {b: Data?}"),
            ("struct A: Codable { private(set) public var a: CGFloat!; weak var b: A? }", "A; A {a: Double?, b: A?}"),
            (
                "struct A: Codable { var a = [Int](), b = [String: Bool](), c = UUID(), d = Date.now }",
                "A; A {a: [Int], b: [String: Bool], c: UUID, d: Date}"
            ),
            (
                "struct A: Codable { var a: Int { 1 }; var b: Int { get { 1 } set {} }; var c = 2 { didSet {} } }",
                "A; A {c: Int}"
            ),
            (
                "struct A: Codable { static let x: Any = 1; lazy var y: Any = { 1 }(); @available(iOS 15, *) let a: Int }",
                "A; A {a: Int}"
            ),
            ("struct A: Codable { let a: Int // } \" \n /* } /* \" */ */ let b: Int }", "A; A {a: Int, b: Int}"),
            (
                "struct A: Codable { var a = \"}\\(\"\\(1)}\")\"\n var b = #\"\\\"}\"#\n var c = \"\"\"\n } \" \"\"\n \"\"\"\n let d: Int }",
                "A; A {a: String, b: String, c: String, d: Int}"
            ),
            (
                "struct A: Codable { func f() -> Int { if true { return 1 } else { return 2 } }\n init(_ a: Int = { 1 }()) { self.a = a }\n let a: Int }",
                "A; A {a: Int}"
            ),
            (
                "struct A: Codable {\n  let r = /[\"}]/\n  let a: Int\n  let b = 3 / 4\n  let c: Int }",
                "A; A {a: Int, c: Int}"
            ),
            (
                "struct A: Codable {\n var a: Int\n  = 1 +\n 2\n var b: Bool = a\n  .x { } .y\n var c: Int }",
                "A; A {a: Int, b: Bool, c: Int}"
            ),
            (
                "struct A: Codable { let a: Int, b: Int\n enum CodingKeys: String, CodingKey { case a = \"x-1\" } }",
                "A; A {x-1: Int}"
            ),
            (
                "struct A: Codable { let a: Int }\nextension A { private enum CodingKeys: CodingKey { case a } }",
                "A; A {a: Int}"
            ),
            (
                "struct A: Codable { let e: E\n enum E: String, Codable { case a, b = \"B\", `default` } }",
                "A; A {e: A.E}; A.E words a|B|default"
            ),
            ("enum E: Int, Codable { case a = -1, b, c = 0b11, d }", "E; E Int -1|0|3|4"),
            (
                "enum E: Codable { case a, b(Int, x: String?), c(_ y: [E]) }",
                "E; E a()|b(_0: Int, x: String?)|c(_0: [E])"
            ),
            (
                "indirect enum E: Codable { case a(E)\n enum CodingKeys: String, CodingKey { case a = \"z\" } }",
                "E; E z(_0: E)"
            ),
            ("typealias Words = [String]\nstruct A: Codable { typealias B = Words?; let b: B }", "A; A {b: [String]?}"),
            (
                "protocol Model: Codable, Identifiable { var id: Int { get } }\nstruct A: Model { let id: Int }",
                "A; A {id: Int}"
            ),
            (
                "struct A: Codable { struct B: Codable { let c: C }\n struct C: Codable {}\n let b: [B] }\nstruct C {}",
                "A; A {b: [A.B]}; A.B {c: A.C}; A.C {}"
            ),
            (
                "enum Outer { struct A: Codable { let b: B } }\nextension Outer { struct B: Codable {} }",
                "Outer.A; Outer.A {b: Outer.B}; Outer.B {}"
            ),
            (
                "import SwiftUI\n@main struct App: SwiftUI.App { var body: some Scene { WindowGroup { V() } } }\nstruct A: Codable { let a: Int }",
                "A; A {a: Int}"
            ),
            (
                "#if os(iOS)\nimport UIKit\n#else\nimport AppKit\n#endif\nstruct A: Codable { let a: Int }",
                "A; A {a: Int}"
            ),
            ("struct A: Codable { var p = P.low }\nenum P: String, Codable { case low }", "A; A {p: P}; P words low"),
            ("struct A: Codable where A: Sendable { let a: (Int) }", "A; A {a: Int}"),
            ("class A: NSObject, Codable { @objc var a: Int = 0; override init() {} }", "A; A {a: Int}"),
            (
                "struct A: Codable, Comparable { let a: Int\n static func < (l: A, r: A) -> Bool { l.a < r.a } }",
                "A; A {a: Int}"
            ),
            ("\u{FEFF}#!/usr/bin/swift {\nstruct A: Codable { let `class`: Int }", "A; A {class: Int}"),
        ] as [(String, String)]
    )
    func reads(_ source: String, _ line: String) throws { #expect(try Self.read(source) == line) }

    @Test(
        "what is refused, and where",
        arguments: [
            ("struct A: Codable { let a: Any }", "1:28", "'Any' is coded by nobody"),
            (
                "struct A: Codable {\n  let ä: CGPoint }", "2:10",
                "'CGPoint' is no type that this file declares or this reader knows"
            ),
            (
                "struct A: Codable { let a: (Int, Int) }", "1:28",
                "this is a tuple or a function, and no model can hold it"
            ),
            (
                "struct A: Codable { let a: any P }", "1:28",
                "this is any 'P', of which no decoder knows the type, and no model can hold it"
            ),
            (
                "struct A: Codable { let a: P & Q }", "1:28",
                "this is a composition of protocols, and no model can hold it"
            ),
            ("struct A<T: Codable>: Codable { let a: T }", "1:8", "'A' is generic"),
            ("struct A: Codable { let a: B<Int> }\nstruct B<T>: Codable {}", "2:8", "'B' is generic"),
            (
                "struct A: Codable { init(from decoder: any Decoder) throws {} }", "1:21",
                "'A' is coded by its own 'init(from:)', whose form cannot be read from here"
            ),
            (
                "struct A: Codable {}\nextension A { public func encode(to e: Encoder) throws {} }", "2:22",
                "'A' is coded by its own 'encode(to:)', whose form cannot be read from here"
            ),
            (
                "struct A: Codable { @Wrapped var a: Int }", "1:22",
                "'@Wrapped' may wrap 'a', and decides how it is stored"
            ),
            ("@Observable final class A: Codable { var a: Int }", "1:2", "'@Observable' may change what 'A' stores"),
            (
                "class B: Codable {}\nclass A: B { var a: Int }", "2:10",
                "'A' inherits from 'B', and what Swift makes for it leaves the properties of one of the two out"
            ),
            (
                "class A: Base, Codable { var a: Int }", "1:10",
                "whether 'Base' is a class or a protocol cannot be told from this file"
            ),
            ("struct A: Codable { let b: B }\nstruct B {}", "2:8", "'B' is not Codable"),
            (
                "protocol P {}\nstruct A: Codable { let p: P }", "2:28",
                "'P' is a protocol, of which no decoder knows the type"
            ),
            ("struct A: Codable { var a = f() }", "1:25", "the type of 'a' cannot be told from its value"),
            ("struct A: Codable { var a = B.c }", "1:29", "the type of 'B.c' cannot be told from here"),
            (
                "struct A: Codable {\n#if DEBUG\n  let a: Int\n#endif\n}", "3:7",
                "'a' stands in '#if', so it depends on the build whether there is such a field"
            ),
            (
                "struct A: Codable { typealias X = Y; typealias Y = X; let a: X }", "1:52",
                "'X' leads in a circle or too deep"
            ),
            (
                "enum A: Double, Codable { case a = 1.5 }", "1:9",
                "the raw values of 'A' are neither text nor whole numbers"
            ),
            ("enum A: String, Codable { case a = \"\\n\" }", "1:32", "the raw value of 'a' cannot be read"),
            (
                "struct A: RawRepresentable, Codable { var rawValue: Int }", "1:8",
                "'A' has a raw value, and is coded as that alone"
            ),
            ("struct A: Codable { let (a, b) = (1, 2) }", "1:25", "'A' declares several properties as a tuple"),
            ("struct A: Codable {}\nstruct A: Codable {}", "2:8", "'A' is declared more than once in this file"),
            ("struct A: Codable {", "1:19", "'A' opens here and is never closed"),
            ("struct A: Codable { /* }", "1:21", "a comment opens here and is never closed"),
            ("let x = \"abc\n", "1:9", "a string opens here and is not closed on its line"),
            (
                "enum A: Codable { case a(x: Int)\n enum ACodingKeys: String, CodingKey { case x = \"y\" } }", "2:7",
                "the values of 'a' have keys of their own, which this reader does not know"
            ),
        ] as [(String, String, String)]
    )
    func refuses(_ source: String, _ place: String, _ message: String) throws {
        let error = #expect(throws: DaybookError.self) { try Self.read(source, source.hasPrefix("let") ? "x" : "A") }
        #expect(error?.message == message)
        #expect(error?.place?.description == "App.swift:" + place)
        #expect(error?.hint?.isEmpty == false)
    }

    @Test func `models are named in order, and those that nothing holds stand out`() throws {
        let text =
            "struct A: Codable { let b: [B]? }\nstruct B: Codable {}\nstruct C { struct D: Codable {} }\nenum E {}"
        let source = try SwiftSource(Array(text.utf8), name: "App.swift")
        #expect(source.models == ["A", "B", "C.D"])
        #expect(source.outermost == ["A", "C.D"])
        let error = #expect(throws: DaybookError.self) { try source.model(of: "[Bb]") }
        #expect(error?.message == "'App.swift' declares no 'Bb'")
        for wrong in ["[A", "A]", "", "A B", "1", "("] {
            #expect(throws: DaybookError.self) { try source.model(of: wrong) }
        }
    }

    @Test("sources that were cut or changed end in a model or an error", arguments: TestSize.seeds(6, of: 60))
    func survives(_ seed: UInt64) throws {
        let path = #filePath.replacing("SwiftSourceTests", with: "SampleModels")
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]()<>\"\"#\\`/*:=,.?!&@-\n ".utf8) + [0x80, 0xFF, 0x00]
        for _ in 0..<60 {
            var bytes = whole
            if Bool.random(using: &random) {
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            }
            for _ in 0..<Int.random(in: 0...8, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = alphabet.randomElement(using: &random)!
                case 1: bytes.insert(alphabet.randomElement(using: &random)!, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &random)))
                }
            }
            guard let source = try? SwiftSource(bytes, name: "App.swift") else { continue }
            for name in source.models { _ = try? source.model(of: name) }
            _ = source.outermost
        }
    }

    @Test func `hostile sources are refused or read, and cost neither stack nor time`() throws {
        for open in [
            "(", "[", "{", "<", "/*", "struct A { ", "\"\\(", "enum A { case a(", "let a: [", "extension A.", "@A(",
            "#if\n",
        ] {
            _ = try? SwiftSource(Array(String(repeating: open, count: 20_000).utf8), name: "App.swift")
        }
        let chain = (0..<4_000).map { "struct A\($0): Codable { let a: A\($0 + 1)? }\n" }.joined()
        let source = try SwiftSource(Array((chain + "struct A4000: Codable {}").utf8), name: "App.swift")
        #expect(try source.model(of: "A0").types.count == 4_001)
        #expect(throws: DaybookError.self) {
            try SwiftSource([UInt8](repeating: 0x20, count: SwiftLexer.limit + 1), name: "App.swift")
        }
    }
}
