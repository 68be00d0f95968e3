/* All code is in the header, as libraries of one header have it. */
#define SINGLE_HEADER_IMPLEMENTATION
#include "single_header.h"
