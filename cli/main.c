/* main.c: the `poise` program. Everything it does stands in libpoise_tools, where tests reach it. */
#include "cli.h"

int main(int argc, char **argv) { return po_cli_main(argc, (const char *const *)argv); }
