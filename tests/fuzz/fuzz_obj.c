/* Any bytes as OBJ: an error, or a mesh that can be used. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) { return fuzz_mesh(bytes, size, "fuzz.obj"); }
