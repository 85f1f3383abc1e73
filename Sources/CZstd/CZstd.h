#ifndef CZSTD_H
#define CZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
