/* Syntax trees in a fifth of the memory.

Python keeps the fields of a node in a dictionary: 350 bytes for `x`. A run holds the trees of a whole component, and
every question to them is a walk through cold memory. Here a node is a struct: 32 bytes and one pointer for each field.

    compact(tree)   the same tree of nodes of this module; each class of `_ast` has one here, with its name, bases,
                    `_fields`, `_attributes` and `__match_args__`. The lists of the given tree are taken over.
    read(tree)      the same, and its names.
    quick(text)     what `read` says of the tree of that text, many times sooner, or None: see `reader.c`.
    names(tree)     the names in such a tree, once each: of variables, attributes, parameters, keywords, functions,
                    classes, imports; and strings that are as short as a name.
    nodes(node)     it and all nodes below it, as a list in source order of fields, without operators, contexts and what is
                    imported: `mllint.semantics.module.walk`.
    moved(tree, last, delta)
                    the tree after lines came or went below the line `last`: what stands above is the same, not a copy.
    unpack(packed, classes, constants)
                    the tree that `mllint.semantics.packstubs` has packed.
    module(capsule) not about trees: the compiled module that the function in a capsule makes; see `mllint.native`.
    mark(), deep()  not about trees either: RecursionError before the stack is used up; see `stack.c`.

What it does not do: methods of `ast` (`NodeVisitor` and `unparse` work, `fix_missing_locations` does not), attributes
of one's own on a node, pickles. Empty lists of fields other than `body` are one list: nobody may add to them.
*/

#include "nodes.h"

#define MOST_DEPTH 20000
#define SLOTS 1024 /* a power of two, several times the number of classes */

static Kind *kinds;
static Py_ssize_t kinds_count;
static Kind *by_original[SLOTS];
PyObject *mllint_empty;
static PyObject *noted; /* the names so far, while somebody wants them */
static PyObject *n_lineno, *n_col, *n_end_lineno, *n_end_col;

static inline size_t slot_of(PyTypeObject *type) { return ((size_t)type >> 4) * 2654435761u % SLOTS; }

static inline Kind *kind_of(PyTypeObject *type) {
    size_t at = slot_of(type);
    while (by_original[at] != NULL && by_original[at]->original != type) at = (at + 1) % SLOTS;
    return by_original[at];
}

/* ------------------------------------------------------------------------------------------------------- a node */
Node *mllint_blank(Kind *kind) {
    Node *node = (Node *)PyObject_Malloc((size_t)kind->type.tp_basicsize);
    if (node == NULL) return (Node *)PyErr_NoMemory();
    PyObject_Init((PyObject *)node, &kind->type);
    node->lineno = node->col_offset = node->end_lineno = node->end_col_offset = -1;
    for (Py_ssize_t i = 0; i < kind->count; i++) node->fields[i] = NULL;
    return node;
}

void mllint_dealloc(PyObject *self) {
    Node *node = (Node *)self;
    Py_ssize_t count = KIND(self)->count;
    for (Py_ssize_t i = 0; i < count; i++) Py_XDECREF(node->fields[i]);
    PyObject_Free(self);
}

static int *place_of(Node *node, PyObject *name) {
    if (!KIND(node)->placed) return NULL;
    if (name == n_lineno) return &node->lineno;
    if (name == n_col) return &node->col_offset;
    if (name == n_end_lineno) return &node->end_lineno;
    if (name == n_end_col) return &node->end_col_offset;
    return NULL;
}

static PyObject *node_getattro(PyObject *self, PyObject *name) {
    Kind *kind = KIND(self);
    Node *node = (Node *)self;
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        if (kind->names[i] == name) {
            PyObject *value = node->fields[i];
            if (value == NULL) value = Py_None;
            Py_INCREF(value);
            return value;
        }
    }
    int *place = place_of(node, name);
    if (place != NULL) {
        if (*place >= 0) return PyLong_FromLong(*place);
        if (name == n_end_lineno || name == n_end_col) Py_RETURN_NONE;
    }
    if (!PyUnicode_CHECK_INTERNED(name)) { /* a name made at run time */
        Py_INCREF(name);
        PyObject *interned = name;
        PyUnicode_InternInPlace(&interned);
        PyObject *value = interned == name ? PyObject_GenericGetAttr(self, name) : node_getattro(self, interned);
        Py_DECREF(interned);
        return value;
    }
    return PyObject_GenericGetAttr(self, name);
}

static int node_setattro(PyObject *self, PyObject *name, PyObject *value) {
    Kind *kind = KIND(self);
    Node *node = (Node *)self;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    int *place = place_of(node, name);
    int done = -1;
    if (place != NULL) {
        long number = value == NULL || value == Py_None ? -1 : PyLong_AsLong(value);
        if (number != -1 || !PyErr_Occurred()) {
            *place = (int)number;
            done = 0;
        }
    } else {
        for (Py_ssize_t i = 0; i < kind->count && done < 0; i++) {
            if (kind->names[i] == name) {
                PyObject *old = node->fields[i];
                Py_XINCREF(value);
                node->fields[i] = value;
                Py_XDECREF(old);
                done = 0;
            }
        }
        if (done < 0) PyErr_Format(PyExc_AttributeError, "'%s' has no field '%U'", kind->type.tp_name, name);
    }
    Py_DECREF(name);
    return done;
}

static PyObject *node_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    return (PyObject *)mllint_blank((Kind *)type);
}

static int node_init(PyObject *self, PyObject *args, PyObject *keywords) {
    Kind *kind = KIND(self);
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given > kind->count) {
        PyErr_Format(PyExc_TypeError, "%s takes at most %zd arguments", kind->type.tp_name, kind->count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < given; i++)
        if (node_setattro(self, kind->names[i], PyTuple_GET_ITEM(args, i)) < 0) return -1;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (keywords != NULL && PyDict_Next(keywords, &at, &name, &value))
        if (node_setattro(self, name, value) < 0) return -1;
    return 0;
}

/* ----------------------------------------------------------------------------------------------- the same tree */
static inline int is_name(PyObject *value) {
    return PyUnicode_CheckExact(value) && PyUnicode_GET_LENGTH(value) <= LONGEST_NAME;
}

static PyObject *converted(PyObject *old, int depth);

static PyObject *converted_list(PyObject *list, int shared, int depth) {
    Py_ssize_t count = PyList_GET_SIZE(list);
    if (count == 0 && shared) list = mllint_empty;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *old = PyList_GET_ITEM(list, i);
        PyObject *new = converted(old, depth);
        if (new == NULL) return NULL;
        PyList_SET_ITEM(list, i, new);
        Py_DECREF(old);
    }
    Py_INCREF(list);
    return list;
}

/* What a dictionary has under a name, borrowed. Python fills it in the order of the fields and places: mostly it is next. */
static inline PyObject *next_of(PyObject *dict, Py_ssize_t *at, PyObject *name) {
    PyObject *key, *value;
    Py_ssize_t here = *at;
    if (PyDict_Next(dict, &here, &key, &value) && key == name) {
        *at = here;
        return value;
    }
    return PyDict_GetItemWithError(dict, name);
}

static inline int number(PyObject *dict, Py_ssize_t *at, PyObject *name, int *place) {
    PyObject *value = next_of(dict, at, name);
    if (value == NULL || value == Py_None) return PyErr_Occurred() ? -1 : 0;
    long found = PyLong_AsLong(value);
    if (found == -1 && PyErr_Occurred()) return -1;
    *place = (int)found;
    return 0;
}

static PyObject *converted(PyObject *old, int depth) {
    Kind *kind = kind_of(Py_TYPE(old));
    if (kind == NULL) { /* a name, a number, None */
        if (noted != NULL && is_name(old) && PySet_Add(noted, old) < 0) return NULL;
        Py_INCREF(old);
        return old;
    }
    if (kind->single != NULL) {
        Py_INCREF(kind->single);
        return kind->single;
    }
    if (depth > MOST_DEPTH) {
        PyErr_SetString(PyExc_RecursionError, "the tree is too deep");
        return NULL;
    }
    Node *node = mllint_blank(kind);
    PyObject **where = _PyObject_GetDictPtr(old);
    if (node == NULL || where == NULL || *where == NULL) return (PyObject *)node;
    PyObject *dict = *where;
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        PyObject *value = next_of(dict, &at, kind->names[i]);
        if (value == NULL) {
            if (PyErr_Occurred()) goto failed;
            continue;
        }
        PyObject *new = PyList_CheckExact(value) ? converted_list(value, kind->shared[i], depth + 1)
                                                 : converted(value, depth + 1);
        if (new == NULL) goto failed;
        node->fields[i] = new;
    }
    if (kind->placed && (number(dict, &at, n_lineno, &node->lineno) < 0 ||
                         number(dict, &at, n_col, &node->col_offset) < 0 ||
                         number(dict, &at, n_end_lineno, &node->end_lineno) < 0 ||
                         number(dict, &at, n_end_col, &node->end_col_offset) < 0))
        goto failed;
    return (PyObject *)node;
failed:
    Py_DECREF(node);
    return NULL;
}

static PyObject *compact(PyObject *module, PyObject *tree) { return converted(tree, 0); }

PyObject *mllint_converted(PyObject *tree, PyObject *found) {
    noted = found;
    PyObject *same = converted(tree, 0);
    noted = NULL;
    return same;
}

static PyObject *read_tree(PyObject *module, PyObject *tree) {
    PyObject *found = PySet_New(NULL);
    PyObject *same = found == NULL ? NULL : mllint_converted(tree, found);
    PyObject *names = same == NULL ? NULL : PySequence_Tuple(found);
    Py_XDECREF(found);
    PyObject *both = names == NULL ? NULL : PyTuple_Pack(2, same, names);
    Py_XDECREF(same);
    Py_XDECREF(names);
    return both;
}

/* --------------------------------------------------------------------------------------------------- the names */
static int gather(PyObject *value, PyObject *found) {
    if (is_name(value)) return PySet_Add(found, value);
    if (PyList_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++)
            if (gather(PyList_GET_ITEM(value, i), found) < 0) return -1;
    } else if (Py_TYPE(value)->tp_dealloc == mllint_dealloc) {
        Node *node = (Node *)value;
        for (Py_ssize_t i = 0; i < KIND(value)->count; i++)
            if (node->fields[i] != NULL && gather(node->fields[i], found) < 0) return -1;
    }
    return 0;
}

static PyObject *names(PyObject *module, PyObject *tree) {
    PyObject *found = PySet_New(NULL);
    PyObject *result = found == NULL || gather(tree, found) < 0 ? NULL : PySequence_Tuple(found);
    Py_XDECREF(found);
    return result;
}

/* ------------------------------------------------------------------------------------------------- the classes */
static int set_up(Kind *kind, PyTypeObject *original, PyTypeObject *base) {
    PyObject *fields = PyObject_GetAttrString((PyObject *)original, "_fields");
    PyObject *attributes = PyObject_GetAttrString((PyObject *)original, "_attributes");
    PyObject *dict = PyDict_New();
    if (fields == NULL || attributes == NULL || dict == NULL) return -1;
    kind->original = original;
    kind->leaf = strstr(original->tp_name, "Import") != NULL;
    kind->count = PyTuple_GET_SIZE(fields);
    kind->placed = PyTuple_GET_SIZE(attributes) > 0;
    if (kind->count > MOST_FIELDS) {
        PyErr_Format(PyExc_ImportError, "%s has %zd fields", original->tp_name, kind->count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        PyObject *name = PyTuple_GET_ITEM(fields, i);
        Py_INCREF(name);
        PyUnicode_InternInPlace(&name);
        kind->names[i] = name;
        kind->shared[i] = PyUnicode_CompareWithASCIIString(name, "body") != 0;
    }
    if (PyDict_SetItemString(dict, "_fields", fields) < 0 || PyDict_SetItemString(dict, "__match_args__", fields) < 0 ||
        PyDict_SetItemString(dict, "_attributes", attributes) < 0)
        return -1;
    Py_DECREF(fields);
    Py_DECREF(attributes);
    PyTypeObject *type = &kind->type;
    Py_SET_REFCNT((PyObject *)type, 1);
    const char *dot = strrchr(original->tp_name, '.');
    const char *name = dot == NULL ? original->tp_name : dot + 1;
    char *full = PyMem_Malloc(strlen(name) + sizeof("mllint._compact."));
    if (full == NULL) return -1;
    strcpy(full, "mllint._compact.");
    strcat(full, name);
    type->tp_name = full;
    type->tp_base = base;
    type->tp_dict = dict;
    type->tp_basicsize = (Py_ssize_t)(offsetof(Node, fields) + (size_t)kind->count * sizeof(PyObject *));
    type->tp_flags = Py_TPFLAGS_DEFAULT;
    type->tp_dealloc = mllint_dealloc;
    type->tp_getattro = node_getattro;
    type->tp_setattro = node_setattro;
    type->tp_new = node_new;
    type->tp_init = node_init;
    if (PyType_Ready(type) < 0) return -1;
    size_t at = slot_of(original);
    while (by_original[at] != NULL) at = (at + 1) % SLOTS;
    by_original[at] = kind;
    return 0;
}

Kind *mllint_kind(const char *name) {
    for (Py_ssize_t i = 0; i < kinds_count; i++)
        if (strcmp(strrchr(kinds[i].type.tp_name, '.') + 1, name) == 0) return &kinds[i];
    return NULL;
}

/* A class after its bases; `_ast` has single inheritance. */
static Kind *added(PyTypeObject *original, PyTypeObject *root, PyObject *module) {
    Kind *kind = kind_of(original);
    if (kind != NULL) return kind;
    PyTypeObject *base = &PyBaseObject_Type;
    if (original != root) {
        Kind *above = added(original->tp_base, root, module);
        if (above == NULL) return NULL;
        base = &above->type;
    }
    kind = &kinds[kinds_count++];
    if (set_up(kind, original, base) < 0) return NULL;
    if (kind->count == 0 && !kind->placed && PyType_IsSubtype(original, root) && original != root) {
        kind->single = (PyObject *)mllint_blank(kind);
        if (kind->single == NULL) return NULL;
    }
    const char *name = strrchr(kind->type.tp_name, '.') + 1;
    Py_INCREF(&kind->type);
    return PyModule_AddObject(module, name, (PyObject *)&kind->type) < 0 ? NULL : kind;
}

/* --------------------------------------------------------------------------------------------------- all nodes */
static int collect(PyObject *value, PyObject *found) {
    if (PyList_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++)
            if (collect(PyList_GET_ITEM(value, i), found) < 0) return -1;
    } else if (Py_TYPE(value)->tp_dealloc == mllint_dealloc && KIND(value)->single == NULL) {
        if (PyList_Append(found, value) < 0) return -1;
        Node *node = (Node *)value;
        Py_ssize_t count = KIND(value)->leaf ? 0 : KIND(value)->count;
        for (Py_ssize_t i = 0; i < count; i++)
            if (node->fields[i] != NULL && collect(node->fields[i], found) < 0) return -1;
    }
    return 0;
}

static PyObject *nodes(PyObject *module, PyObject *node) {
    PyObject *found = PyList_New(0);
    if (found != NULL && collect(node, found) < 0) Py_CLEAR(found);
    return found;
}

/* ------------------------------------------------------------------------------------------ the tree, moved down */
static PyObject *moved_node(PyObject *old, int last, int delta) {
    if (PyList_CheckExact(old)) {
        Py_ssize_t count = PyList_GET_SIZE(old);
        PyObject *list = old == mllint_empty ? NULL : PyList_New(count);
        int same = 1;
        for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
            PyObject *inner = moved_node(PyList_GET_ITEM(old, i), last, delta);
            if (inner == NULL) {
                Py_DECREF(list);
                return NULL;
            }
            same &= inner == PyList_GET_ITEM(old, i);
            PyList_SET_ITEM(list, i, inner);
        }
        if (list != NULL && !same) return list;
        Py_XDECREF(list);
        if (PyErr_Occurred()) return NULL;
        Py_INCREF(old);
        return old;
    }
    Kind *kind = KIND(old);
    Node *before = (Node *)old;
    if (Py_TYPE(old)->tp_dealloc != mllint_dealloc || (kind->placed && before->end_lineno <= last)) {
        Py_INCREF(old);
        return old;
    }
    Node *node = mllint_blank(kind);
    if (node == NULL) return NULL;
    int same = !kind->placed;
    node->lineno = before->lineno + (before->lineno > last ? delta : 0);
    node->end_lineno = before->end_lineno + (before->end_lineno > last ? delta : 0);
    node->col_offset = before->col_offset;
    node->end_col_offset = before->end_col_offset;
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        if (before->fields[i] == NULL) continue;
        node->fields[i] = moved_node(before->fields[i], last, delta);
        if (node->fields[i] == NULL) {
            Py_DECREF(node);
            return NULL;
        }
        same &= node->fields[i] == before->fields[i];
    }
    if (!same) return (PyObject *)node;
    Py_DECREF(node);
    Py_INCREF(old);
    return old;
}

static PyObject *moved(PyObject *module, PyObject *args) {
    PyObject *tree;
    int last, delta;
    return PyArg_ParseTuple(args, "Oii", &tree, &last, &delta) ? moved_node(tree, last, delta) : NULL;
}

/* ----------------------------------------------------------------------------------------------- packed trees */
typedef struct {
    const unsigned char *at, *end;
    PyObject *classes, *constants; /* tuples, of what the numbers in it mean */
} Reader;

static int next_number(Reader *reader, int bytes) {
    if (reader->end - reader->at < bytes) return -1;
    int found = *reader->at++;
    return bytes == 1 ? found : found | *reader->at++ << 8;
}

static PyObject *unpacked(Reader *reader, int shared) {
    int tag = next_number(reader, 1);
    if (tag == 0) Py_RETURN_NONE;
    if (tag == 1) {
        int count = next_number(reader, 2);
        if (count < 0) goto broken;
        PyObject *list = count == 0 && shared ? mllint_empty : PyList_New(count);
        if (list == mllint_empty) Py_INCREF(list);
        for (int i = 0; list != NULL && i < count; i++) {
            PyObject *inner = unpacked(reader, 0);
            if (inner == NULL) Py_CLEAR(list);
            else PyList_SET_ITEM(list, i, inner);
        }
        return list;
    }
    if (tag == 2) {
        int which = next_number(reader, 2);
        if (which < 0 || which >= PyTuple_GET_SIZE(reader->constants)) goto broken;
        PyObject *constant = PyTuple_GET_ITEM(reader->constants, which);
        Py_INCREF(constant);
        return constant;
    }
    if (tag < 0 || tag - 3 >= PyTuple_GET_SIZE(reader->classes)) goto broken;
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(reader->classes, tag - 3);
    if (!PyType_Check(type) || type->tp_dealloc != mllint_dealloc) goto broken;
    Kind *kind = (Kind *)type;
    if (kind->single != NULL) {
        Py_INCREF(kind->single);
        return kind->single;
    }
    Node *node = mllint_blank(kind);
    if (node == NULL) return NULL;
    if (kind->placed) {
        node->lineno = next_number(reader, 2);
        node->col_offset = next_number(reader, 2);
        node->end_lineno = next_number(reader, 2);
        node->end_col_offset = next_number(reader, 2);
    }
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        node->fields[i] = unpacked(reader, kind->shared[i]);
        if (node->fields[i] == NULL) {
            Py_DECREF(node);
            return NULL;
        }
    }
    return (PyObject *)node;
broken:
    PyErr_SetString(PyExc_ValueError, "this is no packed tree");
    return NULL;
}

static PyObject *unpack(PyObject *module, PyObject *args) {
    Py_buffer packed;
    Reader reader;
    if (!PyArg_ParseTuple(args, "y*O!O!", &packed, &PyTuple_Type, &reader.classes, &PyTuple_Type, &reader.constants))
        return NULL;
    reader.at = packed.buf;
    reader.end = reader.at + packed.len;
    PyObject *tree = unpacked(&reader, 0);
    PyBuffer_Release(&packed);
    return tree;
}

/* -------------------------------------------------------------------------------------------------- the module */
static PyObject *made_module(PyObject *self, PyObject *capsule) {
    const char *name = PyCapsule_GetName(capsule);
    PyObject *(*make)(void) = name == NULL ? NULL : (PyObject * (*)(void)) PyCapsule_GetPointer(capsule, name);
    return make == NULL ? NULL : make();
}

static PyMethodDef methods[] = {
    {"compact", compact, METH_O, "The same tree, of the nodes of this module. The lists of the given one are taken over."},
    {"read", read_tree, METH_O, "The same, and the names in it, once each."},
    {"quick", mllint_quick, METH_O, "The tree of a text and its names, if it is surely read as Python reads it, else None."},
    {"names", names, METH_O, "The names in a tree of this module, once each."},
    {"nodes", nodes, METH_O, "A node and all nodes below it."},
    {"moved", moved, METH_VARARGS, "The tree after lines came or went."},
    {"unpack", unpack, METH_VARARGS, "The tree that was packed."},
    {"module", made_module, METH_O, "The module that the function in a capsule makes."},
    {"mark", mllint_mark, METH_NOARGS, "From here on the stack is measured."},
    {"deep", mllint_deep, METH_NOARGS, "RecursionError if little of the stack is left."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "mllint._compact", NULL, -1, methods};

PyMODINIT_FUNC PyInit__compact(void) {
    PyObject *module = PyModule_Create(&definition);
    PyObject *ast = PyImport_ImportModule("_ast");
    if (module == NULL || ast == NULL) return NULL;
    PyObject *known = PyModule_GetDict(ast);
    PyTypeObject *root = (PyTypeObject *)PyDict_GetItemString(known, "AST");
    kinds = PyMem_Calloc((size_t)PyDict_Size(known), sizeof(Kind));
    mllint_empty = PyList_New(0);
    n_lineno = PyUnicode_InternFromString("lineno");
    n_col = PyUnicode_InternFromString("col_offset");
    n_end_lineno = PyUnicode_InternFromString("end_lineno");
    n_end_col = PyUnicode_InternFromString("end_col_offset");
    if (root == NULL || kinds == NULL || mllint_empty == NULL || n_end_col == NULL) return NULL;
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(known, &at, &name, &value))
        if (PyType_Check(value) && PyType_IsSubtype((PyTypeObject *)value, root) &&
            added((PyTypeObject *)value, root, module) == NULL)
            return NULL;
    Py_DECREF(ast);
    mllint_quick_set_up();
    return module;
}
