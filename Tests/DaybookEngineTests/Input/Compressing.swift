import CISAL
import CZstd

@testable import DaybookContracts

/// Makes compressed files for tests.
enum Compressing {
    static func gzip(_ text: String) -> [UInt8] {
        let stream = UnsafeMutablePointer<isal_zstream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        isal_deflate_stateless_init(stream)
        stream.pointee.gzip_flag = UInt16(IGZIP_GZIP)
        stream.pointee.end_of_stream = 1
        stream.pointee.flush = UInt16(NO_FLUSH)
        var input = Array(text.utf8)
        var output = [UInt8](repeating: 0, count: input.count + 1024)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                precondition(isal_deflate_stateless(stream) == COMP_OK)
                return Array(output[..<Int(stream.pointee.total_out)])
            }
        }
    }

    static func zstd(_ text: String, windowLog: Int32 = 0) -> [UInt8] {
        let context = ZSTD_createCCtx()
        defer { ZSTD_freeCCtx(context) }
        if windowLog > 0 { ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        // Without the size, a frame says how far it looks back rather than how long it is.
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
        let input = Array(text.utf8)
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(input.count))
        var source = ZSTD_inBuffer(src: nil, size: input.count, pos: 0)
        return input.withUnsafeBytes { input in
            source.src = input.baseAddress
            return output.withUnsafeMutableBytes { output in
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                var nothing = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
                _ = ZSTD_compressStream2(context, &target, &source, ZSTD_e_continue)
                _ = ZSTD_compressStream2(context, &target, &nothing, ZSTD_e_end)
                return Array(output[..<target.pos])
            }
        }
    }
}
