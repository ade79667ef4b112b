/* style.h: walking styles as data: a flat JSON object of parameters, one file per style. */
#ifndef PO_STYLE_H
#define PO_STYLE_H

#include "../ctrl/ctrl.h"

/* Applies a style to params: a built-in name ("normal", "fast", "slow", "sad"), the name of a file models/styles/NAME.json, or a path
 * that ends in .json. Parameters it does not name keep their values. Errors name the file, line and parameter. */
po_status po_style_apply(po_walk_params *params, const char *style, po_error *err);
/* The same from text. */
po_status po_style_parse(po_walk_params *params, const char *text, size_t size, const char *file, po_error *err);
/* Built-in styles as text, ended by a NULL name; models/styles holds the same. */
typedef struct po_style { const char *name, *json; } po_style;
extern const po_style po_styles[];

#endif
