/* Expressions, as the grammar of the language reference has them: one function for each of its levels. */
#include "reader.h"


/* ------------------------------------------------------------------------------------------------------- contexts */
/* Whether a node may stand there, after its context was set: 1 or 0. */
int mllint_in_context(PyObject *node, PyObject *context) {
    Kind *kind = KIND(node);
    int at;
    if (kind == mllint_kinds[N_Name] || kind == mllint_kinds[N_Starred]) at = 1;
    else if (kind == mllint_kinds[N_Attribute] || kind == mllint_kinds[N_Subscript]) at = 2;
    else if (kind == mllint_kinds[N_Tuple] || kind == mllint_kinds[N_List]) at = 1;
    else return 0;
    Node *target = (Node *)node;
    Py_INCREF(context);
    Py_XSETREF(FIELD(target, at), context);
    if (kind == mllint_kinds[N_Starred]) return context == mllint_store && mllint_in_context(FIELD(target, 0), context);
    if (kind == mllint_kinds[N_Tuple] || kind == mllint_kinds[N_List]) {
        PyObject *elements = FIELD(target, 0);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(elements); i++)
            if (!mllint_in_context(PyList_GET_ITEM(elements, i), context)) return 0;
    }
    return 1;
}

int mllint_starts_expression(int kind) {
    switch (kind) {
    case T_NAME: case T_NUMBER: case T_STRING: case LPAR: case LSQB: case LBRACE: case MINUS: case PLUS: case TILDE:
    case ELLIPSIS_: case STAR: case NOT: case LAMBDA: case AWAIT: case TRUE_: case FALSE_: case NONE_: return 1;
    default: return 0;
    }
}

/* -------------------------------------------------------------------------------------------- several with commas */
PyObject *mllint_starred(Reading *r, PyObject *(*inner)(Reading *)) {
    const Token *start = mllint_next(r);
    PyObject *value = inner(r);
    Node *node = value == NULL ? NULL : mllint_node(r, N_Starred, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = value;
    FIELD(node, 1) = mllint_new(mllint_load);
    return (PyObject *)node;
}

static PyObject *bitwise_or(Reading *r) { return mllint_operation(r, 1); }

static PyObject *star_expression(Reading *r) {
    return KIND_AT(r) == STAR ? mllint_starred(r, bitwise_or) : mllint_expression(r);
}

PyObject *mllint_star_named(Reading *r) {
    return KIND_AT(r) == STAR ? mllint_starred(r, bitwise_or) : mllint_named_expression(r);
}

static PyObject *star_operation(Reading *r) { return KIND_AT(r) == STAR ? mllint_starred(r, bitwise_or) : bitwise_or(r); }

/* The elements up to where no expression begins; 1, or 2 after a comma at the end; 0 if it fails. */
int mllint_elements(Reading *r, PyObject *(*one)(Reading *)) {
    for (;;) {
        PyObject *element = one(r);
        if (element == NULL || !mllint_push(r, element)) return 0;
        if (!mllint_take(r, COMMA)) return 1;
        if (!mllint_starts_expression(KIND_AT(r))) return 2;
    }
}

PyObject *mllint_sequence(Reading *r, int which, const Token *start, Py_ssize_t from) {
    PyObject *list = mllint_list(r, from, 1);
    Node *node = list == NULL ? NULL : mllint_node(r, which, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = list;
    if (which != N_Set) FIELD(node, 1) = mllint_new(mllint_load);
    return (PyObject *)node;
}

/* One, or a tuple without brackets. */
static PyObject *one_or_tuple(Reading *r, PyObject *(*one)(Reading *)) {
    const Token *start = r->at;
    PyObject *first = one(r);
    if (first == NULL || KIND_AT(r) != COMMA) return first;
    Py_ssize_t from = r->stack_count;
    mllint_next(r);
    if (!mllint_push(r, first)) return NULL;
    if (mllint_starts_expression(KIND_AT(r)) && !mllint_elements(r, one)) return NULL;
    return mllint_sequence(r, N_Tuple, start, from);
}

PyObject *mllint_star_expressions(Reading *r) { return one_or_tuple(r, star_expression); }

PyObject *mllint_targets(Reading *r) {
    PyObject *targets = one_or_tuple(r, star_operation);
    return targets != NULL && mllint_in_context(targets, mllint_store) ? targets : NULL;
}

PyObject *mllint_target(Reading *r) {
    PyObject *target = mllint_primary(r);
    return target != NULL && mllint_in_context(target, mllint_store) ? target : NULL;
}

/* --------------------------------------------------------------------------------------------------------- levels */
PyObject *mllint_named_expression(Reading *r) {
    if (KIND_AT(r) != T_NAME || r->at[1].kind != WALRUS) return mllint_expression(r);
    const Token *start = r->at;
    PyObject *target = mllint_primary(r); /* the name alone: nothing of a primary follows */
    mllint_next(r);
    PyObject *value = target == NULL ? NULL : mllint_expression(r);
    Node *node = value == NULL || !mllint_in_context(target, mllint_store) ? NULL : mllint_node(r, N_NamedExpr, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = target;
    FIELD(node, 1) = value;
    return (PyObject *)node;
}

PyObject *mllint_yield_or_star(Reading *r) {
    if (KIND_AT(r) != YIELD) return mllint_star_expressions(r);
    const Token *start = mllint_next(r);
    int from = mllint_take(r, FROM);
    PyObject *value = NULL;
    if (from || mllint_starts_expression(KIND_AT(r))) {
        value = from ? mllint_expression(r) : mllint_star_expressions(r);
        if (value == NULL) return NULL;
    }
    Node *node = mllint_node(r, from ? N_YieldFrom : N_Yield, start);
    if (node != NULL) FIELD(node, 0) = value;
    return (PyObject *)node;
}

static PyObject *lambda(Reading *r) {
    const Token *start = mllint_next(r);
    PyObject *parameters = mllint_parameters(r, COLON, 0);
    PyObject *body = parameters == NULL || !mllint_take(r, COLON) ? NULL : mllint_expression(r);
    Node *node = body == NULL ? NULL : mllint_node(r, N_Lambda, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = parameters;
    FIELD(node, 1) = body;
    return (PyObject *)node;
}

static PyObject *conditional(Reading *r) {
    const Token *start = r->at;
    PyObject *body = mllint_disjunction(r);
    if (body == NULL || !mllint_take(r, IF)) return body;
    PyObject *test = mllint_disjunction(r);
    PyObject *otherwise = test == NULL || !mllint_take(r, ELSE) ? NULL : mllint_expression(r);
    Node *node = otherwise == NULL ? NULL : mllint_node(r, N_IfExp, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = test;
    FIELD(node, 1) = body;
    FIELD(node, 2) = otherwise;
    return (PyObject *)node;
}

PyObject *mllint_expression(Reading *r) {
    if (++r->depth > MOST_NESTED) return NULL;
    PyObject *found = KIND_AT(r) == LAMBDA ? lambda(r) : conditional(r);
    r->depth--;
    return found;
}

static PyObject *bool_operation(Reading *r, int keyword, PyObject *(*inner)(Reading *), int operator) {
    const Token *start = r->at;
    PyObject *first = inner(r);
    if (first == NULL || KIND_AT(r) != keyword) return first;
    Py_ssize_t from = r->stack_count;
    if (!mllint_push(r, first)) return NULL;
    while (mllint_take(r, keyword)) {
        PyObject *next = inner(r);
        if (next == NULL || !mllint_push(r, next)) return NULL;
    }
    PyObject *values = mllint_list(r, from, 1);
    Node *node = values == NULL ? NULL : mllint_node(r, N_BoolOp, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(mllint_operators[operator]);
    FIELD(node, 1) = values;
    return (PyObject *)node;
}

static PyObject *unary(Reading *r, int operator, PyObject *(*inner)(Reading *)) {
    const Token *start = mllint_next(r);
    if (++r->depth > MOST_NESTED) return NULL;
    PyObject *operand = inner(r);
    r->depth--;
    Node *node = operand == NULL ? NULL : mllint_node(r, N_UnaryOp, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(mllint_operators[operator]);
    FIELD(node, 1) = operand;
    return (PyObject *)node;
}

/* The operator of a comparison that comes next, read; -1 if none does. */
static int comparing(Reading *r) {
    int kind = KIND_AT(r);
    if (kind >= EQUALS && kind <= GREATER_EQUAL) {
        mllint_next(r);
        return O_Eq + kind - EQUALS;
    }
    if (mllint_take(r, IN)) return O_In;
    if (mllint_take(r, IS)) return mllint_take(r, NOT) ? O_IsNot : O_Is;
    if (kind != NOT || r->at[1].kind != IN) return -1;
    mllint_next(r);
    mllint_next(r);
    return O_NotIn;
}

static PyObject *comparison(Reading *r) {
    const Token *start = r->at;
    PyObject *left = mllint_operation(r, 1);
    int operator = left == NULL ? -1 : comparing(r);
    if (operator < 0) return left;
    Py_ssize_t from = r->stack_count;
    unsigned char operators[MOST_NESTED];
    int count = 0;
    for (; operator >= 0; operator = comparing(r)) {
        if (count >= MOST_NESTED) return NULL;
        operators[count++] = (unsigned char)operator;
        PyObject *right = mllint_operation(r, 1);
        if (right == NULL || !mllint_push(r, right)) return NULL;
    }
    PyObject *comparators = mllint_list(r, from, 1);
    for (int i = 0; i < count; i++)
        if (!mllint_push(r, mllint_new(mllint_operators[operators[i]]))) return NULL;
    PyObject *list = mllint_list(r, from, 1);
    Node *node = comparators == NULL || list == NULL ? NULL : mllint_node(r, N_Compare, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = left;
    FIELD(node, 1) = list;
    FIELD(node, 2) = comparators;
    return (PyObject *)node;
}

static PyObject *inversion(Reading *r) { return KIND_AT(r) == NOT ? unary(r, O_Not, inversion) : comparison(r); }

static PyObject *conjunction(Reading *r) { return bool_operation(r, AND, inversion, O_And); }

PyObject *mllint_disjunction(Reading *r) { return bool_operation(r, OR, conjunction, O_Or); }

static PyObject *factor(Reading *r);

static PyObject *binary(Reading *r, const Token *start, PyObject *left, int operator, PyObject *right) {
    Node *node = left == NULL || right == NULL ? NULL : mllint_node(r, N_BinOp, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = left;
    FIELD(node, 1) = mllint_new(mllint_operators[operator]);
    FIELD(node, 2) = right;
    return (PyObject *)node;
}

static PyObject *power(Reading *r) {
    const Token *start = r->at;
    PyObject *left;
    if (mllint_take(r, AWAIT)) {
        PyObject *value = mllint_primary(r);
        Node *node = value == NULL ? NULL : mllint_node(r, N_Await, start);
        if (node != NULL) FIELD(node, 0) = value;
        left = (PyObject *)node;
    } else left = mllint_primary(r);
    if (left == NULL || KIND_AT(r) != DOUBLESTAR) return left;
    mllint_next(r);
    if (++r->depth > MOST_NESTED) return NULL;
    PyObject *right = factor(r);
    r->depth--;
    return binary(r, start, left, O_Pow, right);
}

static PyObject *factor(Reading *r) {
    switch (KIND_AT(r)) {
    case PLUS: return unary(r, O_UAdd, factor);
    case MINUS: return unary(r, O_USub, factor);
    case TILDE: return unary(r, O_Invert, factor);
    default: return power(r);
    }
}

/* Operators between two values that bind at least as strongly as a level. */
PyObject *mllint_operation(Reading *r, int least) {
    static const unsigned char levels[] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 6}; /* from VBAR to AT */
    const Token *start = r->at;
    PyObject *left = factor(r);
    for (int chain = 0; left != NULL; chain++) {
        int kind = KIND_AT(r);
        if (kind < VBAR || kind > AT || levels[kind - VBAR] < least) return left;
        if (chain > MOST_NESTED) return NULL;
        mllint_next(r);
        left = binary(r, start, left, O_BitOr + kind - VBAR, mllint_operation(r, levels[kind - VBAR] + 1));
    }
    return NULL;
}
