/* The parameters of functions. */
#include "reader.h"

static PyObject *parameter(Reading *r, int annotated) {
    const Token *start = r->at;
    if (start->kind != T_NAME) return NULL;
    PyObject *arg = mllint_identifier(r, mllint_next(r)), *annotation = NULL;
    if (arg != NULL && annotated && mllint_take(r, COLON)) {
        annotation = mllint_expression(r);
        if (annotation == NULL) return NULL;
    }
    Node *node = arg == NULL ? NULL : mllint_node(r, N_arg, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(arg);
    FIELD(node, 1) = annotation;
    return (PyObject *)node;
}

/* The lists of an `arguments` node, while they grow; one after the other they are made from the stack. */
typedef struct {
    PyObject *posonly, *args, *vararg, *kwonly, *kw_defaults, *kwarg, *defaults;
} Parts;

/* Parameters by name alone, after `*`: each lies on the stack with its default, None if it has none. `**x` may end them. */
static int by_name(Reading *r, int closing, int annotated, Parts *parts) {
    Py_ssize_t from = r->stack_count;
    while (KIND_AT(r) != closing && KIND_AT(r) != DOUBLESTAR) {
        PyObject *one = parameter(r, annotated), *value = NULL;
        if (one != NULL && mllint_take(r, EQUAL)) {
            value = mllint_expression(r);
            if (value == NULL) return 0;
        }
        if (one == NULL || !mllint_push(r, one)) return 0;
        if (!mllint_push(r, value == NULL ? mllint_new(Py_None) : value)) return 0;
        if (!mllint_take(r, COMMA)) {
            if (KIND_AT(r) != closing) return 0;
            break;
        }
    }
    Py_ssize_t count = (r->stack_count - from) / 2;
    for (Py_ssize_t i = 0; i < count; i++) /* the names, again behind them all */
        if (!mllint_push(r, r->stack[from + 2 * i])) return 0;
    parts->kwonly = mllint_list(r, from + 2 * count, 1);
    for (Py_ssize_t i = 0; i < count; i++) r->stack[from + i] = r->stack[from + 2 * i + 1];
    r->stack_count = from + count;
    parts->kw_defaults = mllint_list(r, from, 1);
    return parts->kwonly != NULL && parts->kw_defaults != NULL;
}

/* `*args`, `*`, and what may stand after them. */
static int after_star(Reading *r, int closing, int annotated, Parts *parts) {
    if (mllint_take(r, STAR)) {
        int bare = KIND_AT(r) == COMMA;
        if (!bare && (parts->vararg = parameter(r, annotated)) == NULL) return 0;
        if (bare && r->at[1].kind != T_NAME) return 0;
        if (!mllint_take(r, COMMA) && KIND_AT(r) != closing) return 0;
    }
    if (!by_name(r, closing, annotated, parts)) return 0;
    if (mllint_take(r, DOUBLESTAR)) {
        parts->kwarg = parameter(r, annotated);
        if (parts->kwarg == NULL) return 0;
        mllint_take(r, COMMA);
    }
    return KIND_AT(r) == closing;
}

PyObject *mllint_parameters(Reading *r, int closing, int annotated) {
    const Token *start = r->at;
    Parts parts = {NULL};
    PyObject *defaults[MOST_NESTED];
    Py_ssize_t from = r->stack_count, count = 0;
    while (KIND_AT(r) == T_NAME || KIND_AT(r) == SLASH) {
        if (mllint_take(r, SLASH)) {
            if (parts.posonly != NULL || r->stack_count == from) return NULL;
            parts.posonly = mllint_list(r, from, 1);
            if (parts.posonly == NULL) return NULL;
        } else {
            PyObject *one = parameter(r, annotated);
            if (one == NULL || !mllint_push(r, one)) return NULL;
            if (mllint_take(r, EQUAL)) {
                if (count >= MOST_NESTED || (defaults[count++] = mllint_expression(r)) == NULL) return NULL;
            } else if (count > 0) return NULL;
        }
        if (!mllint_take(r, COMMA)) break;
    }
    if (parts.posonly == NULL) parts.posonly = mllint_new(mllint_empty);
    parts.args = mllint_list(r, from, 1);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!mllint_push(r, defaults[i])) return NULL;
    parts.defaults = mllint_list(r, from, 1);
    if (parts.args == NULL || parts.defaults == NULL) return NULL;
    if ((KIND_AT(r) != closing && r->last->kind != COMMA && r->at != start) || !after_star(r, closing, annotated, &parts))
        return NULL;
    Node *node = mllint_node(r, N_arguments, start);
    if (node == NULL) return NULL;
    PyObject *fields[] = {parts.posonly,     parts.args,  parts.vararg,  parts.kwonly,
                          parts.kw_defaults, parts.kwarg, parts.defaults};
    for (int i = 0; i < 7; i++) FIELD(node, i) = fields[i];
    return (PyObject *)node;
}
