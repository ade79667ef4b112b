/* registry.c: the commands of the program, in the order `poise help` lists them. A new command is a file cmd_NAME.c and two lines here. */
#include "cli.h"

extern const po_command po_cmd_bench;
extern const po_command po_cmd_ddp;
extern const po_command po_cmd_dyn;
extern const po_command po_cmd_generate;
extern const po_command po_cmd_help;
extern const po_command po_cmd_hqp;
extern const po_command po_cmd_list;
extern const po_command po_cmd_map;
extern const po_command po_cmd_merge;
extern const po_command po_cmd_model;
extern const po_command po_cmd_motion;
extern const po_command po_cmd_plan;
extern const po_command po_cmd_qp;
extern const po_command po_cmd_replay;
extern const po_command po_cmd_run;
extern const po_command po_cmd_tune;
extern const po_command po_cmd_version;

const po_command *const po_cli_commands[] = {
    &po_cmd_bench,
    &po_cmd_ddp,
    &po_cmd_dyn,
    &po_cmd_generate,
    &po_cmd_help,
    &po_cmd_hqp,
    &po_cmd_list,
    &po_cmd_map,
    &po_cmd_merge,
    &po_cmd_model,
    &po_cmd_motion,
    &po_cmd_plan,
    &po_cmd_qp,
    &po_cmd_replay,
    &po_cmd_run,
    &po_cmd_tune,
    &po_cmd_version,
    NULL,
};
