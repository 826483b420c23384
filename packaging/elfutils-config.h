/* libelf's configuration for musl. elfutils' configure would ask for libraries that only its programs need. */
#define PACKAGE "elfutils"
#define HAVE_MREMAP 1
#define HAVE_STDATOMIC_H 1
#define HAVE_ERR_H 1
#define HAVE_VISIBILITY 1
#define HAVE_FALLTHROUGH 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_DECL_POWEROF2 1
#include <sys/param.h>
#include <eu-config.h>
