/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The programs of stride.bpf.c with those at functions, which are loaded from here alone. They are an object of their own because each start would
 * have to read them otherwise. Both objects lay out their variables in the same way (build.rs), and share the maps of these.
 */
#include "stride.bpf.c"
#include "functions.h"
