/* The constants of a text. Of strings that are more than their characters (f-strings, rare escapes) Python is asked, of
   all those of a text at once; their nodes are then moved to where they stand. */
#include "reader.h"
#include <string.h>

/* --------------------------------------------------------------------------------------- what Python is asked for */
typedef struct {
    char *text;
    Py_ssize_t length, room;
} Buffer;

static int append(Buffer *b, const char *text, Py_ssize_t length) {
    if (b->length + length + 1 > b->room) {
        Py_ssize_t room = (b->length + length + 1) * 2;
        char *larger = PyMem_Realloc(b->text, (size_t)room);
        if (larger == NULL) return 0;
        b->text = larger;
        b->room = room;
    }
    memcpy(b->text + b->length, text, (size_t)length);
    b->length += length;
    b->text[b->length] = 0;
    return 1;
}

static int is_simple_escape(int c) { return c != 0 && strchr("ntr\\'\"\n", c) != NULL; }

/* May the escapes in a string be left to `unescaped`? */
static int is_simple(const Token *token) {
    const char *at = token->start + token->opening, *end = token->start + token->length - token->quotes;
    for (; at < end; at++) {
        if ((unsigned char)*at >= 128) return 0;
        if (*at == '\\' && !is_simple_escape(*++at)) return 0;
    }
    return 1;
}

static int to_ask(const Token *token) {
    return token->how & S_ASKED || ((token->how & (S_ESCAPES | S_RAW)) == S_ESCAPES && !is_simple(token));
}

static void shift(PyObject *value, int line, int lines, int columns) {
    if (PyList_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++) shift(PyList_GET_ITEM(value, i), line, lines, columns);
        return;
    }
    if (Py_TYPE(value)->tp_dealloc != mllint_dealloc || KIND(value)->single != NULL) return;
    Node *node = (Node *)value;
    if (KIND(value)->placed) {
        node->col_offset += node->lineno == line ? columns : 0;
        node->end_col_offset += node->end_lineno == line ? columns : 0;
        node->lineno += lines;
        node->end_lineno += lines;
    }
    for (Py_ssize_t i = 0; i < KIND(value)->count; i++)
        if (node->fields[i] != NULL) shift(node->fields[i], line, lines, columns);
}

/* The nodes of strings from the tree of `(f"...")` lines. */
static int answered(Reading *r, PyObject *tree, const Token **asked, Py_ssize_t count) {
    r->found = PySet_New(NULL);
    PyObject *same = r->found == NULL ? NULL : mllint_converted(tree, r->found);
    PyObject *body = same == NULL ? NULL : ((Node *)same)->fields[0];
    int line = 1, done = body != NULL && PyList_CheckExact(body) && PyList_GET_SIZE(body) == count;
    r->given = done ? PyMem_Calloc((size_t)count, sizeof(PyObject *)) : NULL;
    for (Py_ssize_t i = 0; r->given != NULL && i < count; i++) {
        PyObject *value = ((Node *)PyList_GET_ITEM(body, i))->fields[0];
        const Token *last = asked[i];
        while (last[1].kind == T_STRING) last++;
        shift(value, line, asked[i]->line - line, asked[i]->col - 1);
        line += last->end_line - asked[i]->line + 1;
        r->given[r->given_count++] = mllint_new(value);
    }
    Py_XDECREF(same);
    return r->given != NULL;
}

int mllint_ask_for_strings(Reading *r) {
    Buffer b = {NULL, 0, 0};
    const Token **asked = NULL;
    Py_ssize_t count = 0, room = 0;
    int done = 1;
    for (Token *token = r->tokens; done && token->kind != T_END; token++) {
        if (token->kind != T_STRING) continue;
        Token *first = token;
        int ask = to_ask(token);
        for (; token[1].kind == T_STRING; token++) ask |= to_ask(token + 1);
        if (!ask) continue;
        const char *end = token->start + token->length;
        done = mllint_grown(&asked, count, &room, sizeof(Token *)) && append(&b, "(", 1) &&
               append(&b, first->start, end - first->start) && append(&b, ")\n", 2);
        if (!done) break;
        asked[count++] = first;
        first->given = (int)count;
    }
    if (done && count > 0) {
        PyCompilerFlags flags = {.cf_flags = PyCF_ONLY_AST | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                                 .cf_feature_version = PY_MINOR_VERSION};
        PyObject *tree = Py_CompileStringExFlags(b.text, "<mllint>", Py_file_input, &flags, -1);
        done = tree != NULL && answered(r, tree, asked, count);
        Py_XDECREF(tree);
    }
    PyMem_Free(asked);
    PyMem_Free(b.text);
    return done;
}

/* ------------------------------------------------------------------------------------------------------ constants */
static PyObject *constant(Reading *r, const Token *start, PyObject *value) {
    Node *node = value == NULL ? NULL : mllint_node(r, N_Constant, start);
    if (node == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    node->fields[0] = value;
    return (PyObject *)node;
}

PyObject *mllint_number(Reading *r) {
    const Token *token = mllint_next(r);
    char text[64];
    int length = 0, is_float = 0;
    if (token->length >= (int)sizeof(text)) return NULL;
    int prefixed = token->length > 1 && token->start[0] == '0' && strchr("xXoObB", token->start[1]) != NULL;
    for (int i = 0; i < token->length; i++) {
        char c = token->start[i];
        if (c == '_') continue;
        text[length++] = c;
        is_float |= !prefixed && strchr(".eEjJ", c) != NULL;
    }
    text[length] = 0;
    if (!is_float && length < 10 && !prefixed) {
        long value = 0;
        for (int i = 0; i < length; i++) value = value * 10 + (text[i] - '0');
        return constant(r, token, PyLong_FromLong(value));
    }
    if (!is_float) return constant(r, token, PyLong_FromString(text, NULL, prefixed ? 0 : 10));
    int imaginary = (text[length - 1] | 0x20) == 'j';
    if (imaginary) text[length - 1] = 0;
    double value = PyOS_string_to_double(text, NULL, NULL);
    if (value == -1.0 && PyErr_Occurred()) return NULL;
    return constant(r, token, imaginary ? PyComplex_FromDoubles(0.0, value) : PyFloat_FromDouble(value));
}

/* The contents of a string token, its escapes resolved, at the end of a buffer. */
static int unescaped(Buffer *b, const Token *token) {
    const char *at = token->start + token->opening, *end = token->start + token->length - token->quotes;
    if (!(token->how & S_ESCAPES) || token->how & S_RAW) return append(b, at, end - at);
    while (at < end) {
        const char *from = at;
        while (at < end && *at != '\\') at++;
        if (!append(b, from, at - from)) return 0;
        if (at >= end) break;
        char c = at[1] == 'n' ? '\n' : at[1] == 't' ? '\t' : at[1] == 'r' ? '\r' : at[1];
        if (c != '\n' || at[1] == 'n') /* a backslash at the end of a line stands for nothing */
            if (!append(b, &c, 1)) return 0;
        at += 2;
    }
    return 1;
}

static PyObject *bytes_of(const char *text, Py_ssize_t length) {
    for (Py_ssize_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 128) return NULL;
    return PyBytes_FromStringAndSize(text, length);
}

PyObject *mllint_strings(Reading *r) {
    const Token *first = mllint_next(r);
    int kinds = first->how & S_BYTES, several = 0;
    while (r->at->kind == T_STRING) {
        several = 1;
        if ((mllint_next(r)->how & S_BYTES) != kinds) return NULL;
    }
    if (first->given > 0) return mllint_new(r->given[first->given - 1]);
    if (!several && (!(first->how & S_ESCAPES) || first->how & S_RAW)) {
        const char *text = first->start + first->opening;
        Py_ssize_t length = first->length - first->opening - first->quotes;
        return constant(r, first, kinds ? bytes_of(text, length) : mllint_string(r, text, length));
    }
    Buffer b = {NULL, 0, 0};
    int done = append(&b, "", 0);
    for (const Token *token = first; done && token <= r->last; token++) done = unescaped(&b, token);
    PyObject *value = !done ? NULL : kinds ? bytes_of(b.text, b.length) : mllint_string(r, b.text, b.length);
    PyMem_Free(b.text);
    return constant(r, first, value);
}
