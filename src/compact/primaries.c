/* What binds most strongly: names, constants, what stands in brackets; calls, and what they hand over. */
#include "reader.h"

/* -------------------------------------------------------------------------------------------------- comprehensions */
static PyObject *generator(Reading *r, int is_async) {
    PyObject *target = mllint_targets(r);
    PyObject *iterable = target == NULL || !mllint_take(r, IN) ? NULL : mllint_disjunction(r);
    if (iterable == NULL) return NULL;
    Py_ssize_t from = r->stack_count;
    while (mllint_take(r, IF)) {
        PyObject *test = mllint_disjunction(r);
        if (test == NULL || !mllint_push(r, test)) return NULL;
    }
    PyObject *tests = mllint_list(r, from, 1);
    Node *node = tests == NULL ? NULL : mllint_node(r, N_comprehension, r->at);
    if (node == NULL) return NULL;
    FIELD(node, 0) = target;
    FIELD(node, 1) = iterable;
    FIELD(node, 2) = tests;
    FIELD(node, 3) = PyLong_FromLong(is_async);
    return (PyObject *)node;
}

static int begins_generator(Reading *r) {
    return KIND_AT(r) == FOR || (KIND_AT(r) == ASYNC && r->at[1].kind == FOR);
}

/* `for x in y if z` and so on, up to the closing bracket, which is read. The value is NULL but for a dictionary. */
static PyObject *comprehended(Reading *r, int which, const Token *start, PyObject *element, PyObject *value, int closing) {
    Py_ssize_t from = r->stack_count;
    while (begins_generator(r)) {
        int is_async = mllint_take(r, ASYNC);
        mllint_next(r);
        PyObject *one = generator(r, is_async);
        if (one == NULL || !mllint_push(r, one)) return NULL;
    }
    PyObject *generators = mllint_list(r, from, 1);
    Node *node = generators == NULL || !mllint_take(r, closing) ? NULL : mllint_node(r, which, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = element;
    if (which == N_DictComp) FIELD(node, 1) = value;
    FIELD(node, which == N_DictComp ? 2 : 1) = generators;
    return (PyObject *)node;
}

/* -------------------------------------------------------------------------------------------------------- displays */
static PyObject *parenthesized(Reading *r) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    if (mllint_take(r, RPAR)) return mllint_sequence(r, N_Tuple, start, from);
    if (KIND_AT(r) == YIELD) {
        PyObject *value = mllint_yield_or_star(r);
        return value != NULL && mllint_take(r, RPAR) ? value : NULL;
    }
    int is_starred = KIND_AT(r) == STAR;
    PyObject *first = mllint_star_named(r);
    if (first == NULL) return NULL;
    if (!is_starred && begins_generator(r)) return comprehended(r, N_GeneratorExp, start, first, NULL, RPAR);
    if (mllint_take(r, RPAR)) return is_starred ? NULL : first;
    if (!mllint_take(r, COMMA) || !mllint_push(r, first)) return NULL;
    if (mllint_starts_expression(KIND_AT(r)) && !mllint_elements(r, mllint_star_named)) return NULL;
    return mllint_take(r, RPAR) ? mllint_sequence(r, N_Tuple, start, from) : NULL;
}

static PyObject *list_display(Reading *r) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    if (mllint_take(r, RSQB)) return mllint_sequence(r, N_List, start, from);
    int is_starred = KIND_AT(r) == STAR;
    PyObject *first = mllint_star_named(r);
    if (first == NULL) return NULL;
    if (!is_starred && begins_generator(r)) return comprehended(r, N_ListComp, start, first, NULL, RSQB);
    if (!mllint_push(r, first)) return NULL;
    if (mllint_take(r, COMMA) && mllint_starts_expression(KIND_AT(r)) && !mllint_elements(r, mllint_star_named)) return NULL;
    return mllint_take(r, RSQB) ? mllint_sequence(r, N_List, start, from) : NULL;
}

static PyObject *set_display(Reading *r, const Token *start, PyObject *first, int is_starred) {
    Py_ssize_t from = r->stack_count;
    if (first == NULL) return NULL;
    if (!is_starred && begins_generator(r)) return comprehended(r, N_SetComp, start, first, NULL, RBRACE);
    if (!mllint_push(r, first)) return NULL;
    if (mllint_take(r, COMMA) && mllint_starts_expression(KIND_AT(r)) && !mllint_elements(r, mllint_star_named)) return NULL;
    return mllint_take(r, RBRACE) ? mllint_sequence(r, N_Set, start, from) : NULL;
}

/* From the first value on, whose key is given (None for `**`): keys and values lie on the stack by turns. */
static PyObject *dictionary(Reading *r, const Token *start, Py_ssize_t from) {
    Py_ssize_t count = (r->stack_count - from) / 2;
    PyObject *keys = PyList_New(count), *values = PyList_New(count);
    Node *node = keys == NULL || values == NULL ? NULL : mllint_node(r, N_Dict, start);
    if (node == NULL) {
        Py_XDECREF(keys);
        Py_XDECREF(values);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyList_SET_ITEM(keys, i, r->stack[from + 2 * i]);
        PyList_SET_ITEM(values, i, r->stack[from + 2 * i + 1]);
    }
    r->stack_count = from;
    FIELD(node, 0) = keys;
    FIELD(node, 1) = values;
    return (PyObject *)node;
}

static PyObject *braces(Reading *r) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    if (mllint_take(r, RBRACE)) return dictionary(r, start, from);
    for (int first = 1;; first = 0) {
        PyObject *key = Py_None, *value;
        if (mllint_take(r, DOUBLESTAR)) value = mllint_operation(r, 1);
        else {
            const Token *here = r->at;
            if (first && KIND_AT(r) == STAR) return set_display(r, start, mllint_star_named(r), 1);
            key = mllint_named_expression(r);
            if (key == NULL) return NULL;
            if (first && KIND_AT(r) != COLON) return set_display(r, start, key, 0);
            if (KIND(key) == mllint_kinds[N_NamedExpr] && here->kind != LPAR) return NULL;
            value = mllint_take(r, COLON) ? mllint_expression(r) : NULL;
            if (value != NULL && first && begins_generator(r))
                return comprehended(r, N_DictComp, start, key, value, RBRACE);
        }
        if (value == NULL) return NULL;
        if (key == Py_None) Py_INCREF(key);
        if (!mllint_push(r, key) || !mllint_push(r, value)) return NULL;
        if (!mllint_take(r, COMMA) || KIND_AT(r) == RBRACE) break;
    }
    return mllint_take(r, RBRACE) ? dictionary(r, start, from) : NULL;
}

/* ----------------------------------------------------------------------------------------------------------- atoms */
static PyObject *name(Reading *r) {
    const Token *token = mllint_next(r);
    PyObject *id = mllint_identifier(r, token);
    Node *node = id == NULL ? NULL : mllint_node(r, N_Name, token);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(id);
    FIELD(node, 1) = mllint_new(mllint_load);
    return (PyObject *)node;
}

static PyObject *fixed(Reading *r, PyObject *value) {
    Node *node = mllint_node(r, N_Constant, mllint_next(r));
    if (node != NULL) FIELD(node, 0) = mllint_new(value);
    return (PyObject *)node;
}

static PyObject *atom(Reading *r) {
    switch (KIND_AT(r)) {
    case T_NAME: return name(r);
    case T_NUMBER: return mllint_number(r);
    case T_STRING: return mllint_strings(r);
    case LPAR: return parenthesized(r);
    case LSQB: return list_display(r);
    case LBRACE: return braces(r);
    case TRUE_: return fixed(r, Py_True);
    case FALSE_: return fixed(r, Py_False);
    case NONE_: return fixed(r, Py_None);
    case ELLIPSIS_: return fixed(r, Py_Ellipsis);
    default: return NULL;
    }
}

/* ------------------------------------------------------------------------------------------------------- subscripts */
static PyObject *slice(Reading *r) {
    const Token *start = r->at;
    PyObject *parts[3] = {NULL, NULL, NULL};
    if (KIND_AT(r) != COLON) {
        parts[0] = mllint_named_expression(r);
        if (parts[0] == NULL || KIND_AT(r) != COLON) return parts[0];
        if (KIND(parts[0]) == mllint_kinds[N_NamedExpr] && start->kind != LPAR) return NULL;
    }
    for (int i = 1; i < 3 && mllint_take(r, COLON); i++) {
        if (!mllint_starts_expression(KIND_AT(r))) continue;
        parts[i] = mllint_expression(r);
        if (parts[i] == NULL) return NULL;
    }
    Node *node = mllint_node(r, N_Slice, start);
    for (int i = 0; node != NULL && i < 3; i++) FIELD(node, i) = parts[i];
    return (PyObject *)node;
}

static PyObject *subscript(Reading *r, const Token *start, PyObject *value) {
    const Token *first = r->at;
    Py_ssize_t from = r->stack_count;
    PyObject *index = slice(r);
    if (index != NULL && KIND_AT(r) == COMMA) {
        if (!mllint_push(r, index)) return NULL;
        while (mllint_take(r, COMMA) && KIND_AT(r) != RSQB) {
            PyObject *next = slice(r);
            if (next == NULL || !mllint_push(r, next)) return NULL;
        }
        index = mllint_sequence(r, N_Tuple, first, from);
    }
    Node *node = index == NULL || !mllint_take(r, RSQB) ? NULL : mllint_node(r, N_Subscript, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = value;
    FIELD(node, 1) = index;
    FIELD(node, 2) = mllint_new(mllint_load);
    return (PyObject *)node;
}

/* ------------------------------------------------------------------------------------------------------------ calls */
static PyObject *keyword_of(Reading *r, const Token *start, int named) {
    PyObject *arg = NULL;
    if (named) {
        arg = mllint_identifier(r, mllint_next(r));
        if (arg == NULL) return NULL;
    }
    mllint_next(r); /* `=` or `**` */
    PyObject *value = mllint_expression(r);
    Node *node = value == NULL ? NULL : mllint_node(r, N_keyword, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = arg == NULL ? NULL : mllint_new(arg);
    FIELD(node, 1) = value;
    return (PyObject *)node;
}

/* What stands in the brackets of a call or class, the closing one included: two lists. `opening` is the bracket of a call,
   which may hold a generator without brackets of its own; else NULL. 0 if it fails. */
static int arguments(Reading *r, const Token *opening, PyObject **args, PyObject **keywords) {
    Py_ssize_t from = r->stack_count, count = 0;
    PyObject *named[MOST_NESTED];
    int closed = 0, doubled = 0;
    while (!closed && KIND_AT(r) != RPAR) {
        const Token *start = r->at;
        int is_named = KIND_AT(r) == T_NAME && r->at[1].kind == EQUAL;
        if (is_named || KIND_AT(r) == DOUBLESTAR) {
            doubled |= !is_named;
            if (count >= MOST_NESTED || (named[count++] = keyword_of(r, start, is_named)) == NULL) return 0;
        } else {
            int is_starred = KIND_AT(r) == STAR;
            if (doubled || (count > 0 && !is_starred)) return 0;
            PyObject *value = is_starred ? mllint_starred(r, mllint_expression) : mllint_named_expression(r);
            if (value != NULL && !is_starred && begins_generator(r)) {
                if (opening == NULL || start != opening + 1) return 0;
                value = comprehended(r, N_GeneratorExp, opening, value, NULL, RPAR);
                closed = 1;
            }
            if (value == NULL || !mllint_push(r, value)) return 0;
        }
        if (!closed && !mllint_take(r, COMMA)) break;
    }
    if (!closed && !mllint_take(r, RPAR)) return 0;
    *args = mllint_list(r, from, 1);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!mllint_push(r, named[i])) return 0;
    *keywords = mllint_list(r, from, 1);
    return *args != NULL && *keywords != NULL;
}

int mllint_class_arguments(Reading *r, PyObject **bases, PyObject **keywords) {
    return arguments(r, NULL, bases, keywords);
}

static PyObject *call(Reading *r, const Token *start, PyObject *function) {
    PyObject *args, *keywords;
    Node *node = arguments(r, r->last, &args, &keywords) ? mllint_node(r, N_Call, start) : NULL;
    if (node == NULL) return NULL;
    FIELD(node, 0) = function;
    FIELD(node, 1) = args;
    FIELD(node, 2) = keywords;
    return (PyObject *)node;
}

static PyObject *attribute(Reading *r, const Token *start, PyObject *value) {
    if (KIND_AT(r) != T_NAME) return NULL;
    PyObject *attr = mllint_identifier(r, mllint_next(r));
    Node *node = attr == NULL ? NULL : mllint_node(r, N_Attribute, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = value;
    FIELD(node, 1) = mllint_new(attr);
    FIELD(node, 2) = mllint_new(mllint_load);
    return (PyObject *)node;
}

PyObject *mllint_primary(Reading *r) {
    const Token *start = r->at;
    PyObject *value = atom(r);
    for (int chain = 0; value != NULL; chain++) {
        if (chain > MOST_NESTED) return NULL;
        if (mllint_take(r, DOT)) value = attribute(r, start, value);
        else if (mllint_take(r, LPAR)) value = call(r, start, value);
        else if (mllint_take(r, LSQB)) value = subscript(r, start, value);
        else return value;
    }
    return NULL;
}
