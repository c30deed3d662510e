import Foundation
import Synchronization

/// A small HTTP server on this machine that keeps what it is sent and answers as it is told.
public final class WebhookTrial: Sendable {
    /// A request as it came.
    public struct Request: Sendable {
        /// Method and path.
        public var line: String
        /// The headers by their names in lower case.
        public var headers: [String: String]
        public var body: Data
    }

    private let listener: Int32
    private let port: UInt16
    private let statuses: [Int]
    private let kept = Mutex<[Request]>([])

    /// Begins to listen on a port that the system chooses.
    ///
    /// - Parameter statuses: what the requests are answered with, one after the other; the last one answers all later ones.
    public init(answering statuses: [Int]) throws {
        self.statuses = statuses
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isOpen = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, place, &length) == 0
            }
        }
        guard isOpen else { throw CommandTrial.Missing(description: "no port can be opened on this machine") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in serve() }
    }

    /// Ends it, after which nobody answers.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The address of a path.
    public func address(_ path: String = "/nightly") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// All requests so far.
    public var requests: [Request] { kept.withLock { $0 } }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            if let request = WebhookTrial.request(from: connection) {
                let count = kept.withLock { kept in
                    kept.append(request)
                    return kept.count
                }
                let status = statuses[min(count, statuses.count) - 1]
                let place = status / 100 == 3 ? "Location: http://127.0.0.1:\(port)/elsewhere\r\n" : ""
                let answer = "HTTP/1.1 \(status) As Told\r\n\(place)Content-Length: 2\r\nConnection: close\r\n\r\nok"
                _ = Array(answer.utf8).withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            close(connection)
        }
        close(listener)
    }

    private static func request(from connection: Int32) -> Request? {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = bytes.range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let headers = lines.dropFirst().compactMap { line -> (String, String)? in
                    let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                    return parts.count == 2 ? (parts[0].lowercased(), parts[1]) : nil
                }
                let named = Dictionary(headers) { first, _ in first }
                let body = bytes[end.upperBound...]
                if body.count >= Int(named["content-length"] ?? "0") ?? 0 {
                    return Request(line: lines[0].replacing(" HTTP/1.1", with: ""), headers: named, body: Data(body))
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
