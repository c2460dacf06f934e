/* Python texts as compact trees, without Python's own.

Python makes a tree of its own classes of each text, whose nodes are made again here and freed: these three take longer
than to read the text. This reader makes the compact nodes at once. It is no second opinion on what Python is: every
text in which anything is unusual or wrong (a syntax error, `match`, type parameters, letters beyond ASCII in names) is
left to Python, and so are f-strings. What it does read it reads as Python does, place by place: the tests hold it against
Python's parser, on all of the standard library and on texts in which something was changed at random.

    quick(text)     (tree, names), or None where the text is left to Python.
*/
#include "reader.h"
#include <string.h>

Kind *mllint_kinds[N_COUNT];
PyObject *mllint_operators[O_COUNT];
PyObject *mllint_load, *mllint_store, *mllint_del;
static int usable;

/* ------------------------------------------------------------------------------------------------ nodes and lists */
static int noted(Reading *r, PyObject *object) {
    if (!mllint_grown(&r->made, r->made_count, &r->made_room, sizeof(PyObject *))) {
        Py_DECREF(object);
        return 0;
    }
    r->made[r->made_count++] = object;
    return 1;
}

Node *mllint_node(Reading *r, int which, const Token *start) {
    Kind *kind = mllint_kinds[which];
    Node *node = mllint_blank(kind);
    if (node == NULL || !noted(r, (PyObject *)node)) return NULL;
    if (kind->placed) {
        node->lineno = start->line;
        node->col_offset = start->col;
        node->end_lineno = r->last->end_line;
        node->end_col_offset = r->last->end_col;
    }
    return node;
}

int mllint_push(Reading *r, PyObject *element) {
    if (!mllint_grown(&r->stack, r->stack_count, &r->stack_room, sizeof(PyObject *))) return 0;
    r->stack[r->stack_count++] = element;
    return 1;
}

/* What lies on the stack from there on, as a list; an empty one may be the common one. */
PyObject *mllint_list(Reading *r, Py_ssize_t from, int shared) {
    Py_ssize_t count = r->stack_count - from;
    if (count == 0 && shared) return mllint_new(mllint_empty);
    PyObject *list = PyList_New(count);
    if (list == NULL || !noted(r, list)) return NULL;
    for (Py_ssize_t i = 0; i < count; i++) PyList_SET_ITEM(list, i, r->stack[from + i]);
    r->stack_count = from;
    return list;
}

/* Free what was made after the first `from`: whichever of these holds another one, all are freed once. */
void mllint_discard(Reading *r, Py_ssize_t from) {
    for (Py_ssize_t i = from; i < r->made_count; i++) Py_INCREF(r->made[i]);
    for (Py_ssize_t i = from; i < r->made_count; i++) {
        PyObject *object = r->made[i];
        if (PyList_CheckExact(object)) {
            PyList_SetSlice(object, 0, PyList_GET_SIZE(object), NULL);
            continue;
        }
        for (Py_ssize_t k = 0; k < KIND(object)->count; k++) Py_CLEAR(((Node *)object)->fields[k]);
    }
    for (Py_ssize_t i = from; i < r->made_count; i++) {
        Py_SET_REFCNT(r->made[i], 1);
        Py_DECREF(r->made[i]);
    }
    r->made_count = from;
}

/* ----------------------------------------------------------------------------------------------------------- names */
static unsigned int hashed(const char *start, Py_ssize_t length) {
    unsigned int hash = 2166136261u;
    for (Py_ssize_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)start[i]) * 16777619u;
    return hash;
}

static Word *place_of(Word *words, Py_ssize_t room, const char *start, Py_ssize_t length, unsigned int hash) {
    size_t at = hash & (size_t)(room - 1);
    for (;; at = (at + 1) & (size_t)(room - 1)) {
        Word *word = &words[at];
        if (word->name == NULL) return word;
        if (word->hash == hash && word->length == length && memcmp(word->start, start, (size_t)length) == 0) return word;
    }
}

static int more_words(Reading *r) {
    Py_ssize_t room = r->words_room == 0 ? 512 : r->words_room * 2;
    Word *words = PyMem_Calloc((size_t)room, sizeof(Word));
    if (words == NULL) return 0;
    for (Py_ssize_t i = 0; i < r->words_room; i++) {
        Word *word = &r->words[i];
        if (word->name != NULL) *place_of(words, room, word->start, word->length, word->hash) = *word;
    }
    PyMem_Free(r->words);
    r->words = words;
    r->words_room = room;
    return 1;
}

static Word *word_of(Reading *r, const char *start, Py_ssize_t length) {
    if (r->words_count * 2 >= r->words_room && !more_words(r)) return NULL;
    unsigned int hash = hashed(start, length);
    Word *word = place_of(r->words, r->words_room, start, length, hash);
    if (word->name != NULL) return word;
    PyObject *name = PyUnicode_DecodeUTF8(start, length, NULL);
    if (name == NULL) return NULL;
    int is_ascii = PyUnicode_IS_ASCII(name);
    word->start = is_ascii ? (const char *)PyUnicode_1BYTE_DATA(name) : start; /* texts beyond ASCII are never unescaped */
    word->length = (int)length;
    word->hash = hash;
    word->name = name;
    r->words_count++;
    return word;
}

/* A string: those that are as short as names are one object for each text. */
PyObject *mllint_string(Reading *r, const char *start, Py_ssize_t length) {
    if (length > LONGEST_NAME * 4) return PyUnicode_DecodeUTF8(start, length, NULL);
    Word *word = word_of(r, start, length);
    return word == NULL ? NULL : mllint_new(word->name);
}

PyObject *mllint_dotted(Reading *r, const char *start, Py_ssize_t length) {
    Word *word = length > LONGEST_NAME * 4 ? NULL : word_of(r, start, length);
    return word == NULL ? NULL : word->name;
}

PyObject *mllint_identifier(Reading *r, const Token *token) {
    Word *word = word_of(r, token->start, token->length);
    if (word == NULL) return NULL;
    if (!PyUnicode_CHECK_INTERNED(word->name)) {
        if (token->length == 9 && memcmp(token->start, "__debug__", 9) == 0) return NULL; /* may not be bound */
        PyUnicode_InternInPlace(&word->name);
        word->start = (const char *)PyUnicode_1BYTE_DATA(word->name);
    }
    return word->name;
}

static PyObject *names_of(Reading *r) {
    PyObject *all = PyList_New(0);
    for (Py_ssize_t i = 0; all != NULL && i < r->words_room; i++) {
        PyObject *name = r->words[i].name;
        if (name == NULL || PyUnicode_GET_LENGTH(name) > LONGEST_NAME) continue;
        if ((r->found == NULL ? PyList_Append(all, name) : PySet_Add(r->found, name)) < 0) Py_CLEAR(all);
    }
    PyObject *names = all == NULL ? NULL : PySequence_Tuple(r->found == NULL ? all : r->found);
    Py_XDECREF(all);
    return names;
}

/* ----------------------------------------------------------------------------------------------------- the whole */
/* The text with `\n` at the end of lines, as Python's tokenizer sees it; NULL if it is so already, or there is no room. */
static char *with_newlines(const char *text, Py_ssize_t length, Py_ssize_t *left) {
    if (memchr(text, '\r', (size_t)length) == NULL) return NULL;
    char *copy = PyMem_Malloc((size_t)length + 1), *to = copy;
    if (copy == NULL) return NULL;
    for (const char *at = text; at < text + length; at++) {
        if (*at == '\r') {
            *to++ = '\n';
            if (at[1] == '\n') at++;
        } else *to++ = *at;
    }
    *to = 0;
    *left = to - copy;
    return copy;
}

static void freed(Reading *r) {
    for (Py_ssize_t i = 0; i < r->words_room; i++) Py_XDECREF(r->words[i].name);
    for (Py_ssize_t i = 0; i < r->given_count; i++) Py_XDECREF(r->given[i]);
    Py_XDECREF(r->found);
    PyMem_Free(r->tokens);
    PyMem_Free(r->made);
    PyMem_Free(r->stack);
    PyMem_Free(r->words);
    PyMem_Free(r->given);
}

PyObject *mllint_quick(PyObject *module, PyObject *text) {
    Reading r = {.text = NULL};
    if (!usable || !PyUnicode_Check(text)) Py_RETURN_NONE;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &r.length);
    if (utf8 == NULL || strlen(utf8) != (size_t)r.length) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    char *copy = with_newlines(utf8, r.length, &r.length);
    r.text = copy == NULL ? utf8 : copy;
    PyObject *both = NULL;
    if (strchr(r.text, '\r') == NULL && mllint_cut(&r) && mllint_ask_for_strings(&r)) {
        r.at = r.last = r.tokens;
        PyObject *tree = mllint_module(&r);
        PyObject *names = tree == NULL ? NULL : names_of(&r);
        both = names == NULL ? NULL : PyTuple_Pack(2, tree, names);
        Py_XDECREF(names);
        if (both == NULL) mllint_discard(&r, 0);
        else Py_DECREF(tree);
    }
    freed(&r);
    PyMem_Free(copy);
    if (both != NULL) return both;
    PyErr_Clear();
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------------------------------------------------- set-up */
/* Has a class these fields, and no more than `type_params` after them? */
static int has_fields(const Kind *kind, const char *fields) {
    Py_ssize_t at = 0;
    while (*fields != 0) {
        const char *end = strchr(fields, ' ');
        size_t length = end == NULL ? strlen(fields) : (size_t)(end - fields);
        const char *name = at < kind->count ? PyUnicode_AsUTF8(kind->names[at]) : NULL;
        if (name == NULL || strlen(name) != length || strncmp(name, fields, length) != 0) return 0;
        fields += length + (end != NULL);
        at++;
    }
    return at == kind->count ||
           (at + 1 == kind->count && PyUnicode_CompareWithASCIIString(kind->names[at], "type_params") == 0);
}

static PyObject *single(const char *name) {
    Kind *kind = mllint_kind(name);
    return kind == NULL ? NULL : kind->single;
}

void mllint_quick_set_up(void) {
    static const struct {
        const char *name, *fields;
    } classes[] = {
#define CLASS(name, fields) {#name, fields},
#include "classes.h"
#undef CLASS
    };
    static const char *operators[] = {
#define OPERATOR(name) #name,
#include "operators.h"
#undef OPERATOR
    };
    usable = PY_VERSION_HEX >= 0x030B0000; /* before 3.11 the places in f-strings depend on what stands around them */
    for (int i = 0; i < N_COUNT; i++) {
        mllint_kinds[i] = mllint_kind(classes[i].name);
        usable = usable && mllint_kinds[i] != NULL && has_fields(mllint_kinds[i], classes[i].fields);
    }
    for (int i = 0; i < O_COUNT; i++) {
        mllint_operators[i] = single(operators[i]);
        usable = usable && mllint_operators[i] != NULL;
    }
    mllint_load = single("Load");
    mllint_store = single("Store");
    mllint_del = single("Del");
    usable = usable && mllint_load != NULL && mllint_store != NULL && mllint_del != NULL;
}
