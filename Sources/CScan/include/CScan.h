// Scanning of bytes by vector instructions, chosen at run time, each with a portable twin that gives the same answer.
//
// Functions may read up to 64 bytes past the end they are given, and never use what they read there: the buffers of
// DaybookValues (`Bytes`) keep that much room. None of them writes past what it says.
#ifndef CSCAN_H
#define CSCAN_H

#include "cpu.h"
#include "count.h"
#include "counted.h"
#include "csv_cell.h"
#include "csv_index.h"
#include "json_cut.h"
#include "json_escape.h"
#include "json_text.h"
#include "place.h"
#include "utf8.h"

#endif
