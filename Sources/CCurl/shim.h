// The types and constants of libcurl. Its functions are looked up at run time, so what is called here is handed in.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take what the option asks for as a variadic argument, which Swift cannot pass.
typedef CURLcode (*daybook_curl_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*daybook_curl_getinfo)(CURL *, CURLINFO, ...);
typedef size_t (*daybook_curl_transfer)(char *, size_t, size_t, void *);

static inline CURLcode daybook_curl_set_long(void *setopt, CURL *handle, CURLoption option, long value) {
    return ((daybook_curl_setopt)setopt)(handle, option, value);
}

static inline CURLcode daybook_curl_set_pointer(void *setopt, CURL *handle, CURLoption option, const void *value) {
    return ((daybook_curl_setopt)setopt)(handle, option, value);
}

static inline CURLcode daybook_curl_set_size(void *setopt, CURL *handle, CURLoption option, long long value) {
    return ((daybook_curl_setopt)setopt)(handle, option, (curl_off_t)value);
}

static inline CURLcode daybook_curl_set_transfer(void *setopt, CURL *handle, CURLoption option, daybook_curl_transfer value) {
    return ((daybook_curl_setopt)setopt)(handle, option, value);
}

static inline CURLcode daybook_curl_get_long(void *getinfo, CURL *handle, CURLINFO info, long *value) {
    return ((daybook_curl_getinfo)getinfo)(handle, info, value);
}
