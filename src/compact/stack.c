/* Ends what calls itself without end while there is still a stack to say so on.

Compiled functions call each other without asking Python how deep they are: a question that never ends would end the
process, and all findings with it. Here it ends in a RecursionError, as it does where nothing is compiled.

    mark()   the stack is taken to begin here, on this thread
    deep()   RecursionError where three quarters of the stack below the mark are used up

How large a stack is: what the system says of it (Windows), or the limit for the main thread, which is also what other
threads get on Linux; where there is no limit, 64 MB count as one.
*/

#include "nodes.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/resource.h>
#endif

#define NO_LIMIT ((size_t)64 << 20)

static char *marked;
static size_t most;

static size_t stack_size(char *here) {
    (void)here;
#ifdef _WIN32
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    return (size_t)((ULONG_PTR)here - low);
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > NO_LIMIT)
        return NO_LIMIT;
    return (size_t)limit.rlim_cur;
#endif
}

PyObject *mllint_mark(PyObject *module, PyObject *nothing) {
    char here;
    marked = &here;
    most = stack_size(&here) / 4 * 3;
    Py_RETURN_NONE;
}

PyObject *mllint_deep(PyObject *module, PyObject *nothing) {
    char here;
    if (marked > &here && (size_t)(marked - &here) > most) {
        PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded");
        return NULL;
    }
    Py_RETURN_NONE;
}
