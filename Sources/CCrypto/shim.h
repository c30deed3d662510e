// The SHA256_ functions are marked deprecated in OpenSSL 3 in favour of EVP, whose first use costs 0.9 ms
// (it loads providers) where these cost 0.01 ms. Both run the same SHA-NI code.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
