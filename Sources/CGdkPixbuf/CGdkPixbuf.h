/* gdk-pixbuf as Swift can call it. The few functions are declared here, not included: glib's pkg-config file holds a flag
   (-pthread) that SwiftPM refuses with a warning, and without that file the compiler does not find glib's headers. The
   declarations are those of gdk-pixbuf 2.42 and glib 2.74; glib keeps them binary compatible through its 2.x releases. */
#ifndef CGDKPIXBUF_H
#define CGDKPIXBUF_H

#include <stddef.h>
#include <stdint.h>

typedef struct _GdkPixbuf GdkPixbuf;
typedef struct _GdkPixbufLoader GdkPixbufLoader;

typedef struct _GError {
  uint32_t domain;
  int code;
  char *_Nullable message;
} GError;

GdkPixbufLoader *_Nullable gdk_pixbuf_loader_new_with_type(const char *_Nonnull type,
                                                          GError *_Nullable *_Nullable error);
int gdk_pixbuf_loader_write(GdkPixbufLoader *_Nonnull loader, const uint8_t *_Nonnull bytes, size_t count,
                            GError *_Nullable *_Nullable error);
int gdk_pixbuf_loader_close(GdkPixbufLoader *_Nonnull loader, GError *_Nullable *_Nullable error);
void gdk_pixbuf_loader_set_size(GdkPixbufLoader *_Nonnull loader, int width, int height);
GdkPixbuf *_Nullable gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *_Nonnull loader);

int gdk_pixbuf_get_width(const GdkPixbuf *_Nonnull pixbuf);
int gdk_pixbuf_get_height(const GdkPixbuf *_Nonnull pixbuf);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *_Nonnull pixbuf);
int gdk_pixbuf_get_n_channels(const GdkPixbuf *_Nonnull pixbuf);
int gdk_pixbuf_get_bits_per_sample(const GdkPixbuf *_Nonnull pixbuf);
const uint8_t *_Nullable gdk_pixbuf_read_pixels(const GdkPixbuf *_Nonnull pixbuf);
const char *_Nullable gdk_pixbuf_get_option(GdkPixbuf *_Nonnull pixbuf, const char *_Nonnull key);
GdkPixbuf *_Nullable gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *_Nonnull pixbuf);
GdkPixbuf *_Nullable gdk_pixbuf_new_from_data(const uint8_t *_Nonnull bytes, int colorspace, int has_alpha,
                                              int bits_per_sample, int width, int height, int rowstride,
                                              void (*_Nullable destroy)(uint8_t *_Nullable, void *_Nullable),
                                              void *_Nullable data);
int gdk_pixbuf_save_to_bufferv(GdkPixbuf *_Nonnull pixbuf, char *_Nullable *_Nonnull buffer, size_t *_Nonnull count,
                               const char *_Nonnull type, char *_Nullable *_Nullable keys,
                               char *_Nullable *_Nullable values, GError *_Nullable *_Nullable error);

void g_object_unref(void *_Nonnull object);
void g_error_free(GError *_Nonnull error);
void g_free(void *_Nullable memory);
unsigned long g_signal_connect_data(void *_Nonnull instance, const char *_Nonnull signal,
                                    void (*_Nonnull handler)(void), void *_Nullable data,
                                    void (*_Nullable destroy)(void *_Nullable, void *_Nullable), unsigned flags);

/* Signals of a loader with the handlers' true types, which g_signal_connect_data() cannot say. */
static inline void af_on_size_prepared(GdkPixbufLoader *_Nonnull loader,
                                       void (*_Nonnull handler)(GdkPixbufLoader *_Nonnull, int, int, void *_Nullable),
                                       void *_Nullable data) {
  g_signal_connect_data(loader, "size-prepared", (void (*)(void))handler, data, NULL, 0);
}
static inline void af_on_area_updated(GdkPixbufLoader *_Nonnull loader,
                                      void (*_Nonnull handler)(GdkPixbufLoader *_Nonnull, int, int, int, int,
                                                               void *_Nullable),
                                      void *_Nullable data) {
  g_signal_connect_data(loader, "area-updated", (void (*)(void))handler, data, NULL, 0);
}

#endif
