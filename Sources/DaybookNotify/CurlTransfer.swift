import CCurl
import DaybookBytes
import DaybookReports

/// One transfer by libcurl: its options, and how it ended.
///
/// It always checks certificates, follows no redirects, and discards the answer.
final class CurlTransfer {
    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// - Parameter limit: the time for the whole transfer.
    init(_ url: String, protocols: Int32, limit: Duration) throws(DaybookError) {
        guard let library = CurlLibrary.shared, let handle = library.open() else {
            let message = "nobody was told: this machine has no libcurl, which sends notices"
            throw .machine("no-libcurl", message, hint: "install it, on Debian by 'apt-get install libcurl4'")
        }
        self.library = library
        self.handle = handle
        set(CURLOPT_URL, url)
        set(CURLOPT_PROTOCOLS, Int(protocols))
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        // Signals are the program's own.
        set(CURLOPT_NOSIGNAL, 1)
        let milliseconds = max(1, min(CurlTransfer.mostMilliseconds, CurlTransfer.milliseconds(limit)))
        set(CURLOPT_TIMEOUT_MS, milliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, min(5_000, milliseconds))
        set(CURLOPT_USERAGENT, "Daybook/\(DaybookVersion.text)")
        _ = daybook_curl_set_transfer(library.setopt, handle, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count
        }
    }

    deinit {
        library.close(handle)
        for list in lists { library.free(list) }
    }

    /// How long one transfer may take, however much time there is.
    private static let mostMilliseconds = 10_000

    private static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Connects directly, whatever proxy the environment names: a proxy would not know this machine by the same name.
    func passBy() { set(CURLOPT_NOPROXY, "*") }

    func set(_ option: CURLoption, _ value: Int) { _ = daybook_curl_set_long(library.setopt, handle, option, value) }

    /// libcurl keeps a copy of the text.
    func set(_ option: CURLoption, _ text: String) {
        text.withCString { _ = daybook_curl_set_pointer(library.setopt, handle, option, $0) }
    }

    func set(_ option: CURLoption, _ texts: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts { list = library.append(list, text) ?? list }
        guard let list else { return }
        lists.append(list)
        _ = daybook_curl_set_pointer(library.setopt, handle, option, list)
    }

    /// Sends `bytes` as the body of a POST; libcurl keeps a copy.
    func post(_ bytes: [UInt8]) {
        _ = daybook_curl_set_size(library.setopt, handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
        _ = daybook_curl_set_pointer(library.setopt, handle, CURLOPT_COPYPOSTFIELDS, bytes)
    }

    /// Performs the transfer with `bytes` as the upload; nil on success, otherwise the reason.
    func upload(_ bytes: [UInt8]) -> (code: CURLcode, reason: String)? {
        let body = Body(bytes)
        set(CURLOPT_UPLOAD, 1)
        _ = daybook_curl_set_size(library.setopt, handle, CURLOPT_INFILESIZE_LARGE, Int64(bytes.count))
        _ = daybook_curl_set_transfer(library.setopt, handle, CURLOPT_READFUNCTION) { buffer, size, count, body in
            guard let buffer, let body else { return 0 }
            return Unmanaged<Body>.fromOpaque(body).takeUnretainedValue().read(into: buffer, atMost: size * count)
        }
        _ = daybook_curl_set_pointer(
            library.setopt,
            handle,
            CURLOPT_READDATA,
            UnsafeRawPointer(Unmanaged.passUnretained(body).toOpaque())
        )
        return withExtendedLifetime(body) { perform() }
    }

    /// Bytes that libcurl reads piece by piece.
    private final class Body {
        private let bytes: [UInt8]
        private var place = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(into buffer: UnsafeMutablePointer<CChar>, atMost most: Int) -> Int {
            let count = min(most, bytes.count - place)
            bytes.withUnsafeBytes { bytes in if let start = bytes.baseAddress { memcpy(buffer, start + place, count) } }
            place += count
            return count
        }
    }

    /// Performs the transfer; nil on success, otherwise the reason.
    func perform() -> (code: CURLcode, reason: String)? {
        let code = library.perform(handle)
        guard code != CURLE_OK else { return nil }
        return (code, library.words(code).map { String(cString: $0).loweredFirst } ?? "error \(code.rawValue)")
    }

    /// The last status of the answer; 0 without one.
    var status: Int {
        var status = 0
        _ = daybook_curl_get_long(library.getinfo, handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }
}

/// The functions of libcurl, which is opened when the first notice needs it.
///
/// Linking it would cost every start of the program 15 million instructions, and few starts use it.
struct CurlLibrary: @unchecked Sendable {  // Addresses of functions, which never change.
    let setopt: UnsafeMutableRawPointer
    let getinfo: UnsafeMutableRawPointer
    let open: @convention(c) () -> UnsafeMutableRawPointer?
    let perform: @convention(c) (UnsafeMutableRawPointer?) -> CURLcode
    let close: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let append:
        @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) -> UnsafeMutablePointer<curl_slist>?
    let free: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
    let words: @convention(c) (CURLcode) -> UnsafePointer<CChar>?

    /// The library of this machine; nil where it has none.
    static let shared: CurlLibrary? = {
        // Debian's name of the one with OpenSSL, then of the one with GnuTLS. Both have the same functions.
        let names = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"]
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
        return try? CurlLibrary(library)
    }()

    /// Throws where a function is missing, or does not begin.
    private init(_ library: UnsafeMutableRawPointer) throws(SystemFailure) {
        func symbol<Function>(_ name: String) throws(SystemFailure) -> Function {
            guard let address = dlsym(library, name) else { throw SystemFailure(ENOSYS) }
            return unsafeBitCast(address, to: Function.self)
        }
        setopt = try symbol("curl_easy_setopt")
        getinfo = try symbol("curl_easy_getinfo")
        open = try symbol("curl_easy_init")
        perform = try symbol("curl_easy_perform")
        close = try symbol("curl_easy_cleanup")
        append = try symbol("curl_slist_append")
        free = try symbol("curl_slist_free_all")
        words = try symbol("curl_easy_strerror")
        let begin: @convention(c) (Int) -> CURLcode = try symbol("curl_global_init")
        guard begin(Int(CURL_GLOBAL_ALL)) == CURLE_OK else { throw SystemFailure(ENOSYS) }
    }
}
