#include "CBenchmarkPeers.h"
