/* gdk-pixbuf as Swift can call it. The few functions are declared here, not included: glib's pkg-config file holds a flag
   (-pthread) that SwiftPM refuses with a warning, and without that file the compiler does not find glib's headers. */
#ifndef CGDKPIXBUF_H
#define CGDKPIXBUF_H

#include <stddef.h>
#include <stdint.h>

#endif
