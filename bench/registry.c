/* registry.c: the rooms that can be measured. A new room is a file bench_ROOM.c and two lines here. */
#include "bench.h"

extern const po_bench_room po_bench_contact;
extern const po_bench_room po_bench_ddp;
extern const po_bench_room po_bench_hqp;
extern const po_bench_room po_bench_la;
extern const po_bench_room po_bench_qp;
extern const po_bench_room po_bench_rbd;
extern const po_bench_room po_bench_step;

const po_bench_room *const po_bench_rooms[] = {
    &po_bench_la,
    &po_bench_qp,
    &po_bench_hqp,
    &po_bench_ddp,
    &po_bench_rbd,
    &po_bench_contact,
    &po_bench_step,
    NULL,
};
