/* What the files of `mllint._compact` share: nodes of syntax trees, and how they are made. */
#ifndef MLLINT_NODES_H
#define MLLINT_NODES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

#define MOST_FIELDS 10
#define LONGEST_NAME 80

typedef struct {
    PyObject_HEAD
    int lineno, col_offset, end_lineno, end_col_offset; /* -1: not there */
    PyObject *fields[];
} Node;

typedef struct Kind {
    PyTypeObject type; /* first: the type of a node is its kind */
    PyTypeObject *original;
    PyObject *single; /* of operators and contexts, which have neither fields nor places, there is one */
    int placed;
    int leaf; /* of no interest to who asks for all nodes: what is imported */
    Py_ssize_t count;
    PyObject *names[MOST_FIELDS];
    char shared[MOST_FIELDS]; /* may an empty list be the common one? */
} Kind;

#define KIND(object) ((Kind *)Py_TYPE(object))

/* The list that all fields share which hold an empty one; nobody adds to it. */
extern PyObject *mllint_empty;

/* A node of a kind without fields or places. NULL and MemoryError if there is no room. */
Node *mllint_blank(Kind *kind);

void mllint_dealloc(PyObject *node);

/* The kind with the name of a class of `_ast`; NULL if this Python has none. */
Kind *mllint_kind(const char *name);

/* The compact tree of one of `_ast`, whose lists are taken over; its names go to the set `found`. NULL and an exception
   if it is too deep. */
PyObject *mllint_converted(PyObject *tree, PyObject *found);

/* `quick(text)`: (tree, names) of a text that is surely read as Python reads it, else None. See `reader.c`. */
PyObject *mllint_quick(PyObject *module, PyObject *text);

/* `mark()` and `deep()`: RecursionError before the stack is used up. See `stack.c`. */
PyObject *mllint_mark(PyObject *module, PyObject *nothing);
PyObject *mllint_deep(PyObject *module, PyObject *nothing);

/* Look up the classes that the quick reader makes. */
void mllint_quick_set_up(void);

#endif
