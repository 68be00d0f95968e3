/* What glibc's other headers bring with them, and some programs ask for by name. */
#ifndef SYMCRETE_SYS_CDEFS_H
#define SYMCRETE_SYS_CDEFS_H

#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#define __P(arguments) arguments
#define __CONCAT(left, right) left##right
#define __STRING(text) #text

#endif
