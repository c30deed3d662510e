import CCurl

/// The functions of libcurl, which is opened when the first notice needs it.
///
/// Linked, it would cost every start of the program 15 million instructions, of which only few starts have a use.
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
        return CurlLibrary(library)
    }()

    private init?(_ library: UnsafeMutableRawPointer) {
        guard let start = dlsym(library, "curl_global_init"), let setopt = dlsym(library, "curl_easy_setopt"),
            let getinfo = dlsym(library, "curl_easy_getinfo"), let open = dlsym(library, "curl_easy_init"),
            let perform = dlsym(library, "curl_easy_perform"), let close = dlsym(library, "curl_easy_cleanup"),
            let append = dlsym(library, "curl_slist_append"), let free = dlsym(library, "curl_slist_free_all"),
            let words = dlsym(library, "curl_easy_strerror")
        else { return nil }
        self.setopt = setopt
        self.getinfo = getinfo
        self.open = unsafeBitCast(open, to: type(of: self.open))
        self.perform = unsafeBitCast(perform, to: type(of: self.perform))
        self.close = unsafeBitCast(close, to: type(of: self.close))
        self.append = unsafeBitCast(append, to: type(of: self.append))
        self.free = unsafeBitCast(free, to: type(of: self.free))
        self.words = unsafeBitCast(words, to: type(of: self.words))
        let begin = unsafeBitCast(start, to: (@convention(c) (Int) -> CURLcode).self)
        guard begin(Int(CURL_GLOBAL_ALL)) == CURLE_OK else { return nil }
    }
}
