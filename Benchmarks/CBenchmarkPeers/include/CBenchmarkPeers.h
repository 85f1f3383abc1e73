/* The peers that AFBenchmarks compares with: what a careful C programmer writes on libcurl. */
#ifndef CBENCHMARKPEERS_H
#define CBENCHMARKPEERS_H
#include <stddef.h>
#include <stdint.h>

#endif
