// error: 'nowhere/to/be_found.h' file not found
// error: -I
#include <nowhere/to/be_found.h>
