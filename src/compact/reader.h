/* The quick reader of Python texts: what its files share. See `reader.c`. */
#ifndef MLLINT_READER_H
#define MLLINT_READER_H

#include "nodes.h"

#define MOST_NESTED 100 /* brackets, blocks, operators in a row: what is deeper is left to Python */

enum {
    T_END, T_NEWLINE, T_INDENT, T_DEDENT, T_NAME, T_NUMBER, T_STRING,
    LPAR, RPAR, LSQB, RSQB, LBRACE, RBRACE, COLON, COMMA, SEMI, DOT, ELLIPSIS_, ARROW, WALRUS, EQUAL, TILDE,
    /* operators between two values, in the order of `operators.h` */
    VBAR, CARET, AMPER, LEFTSHIFT, RIGHTSHIFT, PLUS, MINUS, STAR, SLASH, DOUBLESLASH, PERCENT, AT, DOUBLESTAR,
    /* the same with `=` */
    VBAR_IS, CARET_IS, AMPER_IS, LEFTSHIFT_IS, RIGHTSHIFT_IS, PLUS_IS, MINUS_IS, STAR_IS, SLASH_IS, DOUBLESLASH_IS,
    PERCENT_IS, AT_IS, DOUBLESTAR_IS,
    EQUALS, DIFFERS, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL,
    /* keywords, in the order of `keywords` */
    FALSE_, NONE_, TRUE_, AND, AS, ASSERT, ASYNC, AWAIT, BREAK, CLASS, CONTINUE, DEF, DEL, ELIF, ELSE, EXCEPT, FINALLY,
    FOR, FROM, GLOBAL, IF, IMPORT, IN, IS, LAMBDA, NONLOCAL, NOT, OR, PASS, RAISE, RETURN, TRY, WHILE, WITH, YIELD
};

enum { S_BYTES = 1, S_RAW = 2, S_ASKED = 4, S_ESCAPES = 8 }; /* S_ASKED: only Python knows, as of an f-string */

typedef struct {
    const char *start;
    int length;         /* in bytes, as all columns are */
    int line, col;      /* lines are 1-based */
    int end_line, end_col;
    unsigned char kind; /* T_... */
    unsigned char how;  /* of a string: S_... */
    unsigned char opening, quotes; /* of a string: bytes before its contents, bytes after it */
    int given;          /* of the first string of several: 1 + which one of those that Python was asked for, or 0 */
} Token;

typedef struct {
    const char *start;
    int length;
    unsigned int hash;
    PyObject *name;
} Word;

typedef struct {
    const char *text;   /* UTF-8 that ends in a null byte */
    Py_ssize_t length;
    Token *tokens;
    Py_ssize_t count, room;
    const Token *at, *last; /* the next token; the last one of those that count that was read */
    PyObject **made;    /* every node and list, so that they can be freed if the text is left to Python */
    Py_ssize_t made_count, made_room;
    PyObject **stack;   /* the elements of lists that are not yet complete */
    Py_ssize_t stack_count, stack_room;
    Word *words;        /* a hash table of the names and short strings so far */
    Py_ssize_t words_count, words_room;
    PyObject **given;   /* what Python says of strings */
    Py_ssize_t given_count;
    PyObject *found;    /* the names in these: a set, or NULL */
    int depth;
} Reading;

/* All functions below return 0 or NULL where the text is to be left to Python, with or without an exception set. */

/* Cut a text into tokens. */
int mllint_cut(Reading *r);

/* Room for one more in an array of `size` bytes each; 0 if there is none. */
int mllint_grown(void *array, Py_ssize_t count, Py_ssize_t *room, size_t size);

/* The statements of a whole text: a Module. `reader.c` */
PyObject *mllint_module(Reading *r);

/* ---- nodes, lists, names: `reader.c` */
enum {
#define CLASS(name, fields) N_##name,
#include "classes.h"
#undef CLASS
    N_COUNT
};

extern Kind *mllint_kinds[N_COUNT];

enum {
#define OPERATOR(name) O_##name,
#include "operators.h"
#undef OPERATOR
    O_COUNT
};

extern PyObject *mllint_operators[O_COUNT];
extern PyObject *mllint_load, *mllint_store, *mllint_del;

/* A node that starts at a token and ends with the last one read; its fields are to be filled by the caller, who gives
   away the references. */
Node *mllint_node(Reading *r, int which, const Token *start);

int mllint_push(Reading *r, PyObject *element);
PyObject *mllint_list(Reading *r, Py_ssize_t from, int shared);
void mllint_discard(Reading *r, Py_ssize_t from);

PyObject *mllint_string(Reading *r, const char *start, Py_ssize_t length); /* a new reference */
PyObject *mllint_dotted(Reading *r, const char *start, Py_ssize_t length); /* borrowed from the table of words */
PyObject *mllint_identifier(Reading *r, const Token *token);               /* borrowed, too */

/* ---- `values.c`: the constants */
int mllint_ask_for_strings(Reading *r);
PyObject *mllint_number(Reading *r);
PyObject *mllint_strings(Reading *r);

/* ---- `expressions.c` */
PyObject *mllint_expression(Reading *r);
PyObject *mllint_named_expression(Reading *r);
PyObject *mllint_disjunction(Reading *r);
PyObject *mllint_operation(Reading *r, int least); /* operators that bind at least as strongly as that level, 1 to 6 */
PyObject *mllint_yield_or_star(Reading *r);
PyObject *mllint_star_expressions(Reading *r);
PyObject *mllint_star_named(Reading *r);
PyObject *mllint_starred(Reading *r, PyObject *(*inner)(Reading *)); /* `*` and what is read after it */
PyObject *mllint_targets(Reading *r); /* of `for`, in the context Store */
PyObject *mllint_target(Reading *r);  /* of `as`, in the context Store */
int mllint_elements(Reading *r, PyObject *(*one)(Reading *));
PyObject *mllint_sequence(Reading *r, int which, const Token *start, Py_ssize_t from);
int mllint_in_context(PyObject *node, PyObject *context);
int mllint_starts_expression(int kind);

/* ---- `primaries.c` */
PyObject *mllint_primary(Reading *r);
int mllint_class_arguments(Reading *r, PyObject **bases, PyObject **keywords);

/* ---- `parameters.c` */
PyObject *mllint_parameters(Reading *r, int closing, int annotated); /* up to that token, which is not read */

#define FIELD(node, i) ((node)->fields[i])
#define KIND_AT(r) ((r)->at->kind)

static inline const Token *mllint_next(Reading *r) {
    const Token *token = r->at++;
    if (token->kind > T_DEDENT) r->last = token;
    return token;
}

static inline int mllint_take(Reading *r, int kind) {
    if (r->at->kind != kind) return 0;
    mllint_next(r);
    return 1;
}

static inline PyObject *mllint_new(PyObject *object) {
    Py_INCREF(object);
    return object;
}

#endif
