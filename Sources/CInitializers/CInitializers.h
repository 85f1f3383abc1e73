/* Initializers of this package's open classes, to be called with a class that is only known at run time.
 *
 * `[[[self class] alloc] init]` has no other spelling: Swift wants the initializer to be `required`, and then every subclass of an app
 * would have to be edited. A convenience initializer calls the subclass's `init` through its method table, as in Objective-C; so
 * these are convenience initializers, with the class handed over where Swift's calling convention has it. A name that is not
 * there, or is spelled differently by a later compiler, does not link. See docs/decisions/0016-copies-are-made-by-init.md.
 */
#ifndef CINITIALIZERS_H
#define CINITIALIZERS_H

#define AF_SWIFT(symbol) __attribute__((swiftcall)) __asm__(symbol)
#define AF_SELF __attribute__((swift_context)) void *_Nonnull

/* AFHTTPResponseSerializer.init(fresh: ()) */
extern void *_Nonnull af_new_response_serializer(AF_SELF type)
    AF_SWIFT("$s15AFSerialization24AFHTTPResponseSerializerC5freshACyt_tcfC");

/* AFHTTPRequestSerializer.init(fresh: ()) */
extern void *_Nonnull af_new_request_serializer(AF_SELF type)
    AF_SWIFT("$s15AFSerialization23AFHTTPRequestSerializerC5freshACyt_tcfC");

/* AFURLSessionManager.init(like: AFURLSessionManager), which consumes its argument */
extern void *_Nonnull af_new_session_manager(void *_Nonnull original, AF_SELF type)
    AF_SWIFT("$s6AFCore19AFURLSessionManagerC4likeA2C_tcfC");

/* AFHTTPSessionManager.init(likeHTTP: AFHTTPSessionManager), which consumes its argument */
extern void *_Nonnull af_new_http_manager(void *_Nonnull original, AF_SELF type)
    AF_SWIFT("$s6AFCore20AFHTTPSessionManagerC8likeHTTPA2C_tcfC");

/* AFURLConnectionOperation.init(made: RequestBox), which consumes its argument */
extern void *_Nonnull af_new_operation(void *_Nonnull request, AF_SELF type)
    AF_SWIFT("$s12AFOperations24AFURLConnectionOperationC4madeAcA10RequestBoxC_tcfC");

/* AFHTTPClient.init(like: AFHTTPClient), which consumes its argument */
extern void *_Nonnull af_new_client(void *_Nonnull original, AF_SELF type)
    AF_SWIFT("$s12AFOperations12AFHTTPClientC4likeA2C_tcfC");

/* AFHTTPRequestOperationManager.init(like: AFHTTPRequestOperationManager), which consumes its argument */
extern void *_Nonnull af_new_operation_manager(void *_Nonnull original, AF_SELF type)
    AF_SWIFT("$s12AFOperations29AFHTTPRequestOperationManagerC4likeA2C_tcfC");

static inline void *_Nonnull af_make_response_serializer(void *_Nonnull type) { return af_new_response_serializer(type); }
static inline void *_Nonnull af_make_request_serializer(void *_Nonnull type) { return af_new_request_serializer(type); }

static inline void *_Nonnull af_make_session_manager(void *_Nonnull original, void *_Nonnull type) {
  return af_new_session_manager(original, type);
}

static inline void *_Nonnull af_make_http_manager(void *_Nonnull original, void *_Nonnull type) {
  return af_new_http_manager(original, type);
}

static inline void *_Nonnull af_make_client(void *_Nonnull original, void *_Nonnull type) {
  return af_new_client(original, type);
}

static inline void *_Nonnull af_make_operation_manager(void *_Nonnull original, void *_Nonnull type) {
  return af_new_operation_manager(original, type);
}

static inline void *_Nonnull af_make_operation(void *_Nonnull request, void *_Nonnull type) {
  return af_new_operation(request, type);
}

#endif
