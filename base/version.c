/* version.c: what was compiled, for who links a shared library. */
#include "base/base.h"

const char *po_version(void) { return PO_VERSION; }
