#ifndef CSCAN_H
#define CSCAN_H
#endif
